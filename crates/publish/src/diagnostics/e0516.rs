//! A `default` that the schema around it refuses.
//!
//! A model that follows it would be refused.

use spec::Json;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0516");

pub(crate) fn misfit(at: &Location, value: &Json) -> Diagnostic {
    let message = format!(
        "the default {} is not taken here, with what the Tool says",
        value.to_canonical()
    );
    at.error(CODE, message)
        .with_help("write a default that the schema takes, or leave it out")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn too_large() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      input_schema: {inline: {properties: {amount: {maximum: 10, default: 20}}}}",
        );
        bundle.check(expect![[r#"
            error[E0516]: the default 20 is not taken here, with what the Tool says
              --> agent.yaml:17:75
               |
            17 |       input_schema: {inline: {properties: {amount: {maximum: 10, default: 20}}}}
               |                                                                           ^^ spec.tools[0].input_schema.inline.properties.amount.default
               |
               = help: write a default that the schema takes, or leave it out

        "#]]);
    }
}
