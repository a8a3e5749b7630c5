//! A narrowing of which it cannot be told whether it narrows.
//!
//! Some keywords cannot be compared in every case, such as patterns with back-references. Publishing
//! refuses what it cannot prove, unless the author lets the binding through by name. Calls are then
//! validated against both schemas, as always, and the snapshot says that nothing was proven.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0514");

pub(crate) fn undecided(
    at: &Location,
    (wire_name, tool): (&str, &str),
    reason: &str,
) -> Diagnostic {
    let message =
        format!("it cannot be told whether `{wire_name}` only narrows `{tool}`: {reason}");
    at.error(CODE, message).with_help(format!(
        "say it in another way, or publish it with `--allow-unproven {wire_name}`: every call is checked against both schemas all the same"
    ))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn one_format_and_another() {
        let bundle = sample()
            .edit(
                "schemas/refund.json",
                r#""pattern": "^A-[0-9]+$""#,
                r#""format": "iri""#,
            )
            .edit(
                "agent.yaml",
                "as: refund",
                "as: refund\n      input_schema: {inline: {properties: {order: {format: uri}}}}",
            );
        bundle.check(expect![[r#"
            error[E0514]: it cannot be told whether `refund` only narrows `pay.refund@1.2.0`: /order `format`: the format `uri`
              --> agent.yaml:17:7
               |
            17 |       input_schema: {inline: {properties: {order: {format: uri}}}}
               |       ^^^^^^^^^^^^ spec.tools[0].input_schema
               |
               = help: say it in another way, or publish it with `--allow-unproven refund`: every call is checked against both schemas all the same

        "#]]);
    }
}
