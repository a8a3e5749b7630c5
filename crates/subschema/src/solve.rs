//! Looks for a value of which a set of literals holds. Knows nothing of documents and drafts.
//!
//! INVARIANT: `Empty` is said only where every alternative was looked at to its end; whatever was
//! cut short is `Unknown`.

use std::collections::BTreeMap;
use std::rc::Rc;

use spec::Json;

use crate::Reason;
use crate::branch::{Alternatives, Branch};
use crate::leaf::number;
use crate::node::{Arena, Literal, Node, Types};
use crate::texts::Texts;

/// How deep values are nested in each other while one is looked for.
const NESTING_MAX: usize = 48;

/// How many looks at a literal take as long as a step.
const LOOKS_A_STEP: u64 = 100;

/// The outermost place in progress that an answer depends on; none is deeper than all of them.
pub(crate) const NOTHING_ABOVE: usize = usize::MAX;

#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Found(Json),
    /// There is none, provided that there is no smaller value for the literals in progress at the
    /// place given: a least value never has one like itself inside.
    Empty(usize),
    Unknown(Reason),
}

/// What several searches that all failed amount to.
pub(crate) struct Failure {
    above: usize,
    doubt: Option<Reason>,
}

impl Failure {
    pub(crate) fn new() -> Self {
        Self {
            above: NOTHING_ABOVE,
            doubt: None,
        }
    }

    pub(crate) fn doubt(&mut self, reason: Reason) {
        self.doubt.get_or_insert(reason);
    }

    /// Takes note of a search; its value, if there is one.
    pub(crate) fn note(&mut self, outcome: Outcome) -> Option<Json> {
        match outcome {
            Outcome::Found(value) => return Some(value),
            Outcome::Empty(above) => self.above = self.above.min(above),
            Outcome::Unknown(reason) => self.doubt(reason),
        }
        None
    }

    pub(crate) fn outcome(self) -> Outcome {
        match self.doubt {
            Some(reason) => Outcome::Unknown(reason),
            None => Outcome::Empty(self.above),
        }
    }
}

pub(crate) struct Solver<'n> {
    pub(crate) arena: &'n mut Arena,
    pub(crate) texts: Texts,
    steps_left: u64,
    cache: BTreeMap<Vec<Literal>, Outcome>,
    /// The literals in progress, from the outside to the inside.
    progress: Vec<Vec<Literal>>,
}

impl<'n> Solver<'n> {
    pub(crate) fn new(arena: &'n mut Arena, steps_max: u64) -> Self {
        Self {
            arena,
            texts: Texts::default(),
            steps_left: steps_max,
            cache: BTreeMap::new(),
            progress: Vec::new(),
        }
    }

    /// The steps taken of so many.
    pub(crate) fn steps(&self, steps_max: u64) -> u64 {
        steps_max.saturating_sub(self.steps_left)
    }

