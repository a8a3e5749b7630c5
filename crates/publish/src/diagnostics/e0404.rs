//! A pattern that the engine of regular expressions does not take.
//!
//! Patterns run in time linear in their input, on every call, so look-around and back-references
//! are not available. Such a pattern is refused here and never passed over.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0404");

pub(crate) fn refused(at: &Location, pattern: &str) -> Diagnostic {
    at.error(CODE, format!("the pattern `{pattern}` cannot be compiled"))
        .with_help("look-around and back-references are not available; say it with `not`, `enum` or several patterns")
}
