//! The same key twice in one map.
//!
//! Readers of YAML disagree about which of the two counts, so the text that was reviewed might not
//! be the one that runs. Keep one of them.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0105");

pub(crate) fn duplicate(at: &Location, key: &str, first_line: Option<u32>) -> Diagnostic {
    let first = first_line.map_or_else(
        || "the same map has it before".to_owned(),
        |line| format!("first written on line {line}"),
    );
    let line = at.span.map_or(0, |span| span.line);
    at.error(CODE, format!("the key `{key}` appears again on line {line}; {first}"))
        .with_help("keep one of the two")
}
