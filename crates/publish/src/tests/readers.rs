//! What people write in YAML and what becomes of it: the cases B-099 to B-105, and their kin.

use expect_test::expect;
use spec::Json;
use spec::snapshot::{Condition, Leaf, OutputFormat, SessionMode};

use super::bundle::Bundle;
use super::sample;

/// The only leaf of the sample's policy, after its value was replaced.
fn leaf_value(value: &str) -> Json {
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
fn b_099_country_codes_stay_text() {
    for word in ["NO", "on", "off", "yes", "n", "Y"] {
        assert_eq!(leaf_value(word), Json::from(word));
    }
}

#[test]
fn b_100_versions_are_text() {
    for version in ["1.10", "1", "1e3", "010"] {
        let edit = format!("version: {version}");
        assert_eq!(
            sample().edit("agent.yaml", "version: 1.0.0", &edit).codes(),
            ["E0203"]
        );
    }
    let exact = sample().edit("agent.yaml", "@^1.0", "@1.10");
    assert_eq!(exact.codes(), ["E0306"]);
}

#[test]
fn b_101_a_repeated_key_is_an_error_wherever_it_is() {
    let flow = "decision: {type: deny, type: allow}\n  description: x";
    let bundle = sample().edit(
        "policies/limit.yaml",
        "decision:\n    type: deny\n    reason: Too much.",
        flow,
    );
    assert_eq!(bundle.codes(), ["E0105"]);
    let escaped = sample().edit(
        "agent.yaml",
        "  purpose:",
        "  \"purp\\u006fse\": x\n  purpose:",
    );
    assert_eq!(escaped.codes(), ["E0105"]);
}

#[test]
fn b_102_aliases_never_grow() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let below = format!("*a{}", level - 1);
        bomb += &format!(
            "a{level}: &a{level} [{}]\n",
            [below.as_str(); 10].join(", ")
        );
    }
    let codes = sample().file("tools/bomb.yaml", bomb).codes();
    assert!(codes.contains(&"E0104".to_owned()), "{codes:?}");
    assert!(codes.len() < 200, "{}", codes.len());
}

#[test]
fn b_103_a_merge_key_never_loses_a_limit() {
    let merged = "  limits:\n    <<: *base\n    max_tool_calls: 5\n";
    let codes = sample().append("agent.yaml", merged).codes();
    assert_eq!(codes, ["E0104", "E0104"]);
}

#[test]
fn b_104_marks_line_ends_and_empty_documents() {
    let expected = sample().compile();
    let windows = |path: &str| {
        format!(
            "\u{feff}{}",
            sample().text(path).unwrap().replace('\n', "\r\n")
        )
    };
    let mut bundle = sample();
    for path in [
        "agent.yaml",
        "tools/refund.yaml",
        "policies/limit.yaml",
        "schemas/refund.json",
    ] {
        bundle = bundle.file(path, windows(path));
    }
    assert_eq!(bundle.compile(), expected);
    let between = format!("---\n---\n{}---\n", sample().text("agent.yaml").unwrap());
    assert_eq!(sample().file("agent.yaml", between).compile(), expected);
}

#[test]
fn b_104_places_are_right_after_a_mark_and_wide_characters() {
    let text = sample().text("agent.yaml").unwrap().replace('\n', "\r\n");
    let text = text.replace("purpose: Settle refunds.", "purpose: {é: [\"ø\", 1.10]}");
    let bundle = sample().file("agent.yaml", format!("\u{feff}{text}"));
    bundle.check(expect![[r#"
        error[E0203]: expected text, found a map
         --> agent.yaml:8:3
          |
        8 |   purpose: {é: ["ø", 1.10]}
          |   ^^^^^^^ spec.purpose
          |
          = help: write text

    "#]]);
}

#[test]
fn b_105_what_looks_like_another_type_stays_text() {
    for text in ["2024-01-01", "12:30:45", "1_000", "0b11", "1.2.3", "~x"] {
        assert_eq!(leaf_value(text), Json::from(text));
    }
    // Octal and hexadecimal numbers are text where text is due, and refused where anything goes.
    let described = sample().edit("agent.yaml", "Settle refunds.", "0o17");
    assert_eq!(described.compile().snapshot.unwrap().purpose, "0o17");
    for odd in ["010", "0o17", "0x1F", ".nan", "-.inf"] {
        let bundle = sample().edit(
            "policies/limit.yaml",
            "value: 1000",
            &format!("value: {odd}"),
        );
        assert_eq!(bundle.codes(), ["E0209"], "{odd}");
    }
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
