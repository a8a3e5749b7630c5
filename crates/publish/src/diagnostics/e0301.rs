//! A file reference that leaves the bundle, or that is not a relative path.
//!
//! References are relative to the folder of the Agent's file and use forward slashes. They may not
//! begin with a slash or climb out through `..`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0301");

pub(crate) fn refused(at: &Location, path: &str, why: &str) -> Diagnostic {
    at.error(CODE, format!("the file reference `{path}` {why}"))
        .with_help("write a path relative to the folder of the Agent's file, `schemas/refund` say")
}
