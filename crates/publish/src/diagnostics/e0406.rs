//! A Tool without an input schema.
//!
//! Any arguments are then accepted, and no policy can be checked against a contract.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0406");

pub(crate) fn no_contract(at: &Location) -> Diagnostic {
    at.warning(CODE, "there is no `input_schema`, so any arguments are accepted")
        .with_help("declare the arguments; for a tool without any: `inline: {type: object, additionalProperties: false}`")
}
