//! What policies reach, and what becomes of boundaries and of old forms.

use expect_test::expect;
use spec::snapshot::{DecisionKind, OnReject, Origin, TimeoutDefault};
use spec::{Json, Snapshot};

use super::bundle::Bundle;
use super::sample;

const UNDO: &str = "\
apiVersion: phrony.com/v1
kind: Tool
metadata: {name: undo, namespace: pay.more, version: 1.0.0}
spec:
  description: Take a refund back.
  input_schema: {inline: {type: object, properties: {amount: {type: number}}, required: [amount]}}
";

/// The sample with a second tool, and its policy attached to the whole agent with a scope.
fn agent_wide(scope: &str) -> Bundle {
    let scope = if scope.is_empty() {
        String::new()
    } else {
        format!("  scope: {scope}\n")
    };
    sample()
        .edit(
            "agent.yaml",
            "      policies:\n        - pay.limit\n",
            "    - ref: pay.more.undo@1\n      as: undo\n  default_policies: [pay.limit]\n",
        )
        .file("tools/undo.yaml", UNDO)
        .edit("policies/limit.yaml", "spec:\n", &format!("spec:\n{scope}"))
}

fn reached(snapshot: &Snapshot) -> Vec<String> {
    let all = snapshot.policies.iter().flat_map(|policy| {
        policy.attachments.iter().map(move |it| {
            let limits = if it.limits { " and limits" } else { "" };
            format!(
                "{} from {:?}: {}{limits}",
                policy.id.name,
                it.origin,
                it.tools.join(" ")
            )
        })
    });
    all.collect()
}

#[test]
fn scopes_of_an_agent_wide_policy() {
    for (scope, expected) in [
        ("", "limit from AgentDefault: refund undo and limits"),
        ("agent", "limit from AgentDefault: refund undo and limits"),
        ("dispatch", "limit from AgentDefault: refund undo"),
        ("tool:pay.refund", "limit from AgentDefault: refund"),
        ("tool:pay.more.*", "limit from AgentDefault: undo"),
        ("tool:pay.*", "limit from AgentDefault: refund undo"),
        ("'tool:*'", "limit from AgentDefault: refund undo"),
    ] {
        let compiled = agent_wide(scope).compile();
        let snapshot = compiled
            .snapshot
            .unwrap_or_else(|| panic!("{scope}: {:?}", compiled.diagnostics));
        assert_eq!(reached(&snapshot), [expected], "{scope}");
    }
    for scope in ["tool:pay.mor.*", "tool:pay.undo"] {
        assert_eq!(agent_wide(scope).codes(), ["E0601"], "{scope}");
    }
}

#[test]
fn a_policy_on_a_binding_needs_no_scope_and_heeds_none() {
    for scope in ["tool:other.tool", "dispatch", "agent"] {
        let bundle = sample().edit(
            "policies/limit.yaml",
            "spec:\n",
            &format!("spec:\n  scope: {scope}\n"),
        );
        let snapshot = bundle.compile().snapshot.unwrap();
        assert_eq!(
            reached(&snapshot),
            ["limit from Binding: refund"],
            "{scope}"
        );
    }
}

#[test]
fn every_origin_is_recorded_once() {
    let bundle = sample()
        .append("agent.yaml", "        - {ref: policies/limit}\n        - pay.limit@^1\n  default_policies: [pay.limit]\n")
        .append("tools/refund.yaml", "  default_policies: [pay.limit]\n");
    let snapshot = bundle.compile().snapshot.unwrap();
    assert_eq!(
        reached(&snapshot),
        [
            "limit from ToolDefault: refund",
            "limit from Binding: refund",
            "limit from AgentDefault: refund and limits"
        ]
    );
}

#[test]
fn a_policy_may_be_in_a_file_elsewhere() {
    let moved = sample().text("policies/limit.yaml").unwrap();
    let bundle = sample()
        .edit("agent.yaml", "- pay.limit", "- ref: rules/limit")
        .file("rules/limit.yml", &moved);
    assert_eq!(bundle.codes(), ["E0307"]);
    let bundle = bundle.without("policies/limit.yaml");
    assert_eq!(
        reached(&bundle.compile().snapshot.unwrap()),
        ["limit from Binding: refund"]
    );
}

#[test]
fn the_highest_version_of_a_policy_is_taken() {
    let other = sample().text("policies/limit.yaml").unwrap();
    let other = other
        .replace("version: 1.0.0", "version: 1.10.0")
        .replace("1000", "10");
    let bundle = sample().file("policies/other.yaml", other);
    let pinned = |bundle: &Bundle| {
        bundle.compile().snapshot.unwrap().policies[0]
            .id
            .version
            .clone()
    };
    assert_eq!(pinned(&bundle), "1.10.0");
    assert_eq!(
        pinned(&bundle.edit("agent.yaml", "- pay.limit", "- pay.limit@~1.0")),
        "1.0.0"
    );
}

