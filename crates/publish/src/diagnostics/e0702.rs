//! A secret that is written out, unknown, or missing.
//!
//! A manifest never holds the value of a secret, only the name of the environment variable that the
//! client reads it from when a session starts: `secrets: {openai: {fromEnv: OPENAI_API_KEY}}`.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0702");

pub(crate) fn unknown(at: &Location, name: &str, known: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(name, known.iter().copied())
        .unwrap_or_else(|| format!("declare it: `secrets: {{{name}: {{fromEnv: VARIABLE}}}}`"));
    at.error(CODE, format!("there is no secret `{name}`")).with_help(help)
}

pub(crate) fn none_for_provider(at: &Location, provider: &str) -> Diagnostic {
    at.error(CODE, format!("none of the secrets is meant for the provider `{provider}`"))
        .with_help(format!("name one with `spec.model.secret`, or call one `{provider}`"))
}

pub(crate) fn written_out(at: &Location, key: &str) -> Diagnostic {
    at.error(CODE, format!("`{key}`: a manifest never holds the value of a secret"))
        .with_help("write `fromEnv: VARIABLE` and take the value out of the file's history too")
}
