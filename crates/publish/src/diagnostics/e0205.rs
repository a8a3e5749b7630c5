//! A value of the right type that breaks a rule of its field: a malformed name, an empty text, a
//! limit of zero, a number out of range.
//!
//! A limit of zero or below never means "no limit"; leave the field out for that.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0205");

pub(crate) fn empty(at: &Location) -> Diagnostic {
    at.error(CODE, "the text is empty")
}

pub(crate) fn count(at: &Location, found: &str, max: u64) -> Diagnostic {
    let rule = if max == u64::MAX || max == u64::from(u32::MAX) {
        "a whole number of at least 1".to_owned()
    } else {
        format!("a whole number from 1 to {max}")
    };
    at.error(CODE, format!("expected {rule}, found {found}"))
}

pub(crate) fn malformed(at: &Location, what: &str, value: &str, rule: &str) -> Diagnostic {
    at.error(CODE, format!("`{value}` is not {what}")).with_help(rule)
}
