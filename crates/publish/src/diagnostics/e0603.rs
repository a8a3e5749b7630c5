//! A rule that cannot be compiled, or that could not mean what it says.
//!
//! The field cannot exist in any contract that the policy reaches, the operator does not fit the
//! field's type, a regular expression is invalid, and the like.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0603");

pub(crate) fn refused(at: &Location, message: &str) -> Diagnostic {
    at.error(CODE, message)
}
