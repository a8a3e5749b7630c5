//! A binding whose schema takes more than its Tool.
//!
//! A binding may narrow the contract and never widen it, and publishing proves that. What is shown is
//! an argument that the binding would take and the Tool refuses. What a binding does not say it
//! inherits from the Tool, place by place, so a narrowing may be short.
//!
//! Of results it is the other way round: a binding may not expect less than the Tool gives.

use crate::diagnostic::{Code, Diagnostic, Location, clip};

pub(crate) const CODE: Code = Code("E0504");

/// The most characters of an example that are shown.
const EXAMPLE_CHARS_MAX: usize = 400;

fn cut(example: &str) -> String {
    let mut cut = example.to_owned();
    clip(&mut cut, EXAMPLE_CHARS_MAX);
    cut
}

pub(crate) fn widens(
    at: &Location,
    (wire_name, tool): (&str, &str),
    example: &str,
    allowed: Option<&str>,
) -> Diagnostic {
    let example = cut(example);
    let message = format!("`{wire_name}` would take arguments that `{tool}` refuses: {example}");
    at.error(CODE, message).with_help(match allowed {
        Some(allowed) => format!("write what the Tool takes there, `{allowed}`, or less"),
        None => "write what the Tool takes there, or less".to_owned(),
    })
}

pub(crate) fn expects_less(
    at: &Location,
    (wire_name, tool): (&str, &str),
    example: &str,
) -> Diagnostic {
    let example = cut(example);
    let message = format!(
        "`{wire_name}` expects results that `{tool}` does not keep to: it may give {example}"
    );
    at.error(CODE, message)
        .with_help("leave `output_schema` out, or take every result that the Tool may give")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn wider() {
        let bundle = sample()
            .edit(
                "schemas/refund.json",
                r#"{"type": "number"}"#,
                r#"{"type": "number", "maximum": 5000}"#,
            )
            .edit(
                "agent.yaml",
                "as: refund",
                "as: refund\n      input_schema: {inline: {properties: {amount: {maximum: 9000}}}}",
            );
        bundle.check(expect![[r#"
            error[E0504]: `refund` would take arguments that `pay.refund@1.2.0` refuses: {"amount":5001,"order":"A-0"}
              --> agent.yaml:17:62
               |
            17 |       input_schema: {inline: {properties: {amount: {maximum: 9000}}}}
               |                                                              ^^^^ spec.tools[0].input_schema.inline.properties.amount.maximum
               |
               = help: write what the Tool takes there, `maximum: 5000`, or less
            note: the Tool refuses it here: /amount: 5001 is greater than the maximum of 5000 (maximum)
              --> schemas/refund.json:5:45
               |
             5 |     "amount": {"type": "number", "maximum": 5000},
               |                                             ^^^^ properties.amount.maximum

        "#]]);
    }

    #[test]
    fn results() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      output_schema: {inline: {type: object, required: [id]}}",
        );
        bundle.check(expect![[r#"
            error[E0504]: `refund` expects results that `pay.refund@1.2.0` does not keep to: it may give ""
              --> agent.yaml:17:38
               |
            17 |       output_schema: {inline: {type: object, required: [id]}}
               |                                      ^^^^^^ spec.tools[0].output_schema.inline.type
               |
               = help: leave `output_schema` out, or take every result that the Tool may give

        "#]]);
    }
}
