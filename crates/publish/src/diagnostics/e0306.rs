//! A Tool or Policy is there, but in no version that the constraint allows.
//!
//! A pre-release is taken only where the constraint names a pre-release of the same
//! `major.minor.patch`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0306");

pub(crate) fn none_satisfies(at: &Location, id: &str, constraint: &str, there: &[String]) -> Diagnostic {
    let pre = there.iter().rev().find(|it| it.contains('-'));
    let help = match pre {
        Some(pre) => format!("there is {}; to take the pre-release, name it: `{id}@{pre}`", there.join(", ")),
        None => format!("there is {}", there.join(", ")),
    };
    at.error(CODE, format!("no version of `{id}` satisfies `{constraint}`")).with_help(help)
}
