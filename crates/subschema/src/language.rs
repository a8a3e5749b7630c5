//! Regular languages: what a pattern or a format says of a text. Knows nothing of schemas.

mod automaton;
mod compile;
pub(crate) mod format;
mod search;

pub(crate) use automaton::Automaton;
pub(crate) use search::{Constraint, Window, shortest};

use crate::Reason;

/// A pattern: every part must match, or must not where the flag is false.
pub(crate) struct Language {
    pub(crate) parts: Vec<(Automaton, bool)>,
}

impl Language {
    /// The language of an ECMA-262 pattern, which is searched for anywhere in a text.
    pub(crate) fn of(pattern: &str) -> Result<Self, Reason> {
        let (lookaheads, rest) = split_lookaheads(pattern);
        let mut parts = Vec::new();
        for (text, holds) in lookaheads {
            parts.push((compile::compile(&text)?, holds));
        }
        parts.push((compile::compile(&rest)?, true));
        Ok(Self { parts })
    }

    /// How much its automata have been looked at.
    pub(crate) fn looks(&self) -> u64 {
        let looks = self.parts.iter().map(|(automaton, _)| automaton.looks());
        looks.fold(0, u64::saturating_add)
    }

    /// The texts that match every one of several patterns.
    pub(crate) fn all(patterns: &[String]) -> Result<Self, Reason> {
        let mut parts = Vec::new();
        for pattern in patterns {
            parts.extend(Self::of(pattern)?.parts);
        }
        Ok(Self { parts })
    }

    pub(crate) fn matches(&mut self, text: &str) -> Result<bool, Reason> {
        for (automaton, holds) in &mut self.parts {
            if automaton.matches(text)? != *holds {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Takes the lookaheads off the beginning of a pattern that is anchored there: they all look at
/// the same place, so each is a pattern of its own.
fn split_lookaheads(pattern: &str) -> (Vec<(String, bool)>, String) {
    let whole = || (Vec::new(), pattern.to_owned());
    let Some(mut rest) = pattern.strip_prefix('^') else {
        return whole();
    };
    let mut parts = Vec::new();
    loop {
        let (inner, holds) = if let Some(inner) = rest.strip_prefix("(?=") {
            (inner, true)
        } else if let Some(inner) = rest.strip_prefix("(?!") {
            (inner, false)
        } else {
            break;
        };
        let Some((inside, after)) = split_group(inner) else {
            return whole();
        };
        parts.push((format!("^(?:{inside})"), holds));
        rest = after;
    }
    let quantified = rest.starts_with(['*', '+', '?', '{']);
    if parts.is_empty() || quantified || has_alternatives(rest) {
        return whole();
    }
    (parts, format!("^(?:{rest})"))
}

/// The characters outside of classes and escapes, with where they stand and how deep in groups.
fn bare(pattern: &str) -> impl Iterator<Item = (usize, char, usize)> + '_ {
    let mut depth = 0_usize;
    let mut in_class = false;
    let mut escaped = false;
    pattern.char_indices().filter_map(move |(at, it)| {
        if std::mem::take(&mut escaped) {
            return None;
        }
        match it {
            '\\' => {
                escaped = true;
                None
            }
            ']' if in_class => {
                in_class = false;
                None
            }
            _ if in_class => None,
            '[' => {
                in_class = true;
                None
            }
            '(' => {
                depth = depth.saturating_add(1);
                Some((at, it, depth))
            }
            ')' => {
                let here = depth;
                depth = depth.saturating_sub(1);
                Some((at, it, here))
            }
            _ => Some((at, it, depth)),
        }
    })
}

/// Splits what follows an opening bracket into the group and what comes after it.
fn split_group(text: &str) -> Option<(&str, &str)> {
    let (end, _, _) = bare(text).find(|(_, it, depth)| *it == ')' && *depth == 0)?;
    Some((text.get(..end)?, text.get(end.checked_add(1)?..)?))
}

fn has_alternatives(text: &str) -> bool {
    bare(text).any(|(_, it, depth)| it == '|' && depth == 0)
}
