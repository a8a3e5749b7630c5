//! Why a containment holds, place by place: what the containing schema says, and what makes every
//! value of the contained one keep to it. Asks the solver; finds nothing by itself.

use std::collections::BTreeSet;
use std::fmt;

use crate::branch::Branch;
use crate::node::{ItemsAtom, Literal, MembersAtom, Node, NodeId, NumberAtom, Slot, TextAtom};
use crate::solve::{Outcome, Solver};
use crate::{Options, Reason};

/// The most grounds that are told.
const GROUNDS_MAX: usize = 2_000;
/// How deep places are told apart; what lies below is one ground.
const DEPTH_MAX: usize = 24;

/// Why one thing that the containing schema says holds of every value of the contained one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    /// JSON pointer into the values, with `*` for every item; empty for the value as a whole.
    pub place: String,
    /// The keyword of the containing schema.
    pub keyword: &'static str,
    /// What makes it hold.
    pub rule: Rule,
}

/// What makes something hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The contained schema says the same.
    Same,
    /// The contained schema lets no value come to the place.
    Unreached,
    /// The contained schema lists so many values there, and each of them keeps to it.
    Listed(usize),
    /// By the types of value that are left there.
    Types,
    /// By the bounds and the multiples that a number keeps to.
    Numbers,
    /// Every text that the contained schema takes there is one of the language.
    Language,
    /// By how many items there are and what each of them is.
    Items,
    /// By which members there are and what each of them is.
    Members,
    /// Each alternative of the contained schema leads to one that is taken.
    Alternatives,
    /// It holds of every value, provided that it holds of all smaller ones.
    Induction,
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place.is_empty() {
            "/"
        } else {
            &self.place
        };
        write!(f, "{place} `{}`: {}", self.keyword, self.rule)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Same => "said alike",
            Rule::Unreached => "no value gets there",
            Rule::Listed(1) => "the only value was tried",
            Rule::Listed(count) => return write!(f, "each of {count} values was tried"),
            Rule::Types => "by type",
            Rule::Numbers => "by the bounds of the number",
            Rule::Language => "every text that is left is one of the language",
            Rule::Items => "by the items",
            Rule::Members => "by the members",
            Rule::Alternatives => "every alternative leads to one that is taken",
            Rule::Induction => "by induction over smaller values",
        })
    }
}

/// The keyword that makes a node, as the newest draft calls it.
fn keyword(node: &Node) -> &'static str {
    match node {
        Node::All(_) => "allOf",
        Node::Any(parts) if parts.is_empty() => "false",
        Node::Any(_) => "anyOf",
        Node::One(_) => "oneOf",
        Node::Not(_) => "not",
        Node::If(..) => "if",
        Node::Ref(_) => "$ref",
        Node::Types(_) | Node::Number(NumberAtom::Integer) => "type",
        Node::Values(_) => "enum",
        Node::Number(NumberAtom::Bound { upper, strict, .. }) => match (upper, strict) {
            (false, false) => "minimum",
            (false, true) => "exclusiveMinimum",
            (true, false) => "maximum",
            (true, true) => "exclusiveMaximum",
        },
        Node::Number(NumberAtom::MultipleOf(_)) => "multipleOf",
        Node::Text(TextAtom::MinLength(_)) => "minLength",
        Node::Text(TextAtom::MaxLength(_)) => "maxLength",
        Node::Text(TextAtom::Pattern(_)) => "pattern",
        Node::Text(TextAtom::Format(_)) => "format",
        Node::Items(ItemsAtom::MinItems(_)) => "minItems",
        Node::Items(ItemsAtom::MaxItems(_)) => "maxItems",
        Node::Items(ItemsAtom::Unique) => "uniqueItems",
        Node::Items(ItemsAtom::Item(..)) => "prefixItems",
        Node::Items(ItemsAtom::ItemsFrom(..)) => "items",
        Node::Items(ItemsAtom::ContainsMin(..)) => "contains",
        Node::Items(ItemsAtom::ContainsMax(..)) => "maxContains",
        Node::Members(MembersAtom::Required(_)) => "required",
        Node::Members(MembersAtom::MinProperties(_)) => "minProperties",
        Node::Members(MembersAtom::MaxProperties(_)) => "maxProperties",
        Node::Members(MembersAtom::Property(..)) => "properties",
        Node::Members(MembersAtom::PatternProperty(..)) => "patternProperties",
        Node::Members(MembersAtom::Rest { .. }) => "additionalProperties",
        Node::Members(MembersAtom::Names(_)) => "propertyNames",
    }
}

