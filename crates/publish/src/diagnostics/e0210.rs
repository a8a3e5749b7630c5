//! A version that is not a semantic version.
//!
//! Versions are `major.minor.patch`, with a pre-release after `-` where wanted: `1.4.0`,
//! `2.0.0-rc.1`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0210");

pub(crate) fn not_semver(at: &Location, text: &str) -> Diagnostic {
    at.error(CODE, format!("`{text}` is not a semantic version"))
        .with_help("write major.minor.patch, \"1.0.0\" say")
}
