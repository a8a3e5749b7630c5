//! A JSON Schema that breaks the rules of its own draft.
//!
//! Drafts 4, 6, 7, 2019-09 and 2020-12 are known by `$schema`; without it, 2020-12 holds. A schema
//! with a mistake in it would check less than its author meant.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0401");

pub(crate) fn invalid(at: &Location, why: &str) -> Diagnostic {
    at.error(CODE, format!("not a valid JSON Schema: {why}"))
}

pub(crate) fn unknown_draft(at: &Location, draft: &str) -> Diagnostic {
    at.error(CODE, format!("unknown JSON Schema draft `{draft}`"))
        .with_help("known are drafts 4, 6, 7, 2019-09 and 2020-12")
}
