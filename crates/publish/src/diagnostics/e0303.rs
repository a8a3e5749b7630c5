//! A reference to a Tool or Policy that is not written as `namespace.name`, with `@constraint`
//! after it where wanted.
//!
//! The name is what stands after the last dot: `shop.payments.issue-refund@^1.2` is the Tool
//! `issue-refund` in the namespace `shop.payments`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0303");

pub(crate) fn malformed(at: &Location, text: &str) -> Diagnostic {
    at.error(CODE, format!("`{text}` is not a logical reference"))
        .with_help(
            "write namespace.name or namespace.name@constraint, `payments.issue-refund@^1.0` say",
        )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn no_namespace() {
        let bundle = sample().edit("agent.yaml", "pay.refund@^1.0", "refund");
        bundle.check(expect![[r#"
            error[E0303]: `refund` is not a logical reference
              --> agent.yaml:15:12
               |
            15 |     - ref: refund
               |            ^^^^^^ spec.tools[0].ref
               |
               = help: write namespace.name or namespace.name@constraint, `payments.issue-refund@^1.0` say

        "#]]);
    }
}