/// A step from a value to a value in it.
#[derive(Clone)]
enum Step {
    Member(String),
    Item(usize),
    ItemsFrom(usize),
}

/// Where the walk stands.
#[derive(Clone)]
struct Place {
    steps: Vec<Step>,
    /// What is known to hold of values there.
    known: Vec<Literal>,
}

impl Place {
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.steps {
            pointer.push('/');
            match step {
                Step::Member(name) => {
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
                Step::Item(at) => pointer.push_str(&at.to_string()),
                Step::ItemsFrom(_) => pointer.push('*'),
            }
        }
        pointer
    }
}

/// One thing that a schema says at a place, and whether it was shown.
enum Told {
    Holds(Rule),
    Fails,
    Unknown(Reason),
}

pub(crate) struct Walk<'s, 'n> {
    solver: &'s mut Solver<'n>,
    sub: NodeId,
    grounds: Vec<Ground>,
    /// What could not be decided first, with its place.
    undecided: Option<Reason>,
    /// References that are followed, so that none is followed into itself.
    open: BTreeSet<(Slot, usize)>,
}

/// Every ground of `sub ⊆ sup`, in the order in which the containing schema's places are met.
pub(crate) fn grounds(solver: &mut Solver<'_>, sub: NodeId, sup: NodeId) -> Vec<Ground> {
    let mut walk = Walk::new(solver, sub);
    walk.whole(sup);
    walk.grounds
}

/// The first place at which it cannot be told whether the containing schema is kept to.
pub(crate) fn undecided(
    arena: &mut crate::node::Arena,
    (sub, sup): (NodeId, NodeId),
    options: &Options,
) -> Option<Reason> {
    let mut solver = Solver::new(arena, options.steps_max);
    let mut walk = Walk::new(&mut solver, sub);
    walk.whole(sup);
    walk.undecided
}

impl<'s, 'n> Walk<'s, 'n> {
    fn new(solver: &'s mut Solver<'n>, sub: NodeId) -> Self {
        Self {
            solver,
            sub,
            grounds: Vec::new(),
            undecided: None,
            open: BTreeSet::new(),
        }
    }

    fn whole(&mut self, sup: NodeId) {
        let place = Place {
            steps: Vec::new(),
            known: vec![Literal::yes(self.sub)],
        };
        self.node(sup, &place);
    }

    fn node(&mut self, node: NodeId, place: &Place) {
        if self.grounds.len() >= GROUNDS_MAX {
            return;
        }
        let said = self.solver.arena.share(node);
        let Some(branch) = self.known(place) else {
            return self.tell(&said, place, Told::Holds(Rule::Unreached));
        };
        if branch.holds(Literal::yes(node)) {
            return self.tell(&said, place, Told::Holds(Rule::Same));
        }
        match said.as_ref() {
            Node::All(parts) => {
                for part in parts {
                    self.node(*part, place);
                }
            }
            Node::Ref(slot) => self.reference(*slot, &said, place),
            Node::Any(_)
            | Node::One(_)
            | Node::Not(_)
            | Node::If(..)
            | Node::Types(_)
            | Node::Values(_)
            | Node::Number(_)
            | Node::Text(_)
            | Node::Items(_)
            | Node::Members(_) => match inner(&said) {
                Some((step, of)) if place.steps.len() < DEPTH_MAX => {
                    self.below(step, of, (place, &branch));
                }
                Some(_) | None => {
                    let told = self.asked(node, place, &branch);
                    self.tell(&said, place, told);
                }
            },
        }
    }

    /// What follows at a place without a choice; `None` if nothing can be there.
    fn known(&self, place: &Place) -> Option<Branch> {
        let mut branch = Branch::new();
        branch
            .take(self.solver.arena, &place.known)
            .is_ok()
            .then_some(branch)
    }

    fn tell(&mut self, said: &Node, place: &Place, told: Told) {
        let keyword = keyword(said);
        match told {
            Told::Holds(rule) => {
                let ground = Ground {
                    place: place.pointer(),
                    keyword,
                    rule,
                };
                if !self.grounds.contains(&ground) {
                    self.grounds.push(ground);
                }
            }
            Told::Unknown(reason) => {
                let place = place.pointer();
                self.undecided.get_or_insert(Reason {
                    keyword: Some(reason.keyword.unwrap_or_else(|| keyword.to_owned())),
                    place: Some(place),
                    text: reason.text,
                });
            }
            Told::Fails => {}
        }
    }

