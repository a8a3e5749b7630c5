//! The text is not YAML (or, in a `.json` file, not JSON).
//!
//! Frequent causes: a tab used as indentation, a value that holds `: ` and is not quoted, a bracket
//! or quote that is never closed, a key indented further than its neighbours.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0103");

pub(crate) fn syntax(at: &Location, why: &str) -> Diagnostic {
    at.error(CODE, format!("syntax error: {why}"))
}

pub(crate) fn tab(at: &Location) -> Diagnostic {
    at.error(CODE, "syntax error: a tab where indentation is due")
        .with_help("indent with spaces")
}
