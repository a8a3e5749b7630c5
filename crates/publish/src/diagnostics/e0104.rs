//! An anchor (`&name`), an alias (`*name`), a merge key (`<<`) or a tag (`!name`).
//!
//! With these, a change in one place changes what another place means, and the difference that a
//! reviewer reads no longer shows what will run. Write the value out where it is used.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0104");

const HELP: &str = "write the value out here, so that a reviewer sees what runs";

pub(crate) fn anchor(at: &Location) -> Diagnostic {
    at.error(CODE, "anchors are not allowed").with_help(HELP)
}

pub(crate) fn alias(at: &Location) -> Diagnostic {
    at.error(CODE, "aliases are not allowed").with_help(HELP)
}

pub(crate) fn merge_key(at: &Location) -> Diagnostic {
    at.error(CODE, "merge keys are not allowed").with_help(HELP)
}

pub(crate) fn tag(at: &Location) -> Diagnostic {
    at.error(CODE, "tags are not allowed")
        .with_help("text that begins with `!` needs quotes, as in \"!=\"")
}
