//! A field that the format does not have.
//!
//! It is an error and not passed over: a slip of the pen in `side_effect_class` must never quietly
//! mean `read_only`. The open maps, where any key goes, are `labels`, `annotations`, `frameworks`,
//! `decision.runtime`, `provider_options` and JSON Schemas.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0201");

pub(crate) fn unknown_field(at: &Location, key: &str, what: &str, known: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(key, known.iter().copied())
        .unwrap_or_else(|| format!("{what} has {}", known.join(", ")));
    at.error(CODE, format!("unknown field `{key}` in {what}")).with_help(help)
}
