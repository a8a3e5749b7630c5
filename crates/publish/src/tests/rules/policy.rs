//! Sections 1 and 2 of the description of policies: what a Policy document says, and what it reaches.

use super::{agent, agent_with, check, policy, policy_with, rule, tool_with};
use crate::tests::{Bundle, desk, sample};

const DECISION: &str = "    type: deny\n    reason: Too much.\n";

/// The sample whose Policy decides so.
fn decides(text: &str) -> Bundle {
    policy(
        &format!("  decision:\n{DECISION}"),
        &format!("  decision: {text}\n"),
    )
}

/// The sample whose Policy asks for this, and does not look at anything else.
fn asks(condition: &str) -> Bundle {
    policy(
        "  conditions:\n    field: amount\n    op: gt\n    value: 1000\n",
        &format!("  conditions: {condition}\n"),
    )
}

/// The sample whose Policy holds for the whole agent, with this scope.
fn scoped(scope: &str) -> Bundle {
    policy("spec:\n", &format!("spec:\n  scope: {scope}\n")).edit(
        "agent.yaml",
        "      policies:\n        - pay.limit\n",
        "  default_policies: [pay.limit]\n",
    )
}

/// The sample whose Policy is in the old form.
fn allows(list: &str) -> Bundle {
    asks("x")
        .edit(
            "policies/limit.yaml",
            "  conditions: x\n",
            &format!("  allow: {list}\n"),
        )
        .edit("policies/limit.yaml", DECISION, "    type: allow\n")
}

#[test]
fn what_a_policy_says() {
    let mut kinds =
        rule("a decision is allow, deny or its alias block, require_approval or escalate")
            .refuses(decides("{type: permit}"), &["E0204"])
            .refuses(decides("{type: Deny}"), &["E0204"])
            .refuses(decides("{}"), &["E0202"])
            .refuses(decides("deny"), &["E0203"]);
    for kind in ["deny", "block", "require_approval", "escalate"] {
        kinds = kinds.accepts(decides(&format!("{{type: {kind}}}")));
    }
    let approval = |more: &str| decides(&format!("{{type: require_approval, {more}}}"));
    check([
        kinds,
        rule("a decision is required; scope, conditions and description are not")
            .accepts(asks("x").edit("policies/limit.yaml", "  conditions: x\n", ""))
            .accepts(policy_with("  description: No large refunds.\n"))
            .refuses(policy(&format!("  decision:\n{DECISION}"), ""), &["E0202"])
            .refuses(policy_with("  description: []\n"), &["E0203"])
            .refuses(policy_with("  reason: x\n"), &["E0206"])
            .refuses(policy("spec:\n", "scope: agent\nspec:\n"), &["E0206"]),
        rule("an approval may say who, how many, how long and what then")
            .accepts(approval("approvals_required: 2, reason: x, comprehension_required: true"))
            .accepts(approval("timeout: {after_minutes: 5, default: allow}, on_reject: fail, on_modify: revalidate"))
            .accepts(approval("timeout: {after_minutes: 5}"))
            .accepts(approval("runtime: {phrony.com/approver_role: cfo, phrony.com/escalate_after_minutes: 5}"))
            .warns(approval("authority_ref: refunds.large"), &["E0606"])
            .refuses(approval("authority_ref: Large"), &["E0205"])
            .refuses(approval("approvals_required: 0"), &["E0205"])
            .refuses(approval("approvals_required: -1"), &["E0205"])
            .refuses(approval("approvals_required: two"), &["E0203"])
            .refuses(approval("timeout: 5"), &["E0203"])
            .refuses(approval("timeout: {}"), &["E0202"])
            .refuses(approval("timeout: {after_minutes: 0}"), &["E0205"])
            .refuses(approval("timeout: {after_minutes: 5, default: ask}"), &["E0204"])
            .refuses(approval("timeout: {minutes: 5}"), &["E0202", "E0201"])
            .refuses(approval("on_reject: retry"), &["E0204"])
            .refuses(approval("on_modify: allow"), &["E0204"])
            .refuses(approval("comprehension_required: yes"), &["E0203"])
            .refuses(approval("reason: 5"), &["E0203"])
            .refuses(approval("runtime: [a]"), &["E0203"])
            .refuses(approval("approver: cfo"), &["E0201"]),
        rule("a condition is one of all, any, not and a leaf")
            .accepts(asks("{all: [{field: amount, op: gt, value: 1}, {not: {field: amount, op: gte, value: 5}}]}"))
            .accepts(asks("{any: [{field: amount, value: 5}]}"))
            .refuses(asks("{}"), &["E0208"])
            .refuses(asks("{all: [], field: amount}"), &["E0208"])
            .refuses(asks("{all: [], any: []}"), &["E0208"])
            .refuses(asks("{all: [], op: gt}"), &["E0208"])
            .refuses(asks("{all: {field: amount, value: 1}}"), &["E0203"])
            .refuses(asks("{not: [{field: amount, value: 1}]}"), &["E0203"])
            .refuses(asks("[{field: amount, value: 1}]"), &["E0203"])
            .refuses(asks("{op: gt, value: 1}"), &["E0208"])
            .refuses(asks("{field: amount, op: gt}"), &["E0202"])
            .refuses(asks("{field: amount, op: gtee, value: 1}"), &["E0204"])
            .refuses(asks("{field: amount, operator: gt, value: 1}"), &["E0201"])
            .refuses(asks("{field: \"\", value: 1}"), &["E0205"]),
        rule("a leaf can be about something, and compares what can be compared")
            .accepts(asks("{field: order, op: matches, value: \"^A-1\"}"))
            .accepts(asks("{field: ctx.session.calls, op: gt, value: 5}"))
            .refuses(asks("{field: amonut, op: gt, value: 1}"), &["E0603"])
            .refuses(asks("{field: order, op: gt, value: 1}"), &["E0603"])
            .refuses(asks("{field: order, op: matches, value: \"(\"}"), &["E0603"])
            .refuses(asks("{field: amount, op: gt, value: \"1\"}"), &["E0603"]),
        rule("a leaf may say what absence and case mean")
            .accepts(asks("{field: currency, value: EUR, absent: skip}"))
            .accepts(asks("{field: currency, value: eur, absent: match, case: insensitive}"))
            .refuses(asks("{field: currency, value: EUR, absent: ignore}"), &["E0204"])
            .refuses(asks("{field: currency, value: EUR, absent: skip, case: upper}"), &["E0204"]),
        rule("the old form lists what the one telling argument may be")
            .warns(allows("[EUR]"), &["E0604"])
            .warns(allows("[EUR, USD]"), &["E0604"])
            .refuses(allows("EUR"), &["E0203"])
            .refuses(allows("[EUR]").edit("schemas/refund.json", "\"currency\"", "\"money\""), &["E0602"])
            .refuses(allows("[EUR]").edit("schemas/refund.json", "\"currency\"", "\"queue\": {}, \"currency\""), &["E0602"])
            .refuses(allows("[EUR]").edit("policies/limit.yaml", "type: allow", "type: deny"), &["E0206"])
            .refuses(allows("[EUR]").edit("policies/limit.yaml", "  allow:", "  conditions: {field: amount, value: 1}\n  allow:"), &["E0208"]),
    ]);
}

