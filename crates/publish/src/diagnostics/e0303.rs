//! A reference to a Tool or Policy that is not written as `namespace.name`, with `@constraint`
//! after it where wanted.
//!
//! The name is what stands after the last dot: `shop.payments.issue-refund@^1.2` is the Tool
//! `issue-refund` in the namespace `shop.payments`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0303");

pub(crate) fn malformed(at: &Location, text: &str) -> Diagnostic {
    at.error(CODE, format!("`{text}` is not a logical reference"))
        .with_help("write namespace.name or namespace.name@constraint, `payments.issue-refund@^1.0` say")
}