    fn reference(&mut self, slot: Slot, said: &Node, place: &Place) {
        let Some(target) = self.solver.arena.target(slot) else {
            return;
        };
        let depth = place.steps.len();
        let inside = self.open.iter().any(|it| it.0 == slot);
        if inside || !self.open.insert((slot, depth)) {
            return self.tell(said, place, Told::Holds(Rule::Induction));
        }
        self.node(target, place);
        self.open.remove(&(slot, depth));
    }

    fn below(&mut self, step: Step, of: NodeId, (place, branch): (&Place, &Branch)) {
        let mut known = Vec::new();
        for atom in branch.atoms.iter().filter(|it| it.holds) {
            let node = self.solver.arena.share(atom.node);
            let applies = match (&step, node.items(), node.members()) {
                (Step::Member(name), _, Some(atom)) => {
                    self.solver.applies(atom, name).ok().flatten()
                }
                (Step::Item(at), Some(ItemsAtom::Item(index, of)), _) if index == at => Some(*of),
                (
                    Step::Item(first) | Step::ItemsFrom(first),
                    Some(ItemsAtom::ItemsFrom(from, of)),
                    _,
                ) if from <= first => Some(*of),
                (Step::Member(_) | Step::Item(_) | Step::ItemsFrom(_), _, _) => None,
            };
            known.extend(applies.map(Literal::yes));
        }
        let mut steps = place.steps.clone();
        steps.push(step);
        self.node(of, &Place { steps, known });
    }

    /// Has the solver look for a value at the place that does not keep to the node, and if there is
    /// one there, for a whole value around it.
    fn asked(&mut self, node: NodeId, place: &Place, branch: &Branch) -> Told {
        let mut literals = place.known.clone();
        literals.push(Literal::no(node));
        if let Outcome::Empty(_) = self.solver.solve(literals) {
            return Told::Holds(self.rule(node, branch));
        }
        let mut whole = node;
        for step in place.steps.iter().rev() {
            whole = match step {
                Step::Member(name) => {
                    let atom = MembersAtom::Property(name.clone(), whole);
                    self.solver.arena.keep(atom)
                }
                Step::Item(at) => self.solver.arena.keep(ItemsAtom::Item(*at, whole)),
                Step::ItemsFrom(from) => self.solver.arena.keep(ItemsAtom::ItemsFrom(*from, whole)),
            };
        }
        let literals = vec![Literal::yes(self.sub), Literal::no(whole)];
        match self.solver.solve(literals) {
            Outcome::Empty(_) => Told::Holds(Rule::Alternatives),
            Outcome::Found(_) => Told::Fails,
            Outcome::Unknown(reason) => Told::Unknown(reason),
        }
    }

    fn rule(&self, node: NodeId, branch: &Branch) -> Rule {
        let arena = &self.solver.arena;
        for atom in branch.atoms.iter().filter(|it| it.holds) {
            if let Node::Values(set) = arena.get(atom.node) {
                return Rule::Listed(arena.values(*set).len());
            }
        }
        match arena.get(node) {
            Node::All(_)
            | Node::Any(_)
            | Node::One(_)
            | Node::Not(_)
            | Node::If(..)
            | Node::Ref(_)
            | Node::Values(_) => Rule::Alternatives,
            Node::Types(_) => Rule::Types,
            Node::Number(_) => Rule::Numbers,
            Node::Text(_) => Rule::Language,
            Node::Items(_) => Rule::Items,
            Node::Members(_) => Rule::Members,
        }
    }
}

/// The values within a value that an atom is about, where it is about some of one place.
fn inner(node: &Node) -> Option<(Step, NodeId)> {
    if let Some(MembersAtom::Property(name, of)) = node.members() {
        return Some((Step::Member(name.clone()), *of));
    }
    match node.items()? {
        ItemsAtom::Item(at, of) => Some((Step::Item(*at), *of)),
        ItemsAtom::ItemsFrom(from, of) => Some((Step::ItemsFrom(*from), *of)),
        ItemsAtom::MinItems(_)
        | ItemsAtom::MaxItems(_)
        | ItemsAtom::Unique
        | ItemsAtom::ContainsMin(..)
        | ItemsAtom::ContainsMax(..) => None,
    }
}
