//! The stored tree.

use expect_test::expect;
use spec::Json;
use spec::snapshot::DecisionKind::{Allow, Deny, RequireApproval};

use crate::support::{always, json, judge, rule, rules};

/// Indented text, so that a snapshot can be read.
fn pretty(value: &Json, indent: usize, out: &mut String) {
    let pad = "  ".repeat(indent);
    match value {
        Json::Object(members) => {
            for (key, member) in members {
                let is_nested = matches!(member, Json::Array(items) if items.iter().any(|it| it.as_object().is_some()))
                    || (member.as_object().is_some() && key == "tree");
                if is_nested {
                    out.push_str(&format!("{pad}{key}:\n"));
                    pretty(member, indent + 1, out);
                } else {
                    out.push_str(&format!("{pad}{key}: {}\n", member.to_canonical()));
                }
            }
        }
        Json::Array(items) => {
            for item in items {
                out.push_str(&format!("{pad}-\n"));
                pretty(item, indent + 1, out);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            out.push_str(&format!("{pad}{}\n", value.to_canonical()));
        }
    }
}

#[test]
fn one_tree() {
    let boundary = rule(
        "boundary",
        RequireApproval,
        r#"{"all": [
            {"field": "amount", "op": "gt", "value": 100},
            {"any": [
                {"field": "region", "op": "neq", "value": "eu"},
                {"field": "ctx.now.weekday", "op": "in", "value": ["monday"]}
            ]},
            {"not": {"field": "items[*].sku", "op": "in", "value": ["a", "b"]}},
            {"not": {"field": "dispatch.outcome", "op": "eq", "value": "indeterminate"}}
        ]}"#,
    );
    let list = rule(
        "list",
        Allow,
        r#"{"field": "tags[*]", "op": "eq", "value": "ok"}"#,
    );
    let rules = rules(vec![list, boundary, always("never", Deny)]);
    let args = r#"{"amount": 500, "items": [{"sku": "a"}, {"sku": "z"}], "tags": []}"#;
    let mut text = String::new();
    pretty(&judge(&rules, args, None).explain(), 0, &mut text);
    expect![[r#"
        outcome: "deny"
        policies:
          -
            decision: "require_approval"
            matched: true
            origins: ["binding"]
            policy: "acme.boundary@1.0.0"
            tree:
              children:
                -
                  actual: 500
                  expected: 100
                  field: "amount"
                  node: "leaf"
                  op: "gt"
                  truth: "true"
                  why: "the comparison holds"
                -
                  children:
                    -
                      absent: true
                      expected: "eu"
                      field: "region"
                      node: "leaf"
                      op: "neq"
                      truth: "unknown"
                      why: "missing, so nothing can be told"
                    -
                      actual: "sunday"
                      expected: ["monday"]
                      field: "ctx.now.weekday"
                      node: "leaf"
                      op: "in"
                      truth: "false"
                      why: "the comparison does not hold"
                  node: "any"
                  truth: "unknown"
                  why: "1 of 2 unknown"
                -
                  children:
                    -
                      actual: "z"
                      at: "items[1].sku"
                      expected: ["a","b"]
                      field: "items[*].sku"
                      node: "leaf"
                      op: "in"
                      truth: "false"
                      why: "the comparison does not hold"
                  node: "not"
                  truth: "true"
                  why: "the condition below is false"
                -
                  children:
                    -
                      absent: true
                      expected: "indeterminate"
                      field: "dispatch.outcome"
                      node: "leaf"
                      op: "eq"
                      truth: "false"
                      why: "a first round has no trigger"
                  node: "not"
                  truth: "true"
                  why: "the condition below is false"
              node: "all"
              truth: "unknown"
              why: "1 of 4 unknown"
            truth: "unknown"
            why: "it cannot be told whether its condition holds, so it counts as holding"
          -
            decision: "allow"
            matched: true
            origins: ["binding"]
            policy: "acme.list@1.0.0"
            tree:
              at: "tags"
              empty: true
              expected: "ok"
              field: "tags[*]"
              node: "leaf"
              op: "eq"
              truth: "true"
              why: "the list is empty, so no element fails"
            truth: "true"
            why: "the allow-list holds"
          -
            decision: "deny"
            matched: true
            origins: ["binding"]
            policy: "acme.never@1.0.0"
            tree: null
            truth: "true"
            why: "it has no conditions, so it applies always"
    "#]]
    .assert_eq(&text);
}

fn leaf_of(field: &str, args: &str) -> Json {
    let condition = format!(r#"{{"field": {field}, "value": "x"}}"#);
    let verdict = judge(&rules(vec![rule("it", Deny, &condition)]), args, None);
    let explained = verdict.explain();
    explained.get("policies").and_then(Json::as_array).unwrap()[0]
        .get("tree")
        .unwrap()
        .clone()
}

#[test]
fn a_text_that_says_absent_is_not_absent() {
    let carried = leaf_of(r#""region""#, r#"{"region": "absent"}"#);
    assert_eq!(carried.get("actual"), Some(&json(r#""absent""#)));
    assert_eq!(carried.get("absent"), None);
    let missing = leaf_of(r#""region""#, "{}");
    assert_eq!(missing.get("actual"), None);
    assert_eq!(missing.get("absent"), Some(&json("true")));
}

#[test]
fn the_element_that_decided_is_named() {
    let row = |args: &str| leaf_of(r#""items[*].sku""#, args);
    let hit = row(r#"{"items": [{"sku": "a"}, {}, {"sku": "x"}]}"#);
    assert_eq!(hit.get("at"), Some(&json(r#""items[2].sku""#)));
    assert_eq!(hit.get("actual"), Some(&json(r#""x""#)));
    let doubt = row(r#"{"items": [{"sku": "a"}, {}]}"#);
    assert_eq!(doubt.get("at"), Some(&json(r#""items[1].sku""#)));
    assert_eq!(doubt.get("absent"), Some(&json("true")));
    let miss = row(r#"{"items": [{"sku": "a"}, {"sku": "b"}]}"#);
    assert_eq!(miss.get("at"), Some(&json(r#""items[0].sku""#)));
    let none = row(r#"{"items": []}"#);
    assert_eq!(none.get("empty"), Some(&json("true")));
    let input = leaf_of(r#""ctx.session.input.tier[*]""#, "{}");
    assert_eq!(
        input.get("at"),
        Some(&json(r#""ctx.session.input.tier[*]""#))
    );
}

#[test]
fn a_trace_stays_small() {
    let long = "é".repeat(100_000);
    for args in [
        format!(r#"{{"region": "{long}"}}"#),
        format!(r#"{{"region": [{}0]}}"#, "[0, 1, 2],".repeat(10_000)),
        format!(r#"{{"region": {{"{long}": {{"a": 1}}}}}}"#),
    ] {
        let leaf = leaf_of(r#""region""#, &args);
        assert_eq!(leaf.get("cut"), Some(&json("true")));
        assert!(leaf.to_canonical().len() < 2_000);
    }
    let short = leaf_of(
        r#""region""#,
        &format!(r#"{{"region": "{}"}}"#, "é".repeat(256)),
    );
    assert_eq!(short.get("cut"), None);
    assert_eq!(short.get("expected_cut"), None);
    let list = format!(
        r#"{{"field": "region", "op": "in", "value": [{}0]}}"#,
        "1,".repeat(9_999)
    );
    let verdict = judge(&rules(vec![rule("it", Deny, &list)]), "{}", None);
    let explained = verdict.explain().to_canonical();
    assert!(explained.contains(r#""expected_cut":true"#), "{explained}");
    assert!(explained.len() < 2_000);
}
