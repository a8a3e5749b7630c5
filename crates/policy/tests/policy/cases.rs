//! Failures that others had, by their number in the collection of cases, and the seeds' own policies.

use std::collections::BTreeMap;

use policy::{Outcome, RuleSet};
use spec::Json;
use spec::snapshot::DecisionKind::{Allow, Deny, Escalate, RequireApproval};
use spec::snapshot::{Origin, Policy, Scope};

use crate::support::{
    always, attached, compile, context, identity, json, judge, matches, names, rule, rules,
    snapshot, tool, truth,
};

#[test]
fn b_084_leaving_a_field_out_does_not_help() {
    let not_eu = r#"{"field": "args.region", "op": "neq", "value": "eu"}"#;
    assert!(matches(Deny, not_eu, "{}"));
    assert!(!matches(Allow, not_eu, "{}"));
    // The contract need not even know the field here.
    let approved = r#"{"not": {"field": "args.approved_by", "op": "eq", "value": "cfo"}}"#;
    assert!(matches(RequireApproval, approved, "{}"));
    assert!(matches(
        RequireApproval,
        approved,
        r#"{"approved_by": "me"}"#
    ));
    assert!(!matches(
        RequireApproval,
        approved,
        r#"{"approved_by": "cfo"}"#
    ));
    assert!(!matches(Allow, approved, "{}"));
    // It is seen in the trace.
    let verdict = judge(&rules(vec![rule("it", Deny, not_eu)]), "{}", None);
    let explained = verdict.explain().to_canonical();
    assert!(explained.contains(r#""absent":true"#), "{explained}");
    assert!(explained.contains(r#""truth":"unknown""#), "{explained}");
}

#[test]
fn b_086_texts_are_not_numbers() {
    let over = r#"{"field": "args.amount", "op": "gt", "value": 50}"#;
    for (args, matched) in [
        (r#"{"amount": "9"}"#, true),
        (r#"{"amount": "100"}"#, true),
        (r#"{"amount": 100}"#, true),
        (r#"{"amount": 9}"#, false),
    ] {
        assert_eq!(matches(Deny, over, args), matched, "{args}");
        assert_eq!(
            truth(over, args) == "unknown",
            args.contains("\"9\"") || args.contains("\"100\"")
        );
    }
    let text = r#"{"field": "args.amount", "op": "gt", "value": "50"}"#;
    let errors = compile(vec![rule("it", Deny, text)]).unwrap_err();
    assert_eq!(errors[0].field, "conditions.value");
    assert_eq!(
        errors[0].message,
        r#"`gt` compares numbers, and "50" is not one"#
    );
}

#[test]
fn b_087_neighbours_are_told_apart() {
    let account = r#"{"field": "args.account", "op": "eq", "value": 9007199254740993}"#;
    assert!(matches(Allow, account, r#"{"account": 9007199254740993}"#));
    assert!(!matches(Allow, account, r#"{"account": 9007199254740992}"#));
}

#[test]
fn b_088_huge_numbers_are_compared_and_non_numbers_are_refused() {
    let cap = r#"{"field": "amount", "op": "gt", "value": 100}"#;
    let huge = "9".repeat(400);
    for (amount, matched) in [
        ("1e400", true),
        (huge.as_str(), true),
        (&format!("-{huge}"), false),
        ("-0.0", false),
        ("1e-400", false),
    ] {
        assert_eq!(
            matches(Deny, cap, &format!(r#"{{"amount": {amount}}}"#)),
            matched,
            "{amount}"
        );
    }
    let zero = r#"{"field": "amount", "op": "eq", "value": 0}"#;
    assert!(matches(Deny, zero, r#"{"amount": -0.0}"#));
    for raw in ["NaN", "Infinity", "-Infinity", "1e99999"] {
        assert!(Json::parse(raw.as_bytes()).is_err(), "{raw}");
    }
}

#[test]
fn b_089_an_allowed_pattern_covers_the_whole_of_its_own_field() {
    let open = r#"{"field": "args.host", "op": "matches", "value": "prod\\.example\\.com"}"#;
    let errors = compile(vec![rule("it", Allow, open)]).unwrap_err();
    assert_eq!(errors[0].field, "conditions.value");
    assert_eq!(errors[0].help, r"write `^(prod\.example\.com)$`");
    let whole = r#"{"field": "args.host", "op": "matches", "value": "^(prod\\.example\\.com)$"}"#;
    for (args, matched) in [
        (r#"{"host": "prod.example.com"}"#, true),
        (r#"{"host": "prod.example.com.attacker.test"}"#, false),
        (r#"{"host": "prod.example.com\n"}"#, false),
        (r#"{"host": "x", "other": "prod.example.com"}"#, false),
        (r#"{"other": "prod.example.com"}"#, false),
    ] {
        assert_eq!(matches(Allow, whole, args), matched, "{args}");
    }
    // A deny may search, and so may what an allow-list rules out.
    assert!(matches(
        Deny,
        open,
        r#"{"host": "prod.example.com.attacker.test"}"#
    ));
    let not_open = format!(r#"{{"not": {open}}}"#);
    assert!(!matches(
        Allow,
        &not_open,
        r#"{"host": "prod.example.com.attacker.test"}"#
    ));
    assert!(matches(Allow, &not_open, r#"{"host": "staging"}"#));
}

#[test]
fn b_091_an_empty_list_means_none() {
    let none = r#"{"field": "region", "op": "in", "value": []}"#;
    for args in [r#"{"region": "eu"}"#, r#"{"region": null}"#, "{}"] {
        assert!(!matches(Allow, none, args), "{args}");
    }
    assert!(!matches(Deny, none, r#"{"region": "eu"}"#));
    let list = |name, values: &str| {
        let leaf = format!(r#"{{"field": "region", "op": "in", "value": {values}}}"#);
        rule(name, Allow, &leaf)
    };
    let apart = rules(vec![list("a", r#"["eu"]"#), list("b", r#"["us"]"#)]);
    for (region, by) in [("eu", vec!["b"]), ("us", vec!["a"]), ("no", vec!["a", "b"])] {
        let verdict = judge(&apart, &format!(r#"{{"region": "{region}"}}"#), None);
        assert_eq!(names(&verdict.outcome), by, "{region}");
    }
}

#[test]
fn b_092_deny_wins_in_every_order_and_from_every_place() {
    let deny = rule(
        "deny",
        Deny,
        r#"{"field": "amount", "op": "gt", "value": 100}"#,
    );
    let others = [always("allow", Allow), always("ask", RequireApproval)];
    let origins = [
        Origin::ToolDefault,
        Origin::Binding,
        Origin::AgentDefault,
        Origin::AuthorityBoundary,
        Origin::Overlay,
    ];
    for of_deny in origins {
        for of_others in origins {
            for place in 0..=others.len() {
                for scope in [
                    None,
                    Some(Scope::Agent),
                    Some(Scope::Tool("acme.*".to_owned())),
                ] {
                    let mut policies: Vec<Policy> = others
                        .iter()
                        .map(|policy| Policy {
                            attachments: vec![attached(of_others, &["pay"])],
                            ..policy.clone()
                        })
                        .collect();
                    let deny = Policy {
                        scope,
                        attachments: vec![attached(of_deny, &["pay"])],
                        ..deny.clone()
                    };
                    policies.insert(place, deny);
                    let verdict = judge(&rules(policies), r#"{"amount": 500}"#, None);
                    assert_eq!(verdict.outcome.as_str(), "deny");
                    assert_eq!(names(&verdict.outcome), ["deny"]);
                }
            }
        }
    }
}

#[test]
fn b_094_case_counts_unless_the_author_says_otherwise() {
    let leaf = |value: &str, case: &str| {
        format!(r#"{{"field": "region", "op": "eq", "value": "{value}"{case}}}"#)
    };
    let insensitive = r#", "case": "insensitive""#;
    assert!(!matches(
        Deny,
        &leaf("DELETE", ""),
        r#"{"region": "delete"}"#
    ));
    assert!(matches(
        Deny,
        &leaf("DELETE", insensitive),
        r#"{"region": "delete"}"#
    ));
    assert!(!matches(
        Allow,
        &leaf("admin", ""),
        r#"{"region": "Admin"}"#
    ));
    assert!(matches(
        Allow,
        &leaf("admin", insensitive),
        r#"{"region": "Admin"}"#
    ));
    // Simple lower-casing: the long s is a letter of its own, the dotted capital I is an i.
    assert!(!matches(
        Deny,
        &leaf("skip", insensitive),
        r#"{"region": "ſkip"}"#
    ));
    assert!(matches(
        Deny,
        &leaf("id", insensitive),
        r#"{"region": "İD"}"#
    ));
    assert!(!matches(
        Deny,
        &leaf("id", insensitive),
        r#"{"region": "ıd"}"#
    ));
}

/// The seeds' tool has a contract that says only `city`.
const FORECAST: &str = r#"{"type": "object", "properties": {"city": {"type": "string"}}}"#;

fn seed_rules() -> RuleSet {
    let geo = Policy {
        scope: Some(Scope::Tool("weather.get-forecast".to_owned())),
        attachments: vec![attached(Origin::Binding, &["get_forecast"])],
        ..rule(
            "strict-geo",
            Allow,
            r#"{"field": "country", "op": "in", "value": ["US", "CA", "MX"]}"#,
        )
    };
    let mut review = Policy {
        attachments: vec![attached(Origin::AgentDefault, &["get_forecast"])],
        ..rule(
            "indeterminate-dispatch-review",
            Escalate,
            r#"{"field": "dispatch.outcome", "op": "eq", "value": "indeterminate"}"#,
        )
    };
    review.decision.reason = Some("Tool outcome indeterminate; operator review required.".into());
    review.decision.runtime =
        BTreeMap::from([("phrony.com/approver_role".to_owned(), json(r#""on-call""#))]);
    let tools = vec![tool("get_forecast", FORECAST)];
    RuleSet::compile(&snapshot(tools, vec![geo, review])).unwrap()
}

#[test]
fn strict_geo_stops_france() {
    let rules = seed_rules();
    let input = json("{}");
    for (args, outcome) in [
        (r#"{"city": "Paris", "country": "FR"}"#, "deny"),
        (r#"{"city": "Boston", "country": "US"}"#, "pass"),
        (r#"{"city": "Boston", "country": "us"}"#, "deny"),
        (r#"{"city": "Boston"}"#, "deny"),
        (r#"{"city": "Boston", "country": null}"#, "deny"),
        (r#"{"city": "Boston", "country": ["US"]}"#, "deny"),
    ] {
        let args = json(args);
        let verdict = rules.judge(&policy::Call {
            wire_name: "get_forecast",
            args: &args,
            trigger: None,
            context: &context(&input),
        });
        assert_eq!(verdict.outcome.as_str(), outcome, "{args:?}");
        if let Outcome::Deny(denials) = &verdict.outcome {
            assert_eq!(denials.len(), 1);
            assert_eq!(denials[0].policy, identity("strict-geo"));
            assert!(denials[0].reason.contains("acme.strict-geo@1.0.0"));
        }
    }
}

#[test]
fn the_review_of_lost_calls_asks_its_person() {
    let (args, input) = (json(r#"{"city": "Paris", "country": "FR"}"#), json("{}"));
    let verdict = seed_rules().judge(&policy::Call {
        wire_name: "get_forecast",
        args: &args,
        trigger: Some(policy::Trigger::Indeterminate),
        context: &context(&input),
    });
    let Outcome::Ask(ask) = &verdict.outcome else {
        panic!("{verdict:?}");
    };
    assert_eq!(names(&verdict.outcome), ["indeterminate-dispatch-review"]);
    assert_eq!(ask.causes[0].route.as_deref(), Some("on-call"));
}
