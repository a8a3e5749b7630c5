//! A policy with a bare `allow` list for which the argument to check cannot be told.
//!
//! The list is compared with the one property among `queue`, `target`, `value`, `name`, `id` and
//! `currency` that the Tool declares. Where none or several are declared, say it with a condition.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0602");

pub(crate) fn undecided(at: &Location, why: &str) -> Diagnostic {
    at.error(CODE, format!("it is not clear which argument `allow` is about: {why}"))
        .with_help("write `conditions: {field: NAME, op: in, value: [...]}`")
}
