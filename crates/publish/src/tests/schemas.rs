//! Schemas of every draft, and schemas made to be costly.

use expect_test::expect;
use spec::Json;
use validator::{Draft, Validator};

use super::bundle::Bundle;
use super::sample;
use crate::{MemoryFiles, Recorder, compile, render};

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
            "E0410",
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
    assert_eq!(with(&schema).codes(), ["E0413"]);
}

#[test]
fn a_flood_of_mistakes_is_cut() {
    let fields: String = (0..5000).map(|it| format!("spek{it}: 1\n")).collect();
    let bundle = sample().append("tools/refund.yaml", &fields);
    let compiled = bundle.compile();
    assert_eq!(compiled.diagnostics.len(), 1000);
    assert_eq!(compiled.snapshot, None);
}

/// The input schema of the sample's one tool.
#[track_caller]
fn published(bundle: &Bundle) -> Json {
    let compiled = bundle.compile();
    let said = render(&compiled.diagnostics, &|path| bundle.text(path), false);
    let snapshot = compiled.snapshot.unwrap_or_else(|| panic!("{said}"));
    snapshot.tools[0].input_schema.clone()
}

#[track_caller]
fn judge(schema: &Json, verdicts: &[(&str, bool)]) {
    let validator = Validator::compile(schema).unwrap();
    for (value, valid) in verdicts {
        let json = Json::parse(value.as_bytes()).unwrap();
        assert_eq!(validator.accepts(&json), *valid, "{value}");
    }
}

