//! A Tool without an input schema.
//!
//! Any arguments are then accepted, and no policy can be checked against a contract.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0406");

pub(crate) fn no_contract(at: &Location) -> Diagnostic {
    at.warning(CODE, "there is no `input_schema`, so any arguments are accepted")
        .with_help("declare the arguments; for a tool without any: `inline: {type: object, additionalProperties: false}`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn none() {
        let bundle = sample()
            .edit(
                "tools/refund.yaml",
                "  input_schema:\n    ref: schemas/refund\n",
                "",
            )
            .edit("agent.yaml", "      policies:\n        - pay.limit\n", "");
        bundle.check(expect![[r#"
            warning[E0406]: there is no `input_schema`, so any arguments are accepted
             --> tools/refund.yaml:7:1
              |
            7 | spec:
              | ^^^^ spec
              |
              = help: declare the arguments; for a tool without any: `inline: {type: object, additionalProperties: false}`

        "#]]);
    }
}
