//! Numbered cases of schemas and names (B-063 to B-070), each through `compile` and, where calls are
//! judged, through the validator that judges them. What providers are shown (B-061, B-062, B-065,
//! B-068, B-069) is tried where copies are made, in the `model` crate.

use spec::Json;
use validator::Validator;

use super::bundle::Bundle;
use super::sample;

fn with(schema: &str) -> Bundle {
    // The sample's policy reads the amount, so every schema here has one.
    sample()
        .file("schemas/refund.json", schema)
        .without("policies/limit.yaml")
        .edit("agent.yaml", "      policies:\n        - pay.limit\n", "")
}

#[track_caller]
fn judge(schema: &str, cases: &[(&str, bool)]) {
    let compiled = with(schema).compile();
    let snapshot = compiled
        .snapshot
        .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let validator = Validator::compile(&snapshot.tools[0].input_schema).unwrap();
    for (args, expected) in cases {
        let value = Json::parse(args.as_bytes()).unwrap();
        assert_eq!(validator.accepts(&value), *expected, "{args}");
    }
}

fn errors(schema: &str) -> Vec<String> {
    with(schema).codes()
}

#[test]
fn b_063_keywords_of_old_drafts() {
    let bound = r#""type": "object", "properties": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}"#;
    // In the draft that knows it, the bound holds; elsewhere it is a mistake, never ignored.
    judge(
        &format!(r#"{{"$schema": "http://json-schema.org/draft-04/schema#", {bound}}}"#),
        &[(r#"{"n": 0}"#, false), (r#"{"n": 1}"#, true)],
    );
    assert_eq!(errors(&format!("{{{bound}}}")), ["E0401"]);
    let seventh = format!(r#"{{"$schema": "http://json-schema.org/draft-07/schema#", {bound}}}"#);
    assert_eq!(errors(&seventh), ["E0401"]);
}

#[test]
fn b_064_references_never_lead_out() {
    let to = |target: &str| {
        format!(r#"{{"type": "object", "properties": {{"a": {{"$ref": "{target}"}}}}}}"#)
    };
    for target in [
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
        "#/$defs/Lost",
    ] {
        assert!(!errors(&to(target)).is_empty(), "{target}");
        assert!(with(&to(target)).compile().snapshot.is_none(), "{target}");
    }
    judge(
        r##"{"type": "object", "properties": {"tree": {"$ref": "#/$defs/Node"}},
            "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "n": {"type": "integer"}}}}}"##,
        &[
            (r#"{"tree": {"next": {"next": {"n": 1}}}}"#, true),
            (r#"{"tree": {"next": {"next": {"n": "x"}}}}"#, false),
        ],
    );
}

#[test]
fn b_065_a_pattern_that_cannot_be_enforced_is_refused() {
    let schema = r#"{"type": "object", "properties": {"user": {"type": "string", "pattern": "^(?!admin)"}}}"#;
    assert_eq!(errors(schema), ["E0404"]);
}

#[test]
fn b_066_decimals_are_not_rounded() {
    judge(
        r#"{"type": "object", "properties": {"n": {"type": "number", "multipleOf": 0.01}}}"#,
        &[
            (r#"{"n": 19.99}"#, true),
            (r#"{"n": 0.29}"#, true),
            (r#"{"n": 1.005}"#, false),
        ],
    );
}

#[test]
fn b_067_formats_hold() {
    judge(
        r#"{"type": "object", "properties": {"to": {"type": "string", "format": "email"}}}"#,
        &[
            (r#"{"to": "not-an-address"}"#, false),
            (r#"{"to": "ana@example.com"}"#, true),
        ],
    );
    // One that nobody checks is told when the document is written.
    let unknown =
        r#"{"type": "object", "properties": {"to": {"type": "string", "format": "iban"}}}"#;
    assert_eq!(errors(unknown), ["E0407"]);
}

#[test]
fn b_069_the_record_shows_the_reference_and_the_model_a_name() {
    let bundle = sample()
        .edit("agent.yaml", "\n      as: refund", "")
        .edit(
            "agent.yaml",
            "ref: pay.refund@^1.0",
            "ref: pay.invoices.create@^1.0",
        )
        .edit("tools/refund.yaml", "name: refund", "name: create")
        .edit(
            "tools/refund.yaml",
            "namespace: pay",
            "namespace: pay.invoices",
        );
    let snapshot = bundle.compile().snapshot.unwrap();
    let tool = &snapshot.tools[0];
    assert_eq!(tool.wire_name, "pay_invoices_create");
    assert_eq!(tool.contract.logical_id(), "pay.invoices.create");
    let long = sample().edit(
        "agent.yaml",
        "as: refund",
        &format!("as: {}", "x".repeat(65)),
    );
    assert_eq!(long.codes(), ["E0205"]);
    let accented = sample().edit("agent.yaml", "as: refund", "as: crédit");
    assert_eq!(accented.codes(), ["E0205"]);
}

#[test]
fn b_070_names_that_become_equal_are_refused() {
    let tool = sample().text("tools/refund.yaml").unwrap();
    let other = tool.replace("name: refund", "name: refund-more");
    let same = sample().file("tools/other.yaml", other).edit(
        "agent.yaml",
        "  tools:\n",
        "  tools:\n    - ref: pay.refund-more@^1.0\n      as: refund\n",
    );
    assert_eq!(same.codes(), ["E0501"]);
    let stem = "a".repeat(61);
    let first = tool.replace("name: refund", &format!("name: {stem}-x"));
    let second = tool.replace("name: refund", &format!("name: {stem}-y"));
    let cut = sample()
        .file("tools/x.yaml", first)
        .file("tools/y.yaml", second)
        .edit(
            "agent.yaml",
            "  tools:\n",
            &format!("  tools:\n    - ref: pay.{stem}-x@^1.0\n    - ref: pay.{stem}-y@^1.0\n"),
        );
    assert_eq!(cut.codes(), ["E0501"]);
}
