//! A value of another type than the one that is due.
//!
//! YAML reads an unquoted `1.10` as the number 1.1 and an unquoted `true` as a truth value. Where
//! text is due, quote it: `version: "1.10.0"`. An empty value is null and not empty text; leave the
//! field out or give it a value.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0203");

pub(crate) fn found(at: &Location, due: &str, found: &str) -> Diagnostic {
    at.error(CODE, format!("expected {due}, found {found}"))
}

pub(crate) fn null(at: &Location, due: &str) -> Diagnostic {
    found(at, due, "nothing").with_help("give it a value or leave the field out")
}

pub(crate) fn quote_it(at: &Location, text: &str, reads_as: &str) -> Diagnostic {
    at.error(CODE, format!("expected text, but YAML reads an unquoted `{text}` as {reads_as}"))
        .with_help(format!("quote it: \"{text}\""))
}

pub(crate) fn key_not_text(at: &Location) -> Diagnostic {
    found(at, "text as a key", "a map or a list")
}

pub(crate) fn key_needs_quotes(at: &Location, key: &str) -> Diagnostic {
    at.error(CODE, format!("expected text as a key, but YAML reads an unquoted `{key}` as something else"))
        .with_help(format!("quote it: \"{key}\""))
}

pub(crate) fn folded_op(at: &Location) -> Diagnostic {
    at.error(CODE, "an unquoted `>` opens a block of text here")
        .with_help("write `op: gt`, or quote it: \">\"")
}
