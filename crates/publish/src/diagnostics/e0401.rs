//! A JSON Schema that breaks the rules of its own draft.
//!
//! Drafts 4, 6, 7, 2019-09 and 2020-12 are known by `$schema`; without it, 2020-12 holds. A schema
//! with a mistake in it would check less than its author meant.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0401");

pub(crate) fn invalid(at: &Location, why: &str) -> Diagnostic {
    at.error(CODE, format!("not a valid JSON Schema: {why}"))
        .with_help(
            "write what the draft of the schema allows here, or declare another in `$schema`",
        )
}

pub(crate) fn unknown_type(at: &Location) -> Diagnostic {
    at.error(CODE, "not a valid JSON Schema: unknown type")
        .with_help("the types are array, boolean, integer, null, number, object and string")
}

pub(crate) fn flag_of_draft_4(at: &Location, keyword: &str) -> Diagnostic {
    let bound = if keyword == "exclusiveMinimum" {
        "minimum"
    } else {
        "maximum"
    };
    at.error(CODE, format!("not a valid JSON Schema: `{keyword}` as a flag is draft 4"))
        .with_help(format!(
            "write the bound itself, `{keyword}: 0` say, in place of `{bound}` (for `false`, leave `{keyword}` out); or declare `$schema: http://json-schema.org/draft-04/schema#`"
        ))
}

pub(crate) fn bound_in_draft_4(at: &Location, keyword: &str, bound: &spec::Decimal) -> Diagnostic {
    let plain = if keyword == "exclusiveMinimum" {
        "minimum"
    } else {
        "maximum"
    };
    at.error(
        CODE,
        format!("not a valid JSON Schema: in draft 4, `{keyword}` is a flag"),
    )
    .with_help(format!(
        "write `{plain}: {bound}` and `{keyword}: true`, or declare a later draft in `$schema`"
    ))
}

pub(crate) fn items_list(at: &Location) -> Diagnostic {
    at.error(CODE, "not a valid JSON Schema: in 2020-12, `items` is one schema")
        .with_help("write the list as `prefixItems`, and in `items` what may follow; or declare an earlier draft in `$schema`")
}

pub(crate) fn required_flag(at: &Location) -> Diagnostic {
    at.error(
        CODE,
        "not a valid JSON Schema: `required` is a list of names",
    )
    .with_help("list the name in `required` of the object that has the property")
}

pub(crate) fn unknown_draft(at: &Location, draft: &str) -> Diagnostic {
    let message = if draft.is_empty() {
        "`$schema` names no draft of JSON Schema".to_owned()
    } else {
        format!("unknown JSON Schema draft `{draft}`")
    };
    at.error(CODE, message)
        .with_help("known are drafts 4, 6, 7, 2019-09 and 2020-12")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn keyword() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"type\": \"money\"}",
        );
        bundle.check(expect![[r#"
            error[E0401]: not a valid JSON Schema: unknown type
             --> schemas/refund.json:5:24
              |
            5 |     "amount": {"type": "money"},
              |                        ^^^^^^^ properties.amount.type
              |
              = help: the types are array, boolean, integer, null, number, object and string

        "#]]);
    }

    #[test]
    fn draft() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\n  \"type\"",
            "{\n  \"$schema\": \"https://example.com/mine\",\n  \"type\"",
        );
        bundle.check(expect![[r#"
            error[E0401]: unknown JSON Schema draft `https://example.com/mine`
             --> schemas/refund.json:2:14
              |
            2 |   "$schema": "https://example.com/mine",
              |              ^^^^^^^^^^^^^^^^^^^^^^^^^^ $schema
              |
              = help: known are drafts 4, 6, 7, 2019-09 and 2020-12

        "#]]);
    }

    #[test]
    fn words_of_other_drafts() {
        for (amount, expect) in [
            (
                "{\"minimum\": 0, \"exclusiveMinimum\": true}",
                expect![[r#"
                error[E0401]: not a valid JSON Schema: `exclusiveMinimum` as a flag is draft 4
                 --> schemas/refund.json:5:50
                  |
                5 |     "amount": {"minimum": 0, "exclusiveMinimum": true},
                  |                                                  ^^^^ properties.amount.exclusiveMinimum
                  |
                  = help: write the bound itself, `exclusiveMinimum: 0` say, in place of `minimum` (for `false`, leave `exclusiveMinimum` out); or declare `$schema: http://json-schema.org/draft-04/schema#`

            "#]],
            ),
            (
                "{\"maximum\": 9, \"exclusiveMaximum\": true}",
                expect![[r#"
                error[E0401]: not a valid JSON Schema: `exclusiveMaximum` as a flag is draft 4
                 --> schemas/refund.json:5:50
                  |
                5 |     "amount": {"maximum": 9, "exclusiveMaximum": true},
                  |                                                  ^^^^ properties.amount.exclusiveMaximum
                  |
                  = help: write the bound itself, `exclusiveMaximum: 0` say, in place of `maximum` (for `false`, leave `exclusiveMaximum` out); or declare `$schema: http://json-schema.org/draft-04/schema#`

            "#]],
            ),
            (
                "{\"items\": [{\"type\": \"number\"}]}",
                expect![[r#"
                error[E0401]: not a valid JSON Schema: in 2020-12, `items` is one schema
                 --> schemas/refund.json:5:16
                  |
                5 |     "amount": {"items": [{"type": "number"}]},
                  |                ^^^^^^^ properties.amount.items
                  |
                  = help: write the list as `prefixItems`, and in `items` what may follow; or declare an earlier draft in `$schema`

            "#]],
            ),
            (
                "{\"type\": \"number\", \"required\": true}",
                expect![[r#"
                error[E0401]: not a valid JSON Schema: `required` is a list of names
                 --> schemas/refund.json:5:46
                  |
                5 |     "amount": {"type": "number", "required": true},
                  |                                              ^^^^ properties.amount.required
                  |
                  = help: list the name in `required` of the object that has the property

            "#]],
            ),
        ] {
            sample()
                .edit("schemas/refund.json", "{\"type\": \"number\"}", amount)
                .check(expect);
        }
        sample()
            .edit(
                "schemas/refund.json",
                "{\"type\": \"number\"},",
                "{\"exclusiveMinimum\": 0.5},",
            )
            .edit(
                "schemas/refund.json",
                "{\n  \"type\"",
                "{\n  \"$schema\": \"http://json-schema.org/draft-04/schema#\",\n  \"type\"",
            )
            .check(expect![[r#"
                error[E0401]: not a valid JSON Schema: "minimum" is a required property
                 --> schemas/refund.json:6:5
                  |
                6 |     "amount": {"exclusiveMinimum": 0.5},
                  |     ^^^^^^^^ properties.amount
                  |
                  = help: write what the draft of the schema allows here, or declare another in `$schema`

                error[E0401]: not a valid JSON Schema: in draft 4, `exclusiveMinimum` is a flag
                 --> schemas/refund.json:6:36
                  |
                6 |     "amount": {"exclusiveMinimum": 0.5},
                  |                                    ^^^ properties.amount.exclusiveMinimum
                  |
                  = help: write `minimum: 0.5` and `exclusiveMinimum: true`, or declare a later draft in `$schema`

            "#]]);
    }
}
