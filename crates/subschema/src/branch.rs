//! One way for a set of literals to hold: what is settled, and the alternatives that are left.
//! Knows nothing of how a value is found.

use std::cell::Cell;

use crate::node::{Arena, Literal, Node, Types};

/// How deep conjunctions in an alternative are looked into before it is taken.
const GLANCE_DEPTH: usize = 3;

/// Conjunctions of which one must hold.
pub(crate) type Alternatives = Vec<Vec<Literal>>;

#[derive(Clone)]
pub(crate) struct Branch {
    pub(crate) types: Types,
    /// Literals about one kind of values, and sets of values.
    pub(crate) atoms: Vec<Literal>,
    pub(crate) pending: Vec<Alternatives>,
    /// Everything that was taken to hold, sorted.
    seen: Vec<Literal>,
    /// How many literals were looked at since somebody asked.
    looks: Cell<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Glance {
    Holds,
    Fails,
    Open,
}

/// The branch contradicts itself.
pub(crate) struct Closed;

impl Branch {
    pub(crate) fn new() -> Self {
        Self {
            types: Types::ALL,
            atoms: Vec::new(),
            pending: Vec::new(),
            seen: Vec::new(),
            looks: Cell::new(0),
        }
    }

    /// Whether the literal was taken to hold.
    pub(crate) fn holds(&self, literal: Literal) -> bool {
        self.seen.binary_search(&literal).is_ok()
    }

    /// How many literals were looked at since the last time.
    pub(crate) fn looks(&self) -> u64 {
        self.looks.replace(0)
    }

