//! A field that the format demands is missing.
//!
//! The place shown is the map that lacks it.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0202");

pub(crate) fn missing(at: &Location, key: &str, what: &str) -> Diagnostic {
    at.error(CODE, format!("{what} lacks the field `{key}`"))
}
