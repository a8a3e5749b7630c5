//! Which outcome several policies have together.

use policy::{Ask, Outcome};
use spec::snapshot::DecisionKind::{Allow, Deny, Escalate, RequireApproval};
use spec::snapshot::{OnReject, Origin, Policy, Timeout, TimeoutDefault};

use crate::support::{always, attached, identity, json, judge, names, rule, rules};

const HOLDS: &str = r#"{"field": "amount", "op": "gt", "value": 100}"#;
const HOLDS_NOT: &str = r#"{"field": "amount", "op": "lt", "value": 100}"#;
const CANNOT_TELL: &str = r#"{"field": "region", "op": "eq", "value": "eu"}"#;

/// `policies` are letters: d deny, r require_approval, e escalate, a allow; each with `+` for a
/// condition that holds, `-` for one that does not, `?` for one that cannot be told, `!` for none.
fn build(policies: &str) -> Vec<Policy> {
    policies
        .split_whitespace()
        .enumerate()
        .map(|(index, word)| {
            let kind = match &word[..1] {
                "d" => Deny,
                "r" => RequireApproval,
                "e" => Escalate,
                "a" => Allow,
                other => panic!("{other}"),
            };
            let name = format!("{}{index}", &word[..1]);
            match &word[1..] {
                "+" => rule(&name, kind, HOLDS),
                "-" => rule(&name, kind, HOLDS_NOT),
                "?" => rule(&name, kind, CANNOT_TELL),
                "!" => always(&name, kind),
                other => panic!("{other}"),
            }
        })
        .collect()
}

