//! A binding with an input schema that is not the one of its Tool.
//!
//! A binding may narrow the contract, and publishing has to prove that it does. This version does
//! not prove it yet and accepts only an equal schema.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0504");

pub(crate) fn differs(at: &Location, tool: &str) -> Diagnostic {
    at.error(CODE, format!("the schema differs from the contract of `{tool}`; narrowing is not proven by this version yet"))
        .with_help("leave `input_schema` out on the binding")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn narrower() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      input_schema: {inline: {type: object, required: [order]}}",
        );
        bundle.check(expect![[r#"
            error[E0504]: the schema differs from the contract of `pay.refund`; narrowing is not proven by this version yet
              --> agent.yaml:17:7
               |
            17 |       input_schema: {inline: {type: object, required: [order]}}
               |       ^^^^^^^^^^^^ spec.tools[0].input_schema
               |
               = help: leave `input_schema` out on the binding

        "#]]);
    }
}
