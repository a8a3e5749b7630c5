//! A schema that `strict` cannot close.
//!
//! With `strict: true` no object may have a property that the schema does not name, at any level. A
//! level that takes every property by name contradicts that; a level whose properties are spread over
//! several schemas can only be closed in the drafts that have `unevaluatedProperties`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0414");

pub(crate) fn unclosable(at: &Location, why: &str) -> Diagnostic {
    let (what, mend) = why.split_once(": ").unwrap_or((why, ""));
    let found = at.error(CODE, format!("`strict` cannot close this: {what}"));
    if mend.is_empty() {
        found
    } else {
        found.with_help(mend)
    }
}

pub(crate) fn nothing_to_close(at: &Location) -> Diagnostic {
    at.error(CODE, "`strict` closes `input_schema`, and there is none")
        .with_help("declare `input_schema` beside it, or take `strict` out")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::{Bundle, sample};

    fn strict(schema: &str) -> Bundle {
        sample().edit(
            "tools/refund.yaml",
            "  input_schema:\n    ref: schemas/refund\n",
            &format!("  strict: true\n{schema}"),
        )
    }

    #[test]
    fn open_on_purpose() {
        strict(
            "  input_schema:
    inline:
      type: object
      properties:
        order: {type: string}
        amount: {type: number}
        notes: {type: object, additionalProperties: true}
",
        )
        .check(expect![[r#"
            error[E0414]: `strict` cannot close this: it allows every property by name, which contradicts `strict`
              --> tools/refund.yaml:17:9
               |
            17 |         notes: {type: object, additionalProperties: true}
               |         ^^^^^ spec.input_schema.inline.properties.notes
               |
               = help: list the properties, or give `additionalProperties` a schema

        "#]]);
    }

    #[test]
    fn spread_in_an_old_draft() {
        strict(
            "  input_schema:
    inline:
      $schema: http://json-schema.org/draft-07/schema#
      type: object
      allOf: [{properties: {order: {type: string}}}, {properties: {amount: {type: number}}}]
",
        )
        .check(expect![[r#"
            error[E0414]: `strict` cannot close this: its properties are spread over several schemas, which this draft cannot close
              --> tools/refund.yaml:12:5
               |
            12 |     inline:
               |     ^^^^^^ spec.input_schema.inline
               |
               = help: declare `$schema: https://json-schema.org/draft/2020-12/schema`, or write `additionalProperties` yourself

        "#]]);
    }

    #[test]
    fn nothing_there() {
        strict("").check(expect![[r#"
            warning[E0406]: there is no `input_schema`, so any arguments are accepted
             --> tools/refund.yaml:7:1
              |
            7 | spec:
              | ^^^^ spec
              |
              = help: declare the arguments; for a tool without any: `inline: {type: object, additionalProperties: false}`

            error[E0414]: `strict` closes `input_schema`, and there is none
              --> tools/refund.yaml:10:3
               |
            10 |   strict: true
               |   ^^^^^^ spec.strict
               |
               = help: declare `input_schema` beside it, or take `strict` out

        "#]]);
    }

    #[test]
    fn closed() {
        let bundle = strict("  input_schema:
    inline: {type: object, properties: {order: {type: string}, amount: {type: number}}}
")
            .edit("agent.yaml", "as: refund", "as: refund
      input_schema: {inline: {type: object, properties: {order: {type: string}, amount: {type: number}}}}");
        bundle.check(expect![[r#"
            warning[E0604]: a call of `refund` may leave `amount` out; the leaf is unknown then, which counts as a match
             --> policies/limit.yaml:9:12
              |
            9 |     field: amount
              |            ^^^^^^ spec.conditions.field
              |
              = help: require the argument in the input schema, or say `absent: skip` or `absent: match`

        "#]]);
        let snapshot = bundle.compile().snapshot.unwrap();
        let tool = &snapshot.tools[0];
        let closed = tool.input_schema.get("additionalProperties");
        assert_eq!(closed, Some(&spec::Json::Bool(false)));
        assert!(tool.strict);
    }
}
