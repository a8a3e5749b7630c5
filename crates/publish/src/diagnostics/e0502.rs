//! The same Tool bound twice in one agent.
//!
//! A rule on one of the two bindings would not hold for the other, and the model could choose.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0502");

pub(crate) fn bound_twice(at: &Location, id: &str, other: &str) -> Diagnostic {
    at.error(CODE, format!("the Tool `{id}` is bound by {other} too"))
        .with_help("keep one of the two bindings")
}
