//! A narrowing of a property that the Tool does not know.
//!
//! The Tool takes properties that it does not name, so this is legal. If the name is misspelt, the
//! narrowing does nothing.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0517");

pub(crate) fn unknown(at: &Location, name: &str, tool: &str, known: &[String]) -> Diagnostic {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let help = suggest::did_you_mean(name, known.iter().copied()).unwrap_or_else(|| {
        if known.is_empty() {
            "check the spelling: the Tool names no properties here".to_owned()
        } else {
            format!("check the spelling: the Tool names {}", known.join(", "))
        }
    });
    at.warning(CODE, format!("`{tool}` knows no property `{name}` here"))
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn misspelt() {
        let bundle = sample()
            .edit(
                "schemas/refund.json",
                ",\n  \"additionalProperties\": false",
                "",
            )
            .edit(
                "agent.yaml",
                "as: refund",
                "as: refund\n      input_schema: {inline: {properties: {ammount: {maximum: 10}}}}",
            );
        bundle.check(expect![[r#"
            warning[E0517]: `pay.refund@1.2.0` knows no property `ammount` here
              --> agent.yaml:17:44
               |
            17 |       input_schema: {inline: {properties: {ammount: {maximum: 10}}}}
               |                                            ^^^^^^^ spec.tools[0].input_schema.inline.properties.ammount
               |
               = help: did you mean `amount`?

        "#]]);
    }
}
