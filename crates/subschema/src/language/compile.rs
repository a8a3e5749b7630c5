//! From the text of a pattern to an automaton over characters.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use super::automaton::{Automaton, Step};
use crate::Reason;

/// The most steps of one automaton.
const STEPS_MAX: usize = 20_000;

pub(super) fn compile(pattern: &str) -> Result<Automaton, Reason> {
    let unread = || Reason::keyword("pattern", "a pattern that is not a regular expression");
    // The translation that the validator uses, so that proof and validation agree.
    let translated = jsonschema_regex::to_rust_regex(pattern).map_err(|()| unread())?;
    let mut parser = ParserBuilder::new().nest_limit(100).build();
    let hir = parser.parse(&translated).map_err(|_| unread())?;
    let mut compiler = Compiler {
        steps: vec![Step::Match],
    };
    let start = compiler.add(&hir, 0)?;
    Ok(Automaton::new(compiler.steps, start))
}

struct Compiler {
    steps: Vec<Step>,
}

impl Compiler {
    fn push(&mut self, step: Step) -> Result<usize, Reason> {
        if self.steps.len() >= STEPS_MAX {
            return Err(Reason::keyword("pattern", "a pattern that is too large"));
        }
        self.steps.push(step);
        Ok(self.steps.len().saturating_sub(1))
    }

    /// Adds what matches `hir` and goes on at `next`; where it begins.
    fn add(&mut self, hir: &Hir, next: usize) -> Result<usize, Reason> {
        match hir.kind() {
            HirKind::Empty => Ok(next),
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0)
                    .map_err(|_| Reason::keyword("pattern", "a pattern over bytes"))?;
                let mut next = next;
                for it in text.chars().rev() {
                    next = self.push(Step::Chars(vec![(it, it)], next))?;
                }
                Ok(next)
            }
            HirKind::Class(class) => {
                let ranges = match class {
                    Class::Unicode(class) => {
                        class.iter().map(|it| (it.start(), it.end())).collect()
                    }
                    Class::Bytes(class) => class
                        .iter()
                        .map(|it| (char::from(it.start()), char::from(it.end())))
                        .collect(),
                };
                self.push(Step::Chars(ranges, next))
            }
            HirKind::Look(Look::Start) => self.push(Step::AtStart(next)),
            HirKind::Look(Look::End) => self.push(Step::AtEnd(next)),
            HirKind::Look(_) => Err(Reason::keyword("pattern", "a word boundary in a pattern")),
            HirKind::Repetition(it) => self.repeat(it, next),
            HirKind::Capture(capture) => self.add(&capture.sub, next),
            HirKind::Concat(parts) => {
                let mut next = next;
                for part in parts.iter().rev() {
                    next = self.add(part, next)?;
                }
                Ok(next)
            }
            HirKind::Alternation(parts) => {
                let mut starts = Vec::new();
                for part in parts {
                    starts.push(self.add(part, next)?);
                }
                self.push(Step::Either(starts))
            }
        }
    }

    fn repeat(&mut self, repetition: &Repetition, next: usize) -> Result<usize, Reason> {
        let mut start = next;
        match repetition.max {
            None => {
                let again = self.push(Step::Either(Vec::new()))?;
                let body = self.add(&repetition.sub, again)?;
                if let Some(place) = self.steps.get_mut(again) {
                    *place = Step::Either(vec![body, next]);
                }
                start = again;
            }
            Some(max) => {
                for _ in repetition.min..max {
                    let body = self.add(&repetition.sub, start)?;
                    start = self.push(Step::Either(vec![body, next]))?;
                }
            }
        }
        for _ in 0..repetition.min {
            start = self.add(&repetition.sub, start)?;
        }
        Ok(start)
    }
}