    /// Takes literals to hold, and whatever follows from them without a choice.
    pub(crate) fn take(&mut self, arena: &Arena, literals: &[Literal]) -> Result<(), Closed> {
        let mut open: Vec<Literal> = literals.iter().rev().copied().collect();
        loop {
            while let Some(literal) = open.pop() {
                self.one(arena, literal, &mut open)?;
            }
            self.settle(arena, &mut open)?;
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Drops alternatives that fail, and takes those that are alone.
    fn settle(&mut self, arena: &Arena, open: &mut Vec<Literal>) -> Result<(), Closed> {
        let mut kept = Vec::new();
        for mut alternatives in std::mem::take(&mut self.pending) {
            let mut settled = false;
            alternatives.retain(|it| match self.glance_all(arena, it) {
                Glance::Fails => false,
                Glance::Open => true,
                Glance::Holds => {
                    settled = true;
                    true
                }
            });
            if settled {
                continue;
            }
            match alternatives.as_slice() {
                [] => return Err(Closed),
                [only] => open.extend_from_slice(only),
                _ => kept.push(alternatives),
            }
        }
        self.pending = kept;
        Ok(())
    }

    fn glance_all(&self, arena: &Arena, literals: &[Literal]) -> Glance {
        let mut all = Glance::Holds;
        for literal in literals {
            match self.glance(arena, *literal, GLANCE_DEPTH) {
                Glance::Fails => return Glance::Fails,
                Glance::Open => all = Glance::Open,
                Glance::Holds => {}
            }
        }
        all
    }

    /// What can be told of a literal at once.
    fn glance(&self, arena: &Arena, literal: Literal, depth: usize) -> Glance {
        self.looks.set(self.looks.get().saturating_add(1));
        if self.seen.binary_search(&literal.opposite()).is_ok() {
            return Glance::Fails;
        }
        if self.seen.binary_search(&literal).is_ok() {
            return Glance::Holds;
        }
        let node = arena.get(literal.node);
        let (holds, fails) = match (node, literal.holds) {
            (Node::All(parts), true) | (Node::Any(parts), false) if depth > 0 => {
                return parts.iter().fold(Glance::Holds, |all, part| {
                    let part = Literal {
                        node: *part,
                        holds: literal.holds,
                    };
                    match (all, self.glance(arena, part, depth.saturating_sub(1))) {
                        (Glance::Fails, _) | (_, Glance::Fails) => Glance::Fails,
                        (Glance::Open, _) | (_, Glance::Open) => Glance::Open,
                        (Glance::Holds, Glance::Holds) => Glance::Holds,
                    }
                });
            }
            (Node::Not(part), holds) if depth > 0 => {
                let part = Literal {
                    node: *part,
                    holds: !holds,
                };
                return self.glance(arena, part, depth.saturating_sub(1));
            }
            (Node::Types(types), true) => (types.has(self.types), types.and(self.types).is_empty()),
            (Node::Types(types), false) => {
                (types.and(self.types).is_empty(), types.has(self.types))
            }
            (Node::Values(set), holds) => {
                let foreign = arena.set_types(*set).and(self.types).is_empty();
                (foreign && !holds, foreign && holds)
            }
            (atom, holds) => {
                let foreign = atom.about().is_some_and(|it| it.and(self.types).is_empty());
                (foreign && holds, foreign && !holds)
            }
        };
        match (holds, fails) {
            (_, true) => Glance::Fails,
            (true, false) => Glance::Holds,
            (false, false) => Glance::Open,
        }
    }

    fn narrow(&mut self, types: Types) -> Result<(), Closed> {
        self.types = self.types.and(types);
        if self.types.is_empty() {
            return Err(Closed);
        }
        Ok(())
    }

    fn one(
        &mut self,
        arena: &Arena,
        literal: Literal,
        open: &mut Vec<Literal>,
    ) -> Result<(), Closed> {
        let Err(place) = self.seen.binary_search(&literal) else {
            return Ok(());
        };
        if self.seen.binary_search(&literal.opposite()).is_ok() {
            return Err(Closed);
        }
        self.seen.insert(place, literal);
        let holds = literal.holds;
        let same = |node| Literal { node, holds };
        let node = arena.get(literal.node);
        match node {
            Node::All(parts) | Node::Any(parts) => {
                if matches!(node, Node::All(_)) == holds {
                    open.extend(parts.iter().rev().copied().map(same));
                } else {
                    let alternatives = parts.iter().map(|it| vec![same(*it)]);
                    self.pending.push(alternatives.collect());
                }
            }
            Node::Not(part) => open.push(same(*part).opposite()),
            Node::Ref(slot) => open.extend(arena.target(*slot).map(same)),
            Node::If(test, yes, no) => self.pending.push(vec![
                vec![Literal::yes(*test), same(*yes)],
                vec![Literal::no(*test), same(*no)],
            ]),
            Node::One(parts) => self.pending.push(one_of(parts, holds)),
            Node::Types(types) => self.narrow(if holds { *types } else { types.others() })?,
            Node::Values(set) => {
                if holds {
                    self.narrow(arena.set_types(*set))?;
                }
                self.atoms.push(literal);
            }
            Node::Number(_) | Node::Text(_) | Node::Items(_) | Node::Members(_) => {
                // A demand on a value needs a value of the kind.
                if let Some(types) = node.about().filter(|_| !holds) {
                    self.narrow(types)?;
                }
                self.atoms.push(literal);
            }
        }
        Ok(())
    }
}

/// The ways for exactly one of the parts to hold, or for none or several.
fn one_of(parts: &[crate::node::NodeId], holds: bool) -> Alternatives {
    let mut alternatives = Vec::new();
    if holds {
        for chosen in 0..parts.len() {
            let signed = parts.iter().enumerate().map(|(at, node)| Literal {
                node: *node,
                holds: at == chosen,
            });
            alternatives.push(signed.collect());
        }
        return alternatives;
    }
    alternatives.push(parts.iter().copied().map(Literal::no).collect());
    for (at, first) in parts.iter().enumerate() {
        for second in parts.iter().skip(at.saturating_add(1)) {
            alternatives.push(vec![Literal::yes(*first), Literal::yes(*second)]);
        }
    }
    alternatives
}
