//! What does not compile, where the error points, and what it says.

use policy::RuleSet;
use spec::snapshot::DecisionKind::{self, Allow, Deny, Escalate};
use spec::snapshot::{Condition, Origin, Policy};

use crate::support::{always, attached, compile, condition, identity, rule, snapshot, tool};

fn errors(kind: DecisionKind, conditions: &str) -> Vec<(String, String)> {
    match compile(vec![rule("it", kind, conditions)]) {
        Ok(_) => Vec::new(),
        Err(errors) => errors
            .into_iter()
            .map(|error| {
                assert_eq!(error.policy, identity("it"));
                assert!(!error.help.is_empty());
                (error.field, error.message)
            })
            .collect(),
    }
}

#[test]
fn one_leaf() {
    let rows = [
        // Paths and fields.
        (r#"{"field": "a..b"}"#, "field", "an empty key"),
        (r#"{"field": ""}"#, "field", "an empty key"),
        (r#"{"field": "items[x].price"}"#, "field", "where an index"),
        (r#"{"field": "args"}"#, "field", "names all arguments"),
        (r#"{"field": "ctx.nothing"}"#, "field", "the context has no"),
        (
            r#"{"field": "ctx.session.sum.amount", "op": "gt", "value": 1}"#,
            "field",
            "not supported yet",
        ),
        (
            r#"{"field": "ctx.now(Europe/Oslo).hour", "op": "gt", "value": 1}"#,
            "field",
            "not supported yet",
        ),
        (
            r#"{"field": "dispatch.outcom", "value": "indeterminate"}"#,
            "field",
            "is no field",
        ),
        // Values.
        (
            r#"{"field": "a", "op": "gt", "value": "50"}"#,
            "value",
            "compares numbers",
        ),
        (
            r#"{"field": "a", "op": "gte", "value": null}"#,
            "value",
            "compares numbers",
        ),
        (
            r#"{"field": "a", "op": "lt", "value": [1]}"#,
            "value",
            "compares numbers",
        ),
        (
            r#"{"field": "a", "op": "lte", "value": true}"#,
            "value",
            "compares numbers",
        ),
        (
            r#"{"field": "a", "op": "in", "value": "EUR"}"#,
            "value",
            "need a list",
        ),
        (
            r#"{"field": "a", "op": "not_in", "value": null}"#,
            "value",
            "need a list",
        ),
        (
            r#"{"field": "a", "op": "matches", "value": "("}"#,
            "value",
            "unclosed group",
        ),
        (
            r#"{"field": "a", "op": "matches", "value": "(?=x)"}"#,
            "value",
            "is invalid",
        ),
        (
            r#"{"field": "a", "op": "matches", "value": 5}"#,
            "value",
            "needs a text",
        ),
        (
            r#"{"field": "a", "op": "starts_with", "value": 5}"#,
            "value",
            "needs a text",
        ),
        (
            r#"{"field": "a", "op": "ends_with", "value": null}"#,
            "value",
            "needs a text",
        ),
        (
            r#"{"field": "a", "op": "exists", "value": "yes"}"#,
            "value",
            "takes true or false",
        ),
        (
            r#"{"field": "a", "op": "length_gt", "value": 1.5}"#,
            "value",
            "whole number",
        ),
        (
            r#"{"field": "a", "op": "length_lt", "value": -1}"#,
            "value",
            "whole number",
        ),
        (
            r#"{"field": "a", "op": "length_lte", "value": "3"}"#,
            "value",
            "whole number",
        ),
        (
            r#"{"field": "a", "op": "length_gte"}"#,
            "value",
            "whole number",
        ),
        // Triggers.
        (
            r#"{"field": "dispatch.outcome", "value": "lost"}"#,
            "value",
            "is no trigger",
        ),
        (
            r#"{"field": "dispatch.outcome", "value": 5}"#,
            "value",
            "is no trigger",
        ),
        (
            r#"{"field": "dispatch.outcome", "op": "in", "value": ["indeterminate", "lost"]}"#,
            "value",
            "is no trigger",
        ),
        (
            r#"{"field": "dispatch.outcome", "op": "in", "value": "indeterminate"}"#,
            "value",
            "need a list",
        ),
        (
            r#"{"field": "dispatch.outcome", "op": "matches", "value": "x"}"#,
            "op",
            "nothing about a trigger",
        ),
        (
            r#"{"field": "dispatch.outcome", "op": "exists", "value": false}"#,
            "op",
            "nothing about a trigger",
        ),
        (
            r#"{"field": "dispatch.outcome", "op": "exists", "value": 1}"#,
            "value",
            "takes true or false",
        ),
        (
            r#"{"field": "dispatch.outcome", "value": "indeterminate", "absent": "match"}"#,
            "absent",
            "never missing",
        ),
        // Context.
        (
            r#"{"field": "ctx.turn", "value": "3"}"#,
            "value",
            "never equals",
        ),
        (
            r#"{"field": "ctx.turn", "op": "in", "value": [1, "3"]}"#,
            "value",
            "never equals",
        ),
        (
            r#"{"field": "ctx.turn", "op": "matches", "value": "3"}"#,
            "op",
            "not about numbers",
        ),
        (r#"{"field": "ctx.tool", "value": 3}"#, "value", "is a text"),
        (
            r#"{"field": "ctx.tool", "op": "contains", "value": 3}"#,
            "value",
            "is a text",
        ),
        (
            r#"{"field": "ctx.now.date", "op": "gt", "value": 3}"#,
            "op",
            "compares numbers",
        ),
        (
            r#"{"field": "ctx.now.weekday", "value": "Sunday"}"#,
            "value",
            "is no weekday",
        ),
        (
            r#"{"field": "ctx.now.weekday", "op": "in", "value": ["sunday", "sonntag"]}"#,
            "value",
            "is no weekday",
        ),
        (
            r#"{"field": "ctx.side_effect_class", "value": "readonly"}"#,
            "value",
            "no side-effect class",
        ),
        // Absence.
        (
            r#"{"field": "a", "op": "exists", "absent": "match"}"#,
            "absent",
            "contradicts",
        ),
        (
            r#"{"field": "a", "op": "exists", "value": false, "absent": "skip"}"#,
            "absent",
            "contradicts",
        ),
    ];
    for (leaf, part, message) in rows {
        let found = errors(Deny, leaf);
        assert_eq!(found.len(), 1, "{leaf}: {found:?}");
        assert_eq!(found[0].0, format!("conditions.{part}"), "{leaf}");
        assert!(found[0].1.contains(message), "{leaf}: {}", found[0].1);
    }
}

#[test]
fn allow_lists_are_stricter() {
    for (leaf, part, message) in [
        (
            r#"{"field": "a", "op": "matches", "value": "main|develop"}"#,
            "value",
            "not anchored",
        ),
        (
            r#"{"field": "a", "op": "matches", "value": "^main|develop$"}"#,
            "value",
            "not anchored",
        ),
        (
            r#"{"field": "a", "op": "matches", "value": "(?m)^main$"}"#,
            "value",
            "not anchored",
        ),
        (
            r#"{"field": "dispatch.outcome", "value": "indeterminate"}"#,
            "field",
            "cannot read the trigger",
        ),
        (
            r#"{"field": "ctx.limit", "value": "max_tool_calls"}"#,
            "field",
            "cannot read ctx.limit",
        ),
    ] {
        assert_eq!(errors(Deny, leaf), [], "{leaf}");
        assert_eq!(errors(Escalate, leaf), [], "{leaf}");
        let found = errors(Allow, leaf);
        assert_eq!(found[0].0, format!("conditions.{part}"), "{leaf}");
        assert!(found[0].1.contains(message), "{leaf}: {}", found[0].1);
        // Twice turned around is straight again.
        let turned = format!(r#"{{"not": {{"not": {leaf}}}}}"#);
        assert_eq!(
            errors(Allow, &turned)[0].0,
            format!("conditions.not.not.{part}")
        );
    }
    let whole = r#"{"field": "a", "op": "matches", "value": "^(main|develop)$"}"#;
    assert_eq!(errors(Allow, whole), []);
}

#[test]
fn all_errors_come_at_once_with_their_places() {
    let tree = r#"{"all": [
        {"field": "a..b"},
        {"any": [{"field": "a"}, {"not": {"field": "a", "op": "gt", "value": "x"}}]},
        {"not": {"all": [{"field": "a", "op": "in", "value": 1}]}}
    ]}"#;
    let found: Vec<String> = errors(Deny, tree).into_iter().map(|it| it.0).collect();
    assert_eq!(
        found,
        [
            "conditions.all[0].field",
            "conditions.all[1].any[1].not.value",
            "conditions.all[2].not.all[0].value",
        ]
    );
    let bad = |name| rule(name, Deny, r#"{"field": "a..b"}"#);
    let of_both = compile(vec![bad("a"), always("b", Deny), bad("c")]).unwrap_err();
    let names: Vec<&str> = of_both.iter().map(|it| it.policy.name.as_str()).collect();
    assert_eq!(names, ["a", "c"]);
    assert!(
        of_both[0]
            .to_string()
            .starts_with("policy acme.a@1.0.0: conditions.field: ")
    );
}

#[test]
fn depth_and_size_are_bounded() {
    let nested = |depth: usize| {
        let mut tree = condition(r#"{"field": "amount"}"#);
        for _ in 1..depth {
            tree = Condition::Not(Box::new(tree));
        }
        Policy {
            condition: Some(tree),
            ..always("it", Deny)
        }
    };
    assert!(compile(vec![nested(64)]).is_ok());
    let deep = compile(vec![nested(65)]).unwrap_err();
    assert!(deep[0].message.contains("more than 64 deep"));
    assert!(deep[0].field.ends_with(".not"));

    let wide = |leaves: usize| Policy {
        condition: Some(Condition::Any(vec![condition(r#"{"field": "a"}"#); leaves])),
        ..always("it", Deny)
    };
    assert!(compile(vec![wide(1024)]).is_ok());
    let errors = compile(vec![wide(1026)]).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].message.contains("more than 1024 comparisons"));
}

#[test]
fn identities_and_attachments() {
    let twice = compile(vec![always("it", Deny), always("it", Allow)]).unwrap_err();
    assert!(twice[0].message.contains("two policies"));

    let stray = Policy {
        attachments: vec![
            attached(Origin::Binding, &["pay"]),
            attached(Origin::AgentDefault, &["pay", "pya"]),
        ],
        ..always("it", Deny)
    };
    let stray = RuleSet::compile(&snapshot(vec![tool("pay", "{}")], vec![stray])).unwrap_err();
    assert_eq!(stray.len(), 1);
    assert_eq!(stray[0].field, "attachments[1].tools[1]");
    assert!(stray[0].message.contains("`pya`"));
}
