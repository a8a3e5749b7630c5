//! A binding with an input schema that is not the one of its Tool.
//!
//! A binding may narrow the contract, and publishing has to prove that it does. This version does
//! not prove it yet and accepts only an equal schema.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0504");

pub(crate) fn differs(at: &Location, tool: &str) -> Diagnostic {
    at.error(CODE, format!("the schema differs from the contract of `{tool}`; narrowing is not proven by this version yet"))
        .with_help("leave `input_schema` out on the binding")
}
