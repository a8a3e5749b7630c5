//! From the text of a pattern to an automaton, through the translation that the validator uses, so
//! that proof and validation agree.

use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::automaton::{Automaton, Ranges};
use crate::Reason;

/// The most nodes of one pattern as it is written.
const NODES_MAX: usize = 20_000;

pub(super) fn compile(pattern: &str) -> Result<Automaton, Reason> {
    let hir = read(pattern)?;
    let mut classes = BTreeSet::new();
    collect(&hir, &mut classes)?;
    Automaton::new(&hir, classes)
}

fn read(pattern: &str) -> Result<Hir, Reason> {
    let unread = || Reason::keyword("pattern", "a pattern that is not a regular expression");
    let translated = jsonschema_regex::to_rust_regex(pattern).map_err(|()| unread())?;
    let mut parser = ParserBuilder::new().nest_limit(100).build();
    parser.parse(&translated).map_err(|_| unread())
}

/// The classes of characters that a pattern tells apart.
fn collect(hir: &Hir, classes: &mut BTreeSet<Ranges>) -> Result<(), Reason> {
    let mut open = vec![hir];
    let mut count = 0_usize;
    while let Some(hir) = open.pop() {
        count = count.saturating_add(1);
        if count > NODES_MAX {
            return Err(Reason::keyword("pattern", "a pattern that is too large"));
        }
        match hir.kind() {
            HirKind::Empty | HirKind::Look(Look::Start | Look::End) => {}
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0)
                    .map_err(|_| Reason::keyword("pattern", "a pattern over bytes"))?;
                classes.extend(text.chars().map(|it| vec![(it, it)]));
            }
            HirKind::Class(Class::Unicode(class)) => {
                classes.insert(class.iter().map(|it| (it.start(), it.end())).collect());
            }
            HirKind::Class(Class::Bytes(class)) => {
                if !class.is_ascii() {
                    return Err(Reason::keyword("pattern", "a pattern over bytes"));
                }
                let ranges = class.iter();
                let ranges = ranges.map(|it| (char::from(it.start()), char::from(it.end())));
                classes.insert(ranges.collect());
            }
            HirKind::Look(_) => {
                return Err(Reason::keyword("pattern", "a word boundary in a pattern"));
            }
            HirKind::Repetition(it) => open.push(&it.sub),
            HirKind::Capture(it) => open.push(&it.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => open.extend(parts),
        }
    }
    Ok(())
}
