//! An input schema that does not describe an object.
//!
//! The arguments of a call are an object, whose properties policies look at.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0402");

pub(crate) fn not_an_object(at: &Location) -> Diagnostic {
    at.error(CODE, "an input schema describes an object")
        .with_help("write `type: object`, with the arguments under `properties`")
}
