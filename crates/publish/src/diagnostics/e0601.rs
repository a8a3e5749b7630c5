//! A policy whose scope reaches nothing that it is attached to.
//!
//! It would never apply, although it looks as if it did.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0601");

pub(crate) fn reaches_nothing(at: &Location, scope: &str, attached: &str) -> Diagnostic {
    at.error(CODE, format!("the scope `{scope}` reaches nothing: the policy is attached to {attached}"))
        .with_help("correct the scope, or attach the policy where it should apply")
}

pub(crate) fn malformed(at: &Location, scope: &str) -> Diagnostic {
    at.error(CODE, format!("`{scope}` is not a scope"))
        .with_help("write `tool:namespace.name` (the last segment may be `*`), `agent`, `limit` or `dispatch`")
}
