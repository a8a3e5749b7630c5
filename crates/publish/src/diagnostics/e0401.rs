//! A JSON Schema that breaks the rules of its own draft.
//!
//! Drafts 4, 6, 7, 2019-09 and 2020-12 are known by `$schema`; without it, 2020-12 holds. A schema
//! with a mistake in it would check less than its author meant.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0401");

pub(crate) fn invalid(at: &Location, why: &str) -> Diagnostic {
    at.error(CODE, format!("not a valid JSON Schema: {why}"))
}

pub(crate) fn unknown_type(at: &Location) -> Diagnostic {
    at.error(CODE, "not a valid JSON Schema: unknown type")
        .with_help("the types are array, boolean, integer, null, number, object and string")
}

pub(crate) fn unknown_draft(at: &Location, draft: &str) -> Diagnostic {
    at.error(CODE, format!("unknown JSON Schema draft `{draft}`"))
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
}
