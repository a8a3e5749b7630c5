//! An authority boundary that no attached policy defines.
//!
//! A policy defines a boundary by naming it in `decision.authority_ref`; what it does not match lies
//! inside the authority. Without one, every call that the boundary covers asks for approval.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0605");

pub(crate) fn undefined(at: &Location, boundary: &str) -> Diagnostic {
    at.warning(CODE, format!("no attached policy defines the boundary `{boundary}`, so every call that it covers asks for approval"))
        .with_help(format!("attach a policy with `authority_ref: {boundary}`"))
}
