//! A file reference that leads to no file.
//!
//! Extensions may be left out; the message lists every path that was tried.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0302");

pub(crate) fn not_found(at: &Location, path: &str, tried: &[String]) -> Diagnostic {
    at.error(CODE, format!("the file reference `{path}` leads to no file"))
        .with_help(format!("tried {}", tried.join(", ")))
}