#[test]
fn files_become_definitions() {
    let bundle = with(
        r#"{"type": "object", "properties": {
            "price": {"$ref": "common/money.yaml"},
            "fee": {"$ref": "./shared/../common/money.yaml#/$defs/euro"},
            "order": {"$ref": "../more/order%20no.json#no"}},
            "$defs": {"schemas_shared_money.yaml": {}}}"#,
    )
    .file(
        "schemas/common/money.yaml",
        "$id: https://example.com/money\ntype: object\nproperties: {amount: {type: number, multipleOf: 0.01}, currency: {$ref: '#/$defs/code'}}\n$defs: {code: {enum: [EUR, USD]}, euro: {$ref: '#', properties: {currency: {const: EUR}}}}\n",
    )
    .file(
        "more/order no.json",
        r#"{"$defs": {"x": {"$anchor": "no", "type": "string", "maxLength": 3}}}"#,
    );
    let schema = published(&bundle);
    expect![[r##"{"$defs":{"more_order_no.json":{"$defs":{"x":{"maxLength":3,"type":"string"}}},"schemas_common_money.yaml":{"$defs":{"code":{"enum":["EUR","USD"]},"euro":{"$ref":"#/$defs/schemas_common_money.yaml","properties":{"currency":{"const":"EUR"}}}},"properties":{"amount":{"multipleOf":0.01,"type":"number"},"currency":{"$ref":"#/$defs/schemas_common_money.yaml/$defs/code"}},"type":"object"},"schemas_shared_money.yaml":{}},"properties":{"fee":{"$ref":"#/$defs/schemas_common_money.yaml/$defs/euro"},"order":{"$ref":"#/$defs/more_order_no.json/$defs/x"},"price":{"$ref":"#/$defs/schemas_common_money.yaml"}},"type":"object"}"##]].assert_eq(&schema.to_canonical());
    judge(
        &schema,
        &[
            (r#"{"price": {"amount": 0.29, "currency": "USD"}}"#, true),
            (r#"{"price": {"amount": 0.295}}"#, false),
            (r#"{"price": {"currency": "GBP"}}"#, false),
            (r#"{"fee": {"amount": 1, "currency": "EUR"}}"#, true),
            (r#"{"fee": {"amount": 1, "currency": "USD"}}"#, false),
            (r#"{"fee": {"amount": 1.005}}"#, false),
            (r#"{"order": "A-1"}"#, true),
            (r#"{"order": "A-10"}"#, false),
        ],
    );
}

#[test]
fn files_may_refer_to_each_other_and_back() {
    for (draft, definitions) in [
        ("http://json-schema.org/draft-04/schema#", "definitions"),
        ("http://json-schema.org/draft-07/schema#", "definitions"),
        ("https://json-schema.org/draft/2019-09/schema", "$defs"),
        ("https://json-schema.org/draft/2020-12/schema", "$defs"),
    ] {
        let id = if draft.contains("04") { "id" } else { "$id" };
        let root = format!(
            r##"{{"$schema": "{draft}", "{id}": "https://example.com/schemas/refund.json", "type": "object",
                "properties": {{"tree": {{"$ref": "tree.json"}}, "name": {{"$ref": "#/{definitions}/name"}}}},
                "{definitions}": {{"name": {{"type": "string", "maxLength": 4}}}}}}"##
        );
        let tree = format!(
            r##"{{"$schema": "{draft}", "type": "object", "additionalProperties": false,
                "properties": {{"leaves": {{"type": "array", "items": {{"$ref": "leaf.json#/{definitions}/leaf"}}}},
                    "name": {{"$ref": "refund.json#/{definitions}/name"}}}}}}"##
        );
        let leaf = format!(
            r##"{{"{definitions}": {{"leaf": {{"{id}": "inner.json", "allOf": [{{"$ref": "#/{definitions}/own"}}, {{"$ref": "tree.json"}}],
                "{definitions}": {{"own": {{"required": ["name"]}}}}}}}}}}"##
        );
        let bundle = with(&root)
            .file("schemas/tree.json", &tree)
            .file("schemas/leaf.json", &leaf);
        let schema = published(&bundle);
        let keys: Vec<_> = schema
            .get(definitions)
            .unwrap()
            .as_object()
            .unwrap()
            .keys()
            .collect();
        assert_eq!(
            keys,
            ["name", "schemas_leaf.json", "schemas_tree.json"],
            "{draft}"
        );
        judge(
            &schema,
            &[
                (
                    r#"{"tree": {"leaves": [{"name": "a", "leaves": [{"name": "b"}]}]}}"#,
                    true,
                ),
                (
                    r#"{"tree": {"leaves": [{"name": "a", "leaves": [{}]}]}}"#,
                    false,
                ),
                (r#"{"tree": {"leaves": [{"name": "too long"}]}}"#, false),
                (r#"{"tree": {"more": 1}}"#, false),
                (r#"{"name": "too long"}"#, false),
            ],
        );
    }
}

#[test]
fn an_inline_schema_refers_from_its_document() {
    let bundle = sample()
        .edit(
            "tools/refund.yaml",
            "ref: schemas/refund",
            "inline: {$ref: ../schemas/refund.json}",
        )
        .edit(
            "schemas/refund.json",
            r#"{"enum": ["EUR", "USD"]}"#,
            r#"{"$ref": "currency.json"}"#,
        )
        .file("schemas/currency.json", r#"{"enum": ["EUR"]}"#);
    let schema = published(&bundle);
    judge(
        &schema,
        &[
            (r#"{"order": "A-1", "amount": 5, "currency": "EUR"}"#, true),
            (r#"{"order": "A-1", "amount": 5, "currency": "USD"}"#, false),
            (r#"{"order": "A-1"}"#, false),
        ],
    );
    // The files that the schema is made of go along with the others.
    let files = bundle.files();
    let recorder = Recorder::new(&files);
    let first = compile(&recorder, "agent.yaml");
    let sources = recorder.into_sources();
    assert!(
        sources.contains_key("schemas/currency.json"),
        "{:?}",
        sources.keys()
    );
    let again = compile(&MemoryFiles::from(sources), "agent.yaml");
    assert_eq!(first.snapshot, again.snapshot);
}

#[test]
fn what_a_file_may_not_be() {
    for (file, target, code) in [
        (r#"{"type": "monney"}"#, "money.json", "E0401"),
        (r#"{"pattern": "(?!a)"}"#, "money.json", "E0404"),
        (
            r#"{"$ref": "http://169.254.169.254/latest"}"#,
            "money.json",
            "E0403",
        ),
        (r##"{"$ref": "#/$defs/none"}"##, "money.json", "E0403"),
        (r#"{"$ref": "none.json"}"#, "money.json", "E0410"),
        (r#"{"$ref": "../../up.json"}"#, "money.json", "E0410"),
        (
            r#"{"$schema": "https://example.com/mine"}"#,
            "money.json",
            "E0401",
        ),
        (r#"{"type": "number"}"#, "money.json#here", "E0403"),
        (r#"{"type": "number"}"#, "/schemas/money.json", "E0410"),
        (r#"{"type": "number"}"#, "money.json?draft=7", "E0410"),
        (r#"{"type": "number"}"#, "..%2f..%2fmoney.json", "E0410"),
        (r#"{"type": "number"}"#, "..\\\\money.json", "E0410"),
        ("{", "money.json", "E0103"),
    ] {
        let schema =
            format!(r#"{{"type": "object", "properties": {{"a": {{"$ref": "{target}"}}}}}}"#);
        let bundle = with(&schema).file("schemas/money.json", file);
        assert_eq!(bundle.codes(), [code], "{file} by {target}");
        assert_eq!(bundle.compile().snapshot, None);
    }
}

#[test]
fn a_broken_file_is_reported_once() {
    let bundle = with(r#"{"type": "object", "properties": {"a": {"$ref": "money.json"}}}"#)
        .append(
            "tools/refund.yaml",
            "  output_schema:\n    inline: {$ref: ../schemas/money.json}\n",
        )
        .file("schemas/money.json", "{");
    assert_eq!(bundle.codes(), ["E0103"]);
    assert_eq!(bundle.compile().snapshot, None);
}

#[test]
fn old_drafts_are_enforced() {
    let fourth = with(
        r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
            "properties": {"a": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}}"#,
    );
    judge(
        &published(&fourth),
        &[(r#"{"a": 0}"#, false), (r#"{"a": 0.001}"#, true)],
    );
}

#[test]
fn formats_are_one_thing_in_every_draft() {
    for draft in Draft::ALL {
        let bundle = with(&format!(
            r#"{{"$schema": "{}", "type": "object", "properties": {{"to": {{"type": "string", "format": "email"}},
                "card": {{"type": "string", "format": "card-number"}}}}}}"#,
            draft.uri()
        ));
        assert_eq!(bundle.codes(), ["E0407"]);
        judge(
            &published(&bundle),
            &[
                (r#"{"to": "ana@example.com", "card": "anything"}"#, true),
                (r#"{"to": "not-an-address"}"#, false),
            ],
        );
    }
}

#[test]
fn numbers_are_exact_from_the_file_to_the_call() {
    let bundle = with(
        r#"{"type": "object", "properties": {"a": {"type": "number", "multipleOf": 0.01},
            "b": {"maximum": 9007199254740992}, "c": {"enum": [9007199254740993]}, "d": {"minimum": 0.1000000000000000000001}}}"#,
    );
    judge(
        &published(&bundle),
        &[
            (r#"{"a": 19.99}"#, true),
            (r#"{"a": 0.29}"#, true),
            (r#"{"a": 1.005}"#, false),
            (r#"{"b": 9007199254740993}"#, false),
            (r#"{"c": 9007199254740992}"#, false),
            (r#"{"c": 9007199254740993}"#, true),
            (r#"{"d": 0.1}"#, false),
            (r#"{"d": 0.1000000000000000000001}"#, true),
        ],
    );
}
