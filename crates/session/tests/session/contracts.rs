//! Arguments and results against the contracts of a plan.

use session::{Plan, Settings};
use spec::{Json, VersionId};

use crate::bench::snapshot;

fn plan(schema: &str, violations_max: usize) -> (Plan, String) {
    let mut snapshot = snapshot();
    let tool = &mut snapshot.tools[0];
    tool.input_schema = Json::parse(schema.as_bytes()).unwrap();
    tool.contract_schema = tool.input_schema.clone();
    tool.output_schema = Some(tool.input_schema.clone());
    let wire_name = tool.wire_name.clone();
    snapshot.policies.clear();
    let settings = Settings {
        violations_max,
        ..Settings::STANDARD
    };
    let plan = Plan::compile(VersionId::new("v"), snapshot, settings).unwrap();
    (plan, wire_name)
}

#[test]
fn numbers_are_judged_exactly() {
    let (plan, tool) = plan(
        r#"{"properties": {"id": {"enum": [9007199254740993]}, "price": {"multipleOf": 0.01}}}"#,
        20,
    );
    for (args, lines) in [
        (r#"{"id": 9007199254740993, "price": 0.29}"#, vec![]),
        (
            r#"{"id": 9007199254740992, "price": 1.005}"#,
            vec![
                "/id: 9007199254740992 is not one of 9007199254740993 (enum)",
                "/price: 1.005 is not a multiple of 0.01 (multipleOf)",
            ],
        ),
    ] {
        let args = Json::parse(args.as_bytes()).unwrap();
        assert_eq!(plan.input_violations(&tool, &args), lines);
        assert_eq!(plan.output_violations(&tool, &args), lines);
    }
}

#[test]
fn a_model_is_told_a_bounded_amount() {
    let (plan, tool) = plan(r#"{"additionalProperties": {"type": "integer"}}"#, 3);
    let long = "x".repeat(50_000);
    let members = (0..50).map(|it| (format!("{it}{long}"), Json::from(long.as_str())));
    let lines = plan.input_violations(&tool, &Json::from_members(members));
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert!(line.chars().count() <= 300, "{}", line.len());
        assert!(line.ends_with("is not of type integer (type)"), "{line}");
    }
}

#[test]
fn the_contract_counts_beside_what_the_binding_says() {
    let schema = |text: &str| Json::parse(text.as_bytes()).unwrap();
    let contract =
        schema(r#"{"type": "object", "properties": {"n": {"maximum": 5}}, "required": ["n"]}"#);
    // A binding that was let through without a proof, and would take more.
    let binding =
        schema(r#"{"type": "object", "properties": {"n": {"maximum": 9, "minimum": 1}}}"#);
    let mut snapshot = snapshot();
    snapshot.policies.clear();
    let tool = &mut snapshot.tools[0];
    tool.contract_schema = contract.clone();
    tool.input_schema = binding.clone();
    tool.contract_output_schema = Some(contract);
    tool.output_schema = Some(binding);
    let wire_name = tool.wire_name.clone();
    let plan = Plan::compile(VersionId::new("v"), snapshot, Settings::STANDARD).unwrap();
    for (value, rules) in [
        (r#"{"n": 3}"#, vec![]),
        (r#"{"n": 7}"#, vec!["maximum"]),
        (r#"{"n": 0}"#, vec!["minimum"]),
        // Both refuse it, each in words of its own.
        (r#"{"n": 10}"#, vec!["maximum", "maximum"]),
        ("{}", vec!["required"]),
        // Both refuse it alike, which is told once.
        ("[]", vec!["type"]),
    ] {
        let value = schema(value);
        let input = plan.input_violations(&wire_name, &value);
        let told: Vec<_> = input
            .iter()
            .map(|it| it.rsplit_once('(').unwrap().1)
            .collect();
        let rules: Vec<_> = rules.iter().map(|it| format!("{it})")).collect();
        assert_eq!(told, rules, "{input:?}");
        assert_eq!(plan.output_violations(&wire_name, &value), input);
    }
}
