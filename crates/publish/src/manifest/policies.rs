//! Policies in the form that the manifest shows them: one entry for each tool that a rule reaches, or
//! one without a scope where it reaches them all.

use spec::snapshot::{Attachment, Condition, DecisionKind, OnReject, Policy, Scope};
use spec::{Json, Snapshot};

use super::present;

pub(super) fn all(snapshot: &Snapshot) -> Vec<Json> {
    snapshot
        .policies
        .iter()
        .flat_map(|it| entries(it, snapshot))
        .collect()
}

fn entries(policy: &Policy, snapshot: &Snapshot) -> Vec<Json> {
    let reached = |wire_name: &str| {
        let names = |it: &Attachment| it.tools.iter().any(|it| it == wire_name);
        policy.attachments.iter().any(names)
    };
    let tools: Vec<_> = snapshot
        .tools
        .iter()
        .filter(|it| reached(&it.wire_name))
        .collect();
    let everywhere =
        tools.len() == snapshot.tools.len() || policy.attachments.iter().any(|it| it.limits);
    if everywhere {
        let scope = policy.scope.as_ref().and_then(|it| match it {
            Scope::Tool(_) | Scope::Agent => None,
            Scope::Limit => Some("limit".to_owned()),
            Scope::Dispatch => Some("dispatch".to_owned()),
        });
        return vec![entry(policy, scope)];
    }
    let scoped = tools.iter().map(|it| {
        let scope = format!("tool:{}", it.contract.logical_id());
        entry(policy, Some(scope))
    });
    scoped.collect()
}

fn entry(policy: &Policy, scope: Option<String>) -> Json {
    let decision = &policy.decision;
    let action = match decision.kind {
        DecisionKind::Allow => "allow",
        DecisionKind::Deny => "deny",
        DecisionKind::RequireApproval => "require_approval",
        DecisionKind::Escalate => "escalate",
    };
    let asks = matches!(
        decision.kind,
        DecisionKind::RequireApproval | DecisionKind::Escalate
    );
    let timeout = decision.timeout.map(|it| {
        Json::from_members([
            ("after_minutes", Json::from(it.after_minutes)),
            ("default", Json::word(&it.default)),
        ])
    });
    let runtime = (!decision.runtime.is_empty()).then(|| Json::Object(decision.runtime.clone()));
    present([
        ("name", Some(Json::from(policy.id.logical_id()))),
        ("description", policy.description.clone().map(Json::from)),
        ("scope", scope.map(Json::from)),
        ("action", Some(Json::from(action))),
        ("conditions", policy.condition.as_ref().map(condition)),
        (
            "authority_ref",
            decision.authority_ref.clone().map(Json::from),
        ),
        (
            "approvals_required",
            asks.then(|| Json::from(decision.approvals_required)),
        ),
        ("reason", decision.reason.clone().map(Json::from)),
        (
            "on_reject",
            (decision.on_reject == OnReject::Fail).then(|| Json::from("fail")),
        ),
        (
            "comprehension_required",
            decision.comprehension_required.then_some(Json::Bool(true)),
        ),
        ("timeout", timeout),
        ("runtime", runtime),
    ])
}

fn condition(it: &Condition) -> Json {
    let list = |key: &str, children: &[Condition]| {
        let children: Vec<Json> = children.iter().map(condition).collect();
        Json::from_members([(key, Json::from(children))])
    };
    match it {
        Condition::All(children) => list("all", children),
        Condition::Any(children) => list("any", children),
        Condition::Not(child) => Json::from_members([("not", condition(child))]),
        Condition::Leaf(leaf) => {
            let case =
                (leaf.case == spec::snapshot::Case::Insensitive).then(|| Json::word(&leaf.case));
            present([
                ("field", Some(Json::from(leaf.field.as_str()))),
                ("op", Some(Json::word(&leaf.op))),
                (
                    "value",
                    (leaf.value != Json::Null).then(|| leaf.value.clone()),
                ),
                ("absent", leaf.absent.as_ref().map(Json::word)),
                ("case", case),
            ])
        }
    }
}
