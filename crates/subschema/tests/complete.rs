//! What a narrowing claims over a schema, and what its author may not have meant.
#![expect(clippy::unwrap_used, reason = "tests")]

use spec::Json;
use subschema::{Answer, Options, complete, contains, is_empty};

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

#[test]
fn a_default_that_the_narrowing_refuses_is_told() {
    let tool = r##"{
        "type": "object",
        "properties": {
            "severity": {"type": "integer", "minimum": 1, "maximum": 5, "default": 5},
            "level": {"$ref": "#/$defs/level"},
            "either": {"anyOf": [{"type": "integer", "maximum": 5}, {"type": "null"}]}
        },
        "$defs": {"level": {"enum": ["low", "high"]}}
    }"##;
    let cases: &[(&str, &[(&str, &str)])] = &[
        (r#"{"properties": {"severity": {"default": 3}}}"#, &[]),
        (
            r#"{"properties": {"severity": {"maximum": 3, "default": 4}}}"#,
            &[("/properties/severity", "4")],
        ),
        (
            r#"{"properties": {"severity": {"default": "3"}}}"#,
            &[("/properties/severity", "\"3\"")],
        ),
        // The Tool's own default is the Tool's affair.
        (r#"{"properties": {"severity": {"maximum": 3}}}"#, &[]),
        (r#"{"properties": {"level": {"default": "low"}}}"#, &[]),
        (
            r#"{"properties": {"level": {"default": "middle"}}}"#,
            &[("/properties/level", "\"middle\"")],
        ),
        (r#"{"properties": {"either": {"default": null}}}"#, &[]),
        (
            r#"{"properties": {"either": {"default": 6}}}"#,
            &[("/properties/either", "6")],
        ),
        (r#"{"default": []}"#, &[("", "[]")]),
    ];
    for (overlay, expected) in cases {
        let completed = complete(&json(tool), &json(overlay));
        let found: Vec<_> = completed
            .misfits(&Options::default())
            .into_iter()
            .map(|it| (it.pointer, it.value.to_canonical()))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(pointer, value)| ((*pointer).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(found, expected, "{overlay}");
    }
}

/// Whether what the overlay claims keeps to the tool.
fn keeps(tool: &str, overlay: &str) -> bool {
    let (tool, overlay) = (json(tool), json(overlay));
    let claim = complete(&tool, &overlay).schema;
    let options = Options::default();
    assert!(matches!(is_empty(&claim, &options), Answer::Refuted(_)));
    matches!(contains(&claim, &tool, &options), Answer::Proved(_))
}

#[test]
fn what_stands_beside_a_reference_holds_as_well() {
    let both = r##"{"$ref": "#/$defs/x", "maximum": 9, "$defs": {"x": {"type": "integer", "maximum": 5}}}"##;
    assert!(keeps(both, r#"{"minimum": 1}"#));
    assert!(keeps(both, r#"{"maximum": 3}"#));
    let closed = r##"{"$ref": "#/$defs/x", "properties": {"b": {"type": "integer"}},
        "$defs": {"x": {"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false}}}"##;
    assert!(keeps(closed, r#"{"required": ["a"]}"#));
    assert!(keeps(closed, r#"{"properties": {"b": {"maximum": 5}}}"#));
    let described = r##"{"$ref": "#/$defs/x", "description": "how many",
        "$defs": {"x": {"type": "integer", "maximum": 5}}}"##;
    assert!(!keeps(described, r#"{"maximum": 9}"#));
    // Up to draft 7 the reference stands alone.
    let old = r##"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"n": {"$ref": "#/definitions/x", "maximum": 3}},
        "definitions": {"x": {"type": "integer", "maximum": 5}}}"##;
    assert!(keeps(old, r#"{"properties": {"n": {"maximum": 5}}}"#));
    assert!(!keeps(old, r#"{"properties": {"n": {"maximum": 6}}}"#));
}

/// Where a reference means something else in another place, its target cannot be written out, and
/// the narrowing must say all of it.
#[test]
fn nothing_is_inherited_through_a_reference_that_depends_on_its_place() {
    let tool = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "http://e.org/root",
        "properties": {"n": {"$ref": "other"}},
        "definitions": {"o": {"$id": "other", "type": "integer", "maximum": 5}}}"#;
    let tool = Json::parse(tool.as_bytes()).unwrap();
    for (overlay, holds) in [
        (r#"{"properties": {"n": {"maximum": 9}}}"#, false),
        (r#"{"properties": {"n": {"maximum": 3}}}"#, false),
        (
            r#"{"properties": {"n": {"type": "integer", "maximum": 3}}}"#,
            true,
        ),
        (
            r#"{"properties": {"n": {"description": "a number"}}}"#,
            true,
        ),
    ] {
        let completed = complete(&tool, &Json::parse(overlay.as_bytes()).unwrap());
        let answer = contains(&completed.schema, &tool, &Options::default());
        let expected = match answer {
            Answer::Proved(_) => holds,
            Answer::Refuted(_) => !holds,
            Answer::Undecided(_) => false,
        };
        assert!(expected, "{overlay}: {answer:?}");
    }
}
