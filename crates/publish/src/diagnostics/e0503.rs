//! A binding with a less strict `side_effect_class` than its Tool.
//!
//! The class decides what happens after a crash: a `read_only` call is simply run again. A binding
//! may be stricter than the contract, never laxer.

use spec::SideEffectClass;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0503");

pub(crate) fn widened(at: &Location, binding: SideEffectClass, tool: SideEffectClass) -> Diagnostic {
    at.error(CODE, format!("`{binding}` is less strict than the Tool's `{tool}`"))
        .with_help(format!("leave the field out, or write `{tool}` or a stricter class"))
}
