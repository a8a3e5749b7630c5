//! A binding that does not say which versions of its Tool it accepts.
//!
//! The highest stable version is taken, so a new version of the Tool changes the agent the next
//! time that it is published.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0308");

pub(crate) fn no_constraint(at: &Location, id: &str, version: &semver::Version) -> Diagnostic {
    at.warning(CODE, format!("`{id}` names no versions; {version}, the highest stable one, is taken"))
        .with_help(format!("write `{id}@^{version}`"))
}
