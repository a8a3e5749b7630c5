//! An `authority_ref` that names no declared boundary.
//!
//! Boundaries are declared under `metadata.governance.authority_boundaries` of the Agent, of its
//! Tools or of the Policy itself.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0606");

pub(crate) fn undeclared(at: &Location, boundary: &str, declared: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(boundary, declared.iter().copied());
    Diagnostic {
        help,
        ..at.warning(CODE, format!("no declared authority boundary is named `{boundary}`"))
    }
}
