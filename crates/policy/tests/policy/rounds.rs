//! First rounds, second rounds and limit rounds.

use policy::Trigger::{
    self, CapacityExhausted, Indeterminate, LeaseExpired, LimitEscalate, NoHandler,
};
use spec::snapshot::DecisionKind::{Allow, Deny, Escalate, RequireApproval};
use spec::snapshot::{Policy, Scope};

use crate::support::{always, at_limits, context, json, judge, names, rule, rules, scoped};

fn on(field: &str, op: &str, value: &str) -> String {
    format!(r#"{{"field": "{field}", "op": "{op}", "value": {value}}}"#)
}

#[test]
fn five_triggers() {
    let rounds = [
        None,
        Some(NoHandler),
        Some(CapacityExhausted),
        Some(LeaseExpired),
        Some(Indeterminate),
        Some(LimitEscalate),
    ];
    // Which rounds a policy with the condition matches in, in the order of `rounds`.
    let rows = [
        (
            on("phrony.dispatch.trigger", "eq", r#""dispatch:no_handler""#),
            "-+----",
        ),
        (on("dispatch.outcome", "eq", r#""no_handler""#), "-+----"),
        (
            on("dispatch.outcome", "eq", r#""dispatch:no_handler""#),
            "-+----",
        ),
        (
            on("dispatch.outcome", "eq", r#""capacity_exhausted""#),
            "--+---",
        ),
        (on("dispatch.outcome", "eq", r#""lease_expired""#), "---+--"),
        (on("dispatch.outcome", "eq", r#""indeterminate""#), "----+-"),
        (
            on("phrony.dispatch.trigger", "eq", r#""limit:escalate""#),
            "-----+",
        ),
        (
            on("dispatch.outcome", "neq", r#""indeterminate""#),
            "-+++-+",
        ),
        (
            on(
                "dispatch.outcome",
                "in",
                r#"["indeterminate", "lease_expired"]"#,
            ),
            "---++-",
        ),
        (
            on(
                "dispatch.outcome",
                "not_in",
                r#"["indeterminate", "no_handler"]"#,
            ),
            "--++-+",
        ),
        (on("dispatch.outcome", "in", "[]"), "------"),
        (on("phrony.dispatch.trigger", "exists", "true"), "-+++++"),
        (
            format!(
                r#"{{"not": {}}}"#,
                on("dispatch.outcome", "eq", r#""no_handler""#)
            ),
            "+-++++",
        ),
        (
            format!(
                r#"{{"all": [{}, {{"field": "amount", "op": "gt", "value": 5}}]}}"#,
                on("dispatch.outcome", "eq", r#""no_handler""#)
            ),
            "-+----",
        ),
        (
            format!(
                r#"{{"any": [{}, {{"field": "amount", "op": "gt", "value": 5}}]}}"#,
                on("dispatch.outcome", "eq", r#""no_handler""#)
            ),
            "++++++",
        ),
        // It does not read the trigger, so what it asked for in the first round is not asked again.
        (
            r#"{"field": "amount", "op": "gt", "value": 5}"#.to_owned(),
            "+-----",
        ),
    ];
    for (condition, expected) in rows {
        for (kind, outcome) in [(Deny, "deny"), (RequireApproval, "ask"), (Escalate, "ask")] {
            let rules = rules(vec![rule("it", kind, &condition)]);
            let found: String = rounds
                .iter()
                .map(|trigger| {
                    let verdict = judge(&rules, r#"{"amount": 9}"#, *trigger);
                    match verdict.outcome.as_str() {
                        "pass" => '-',
                        word if word == outcome => '+',
                        word => panic!("{word} of {kind:?} {condition}"),
                    }
                })
                .collect();
            assert_eq!(found, expected, "{kind:?} {condition}");
        }
    }
}

#[test]
fn a_trigger_leaf_is_false_in_the_first_round_whatever_it_compares() {
    for leaf in [
        on("dispatch.outcome", "neq", r#""indeterminate""#),
        on("dispatch.outcome", "not_in", "[]"),
        on("dispatch.outcome", "exists", "true"),
    ] {
        let rules = rules(vec![rule("it", Deny, &leaf)]);
        assert_eq!(judge(&rules, "{}", None).trace[0].truth.as_str(), "false");
    }
}

#[test]
fn second_rounds_are_for_readers_of_the_trigger() {
    let lost = on("dispatch.outcome", "eq", r#""indeterminate""#);
    let policies = vec![
        always("everywhere", RequireApproval),
        always("list", Allow),
        rule(
            "lists",
            Allow,
            r#"{"field": "amount", "op": "lt", "value": 5}"#,
        ),
        rule("lost", Escalate, &lost),
    ];
    let rules = rules(policies);
    let first = judge(&rules, r#"{"amount": 1}"#, None);
    assert_eq!(names(&first.outcome), ["everywhere"]);
    assert_eq!(first.trace.len(), 4);
    // An allow-list neither permits nor refuses in a second round.
    let second = judge(&rules, r#"{"amount": 9}"#, Some(Indeterminate));
    assert_eq!(second.outcome.as_str(), "ask");
    assert_eq!(names(&second.outcome), ["lost"]);
    assert_eq!(second.trace.len(), 1);
    assert_eq!(
        judge(&rules, "{}", Some(NoHandler)).outcome.as_str(),
        "pass"
    );
}

#[test]
fn the_scope_dispatch_is_for_second_rounds() {
    let bare = scoped(Scope::Dispatch, always("bare", Escalate));
    let list = scoped(Scope::Dispatch, always("list", Allow));
    let big = r#"{"field": "amount", "op": "gt", "value": 5}"#;
    let picky = scoped(Scope::Dispatch, rule("picky", Deny, big));
    let rules = rules(vec![bare, list, picky]);
    assert_eq!(judge(&rules, r#"{"amount": 9}"#, None).trace, []);
    for trigger in Trigger::ALL {
        let small = judge(&rules, r#"{"amount": 1}"#, Some(trigger));
        assert_eq!(names(&small.outcome), ["bare"], "{trigger}");
        let big = judge(&rules, r#"{"amount": 9}"#, Some(trigger));
        assert_eq!(names(&big.outcome), ["picky"], "{trigger}");
    }
}

fn at_limit(policies: Vec<Policy>) -> policy::Verdict {
    let input = json(r#"{"tier": "gold"}"#);
    rules(policies).judge_limit("max_tokens_per_run", &context(&input))
}

#[test]
fn limit_rounds() {
    let reads = on("phrony.dispatch.trigger", "eq", r#""limit:escalate""#);
    let other = on(
        "phrony.dispatch.trigger",
        "eq",
        r#""dispatch:indeterminate""#,
    );
    let late = on("ctx.turn", "gte", "3");
    let with = |leaf: &str| format!(r#"{{"all": [{reads}, {leaf}]}}"#);
    let rows = [
        (at_limits(rule("it", Escalate, &reads)), "ask"),
        (at_limits(rule("it", Deny, &reads)), "deny"),
        (at_limits(rule("it", Escalate, &other)), "pass"),
        (at_limits(always("it", Escalate)), "pass"),
        (at_limits(rule("it", Escalate, &late)), "pass"),
        // It reads the trigger, but its attachment does not reach limits.
        (rule("it", Escalate, &reads), "pass"),
        (
            scoped(Scope::Limit, at_limits(always("it", Escalate))),
            "ask",
        ),
        (
            scoped(Scope::Limit, at_limits(rule("it", Escalate, &late))),
            "ask",
        ),
        (scoped(Scope::Limit, at_limits(always("it", Allow))), "pass"),
        (at_limits(rule("it", Escalate, &with(&late))), "ask"),
        (
            at_limits(rule("it", Escalate, &with(&on("ctx.turn", "gt", "3")))),
            "pass",
        ),
        (
            at_limits(rule(
                "it",
                Escalate,
                &with(&on("ctx.limit", "eq", r#""max_tokens_per_run""#)),
            )),
            "ask",
        ),
        (
            at_limits(rule(
                "it",
                Escalate,
                &with(&on("ctx.limit", "eq", r#""max_tool_calls""#)),
            )),
            "pass",
        ),
        (
            at_limits(rule(
                "it",
                Escalate,
                &with(&on("ctx.session.input.tier", "eq", r#""gold""#)),
            )),
            "ask",
        ),
        // There is no call in a limit round, so there are no arguments and no tool.
        (
            at_limits(rule("it", Escalate, &with(&on("amount", "gt", "5")))),
            "pass",
        ),
        (
            at_limits(rule(
                "it",
                Escalate,
                &with(&on("ctx.wire_name", "eq", r#""pay""#)),
            )),
            "pass",
        ),
        (
            at_limits(rule(
                "it",
                Escalate,
                &with(&on("amount", "exists", "false")),
            )),
            "ask",
        ),
    ];
    for (policy, outcome) in rows {
        let shown = format!("{policy:?}");
        assert_eq!(at_limit(vec![policy]).outcome.as_str(), outcome, "{shown}");
    }
    assert_eq!(at_limit(vec![]).outcome.as_str(), "pass");
}

#[test]
fn ctx_limit_is_false_outside_a_limit_round() {
    let rules = rules(vec![rule(
        "it",
        Deny,
        &on("ctx.limit", "eq", r#""max_tool_calls""#),
    )]);
    assert_eq!(judge(&rules, "{}", None).outcome.as_str(), "pass");
}
