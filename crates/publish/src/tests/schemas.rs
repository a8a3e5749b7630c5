//! Schemas of every draft, and schemas made to be costly.

use super::bundle::Bundle;
use super::sample;

fn with(schema: &str) -> Bundle {
    sample().file("schemas/refund.json", schema).edit(
        "agent.yaml",
        "      policies:\n        - pay.limit\n",
        "",
    )
}

#[test]
fn every_draft_is_read_by_its_own_rules() {
    let of = |draft: &str, bound: &str| {
        let schema = format!(
            r#"{{"$schema": "{draft}", "type": "object", "properties": {{"a": {{"minimum": 1, "exclusiveMinimum": {bound}}}}}}}"#
        );
        with(&schema).codes()
    };
    for draft in [
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        assert!(of(draft, "1").is_empty(), "{draft}");
        assert_eq!(of(draft, "true"), ["E0401"], "{draft}");
    }
    let fourth = "http://json-schema.org/draft-04/schema#";
    assert!(of(fourth, "true").is_empty());
    assert_eq!(of(fourth, "1"), ["E0401"]);
}

#[test]
fn local_references_are_followed() {
    for schema in [
        r##"{"$ref": "#/$defs/args", "$defs": {"args": {"type": "object"}}}"##,
        r##"{"$ref": "#args", "$defs": {"args": {"$anchor": "args", "type": "object"}}, "type": "object"}"##,
        r##"{"type": "object", "properties": {"a": {"$ref": "#"}}}"##,
        r##"{"type": ["object"], "properties": {"$ref": {"type": "string"}}}"##,
        r##"{"anyOf": [{"type": "object"}, {"allOf": [{}, {"type": "object"}]}]}"##,
    ] {
        assert!(
            with(schema).codes().is_empty(),
            "{schema}: {:?}",
            with(schema).codes()
        );
    }
    for (schema, code) in [
        (
            r##"{"$ref": "#/$defs/args", "$defs": {"args": {"type": "string"}}}"##,
            "E0402",
        ),
        (
            r##"{"type": "object", "properties": {"a": {"$ref": "money.json"}}}"##,
            "E0207",
        ),
        (
            r##"{"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}"##,
            "E0403",
        ),
        (r##"{"type": ["object", "null"]}"##, "E0402"),
        (r##"{"anyOf": [{"type": "object"}, {}]}"##, "E0402"),
    ] {
        assert_eq!(with(schema).codes(), [code], "{schema}");
    }
}

#[test]
fn circles_end() {
    let ring = vec![r##"{"$ref": "#"}"##; 30].join(",");
    let schema = format!(r#"{{"allOf": [{ring}], "anyOf": [{ring}]}}"#);
    assert!(with(&schema).codes().contains(&"E0402".to_owned()));
}

#[test]
fn a_flood_of_mistakes_is_cut() {
    let fields: String = (0..5000).map(|it| format!("spek{it}: 1\n")).collect();
    let bundle = sample().append("tools/refund.yaml", &fields);
    let compiled = bundle.compile();
    assert_eq!(compiled.diagnostics.len(), 1000);
    assert_eq!(compiled.snapshot, None);
}
