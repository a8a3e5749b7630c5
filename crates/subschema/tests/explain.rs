//! The grounds of a proof, and where something could not be decided.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use spec::Json;
use subschema::{Answer, Options, contains, explain};

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

fn grounds(sub: &str, sup: &str) -> Vec<String> {
    let (sub, sup) = (json(sub), json(sup));
    let options = Options::default();
    assert!(matches!(contains(&sub, &sup, &options), Answer::Proved(_)));
    let grounds = explain(&sub, &sup, &options).unwrap();
    grounds.iter().map(ToString::to_string).collect()
}

#[test]
fn every_thing_that_the_containing_schema_says_has_a_ground() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            r#"{"type": "object", "properties": {"severity": {"type": "integer", "maximum": 3}}, "required": ["severity"]}"#,
            r#"{"type": "object", "properties": {"severity": {"type": "integer", "maximum": 5}}, "required": ["severity"]}"#,
            &[
                "/ `type`: said alike",
                "/severity `type`: said alike",
                "/severity `maximum`: by the bounds of the number",
                "/ `required`: said alike",
            ],
        ),
        (
            r#"{"enum": ["a", "b"]}"#,
            r#"{"type": "string", "maxLength": 3}"#,
            &[
                "/ `type`: each of 2 values was tried",
                "/ `maxLength`: each of 2 values was tried",
            ],
        ),
        (
            r#"{"type": "string", "pattern": "^[a-c]{2}$"}"#,
            r#"{"type": "string", "pattern": "^[a-z]*$"}"#,
            &[
                "/ `type`: said alike",
                "/ `pattern`: every text that is left is one of the language",
            ],
        ),
        (
            r#"{"type": "array", "items": {"type": "integer"}, "minItems": 1}"#,
            r#"{"type": ["array", "null"], "items": {"type": "number"}}"#,
            &["/ `type`: by type", "/* `type`: said alike"],
        ),
        (
            r#"{"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "properties": {"b": {"maximum": 1}}, "required": ["b"]}]}"#,
            r#"{"type": "object", "minProperties": 1}"#,
            &["/ `type`: by type", "/ `minProperties`: by the members"],
        ),
        (
            r##"{"type": "object", "properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}}"##,
            r##"{"properties": {"next": {"$ref": "#"}, "n": {"type": "number"}}}"##,
            &[
                "/n `type`: said alike",
                "/next/n `type`: said alike",
                "/next/next `$ref`: by induction over smaller values",
            ],
        ),
    ];
    for (sub, sup, expected) in cases {
        let mut found = grounds(sub, sup);
        let mut expected: Vec<String> = expected.iter().map(|it| (*it).to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{sub} in {sup}");
    }
}

#[test]
fn what_is_undecided_has_a_place() {
    let sub = json(r#"{"properties": {"a": {"items": {"pattern": "^(.)\\1$", "maxLength": 3}}}}"#);
    let sup = json(r#"{"properties": {"a": {"items": {"pattern": "^(.)\\1*$"}}}}"#);
    let Answer::Undecided(reason) = contains(&sub, &sup, &Options::default()) else {
        panic!("back-references are no regular language");
    };
    assert_eq!(reason.keyword.as_deref(), Some("pattern"));
    assert_eq!(reason.place.as_deref(), Some("/a/*"));
}
