//! Two tools that the model would see under one name.
//!
//! A binding's name is its `as`, or else its reference with `_` for every character that a name may
//! not have, cut to 64 characters.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0501");

pub(crate) fn name_taken(at: &Location, name: &str, other: &str) -> Diagnostic {
    at.error(CODE, format!("the name `{name}` is taken by {other}"))
        .with_help("give one of them another name with `as`")
}
