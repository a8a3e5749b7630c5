//! A narrowing that changes nothing.
//!
//! Whatever the Tool takes, the binding takes too.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0518");

pub(crate) fn changes_nothing(at: &Location, tool: &str) -> Diagnostic {
    at.warning(CODE, format!("this changes nothing: `{tool}` says as much"))
        .with_help("leave it out, or write what should be narrower")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn said_already() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      input_schema: {inline: {properties: {order: {minLength: 2}}}}",
        );
        bundle.check(expect![[r#"
            warning[E0518]: this changes nothing: `pay.refund@1.2.0` says as much
              --> agent.yaml:17:7
               |
            17 |       input_schema: {inline: {properties: {order: {minLength: 2}}}}
               |       ^^^^^^^^^^^^ spec.tools[0].input_schema
               |
               = help: leave it out, or write what should be narrower

        "#]]);
    }
}
