//! An automaton over characters, made deterministic as far as it is walked. It searches: a match
//! may begin and end anywhere in the text.

use std::collections::BTreeMap;

use crate::Reason;

/// The most sets of steps that one automaton may be in.
const SETS_MAX: usize = 20_000;

/// How many looks it takes to reach a step.
const REACHED_LOOKS: usize = 8;

pub(super) enum Step {
    Match,
    Chars(Vec<(char, char)>, usize),
    Either(Vec<usize>),
    AtStart(usize),
    AtEnd(usize),
}

/// A set of steps that an automaton can be in at once.
struct Set {
    steps: Vec<usize>,
    matched: bool,
    accepts: bool,
}

pub(crate) struct Automaton {
    steps: Vec<Step>,
    start: usize,
    sets: Vec<Set>,
    ids: BTreeMap<(bool, bool, Vec<usize>), usize>,
    moves: BTreeMap<(usize, char), usize>,
    restart: Vec<usize>,
    /// How many steps were looked at so far.
    looks: u64,
}

/// The state before the first character.
pub(super) const FIRST: usize = 0;

impl Automaton {
    pub(super) fn new(steps: Vec<Step>, start: usize) -> Self {
        let mut automaton = Self {
            steps,
            start,
            sets: Vec::new(),
            ids: BTreeMap::new(),
            moves: BTreeMap::new(),
            restart: Vec::new(),
            looks: 0,
        };
        let (first, matched) = automaton.closure(&[start], true, false);
        let (_, accepts) = automaton.closure(&[start], true, true);
        automaton.sets.push(Set {
            steps: first,
            matched,
            accepts: matched || accepts,
        });
        automaton.restart = automaton.closure(&[start], false, false).0;
        automaton
    }

    /// The steps reached without a character, and whether a match is among them.
    fn closure(&self, from: &[usize], at_start: bool, at_end: bool) -> (Vec<usize>, bool) {
        let mut seen = Vec::new();
        let mut open = from.to_vec();
        let mut visited = std::collections::BTreeSet::new();
        let mut matched = false;
        while let Some(at) = open.pop() {
            if !visited.insert(at) {
                continue;
            }
            match self.steps.get(at) {
                Some(Step::Match) => matched = true,
                Some(Step::Chars(..)) => seen.push(at),
                Some(Step::Either(next)) => open.extend(next.iter().rev()),
                Some(Step::AtStart(next)) if at_start => open.push(*next),
                Some(Step::AtEnd(next)) => {
                    seen.push(at);
                    if at_end {
                        open.push(*next);
                    }
                }
                Some(Step::AtStart(_)) | None => {}
            }
        }
        seen.sort_unstable();
        (seen, matched)
    }

    /// How many steps were looked at so far.
    pub(crate) fn looks(&self) -> u64 {
        self.looks
    }

    fn look(&mut self, steps: usize) {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        self.looks = self.looks.saturating_add(steps);
    }

    /// The state after a character.
    pub(super) fn step(&mut self, state: usize, it: char) -> Result<usize, Reason> {
        self.look(1);
        if let Some(next) = self.moves.get(&(state, it)) {
            return Ok(*next);
        }
        let Some(set) = self.sets.get(state) else {
            return Err(Reason::limit("an automaton in no state"));
        };
        if set.matched {
            return Ok(state);
        }
        let mut next = Vec::new();
        for at in &set.steps {
            if let Some(Step::Chars(ranges, to)) = self.steps.get(*at)
                && holds(ranges, it)
            {
                next.push(*to);
            }
        }
        // A match may begin after any character.
        next.push(self.start);
        let looked = set.steps.len();
        let (steps, matched) = self.closure(&next, false, false);
        let accepts = matched || self.closure(&next, false, true).1;
        // A step that was reached costs much more than one that was passed by.
        self.look(looked.saturating_add(steps.len().saturating_mul(REACHED_LOOKS)));
        let steps = if matched { Vec::new() } else { steps };
        let key = (matched, accepts, steps);
        let id = if let Some(id) = self.ids.get(&key) {
            *id
        } else {
            if self.sets.len() >= SETS_MAX {
                return Err(Reason::keyword("pattern", "a pattern with too many states"));
            }
            let id = self.sets.len();
            self.sets.push(Set {
                steps: key.2.clone(),
                matched,
                accepts,
            });
            self.ids.insert(key, id);
            id
        };
        self.moves.insert((state, it), id);
        Ok(id)
    }

    /// Whether the text may end here.
    pub(super) fn accepts(&self, state: usize) -> bool {
        self.sets.get(state).is_some_and(|it| it.accepts)
    }

    /// Whether every text that begins so matches.
    pub(super) fn has_matched(&self, state: usize) -> bool {
        self.sets.get(state).is_some_and(|it| it.matched)
    }

    /// Whether no text that begins so matches.
    pub(super) fn is_stuck(&self, state: usize) -> bool {
        let stuck = |it: &Set| !it.matched && !it.accepts && it.steps.is_empty();
        self.restart.is_empty() && self.sets.get(state).is_some_and(stuck)
    }

    pub(super) fn matches(&mut self, text: &str) -> Result<bool, Reason> {
        let mut state = FIRST;
        for it in text.chars() {
            if self.has_matched(state) {
                return Ok(true);
            }
            state = self.step(state, it)?;
        }
        Ok(self.accepts(state))
    }

    /// The classes of characters that it tells apart.
    pub(super) fn classes(&self) -> impl Iterator<Item = &[(char, char)]> {
        self.steps.iter().filter_map(|it| match it {
            Step::Chars(ranges, _) => Some(ranges.as_slice()),
            Step::Match | Step::Either(_) | Step::AtStart(_) | Step::AtEnd(_) => None,
        })
    }
}

/// Whether sorted ranges hold a character.
pub(super) fn holds(ranges: &[(char, char)], it: char) -> bool {
    ranges
        .binary_search_by(|(first, last)| {
            if *last < it {
                std::cmp::Ordering::Less
            } else if *first > it {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .is_ok()
}
