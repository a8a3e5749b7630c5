//! A file reference with a version for which there is only the plain file.
//!
//! With `version: 2` the files `NAME-2`, `NAME/2` and `NAME/v2` are tried before the plain `NAME`,
//! about which nothing says that it is version 2.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0309");

pub(crate) fn plain_file(at: &Location, version: &str, taken: &str) -> Diagnostic {
    at.warning(CODE, format!("there is no file for version {version}; `{taken}` is taken"))
}
