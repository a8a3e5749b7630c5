//! A script of the stub provider that is not of the form that it plays.
//!
//! `{"turns": [[event, ...], ...]}`, one inner list for each completion. Events: `text_delta` with
//! `text`, `tool_call` with `name` and `args`, `completed` with `stop_reason` and `usage`, `failed`
//! with `error`, `delay` with `ms`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0703");

pub(crate) fn malformed(at: &Location, why: &str) -> Diagnostic {
    at.error(CODE, format!("not a script for the stub provider: {why}"))
}