#[test]
fn what_a_policy_reaches() {
    let attached = |scope: &str| policy("spec:\n", &format!("spec:\n  scope: {scope}\n"));
    check([
        rule(
            "a scope is a Tool, a folder of Tools, agent, dispatch or, once it is enforced, limit",
        )
        .accepts(scoped("agent"))
        .accepts(scoped("dispatch"))
        .accepts(scoped("tool:pay.refund"))
        .accepts(scoped("\"tool: pay.*\""))
        .accepts(scoped("\"tool:*\""))
        .refuses(scoped("limit"), &["E0207"])
        .refuses(scoped("tool"), &["E0601"])
        .refuses(scoped("tool:refund"), &["E0601"])
        .refuses(scoped("tool:pay.re*"), &["E0601"])
        .refuses(scoped("\"tool:*.refund\""), &["E0601"])
        .refuses(scoped("\"tool:\""), &["E0601"])
        .refuses(scoped("agents"), &["E0601"])
        .refuses(scoped("[agent]"), &["E0203"]),
        rule("a scope that reaches nothing is an error")
            .accepts(scoped("tool:pay.refund"))
            .refuses(scoped("tool:pay.charge"), &["E0601"])
            .refuses(scoped("\"tool:pa.*\""), &["E0601"])
            .refuses(
                attached("tool:pay.charge")
                    .append("tools/refund.yaml", "  default_policies: [pay.limit]\n")
                    .edit("agent.yaml", "      policies:\n        - pay.limit\n", ""),
                &["E0601"],
            ),
        rule("on a binding a policy holds for that binding, whatever its scope says")
            .accepts(attached("tool:other.tool"))
            .accepts(attached("agent"))
            .refuses(attached("tool"), &["E0601"]),
        rule("policies come from Tools, bindings and the Agent")
            .accepts(tool_with("  default_policies: [pay.limit]\n"))
            .accepts(agent_with("  default_policies: [pay.limit]\n"))
            .refuses(tool_with("  default_policies: [pay.other]\n"), &["E0305"])
            .refuses(agent_with("  default_policies: [pay.other]\n"), &["E0305"])
            .refuses(
                desk().append("desk.yaml", "  default_policies: [pay.other]\n"),
                &["E0305"],
            ),
        rule("a Policy that is wrong is an error, attached or not")
            .accepts(agent("      policies:\n        - pay.limit\n", ""))
            .refuses(
                agent("      policies:\n        - pay.limit\n", "").edit(
                    "policies/limit.yaml",
                    "type: deny",
                    "type: no",
                ),
                &["E0204"],
            ),
    ]);
    let twins = sample()
        .text("policies/limit.yaml")
        .unwrap()
        .replace("namespace: pay", "namespace: shop");
    let both = agent(
        "        - pay.limit",
        "        - pay.limit\n        - shop.limit",
    )
    .file("policies/other.yaml", twins);
    let ids: Vec<String> = both
        .compile()
        .snapshot
        .unwrap()
        .policies
        .iter()
        .map(|it| it.id.to_string())
        .collect();
    assert_eq!(ids, ["pay.limit@1.0.0", "shop.limit@1.0.0"]);
}
