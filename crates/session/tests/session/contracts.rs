//! Arguments and results against the contracts of a plan.

use session::{Plan, Settings};
use spec::{Json, VersionId};

use crate::bench::snapshot;

fn plan(schema: &str, violations_max: usize) -> (Plan, String) {
    let mut snapshot = snapshot();
    let tool = &mut snapshot.tools[0];
    tool.input_schema = Json::parse(schema.as_bytes()).unwrap();
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
