//! A rule that may not do what its author has in mind.
//!
//! It can be published. Read what the message says about when it applies.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0604");

pub(crate) fn doubtful(at: &Location, message: &str) -> Diagnostic {
    at.warning(CODE, message)
}
