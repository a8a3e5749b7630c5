//! A field that belongs somewhere else.
//!
//! A Tool is a contract: addresses, credentials and code stay in the worker that serves it, so that
//! a manifest can be shown to anyone and moved anywhere. A binding on an Agent refers to a Tool and
//! narrows it; what defines the Tool is written in the Tool. Rules are Policy documents.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0206");

pub(crate) fn belongs_elsewhere(at: &Location, key: &str, what: &str, place: &str) -> Diagnostic {
    at.error(CODE, format!("`{key}` does not belong in {what}")).with_help(place)
}
