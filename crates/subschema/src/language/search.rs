//! The shortest text that keeps to several languages at once, with its length in characters.

use std::collections::{BTreeMap, BTreeSet};

use super::automaton::{State, holds};
use super::{Automaton, Language};
use crate::Reason;

/// The most places that one search looks at.
const PLACES_MAX: usize = 60_000;

/// The most looks that one search takes.
const LOOKS_MAX: u64 = 3_000_000;

/// The characters that texts are made of where there is a choice.
const PREFERRED: &str = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. @/:";

/// Lengths, both inclusive, and texts that do not count.
pub(crate) struct Window<'a> {
    pub(crate) least: u64,
    pub(crate) most: Option<u64>,
    pub(crate) excluded: Vec<&'a str>,
}

/// A language that the text must be in, or must not.
pub(crate) struct Constraint<'a> {
    pub(crate) language: &'a mut Language,
    pub(crate) holds: bool,
}

/// Where a search is: a state of every automaton, and a place among the excluded texts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    states: Vec<State>,
    /// The excluded texts that begin like this one.
    beginning: Vec<usize>,
}

struct Found {
    place: Place,
    before: usize,
    last: char,
}

/// The shortest text, of those in the first order of [`PREFERRED`]; `None` if there is none.
pub(crate) fn shortest(
    constraints: &mut [Constraint<'_>],
    window: &Window<'_>,
) -> Result<Option<String>, Reason> {
    if window.most.is_some_and(|it| it < window.least) {
        return Ok(None);
    }
    if constraints.is_empty() && window.least > 40 {
        return padded(window);
    }
    let alphabet = alphabet(constraints, &window.excluded);
    let excluded: Vec<Vec<char>> = window
        .excluded
        .iter()
        .map(|it| it.chars().collect())
        .collect();
    let parts = constraints.iter().flat_map(|it| &it.language.parts);
    let states = parts.map(|(automaton, _)| automaton.first()).collect();
    let first = Place {
        states,
        beginning: (0..excluded.len()).collect(),
    };
    let mut found = vec![Found {
        place: first.clone(),
        before: 0,
        last: 'a',
    }];
    let mut seen = BTreeSet::from([(first, 0)]);
    let (mut from, mut length) = (0, 0_u64);
    let looks_max = looks(constraints).saturating_add(LOOKS_MAX);
    while from < found.len() {
        let to = found.len();
        for at in from..to {
            let Some(here) = found.get(at) else { continue };
            let ends = here.beginning_ends(&excluded, length);
            if length >= window.least && !ends && accepts(constraints, &here.place.states)? {
                return Ok(Some(spelled(&found, at)));
            }
        }
        if window.most.is_some_and(|it| length >= it) {
            return Ok(None);
        }
        for at in from..to {
            if looks(constraints) > looks_max {
                return Err(Reason::keyword("pattern", "patterns that take too long"));
            }
            for it in &alphabet {
                let Some(here) = found.get(at) else { continue };
                let Some(place) = advance(constraints, &here.place, *it, &excluded, length)? else {
                    continue;
                };
                let reached = length.saturating_add(1).min(window.least);
                if seen.insert((place.clone(), reached)) {
                    if found.len() >= PLACES_MAX {
                        return Err(Reason::keyword("pattern", "patterns with too many states"));
                    }
                    found.push(Found {
                        place,
                        before: at,
                        last: *it,
                    });
                }
            }
        }
        from = to;
        length = length.saturating_add(1);
    }
    Ok(None)
}

/// How much the automata have been looked at.
fn looks(constraints: &[Constraint<'_>]) -> u64 {
    let languages = constraints.iter().map(|it| it.language.looks());
    languages.fold(0, u64::saturating_add)
}

impl Found {
    /// Whether the text so far is an excluded one.
    fn beginning_ends(&self, excluded: &[Vec<char>], length: u64) -> bool {
        let ends = |it: &usize| {
            let text = excluded.get(*it);
            text.is_some_and(|it| u64::try_from(it.len()) == Ok(length))
        };
        self.place.beginning.iter().any(ends)
    }
}

fn advance(
    constraints: &mut [Constraint<'_>],
    place: &Place,
    it: char,
    excluded: &[Vec<char>],
    length: u64,
) -> Result<Option<Place>, Reason> {
    let mut states = Vec::with_capacity(place.states.len());
    let mut old = place.states.iter();
    for constraint in constraints {
        let only = constraint.language.parts.len() == 1;
        for (automaton, holds) in &mut constraint.language.parts {
            let Some(state) = old.next() else { continue };
            let next = automaton.step(*state, it)?;
            if constraint.holds || only {
                let wanted = constraint.holds == *holds;
                if wanted && next.is_stuck() || !wanted && next.has_matched() {
                    return Ok(None);
                }
            }
            states.push(next);
        }
    }
    let at = usize::try_from(length).unwrap_or(usize::MAX);
    let goes_on = |text: &usize| excluded.get(*text).and_then(|text| text.get(at)) == Some(&it);
    let beginning = place.beginning.iter().copied().filter(goes_on).collect();
    Ok(Some(Place { states, beginning }))
}

fn accepts(constraints: &mut [Constraint<'_>], states: &[State]) -> Result<bool, Reason> {
    let mut states = states.iter();
    let mut kept = true;
    for constraint in constraints {
        let mut all = true;
        for (automaton, holds) in &mut constraint.language.parts {
            let Some(state) = states.next() else {
                return Err(Reason::limit("an automaton in no state"));
            };
            all &= automaton.accepts(*state)? == *holds;
        }
        kept &= all == constraint.holds;
    }
    Ok(kept)
}

fn spelled(found: &[Found], mut at: usize) -> String {
    let mut reversed = Vec::new();
    while at != 0 {
        let Some(here) = found.get(at) else { break };
        reversed.push(here.last);
        at = here.before;
    }
    reversed.into_iter().rev().collect()
}

/// A text of which only the length matters.
fn padded(window: &Window<'_>) -> Result<Option<String>, Reason> {
    const LENGTH_MAX: u64 = 1_000_000;
    let length = usize::try_from(window.least).ok();
    let Some(length) = length.filter(|_| window.least <= LENGTH_MAX) else {
        return Err(Reason::keyword("minLength", "a text too long to write"));
    };
    let body = "a".repeat(length.saturating_sub(1));
    let mut texts = PREFERRED.chars().map(|it| format!("{body}{it}"));
    match texts.find(|it| !window.excluded.contains(&it.as_str())) {
        Some(text) => Ok(Some(text)),
        None => Err(Reason::limit("too many excluded texts of one length")),
    }
}

/// One character for each class that the automata and the excluded texts tell apart.
fn alphabet(constraints: &[Constraint<'_>], excluded: &[&str]) -> Vec<char> {
    let automata = constraints
        .iter()
        .flat_map(|it| it.language.parts.iter().map(|(automaton, _)| automaton));
    let classes: BTreeSet<&[(char, char)]> = automata.flat_map(Automaton::classes).collect();
    let special: BTreeSet<char> = excluded.iter().flat_map(|it| it.chars()).collect();
    let mut cuts = BTreeSet::from([0_u32, 0xD800, 0xE000, 0x11_0000]);
    for (first, last) in classes.iter().flat_map(|it| it.iter()) {
        cuts.insert(u32::from(*first));
        cuts.insert(u32::from(*last).saturating_add(1));
    }
    for it in &special {
        cuts.insert(u32::from(*it));
        cuts.insert(u32::from(*it).saturating_add(1));
    }
    let cuts: Vec<u32> = cuts.into_iter().collect();
    let mut kept: BTreeMap<Vec<bool>, (usize, char)> = BTreeMap::new();
    for pair in cuts.windows(2) {
        let [first, end] = pair else { continue };
        let Some((rank, it)) = representative(*first, end.saturating_sub(1)) else {
            continue;
        };
        let mut signature: Vec<bool> = classes.iter().map(|class| holds(class, it)).collect();
        signature.extend(special.iter().map(|other| *other == it));
        let entry = kept.entry(signature).or_insert((rank, it));
        *entry = (*entry).min((rank, it));
    }
    let mut ranked: Vec<_> = kept.into_values().collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, it)| it).collect()
}

/// The best character of a range, and how good it is.
fn representative(first: u32, last: u32) -> Option<(usize, char)> {
    let within = |it: &char| (first..=last).contains(&u32::from(*it));
    let mut preferred = PREFERRED.chars().enumerate();
    if let Some(best) = preferred.find(|(_, it)| within(it)) {
        return Some(best);
    }
    // A visible one rather than a control character.
    let visible = ['!', '\u{a1}', '\u{100}'].into_iter().find(|it| within(it));
    let it = visible.or_else(|| char::from_u32(first))?;
    Some((PREFERRED.len(), it))
}
