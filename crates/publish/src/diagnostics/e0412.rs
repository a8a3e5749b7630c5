//! `$dynamicRef` or `$recursiveRef` whose meaning is not settled.
//!
//! What these mean depends on which document stands around them. In a schema that refers to files, the
//! files are put into one; where several schemas go by one dynamic name, or parts have an `$id` of
//! their own, it depends on the way that a value takes.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0412");

pub(crate) fn dynamic(at: &Location, keyword: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("`{keyword}` cannot be kept in a schema that is put together from files"),
    )
    .with_help("write a plain `$ref`, or copy the files under `$defs`")
}

pub(crate) fn unsettled(at: &Location, keyword: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("which schema this `{keyword}` means depends on the way to it"),
    )
    .with_help("write a plain `$ref`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn in_a_file() {
        let bundle = sample()
            .edit(
                "schemas/refund.json",
                "{\"type\": \"number\"}",
                "{\"$ref\": \"tree.json\"}",
            )
            .file(
                "schemas/tree.json",
                "{\"$dynamicAnchor\": \"node\", \"items\": {\"$dynamicRef\": \"#node\"}}",
            );
        bundle.check(expect![[r##"
            error[E0412]: `$dynamicRef` cannot be kept in a schema that is put together from files
             --> schemas/tree.json:1:53
              |
            1 | {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}
              |                                                     ^^^^^^^ items.$dynamicRef
              |
              = help: write a plain `$ref`, or copy the files under `$defs`

        "##]]);
    }

    #[test]
    fn depending_on_the_way() {
        for schema in [
            // One dynamic name for two schemas.
            r##"{"type": "object", "properties": {"a": {"$dynamicRef": "#t"}},
                "$defs": {"x": {"$dynamicAnchor": "t"}, "y": {"$dynamicAnchor": "t"}}}"##,
            // A part with an id of its own.
            r##"{"type": "object", "$dynamicAnchor": "t",
                "$defs": {"x": {"$id": "urn:x", "$dynamicAnchor": "t", "properties": {"a": {"$dynamicRef": "#t"}}}}}"##,
        ] {
            let bundle = sample().file("schemas/refund.json", schema);
            assert!(bundle.codes().contains(&"E0412".to_owned()), "{schema}");
        }
        let settled = r##"{"type": "object", "$dynamicAnchor": "t",
            "properties": {"amount": {"type": "number"}, "more": {"$dynamicRef": "#t"}}}"##;
        let bundle = sample().file("schemas/refund.json", settled);
        assert!(bundle.compile().snapshot.is_some(), "{:?}", bundle.codes());
    }

    #[test]
    fn into_what_is_no_schema() {
        let doubling = |levels: usize| {
            let mut text = String::from(
                r##"{"type": "object", "properties": {"a": {"$dynamicRef": "#/x-lib/d0"}}, "x-lib": {"##,
            );
            for level in 0..levels {
                let next = format!(r##"{{"$dynamicRef": "#/x-lib/d{}"}}"##, level + 1);
                text.push_str(&format!(r#""d{level}": {{"anyOf": [{next}, {next}]}}, "#));
            }
            text + &format!(r#""d{levels}": {{"type": "string"}}}}}}"#)
        };
        let dynamic = doubling(40);
        let by_id = dynamic
            .replace("$dynamicRef", "$ref")
            .replace("#/x-lib", "s#/x-lib")
            .replacen("{\"type\"", "{\"$id\": \"s\", \"type\"", 1);
        for schema in [dynamic, by_id] {
            let bundle = sample().file("schemas/refund.json", schema);
            assert!(
                bundle.codes().contains(&"E0403".to_owned()),
                "{:?}",
                bundle.codes()
            );
        }
    }
}
