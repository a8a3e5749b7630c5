//! An input schema that does not describe an object.
//!
//! The arguments of a call are an object, whose properties policies look at.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0402");

pub(crate) fn not_an_object(at: &Location) -> Diagnostic {
    at.error(CODE, "an input schema describes an object")
        .with_help("write `type: object`, with the arguments under `properties`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn text() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "\"type\": \"object\"",
            "\"type\": \"string\"",
        );
        bundle.check(expect![[r#"
            error[E0402]: an input schema describes an object
             --> schemas/refund.json:2:11
              |
            2 |   "type": "string",
              |           ^^^^^^^^ type
              |
              = help: write `type: object`, with the arguments under `properties`

        "#]]);
    }

    #[test]
    fn anything() {
        let bundle = sample().edit("tools/refund.yaml", "ref: schemas/refund", "inline: true");
        bundle.check(expect![[r#"
            error[E0402]: an input schema describes an object
              --> tools/refund.yaml:11:13
               |
            11 |     inline: true
               |             ^^^^ spec.input_schema.inline
               |
               = help: write `type: object`, with the arguments under `properties`

        "#]]);
    }
}
