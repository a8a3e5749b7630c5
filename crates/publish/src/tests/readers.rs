//! What people write in YAML and what becomes of it. The numbered cases are in `cases`.

use spec::Json;
use spec::snapshot::{Condition, Leaf, OutputFormat, SessionMode};

use super::bundle::Bundle;
use super::sample;

/// The only leaf of the sample's policy, after its value was replaced.
pub(super) fn leaf_value(value: &str) -> Json {
    let bundle = sample()
        .edit("policies/limit.yaml", "field: amount", "field: anything")
        .edit("policies/limit.yaml", "op: gt", "op: in")
        .edit(
            "policies/limit.yaml",
            "value: 1000",
            &format!("value: [{value}]"),
        )
        .edit(
            "schemas/refund.json",
            "\"amount\": {\"type\": \"number\"}",
            "\"amount\": {\"type\": \"number\"}, \"anything\": {}",
        );
    let snapshot = bundle.compile().snapshot.unwrap();
    let Some(Condition::Leaf(Leaf { value, .. })) = &snapshot.policies[0].condition else {
        panic!("no leaf");
    };
    value.as_array().unwrap()[0].clone()
}

#[test]
fn b_117_limits_are_as_written_or_refused() {
    let with = |value: &str| {
        sample().append(
            "agent.yaml",
            &format!("  limits: {{max_tokens_per_run: {value}}}\n"),
        )
    };
    for (value, code) in [
        ("0", "E0205"),
        ("-1", "E0205"),
        ("0.5", "E0205"),
        ("18446744073709551616", "E0205"),
        ("\"1000\"", "E0203"),
        ("null", "E0203"),
        ("", "E0203"),
        ("many", "E0203"),
        ("[1]", "E0203"),
        ("010", "E0209"),
    ] {
        assert_eq!(with(value).codes(), [code], "{value}");
    }
    for value in ["1000", "1e3", "1000.0", "+1000"] {
        let limits = with(value).compile().snapshot.unwrap().limits;
        assert_eq!(limits.max_tokens_per_run, Some(1000), "{value}");
    }
}

#[test]
fn numbers_keep_every_digit() {
    let number = "9007199254740993.000000000000000001";
    assert_eq!(leaf_value(number), Json::Number(number.parse().unwrap()));
}

#[test]
fn documents_may_be_json() {
    let agent = r#"{
	"apiVersion": "phrony.com/v1", "kind": "Agent",
	"metadata": {"name": "clerk", "namespace": "shop", "version": "1.0.0"},
	"spec": {
		"purpose": "Settle refunds.", "instructions": {"text": "Be fair."},
		"model": {"provider": "stub", "name": "scripted"},
		"tools": [{"ref": "pay.refund@^1.0", "as": "refund", "policies": ["pay.limit"]}]
	}
}"#;
    assert_eq!(
        sample().file("agent.yaml", agent).compile(),
        sample().compile()
    );
    let alone = sample().file("agent.json", agent.replace("Be fair.", "\\ud83d\\ude00"));
    let compiled = crate::compile(&alone.files(), "agent.json");
    assert_eq!(compiled.snapshot.unwrap().instructions, "\u{1f600}");
}

#[test]
fn every_independent_mistake_comes_in_one_run() {
    let bundle = sample()
        .edit("agent.yaml", "purpose", "purpos")
        .edit("agent.yaml", "provider: stub", "provider: stubb")
        .edit("tools/refund.yaml", "version: 1.2.0", "version: 1.2")
        .edit("policies/limit.yaml", "op: gt", "op: greater")
        .edit("policies/limit.yaml", "type: deny", "type: forbid")
        .edit("schemas/refund.json", "\"number\"", "\"money\"");
    let codes = bundle.codes();
    assert_eq!(
        codes,
        [
            "E0202", "E0201", "E0204", "E0204", "E0204", "E0401", "E0203"
        ]
    );
}

#[test]
fn instructions_come_from_files_of_four_kinds() {
    let with = |path: &str, text: &str| -> Bundle {
        sample()
            .edit("agent.yaml", "text: Be fair.", "ref: prompts/fair")
            .file(path, text)
    };
    for (path, text) in [
        ("prompts/fair.md", "\u{feff}# Be fair: always\n"),
        ("prompts/fair.txt", "# Be fair: always\n"),
        ("prompts/fair.yaml", "text: |\n  # Be fair: always\n"),
        ("prompts/fair.yml", "\"# Be fair: always\\n\"\n"),
    ] {
        let snapshot = with(path, text).compile().snapshot.unwrap();
        assert_eq!(snapshot.instructions, "# Be fair: always\n", "{path}");
    }
    assert_eq!(with("prompts/fair.md", " \n").codes(), ["E0205"]);
    assert_eq!(
        with("prompts/fair.yaml", "texts: x\n").codes(),
        ["E0201", "E0202"]
    );
}

#[test]
fn versioned_files_come_before_the_plain_one() {
    let schema = sample().text("schemas/refund.json").unwrap();
    let marked = |mark: &str| schema.replace("\"EUR\"", &format!("\"{mark}\""));
    let mut bundle = sample().edit(
        "tools/refund.yaml",
        "ref: schemas/refund",
        "ref: schemas/refund\n    version: 2",
    );
    for (path, mark) in [
        ("schemas/refund/v2.yaml", "AAA"),
        ("schemas/refund/2.json", "BBB"),
        ("schemas/refund-2.yaml", "CCC"),
        ("schemas/refund-2.json", "DDD"),
    ] {
        bundle = bundle.file(path, marked(mark));
        let compiled = bundle.compile();
        assert_eq!(compiled.diagnostics, []);
        let schema = compiled.snapshot.unwrap().tools[0]
            .input_schema
            .to_canonical();
        assert!(schema.contains(mark), "{path}");
    }
}

#[test]
fn a_session_ends_as_the_output_suggests() {
    let session = |bundle: Bundle| {
        let snapshot = bundle.compile().snapshot.unwrap();
        (snapshot.session, snapshot.output.format)
    };
    let json = sample().append("agent.yaml", "output: {format: json}\n");
    let chosen = json.clone().append("agent.yaml", "").edit(
        "agent.yaml",
        "spec:\n",
        "spec:\n  session: conversation\n",
    );
    assert_eq!(
        session(sample()),
        (SessionMode::Conversation, OutputFormat::Text)
    );
    assert_eq!(session(json), (SessionMode::SingleTurn, OutputFormat::Json));
    assert_eq!(
        session(chosen),
        (SessionMode::Conversation, OutputFormat::Json)
    );
}

#[test]
fn a_script_may_stand_in_an_annotation() {
    let with = |script: &str| {
        let annotation = format!("  annotations:\n    phrony.com/stub-script: '{script}'\nspec:\n");
        sample().edit("agent.yaml", "spec:\n", &annotation)
    };
    let script = r#"{"turns": [[{"type": "completed"}]]}"#;
    let carried = |bundle: &Bundle| {
        let snapshot = bundle.compile().snapshot.unwrap();
        snapshot.metadata.annotations[spec::snapshot::STUB_SCRIPT].clone()
    };
    assert_eq!(
        carried(&with(script)),
        r#"{"turns":[[{"type":"completed"}]]}"#
    );
    assert_eq!(
        carried(&sample().file("stub-script.json", script)),
        carried(&with(script))
    );
    assert_eq!(with("{\"turns\": [[{}]]}").codes(), ["E0703"]);
    assert_eq!(with("{").codes(), ["E0703"]);
    assert_eq!(
        with(script).file("stub-script.json", script).codes(),
        ["E0206"]
    );
}
