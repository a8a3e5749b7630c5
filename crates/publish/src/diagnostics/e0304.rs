//! A version constraint outside the grammar.
//!
//! Exact versions (`1.2.3`, `=1.2.3`); `^1.2`, `~1.2`, `>1.2`, `>=1.2`, `<2`, `<=2.1`; `1`, `1.2`,
//! `1.x`, `*`. A space or a comma means that both must hold, `||` that one is enough. A leading `v`
//! is passed over. Anything else is refused, so that no constraint is read as something it is not.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0304");

pub(crate) fn malformed(at: &Location, text: &str, why: &str, example: &str) -> Diagnostic {
    at.error(CODE, format!("`{text}` is not a version constraint: {why}"))
        .with_help(format!("write `{example}`, say"))
}
