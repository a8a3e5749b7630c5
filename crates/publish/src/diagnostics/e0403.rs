//! A `$ref` that leads out of the schema.
//!
//! References inside the document (`#/$defs/money`) and to files of the bundle (`money.json`,
//! `../common/money.json#/$defs/euro`) are followed. A remote one is never fetched:
//! what a contract says must not depend on a server.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0403");

pub(crate) fn remote(at: &Location, target: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("the remote reference `{target}` is never fetched"),
    )
    .with_help("copy the schema into the bundle and refer to its file, `money.json` say")
}

pub(crate) fn dangling(at: &Location, target: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("the reference `{target}` leads nowhere in this schema"),
    )
    .with_help("define what it means, under `$defs` say, or correct the reference")
}

pub(crate) fn dangling_in(at: &Location, fragment: &str, file: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("the reference `#{fragment}` leads nowhere in `{file}`"),
    )
    .with_help("define what it means in that file, or correct the reference")
}

pub(crate) fn twice(at: &Location, name: &str) -> Diagnostic {
    at.error(CODE, format!("another schema is called `{name}` too"))
        .with_help("give each schema a name of its own, or refer to it by its place")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn remote() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"$ref\": \"https://example.com/money.json\"}",
        );
        bundle.check(expect![[r#"
            error[E0403]: the remote reference `https://example.com/money.json` is never fetched
             --> schemas/refund.json:5:24
              |
            5 |     "amount": {"$ref": "https://example.com/money.json"},
              |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ properties.amount.$ref
              |
              = help: copy the schema into the bundle and refer to its file, `money.json` say

        "#]]);
    }

    #[test]
    fn dangling() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"$ref\": \"#/$defs/money\"}",
        );
        bundle.check(expect![[r##"
            error[E0403]: the reference `#/$defs/money` leads nowhere in this schema
             --> schemas/refund.json:5:24
              |
            5 |     "amount": {"$ref": "#/$defs/money"},
              |                        ^^^^^^^^^^^^^^^ properties.amount.$ref
              |
              = help: define what it means, under `$defs` say, or correct the reference

        "##]]);
    }

    #[test]
    fn dangling_in_a_file() {
        let bundle = sample()
            .edit(
                "schemas/refund.json",
                "{\"type\": \"number\"}",
                "{\"$ref\": \"money.json#/$defs/euro\"}",
            )
            .file("schemas/money.json", "{\"type\": \"number\"}");
        bundle.check(expect![[r#"
            error[E0403]: the reference `#/$defs/euro` leads nowhere in `schemas/money.json`
             --> schemas/refund.json:5:24
              |
            5 |     "amount": {"$ref": "money.json#/$defs/euro"},
              |                        ^^^^^^^^^^^^^^^^^^^^^^^^ properties.amount.$ref
              |
              = help: define what it means in that file, or correct the reference

        "#]]);
    }

    #[test]
    fn one_name_for_two_schemas() {
        for schema in [
            r##"{"type": "object", "properties": {"amount": {"$ref": "#n"}},
                "$defs": {"a": {"$anchor": "n"}, "b": {"$anchor": "n", "type": "number"}}}"##,
            r##"{"type": "object", "properties": {"amount": {"type": "number"}},
                "$defs": {"a": {"$id": "urn:x"}, "b": {"$id": "urn:x#"}}}"##,
        ] {
            let bundle = sample().file("schemas/refund.json", schema);
            assert!(bundle.codes().contains(&"E0403".to_owned()), "{schema}");
        }
    }
}