#[test]
fn table() {
    let rows: &[(&str, &str, &[&str])] = &[
        ("", "pass", &[]),
        ("d-", "pass", &[]),
        ("d+", "deny", &["d0"]),
        ("d?", "deny", &["d0"]),
        ("d!", "deny", &["d0"]),
        ("r-", "pass", &[]),
        ("r+", "ask", &["r0"]),
        ("r?", "ask", &["r0"]),
        ("r!", "ask", &["r0"]),
        ("e-", "pass", &[]),
        ("e+", "ask", &["e0"]),
        ("e?", "ask", &["e0"]),
        ("e!", "ask", &["e0"]),
        ("a+", "pass", &[]),
        ("a!", "pass", &[]),
        ("a-", "deny", &["a0"]),
        ("a?", "deny", &["a0"]),
        ("a+ a+", "pass", &[]),
        ("a+ a-", "deny", &["a1"]),
        ("a- a?", "deny", &["a0", "a1"]),
        ("d+ a+", "deny", &["d0"]),
        ("a+ d+", "deny", &["d1"]),
        ("a- d+", "deny", &["d1", "a0"]),
        ("d- a-", "deny", &["a1"]),
        ("d+ d? d-", "deny", &["d0", "d1"]),
        ("r+ d+", "deny", &["d1"]),
        ("e+ d?", "deny", &["d1"]),
        ("r+ a-", "deny", &["a1"]),
        ("r+ a+", "ask", &["r0"]),
        ("r+ e+", "ask", &["e1", "r0"]),
        ("r+ r? r- r!", "ask", &["r0", "r1", "r3"]),
        ("r- e- d- a+", "pass", &[]),
        ("r! e! d! a!", "deny", &["d2"]),
    ];
    for (policies, outcome, by) in rows {
        let verdict = judge(&rules(build(policies)), r#"{"amount": 500}"#, None);
        assert_eq!(verdict.outcome.as_str(), *outcome, "{policies}");
        assert_eq!(names(&verdict.outcome), *by, "{policies}");
    }
}

/// Approval policies from `(approvals, timeout, on_reject, comprehension)`.
type Terms = (u32, Option<(u64, TimeoutDefault)>, OnReject, bool);

fn ask(all: &[Terms]) -> Ask {
    let policies = all.iter().enumerate().map(|(index, terms)| {
        let mut policy = always(&format!("p{index}"), RequireApproval);
        policy.decision.approvals_required = terms.0;
        policy.decision.timeout = terms.1.map(|(after_minutes, default)| Timeout {
            after_minutes,
            default,
        });
        policy.decision.on_reject = terms.2;
        policy.decision.comprehension_required = terms.3;
        policy
    });
    match judge(&rules(policies.collect()), "{}", None).outcome {
        Outcome::Ask(ask) => ask,
        other => panic!("{other:?}"),
    }
}

#[test]
fn approvals_merge_to_the_strictest() {
    use OnReject::{Fail, ReturnToAgent};
    use TimeoutDefault::{Allow, Deny, Escalate};
    let rows: &[(&[Terms], Terms)] = &[
        (
            &[(0, None, ReturnToAgent, false)],
            (1, None, ReturnToAgent, false),
        ),
        (
            &[(2, Some((60, Escalate)), Fail, true)],
            (2, Some((60, Escalate)), Fail, true),
        ),
        (
            &[
                (1, Some((60, Allow)), ReturnToAgent, false),
                (3, Some((90, Escalate)), Fail, false),
                (2, Some((30, Allow)), ReturnToAgent, true),
            ],
            (3, Some((30, Escalate)), Fail, true),
        ),
        (
            &[
                (1, Some((5, Allow)), ReturnToAgent, false),
                (1, Some((60, Deny)), ReturnToAgent, false),
            ],
            (1, Some((5, Deny)), ReturnToAgent, false),
        ),
        // A policy without a timeout never lets a call go by itself.
        (
            &[
                (1, Some((5, Allow)), ReturnToAgent, false),
                (1, None, ReturnToAgent, false),
            ],
            (1, Some((5, Deny)), ReturnToAgent, false),
        ),
        (
            &[
                (1, None, ReturnToAgent, false),
                (1, Some((5, Escalate)), ReturnToAgent, false),
            ],
            (1, Some((5, Escalate)), ReturnToAgent, false),
        ),
    ];
    for (policies, merged) in rows {
        let ask = ask(policies);
        let timeout = ask.timeout.map(|it| (it.after_minutes, it.default));
        let terms = (
            ask.approvals_required,
            timeout,
            ask.on_reject,
            ask.comprehension_required,
        );
        assert_eq!(terms, *merged, "{policies:?}");
        assert_eq!(ask.causes.len(), policies.len(), "{policies:?}");
    }
}

#[test]
fn causes_carry_reasons_and_routes() {
    let mut first = always("first", RequireApproval);
    first.decision.reason = Some("Too much money.".to_owned());
    first.decision.authority_ref = Some("acme.money".to_owned());
    first.decision.runtime = [
        ("phrony.com/approver_role", json(r#""cfo""#)),
        ("phrony.com/escalate_to_role", json(r#""ceo""#)),
        ("approver_role", json(r#""nobody""#)),
        ("other", json("[1]")),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value))
    .collect();
    let runtime = first.decision.runtime.clone();
    let mut second = always("second", Escalate);
    second.decision.reason = Some("  ".to_owned());
    second.decision.runtime = [
        ("approver_role".to_owned(), json(r#""ops""#)),
        ("escalate_to_role".to_owned(), json("7")),
    ]
    .into();

    let verdict = judge(&rules(vec![second, first]), "{}", None);
    let Outcome::Ask(ask) = &verdict.outcome else {
        panic!("{verdict:?}");
    };
    let (first, second) = (&ask.causes[0], &ask.causes[1]);
    assert_eq!(first.policy, identity("first"));
    assert_eq!(first.kind, RequireApproval);
    assert_eq!(first.reason.as_deref(), Some("Too much money."));
    assert_eq!(first.route.as_deref(), Some("cfo"));
    assert_eq!(first.escalate_to.as_deref(), Some("ceo"));
    assert_eq!(first.authority_ref.as_deref(), Some("acme.money"));
    assert_eq!(first.runtime, runtime);
    assert_eq!(second.kind, Escalate);
    assert_eq!(second.reason, None);
    assert_eq!(second.route.as_deref(), Some("ops"));
    assert_eq!(second.escalate_to, None);
}

#[test]
fn denials_always_have_a_reason() {
    let mut told = always("told", Deny);
    told.decision.reason = Some("Not on a Sunday.".to_owned());
    let mut blank = always("blank", Deny);
    blank.decision.reason = Some(" \n".to_owned());
    let policies = vec![
        told,
        blank,
        always("silent", Deny),
        rule("list", Allow, HOLDS),
    ];
    let verdict = judge(&rules(policies), "{}", None);
    let Outcome::Deny(denials) = &verdict.outcome else {
        panic!("{verdict:?}");
    };
    let reasons: Vec<&str> = denials.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "denied by policy acme.blank@1.0.0",
            "denied by policy acme.silent@1.0.0",
            "Not on a Sunday.",
            "the call is not on the allow-list of policy acme.list@1.0.0",
        ]
    );
}

#[test]
fn merge_order_is_by_origin_and_then_by_identity() {
    let from = |name: &str, origins: &[Origin]| Policy {
        attachments: origins
            .iter()
            .map(|origin| attached(*origin, &["pay"]))
            .collect(),
        ..always(name, Deny)
    };
    let policies = vec![
        from("a", &[Origin::Overlay]),
        from("b", &[Origin::AuthorityBoundary]),
        from("c", &[Origin::AgentDefault]),
        from("d", &[Origin::Overlay, Origin::ToolDefault]),
        from("e", &[Origin::Binding]),
        from("z", &[Origin::ToolDefault]),
    ];
    let verdict = judge(&rules(policies), "{}", None);
    assert_eq!(names(&verdict.outcome), ["d", "z", "e", "c", "b", "a"]);
    assert_eq!(
        verdict.trace[0].origins,
        [Origin::ToolDefault, Origin::Overlay]
    );
}

#[test]
fn a_tool_without_a_binding_is_denied() {
    let rules = rules(vec![]);
    let (args, input) = (json("{}"), json("null"));
    let context = crate::support::context(&input);
    let call = |wire_name| policy::Call {
        wire_name,
        args: &args,
        trigger: None,
        context: &context,
    };
    assert_eq!(rules.judge(&call("pay")).outcome, Outcome::Pass);
    let Outcome::Deny(denials) = rules.judge(&call("pays")).outcome else {
        panic!("it passed");
    };
    assert_eq!(denials[0].policy, identity("agent"));
    assert_eq!(
        denials[0].reason,
        "agent acme.agent@1.0.0 binds no tool as `pays`"
    );
}

#[test]
fn a_policy_reaches_only_the_tools_of_its_attachments() {
    use crate::support::{PAY, context, snapshot, tool};
    let policy = Policy {
        attachments: vec![
            attached(Origin::Binding, &["b"]),
            attached(Origin::ToolDefault, &["c", "b"]),
        ],
        ..always("it", Deny)
    };
    let tools = ["a", "b", "c"].map(|name| tool(name, PAY));
    let rules = policy::RuleSet::compile(&snapshot(tools.into(), vec![policy])).unwrap();
    let (args, input) = (json("{}"), json("{}"));
    for (wire_name, outcome) in [("a", "pass"), ("b", "deny"), ("c", "deny")] {
        let verdict = rules.judge(&policy::Call {
            wire_name,
            args: &args,
            trigger: None,
            context: &context(&input),
        });
        assert_eq!(verdict.outcome.as_str(), outcome, "{wire_name}");
    }
}

#[test]
fn rules_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&rules(vec![]));
}
