//! A reference to a Tool or Policy that is not in the bundle.
//!
//! Documents are found by their metadata, not by their file names: `payments.issue-refund` is the
//! file in `tools/` whose metadata has `namespace: payments` and `name: issue-refund`.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0305");

pub(crate) fn unknown(at: &Location, kind: &str, folder: &str, id: &str, known: &[String]) -> Diagnostic {
    let help = suggest::did_you_mean(id, known.iter().map(String::as_str)).unwrap_or_else(|| {
        if known.is_empty() {
            format!("{folder}/ holds no {kind}")
        } else {
            format!("{folder}/ holds {}", known.join(", "))
        }
    });
    at.error(CODE, format!("there is no {kind} `{id}`")).with_help(help)
}
