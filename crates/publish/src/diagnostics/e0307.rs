//! Two documents of one kind with the same namespace, name and version.
//!
//! Nobody could say which of them a reference means. Build metadata does not tell versions apart.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0307");

pub(crate) fn same_identity(at: &Location, kind: &str, id: &str, other: &str) -> Diagnostic {
    at.error(CODE, format!("{kind} `{id}` is in {other} too"))
        .with_help("give one of them another version, or take it out")
}