    /// One step of the budget.
    pub(crate) fn tick(&mut self) -> Result<(), Reason> {
        match self.steps_left.checked_sub(1) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => Err(Reason::limit("more steps than allowed")),
        }
    }

    /// The steps that some work amounts to.
    pub(crate) fn charge(&mut self, work: u64, a_step: u64) -> Result<(), Reason> {
        let steps = work.checked_div(a_step).unwrap_or(work);
        match self.steps_left.checked_sub(steps) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => {
                self.steps_left = 0;
                Err(Reason::limit("more steps than allowed"))
            }
        }
    }

    /// A value of which all the literals hold.
    pub(crate) fn solve(&mut self, mut literals: Vec<Literal>) -> Outcome {
        literals.sort_unstable();
        literals.dedup();
        if let Err(reason) = self.tick() {
            return Outcome::Unknown(reason);
        }
        if let Some(known) = self.cache.get(&literals) {
            return known.clone();
        }
        if let Some(above) = self.progress.iter().position(|it| *it == literals) {
            return Outcome::Empty(above);
        }
        let here = self.progress.len();
        if here >= NESTING_MAX {
            return Outcome::Unknown(Reason::limit("values nested too deep"));
        }
        self.progress.push(literals.clone());
        let outcome = self.search(&literals);
        self.progress.truncate(here);
        match outcome {
            Outcome::Empty(above) if above < here => Outcome::Empty(above),
            Outcome::Empty(_) => {
                self.cache.insert(literals, Outcome::Empty(NOTHING_ABOVE));
                Outcome::Empty(NOTHING_ABOVE)
            }
            Outcome::Found(value) => {
                self.cache.insert(literals, Outcome::Found(value.clone()));
                Outcome::Found(value)
            }
            Outcome::Unknown(reason) => Outcome::Unknown(reason),
        }
    }

    fn search(&mut self, literals: &[Literal]) -> Outcome {
        // Branches are made when their turn comes: all of them at once could fill the memory.
        let mut open = vec![(Branch::new(), vec![literals.to_vec()])];
        let mut failure = Failure::new();
        loop {
            let mut branch = match self.next_branch(&mut open) {
                Ok(Some(branch)) => branch,
                Ok(None) => return failure.outcome(),
                Err(reason) => return Outcome::Unknown(reason),
            };
            let mut attempt = Failure::new();
            let outcome = self.leaf(&branch, literals);
            let undecided = matches!(outcome, Outcome::Unknown(_));
            let found = attempt.note(outcome);
            if found.is_none() && !undecided {
                // What is settled is contradictory already, whatever is pending.
                failure.note(attempt.outcome());
                continue;
            }
            if let Some(value) = &found
                && matches!(self.all_hold(literals, value), Ok(true))
            {
                return Outcome::Found(value.clone());
            }
            match self.next_choice(&mut branch, found.as_ref()) {
                Some(mut alternatives) => {
                    alternatives.reverse();
                    open.push((branch, alternatives));
                }
                None => match found {
                    Some(value) => return Outcome::Found(value),
                    None => {
                        failure.note(attempt.outcome());
                    }
                },
            }
        }
    }

    /// The next branch that does not contradict itself, of those that are left to try.
    fn next_branch(
        &mut self,
        open: &mut Vec<(Branch, Alternatives)>,
    ) -> Result<Option<Branch>, Reason> {
        while let Some((mut branch, mut alternatives)) = open.pop() {
            let Some(alternative) = alternatives.pop() else {
                continue;
            };
            if !alternatives.is_empty() {
                open.push((branch.clone(), alternatives));
            }
            self.tick()?;
            let taken = branch.take(self.arena, &alternative);
            self.charge(branch.looks(), LOOKS_A_STEP)?;
            if taken.is_ok() {
                return Ok(Some(branch));
            }
        }
        Ok(None)
    }

    /// Takes out the alternatives to try next: some that the value at hand does not keep to.
    fn next_choice(&mut self, branch: &mut Branch, value: Option<&Json>) -> Option<Alternatives> {
        let mut best: Option<(usize, usize)> = None;
        for at in 0..branch.pending.len() {
            let Some(alternatives) = branch.pending.get(at) else {
                continue;
            };
            let size = alternatives.len();
            if best.is_some_and(|(least, _)| least <= size) {
                continue;
            }
            if let Some(value) = value {
                let kept = alternatives
                    .iter()
                    .any(|it| matches!(self.all_hold(it, value), Ok(true)));
                if kept {
                    continue;
                }
            }
            best = Some((size, at));
        }
        best.map(|(_, at)| branch.pending.swap_remove(at))
    }

    /// A value for what is settled in a branch.
    fn leaf(&mut self, branch: &Branch, literals: &[Literal]) -> Outcome {
        let positive = branch.atoms.iter().find_map(|it| {
            let Node::Values(set) = self.arena.get(it.node) else {
                return None;
            };
            Some(*set).filter(|_| it.holds)
        });
        if let Some(set) = positive {
            let values = self.arena.values(set).to_vec();
            return self.listed(&values, branch.types, literals);
        }
        let excluded = self.excluded(branch);
        let atoms = branch.atoms.iter();
        let atoms: Vec<_> = atoms
            .map(|it| (self.arena.share(it.node), it.holds))
            .collect();
        let mut failure = Failure::new();
        for kind in [
            Types::STRING,
            Types::NUMBER,
            Types::BOOLEAN,
            Types::NULL,
            Types::ARRAY,
            Types::OBJECT,
        ] {
            if !branch.types.has(kind) {
                continue;
            }
            let excluded: Vec<&Json> = excluded.iter().filter(|it| Types::of(it) == kind).collect();
            let outcome = match kind {
                Types::STRING => self.string(&about(&atoms, Node::text), &excluded),
                Types::NUMBER => number::find(&about(&atoms, Node::number), &excluded),
                Types::BOOLEAN => simple(&[Json::Bool(true), Json::Bool(false)], &excluded),
                Types::NULL => simple(&[Json::Null], &excluded),
                Types::ARRAY => self.array(&about(&atoms, Node::items), &excluded),
                _ => self.object(&about(&atoms, Node::members), &excluded),
            };
            if let Some(value) = failure.note(outcome) {
                return Outcome::Found(value);
            }
        }
        failure.outcome()
    }

    /// One of finitely many values. Each is judged by all of the literals, so nothing is open.
    fn listed(&mut self, values: &[Json], types: Types, literals: &[Literal]) -> Outcome {
        let mut failure = Failure::new();
        for value in values {
            if !types.has(Types::of(value)) {
                continue;
            }
            match self.all_hold(literals, value) {
                Ok(true) => return Outcome::Found(value.clone()),
                Ok(false) => {}
                Err(reason) => failure.doubt(reason),
            }
        }
        failure.outcome()
    }

    fn excluded(&self, branch: &Branch) -> Vec<Json> {
        let mut excluded = Vec::new();
        for atom in branch.atoms.iter().filter(|it| !it.holds) {
            if let Node::Values(set) = self.arena.get(atom.node) {
                excluded.extend_from_slice(self.arena.values(*set));
            }
        }
        excluded
    }

    /// The literal of another value than the one given.
    pub(crate) fn other_than(&mut self, value: &Json) -> Literal {
        Literal::no(self.arena.one_of_values(std::slice::from_ref(value)))
    }
}

/// The atoms about one kind of values.
fn about<A>(atoms: &[(Rc<Node>, bool)], which: impl Fn(&Node) -> Option<&A>) -> Vec<(&A, bool)> {
    atoms
        .iter()
        .filter_map(|(node, holds)| Some((which(node)?, *holds)))
        .collect()
}

fn simple(values: &[Json], excluded: &[&Json]) -> Outcome {
    let found = values.iter().find(|it| !excluded.contains(it));
    found.map_or(Outcome::Empty(NOTHING_ABOVE), |it| {
        Outcome::Found(it.clone())
    })
}
