//! An automaton over characters: a lazy DFA, walked by the UTF-8 bytes of each. It searches: a match
//! may begin and end anywhere in the text.

use std::collections::BTreeSet;

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::{Hir, Look, LookSet};

use crate::Reason;

/// The most memory that the steps of one pattern take, in bytes.
const STEPS_SIZE_MAX: usize = 4 << 20;

/// The most memory that the states met while walking take, in bytes.
const STATES_SIZE_MAX: usize = 16 << 20;

/// Bytes of states that are as much work as one look.
const BYTES_A_LOOK: u64 = 16;

/// A class of characters, as sorted ranges that include their ends.
pub(super) type Ranges = Vec<(char, char)>;

pub(crate) struct Automaton {
    dfa: DFA,
    cache: Cache,
    first: State,
    /// Whether a match may depend on where the text ends.
    heeds_end: bool,
    classes: BTreeSet<Ranges>,
    /// How much was looked at so far: a byte is one look, and what a new state weighs some more.
    looks: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// A match was seen, whatever follows.
    Matched,
    At(LazyStateID),
}

fn too_large() -> Reason {
    Reason::keyword("pattern", "a pattern that is too large")
}

fn too_many_states() -> Reason {
    Reason::keyword("pattern", "a pattern with too many states")
}

impl Automaton {
    /// For a pattern of which every look-around is at the start or the end of the text.
    pub(super) fn new(hir: &Hir, classes: BTreeSet<Ranges>) -> Result<Self, Reason> {
        let steps = thompson::Config::new()
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(STEPS_SIZE_MAX));
        let nfa = thompson::Compiler::new()
            .configure(steps)
            .build_from_hir(hir)
            .map_err(|_| too_large())?;
        // A state that was met is never forgotten: the search keeps ids of many at once.
        let states = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(STATES_SIZE_MAX)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(Some(0));
        let dfa = DFA::builder()
            .configure(states)
            .build_from_nfa(nfa)
            .map_err(|_| too_large())?;
        let mut cache = dfa.create_cache();
        let first = dfa
            .start_state(&mut cache, &start::Config::new().anchored(Anchored::No))
            .map_err(|_| too_many_states())?;
        let looks = hir.properties().look_set();
        let mut automaton = Self {
            dfa,
            cache,
            first: State::At(first),
            heeds_end: !looks.subtract(LookSet::singleton(Look::Start)).is_empty(),
            classes,
            looks: 0,
        };
        automaton.first = automaton.settled(first)?;
        Ok(automaton)
    }

    /// The state before the first character.
    pub(super) fn first(&self) -> State {
        self.first
    }

    /// How much was looked at so far.
    pub(crate) fn looks(&self) -> u64 {
        let weight = u64::try_from(self.cache.memory_usage()).unwrap_or(u64::MAX);
        self.looks.saturating_add(weight / BYTES_A_LOOK)
    }

    /// The state after a character.
    pub(super) fn step(&mut self, state: State, it: char) -> Result<State, Reason> {
        let State::At(mut id) = state else {
            return Ok(state);
        };
        let mut bytes = [0; 4];
        for byte in it.encode_utf8(&mut bytes).bytes() {
            self.looks = self.looks.saturating_add(1);
            let next = self.dfa.next_state(&mut self.cache, id, byte);
            id = next.map_err(|_| too_many_states())?;
            if id.is_match() {
                return Ok(State::Matched);
            }
            if id.is_dead() {
                return Ok(State::At(id));
            }
            if id.is_quit() || id.is_unknown() {
                return Err(Reason::limit("an automaton that gave up"));
            }
        }
        self.settled(id)
    }

    /// The library tells of a match one byte late: where the end does not count, it is told at once.
    fn settled(&mut self, id: LazyStateID) -> Result<State, Reason> {
        if !self.heeds_end && self.accepts(State::At(id))? {
            return Ok(State::Matched);
        }
        Ok(State::At(id))
    }

    /// Whether the text may end here.
    pub(super) fn accepts(&mut self, state: State) -> Result<bool, Reason> {
        match state {
            State::Matched => Ok(true),
            State::At(id) if id.is_dead() => Ok(false),
            State::At(id) => {
                let end = self.dfa.next_eoi_state(&mut self.cache, id);
                Ok(end.map_err(|_| too_many_states())?.is_match())
            }
        }
    }

    pub(super) fn matches(&mut self, text: &str) -> Result<bool, Reason> {
        let mut state = self.first;
        for it in text.chars() {
            if state.has_matched() {
                return Ok(true);
            }
            state = self.step(state, it)?;
        }
        self.accepts(state)
    }

    /// The classes of characters that it tells apart.
    pub(super) fn classes(&self) -> impl Iterator<Item = &[(char, char)]> {
        self.classes.iter().map(Vec::as_slice)
    }
}

impl State {
    /// Whether every text that begins so matches. One that says no may still turn out to be so.
    pub(super) fn has_matched(self) -> bool {
        self == Self::Matched
    }

    /// Whether no text that begins so matches.
    pub(super) fn is_stuck(self) -> bool {
        match self {
            Self::Matched => false,
            Self::At(id) => id.is_dead(),
        }
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
