//! Something that the format has and that this version of the runtime does not enforce yet.
//!
//! It is refused and not carried along: a document must never promise a check that nobody makes.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0207");

pub(crate) fn not_yet(at: &Location, what: &str) -> Diagnostic {
    at.error(CODE, format!("{what} is not supported by this version yet"))
        .with_help("take it out; it would not be enforced")
}