#[test]
fn the_old_form_becomes_a_condition() {
    let bundle = sample()
        .edit(
            "policies/limit.yaml",
            "  conditions:\n    field: amount\n    op: gt\n    value: 1000\n",
            "  allow: [USD, EUR]\n",
        )
        .edit("policies/limit.yaml", "type: deny", "type: allow")
        .edit(
            "schemas/refund.json",
            "[\"order\", \"amount\"]",
            "[\"order\", \"amount\", \"currency\"]",
        );
    let snapshot = bundle.compile().snapshot.unwrap();
    let condition = snapshot.policies[0].condition.clone().unwrap();
    let condition = Json::parse(serde_json::to_string(&condition).unwrap().as_bytes()).unwrap();
    expect![[r#"{"leaf":{"absent":null,"case":"sensitive","field":"currency","op":"in","value":["USD","EUR"]}}"#]].assert_eq(&condition.to_canonical());
    let denying = bundle.edit("policies/limit.yaml", "type: allow", "type: deny");
    assert_eq!(denying.codes(), ["E0206"]);
}

#[test]
fn every_field_of_a_decision_is_carried() {
    let decision = "  decision:
    type: escalate
    approvals_required: 2
    timeout: {after_minutes: 30, default: escalate}
    on_reject: fail
    on_modify: revalidate
    comprehension_required: true
    reason: Look closely.
    runtime:
      phrony.com/approver_role: lead
      phrony.com/escalate_after_minutes: 10
      anything: {at: [all, 1.50]}
";
    let bundle = sample().edit(
        "policies/limit.yaml",
        "  decision:\n    type: deny\n    reason: Too much.\n",
        decision,
    );
    let snapshot = bundle.compile().snapshot.unwrap();
    let decision = &snapshot.policies[0].decision;
    assert_eq!(decision.kind, DecisionKind::Escalate);
    assert_eq!(decision.approvals_required, 2);
    let timeout = decision.timeout.unwrap();
    assert_eq!(
        (timeout.after_minutes, timeout.default),
        (30, TimeoutDefault::Escalate)
    );
    assert_eq!(decision.on_reject, OnReject::Fail);
    assert!(decision.comprehension_required);
    assert_eq!(decision.reason.as_deref(), Some("Look closely."));
    assert_eq!(
        decision.runtime["anything"].to_canonical(),
        r#"{"at":["all",1.5]}"#
    );
    assert_eq!(decision.runtime.len(), 3);
}

#[test]
fn block_is_deny_and_signs_are_words() {
    let bundle = sample()
        .edit("policies/limit.yaml", "type: deny", "type: block")
        .edit("policies/limit.yaml", "op: gt", "op: \">\"");
    assert_eq!(bundle.compile().snapshot, sample().compile().snapshot);
}

fn with_boundary(file: &str, version: &str) -> Bundle {
    let line = format!("  version: {version}\n");
    let with = format!("{line}  governance: {{authority_boundaries: [pay.authority]}}\n");
    sample().edit(file, &line, &with)
}

#[test]
fn an_undefined_boundary_asks_for_every_call() {
    for (file, version) in [("agent.yaml", "1.0.0"), ("tools/refund.yaml", "1.2.0")] {
        let bundle = with_boundary(file, version);
        assert_eq!(bundle.codes(), ["E0605"]);
        let snapshot = bundle.compile().snapshot.unwrap();
        let compiled = snapshot
            .policies
            .iter()
            .find(|it| it.id.name == "authority")
            .unwrap();
        assert_eq!(
            compiled.id.to_string(),
            format!("ordain.boundaries.pay.authority@{version}")
        );
        assert_eq!(compiled.attachments[0].origin, Origin::AuthorityBoundary);
        assert_eq!(compiled.attachments[0].tools, ["refund"]);
        assert_eq!(compiled.condition, None);
        assert_eq!(compiled.decision.kind, DecisionKind::RequireApproval);
        assert_eq!(
            compiled.decision.authority_ref.as_deref(),
            Some("pay.authority")
        );
    }
}

#[test]
fn a_defined_boundary_compiles_to_nothing_more() {
    let bundle = with_boundary("agent.yaml", "1.0.0").edit(
        "policies/limit.yaml",
        "type: deny",
        "type: deny\n    authority_ref: pay.authority",
    );
    let compiled = bundle.compile();
    assert_eq!(compiled.diagnostics, []);
    assert_eq!(
        reached(&compiled.snapshot.unwrap()),
        ["limit from Binding: refund"]
    );
}

#[test]
fn a_boundary_on_a_policy_only_names_a_word() {
    let bundle = with_boundary("policies/limit.yaml", "1.0.0").edit(
        "policies/limit.yaml",
        "type: deny",
        "type: deny\n    authority_ref: pay.authority",
    );
    let compiled = bundle.compile();
    assert_eq!(compiled.diagnostics, []);
    assert_eq!(compiled.snapshot.unwrap().policies.len(), 1);
}

#[test]
fn a_policy_that_nobody_attaches_is_left_out() {
    let bundle = sample().edit("agent.yaml", "      policies:\n        - pay.limit\n", "");
    assert_eq!(bundle.compile().snapshot.unwrap().policies, []);
}
