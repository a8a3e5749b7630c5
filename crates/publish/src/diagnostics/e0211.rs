//! A version written with something that is not part of it.
//!
//! A leading `v` is passed over, here and in references alike. Build metadata after `+` is passed
//! over too: `1.0.0+a` and `1.0.0+b` are one version, and cannot both be published.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0211");

pub(crate) fn normalised(at: &Location, text: &str, version: &str) -> Diagnostic {
    at.warning(CODE, format!("`{text}` is read as version {version}"))
        .with_help(format!("write {version}"))
}
