//! A narrowing of a property that the Tool does not take.
//!
//! The Tool refuses every argument with that name.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0515");

pub(crate) fn forbidden(at: &Location, name: &str, tool: &str, known: &[String]) -> Diagnostic {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let help = suggest::did_you_mean(name, known.iter().copied()).unwrap_or_else(|| {
        if known.is_empty() {
            "leave it out".to_owned()
        } else {
            format!("leave it out; the Tool takes {}", known.join(", "))
        }
    });
    at.error(CODE, format!("`{tool}` takes no property `{name}` here"))
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn unknown_to_a_closed_tool() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      input_schema: {inline: {properties: {ammount: {maximum: 10}}}}",
        );
        bundle.check(expect![[r#"
            error[E0515]: `pay.refund@1.2.0` takes no property `ammount` here
              --> agent.yaml:17:44
               |
            17 |       input_schema: {inline: {properties: {ammount: {maximum: 10}}}}
               |                                            ^^^^^^^ spec.tools[0].input_schema.inline.properties.ammount
               |
               = help: did you mean `amount`?

        "#]]);
    }
}
