//! A number that is written in a way that readers disagree about, or that cannot be kept exactly.
//!
//! Numbers are written in base ten, without leading zeros, and are finite; they keep every digit.
//! `010` is ten to some readers and eight to others.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0209");

pub(crate) fn odd(at: &Location, text: &str, why: &str) -> Diagnostic {
    at.error(CODE, format!("`{text}` is no number that we take: {why}"))
        .with_help(format!("write a plain number, or quote it if text is meant: \"{text}\""))
}

pub(crate) fn bad_json(at: &Location, error: &spec::NumberError) -> Diagnostic {
    at.error(CODE, error.to_string())
}
