//! A narrowing that leaves no arguments at all.
//!
//! Nobody could ever call the tool.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0513");

pub(crate) fn nothing_left(at: &Location, wire_name: &str) -> Diagnostic {
    let message = format!("no arguments are left for `{wire_name}`: nobody could call it");
    at.error(CODE, message).with_help(
        "what is said here contradicts itself or the Tool; leave the binding out if that is meant",
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn contradiction() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      input_schema: {inline: {properties: {order: {const: B-1}}}}",
        );
        bundle.check(expect![[r#"
            error[E0513]: no arguments are left for `refund`: nobody could call it
              --> agent.yaml:17:7
               |
            17 |       input_schema: {inline: {properties: {order: {const: B-1}}}}
               |       ^^^^^^^^^^^^ spec.tools[0].input_schema
               |
               = help: what is said here contradicts itself or the Tool; leave the binding out if that is meant

        "#]]);
    }

    /// What is written in another draft is read in that draft, by itself.
    #[test]
    fn contradiction_in_another_draft() {
        let stated = r#"{inline: {$schema: "http://json-schema.org/draft-07/schema#", minProperties: 2, maxProperties: 1, type: object, additionalProperties: false}}"#;
        let stated = format!("as: refund\n      input_schema: {stated}");
        let bundle = sample().edit("agent.yaml", "as: refund", &stated);
        bundle.check(expect![[r#"
            error[E0513]: no arguments are left for `refund`: nobody could call it
              --> agent.yaml:17:7
               |
            17 |       input_schema: {inline: {$schema: "http://json-schema.org/draft-07/schema#", minProperties: 2, maxProperties: 1, type: object, ...
               |       ^^^^^^^^^^^^ spec.tools[0].input_schema
               |
               = help: what is said here contradicts itself or the Tool; leave the binding out if that is meant

        "#]]);
    }
}
