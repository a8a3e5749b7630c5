//! A word in a schema that constrains nothing, though its author may count on it: a misspelt keyword,
//! one of another draft, or `nullable`, which is OpenAPI and not JSON Schema.
//!
//! JSON Schema passes over what it does not know, so the rule would be broken silently.

use validator::Draft;

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::schema::Ignored;

pub(crate) const CODE: Code = Code("E0408");

pub(crate) fn ignored(at: &Location, word: &str, why: Ignored, draft: Draft) -> Diagnostic {
    let here = draft.name();
    let (message, help) = match why {
        Ignored::Misspelt(meant) => (
            format!("`{word}` is not a keyword of JSON Schema and is passed over"),
            format!("did you mean `{meant}`?"),
        ),
        Ignored::OtherDraft(from, to) => (
            format!("`{word}` is not a keyword of {here} and is passed over"),
            if from == to {
                format!(
                    "it is known in {}: declare `$schema: {}`",
                    from.name(),
                    from.uri()
                )
            } else {
                format!(
                    "it is known from {} to {}: declare the draft in `$schema`",
                    from.name(),
                    to.name()
                )
            },
        ),
        Ignored::Nullable => (
            "`nullable` is OpenAPI, not JSON Schema, and is passed over: null is refused"
                .to_owned(),
            "add \"null\" to `type`, or write `anyOf` with `type: \"null\"`".to_owned(),
        ),
    };
    at.warning(CODE, message).with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn each_word_once() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"type\": \"number\", \"maximun\": 5, \"nullable\": true}, \"a\": {\"additionalItems\": false}, \"b\": {\"maximun\": 7}",
        );
        bundle.check(expect![[r#"
            warning[E0408]: `maximun` is not a keyword of JSON Schema and is passed over
             --> schemas/refund.json:5:45
              |
            5 |     "amount": {"type": "number", "maximun": 5, "nullable": true}, "a": {"additionalItems": false}, "b": {"maximun": 7},
              |                                             ^ properties.amount.maximun
              |
              = help: did you mean `maximum`?

            warning[E0408]: `nullable` is OpenAPI, not JSON Schema, and is passed over: null is refused
             --> schemas/refund.json:5:60
              |
            5 |     "amount": {"type": "number", "maximun": 5, "nullable": true}, "a": {"additionalItems": false}, "b": {"maximun": 7},
              |                                                            ^^^^ properties.amount.nullable
              |
              = help: add "null" to `type`, or write `anyOf` with `type: "null"`

            warning[E0408]: `additionalItems` is not a keyword of 2020-12 and is passed over
             --> schemas/refund.json:5:92
              |
            5 |     "amount": {"type": "number", "maximun": 5, "nullable": true}, "a": {"additionalItems": false}, "b": {"maximun": 7},
              |                                                                                            ^^^^^ properties.a.additionalItems
              |
              = help: it is known from draft 4 to 2019-09: declare the draft in `$schema`

        "#]]);
    }
}
