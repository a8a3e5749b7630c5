//! What the entries of `spec.agents` become.

use expect_test::expect;
use spec::SideEffectClass;
use spec::snapshot::{Attachment, Backend, DelegationResult, Origin, Snapshot};

use super::bundle::Bundle;
use super::desk;

fn root(bundle: &Bundle) -> Snapshot {
    let closure = bundle.closure();
    let errors: Vec<_> = closure.diagnostics.iter().map(|it| &it.message).collect();
    match &closure.members[0].origin {
        crate::Origin::Vendored(Some(root)) => (**root).clone(),
        crate::Origin::Vendored(None) | crate::Origin::External(_) => panic!("{errors:?}"),
    }
}

const POLICY: &str = "\
apiVersion: phrony.com/v1
kind: Policy
metadata: {name: ask-first, namespace: shop, version: 1.0.0}
spec:
  conditions: {field: task, op: contains, value: secret}
  decision: {type: require_approval, reason: A person looks first.}
";

#[test]
fn an_entry_is_a_tool_with_a_task() {
    let tools = root(&desk()).tools;
    let text = serde_json::to_string_pretty(&tools).unwrap();
    expect![[r#"
        [
          {
            "wire_name": "refunds",
            "contract": {
              "namespace": "shop",
              "name": "clerk",
              "version": "1.0.0"
            },
            "metadata": {
              "owner": null,
              "labels": {},
              "annotations": {},
              "governance": {
                "risk_tier": null,
                "classifications": [],
                "authority_boundaries": [],
                "frameworks": {}
              }
            },
            "description": "Settle refunds.",
            "side_effect_class": "non_idempotent_write",
            "contract_schema": {"additionalProperties":false,"properties":{"task":{"description":"What the agent is to do, with everything that it has to know.","type":"string"}},"required":["task"],"type":"object"},
            "input_schema": {"additionalProperties":false,"properties":{"task":{"description":"What the agent is to do, with everything that it has to know.","type":"string"}},"required":["task"],"type":"object"},
            "contract_output_schema": null,
            "output_schema": null,
            "input_standing": "same",
            "output_standing": "same",
            "strict": false,
            "available_when": [],
            "on_failure": "return_to_agent",
            "probe": null,
            "terminal": false,
            "backend": {
              "agent": {
                "agent": "shop.clerk",
                "version": "1.0.0",
                "result": "summary"
              }
            }
          }
        ]"#]].assert_eq(&text);
}

#[test]
fn what_an_entry_may_say() {
    let entry = "as: refunds
      description: Pays money back.
      result: full
      input_schema: {inline: {type: object, properties: {order: {type: string}}, required: [order]}}";
    let tool = root(&desk().edit("desk.yaml", "as: refunds", entry))
        .tools
        .remove(0);
    assert_eq!(tool.description, "Pays money back.");
    assert!(
        tool.input_schema
            .get("properties")
            .unwrap()
            .get("order")
            .is_some()
    );
    assert_eq!(tool.contract_schema, tool.input_schema);
    assert!(matches!(tool.backend, Backend::Agent(it) if it.result == DelegationResult::Full));
    assert_eq!(tool.side_effect_class, SideEffectClass::NonIdempotentWrite);
}

#[test]
fn without_a_name_it_is_the_agents_id() {
    let unnamed = desk().edit("desk.yaml", "\n      as: refunds", "");
    assert_eq!(root(&unnamed).tools[0].wire_name, "shop_clerk");
    let clash = "    - {ref: mail.courier, late_bound: true, as: shop_clerk}\n";
    assert_eq!(
        unnamed.append("desk.yaml", clash).closure_codes(),
        ["E0501"]
    );
}

#[test]
fn names_are_unique_across_tools_and_agents() {
    let tool = desk().text("refunds/tools/refund.yaml").unwrap();
    let tool = tool.replace("    ref: schemas/refund", "    inline: {type: object}");
    let bundle = desk().file("tools/refund.yaml", tool);
    let named = |name: &str| {
        let tools = format!("  tools: [{{ref: pay.refund@1, as: {name}}}]\n");
        bundle.clone().append("desk.yaml", &tools).closure_codes()
    };
    assert_eq!(named("refunds"), ["E0501"]);
    assert_eq!(named("pay"), Vec::<String>::new());
}

#[test]
fn policies_reach_delegations_as_any_tool() {
    let bundle = desk().file("policies/ask.yaml", POLICY);
    let attachments = |bundle: &Bundle| root(bundle).policies.remove(0).attachments;
    let reached = |origin: Origin, limits: bool| Attachment {
        origin,
        tools: vec!["refunds".to_owned()],
        limits,
    };
    let on_entry = "as: refunds\n      policies: [shop.ask-first]";
    assert_eq!(
        attachments(&bundle.clone().edit("desk.yaml", "as: refunds", on_entry)),
        [reached(Origin::Binding, false)]
    );
    let by_file = "as: refunds\n      policies: [{ref: policies/ask}]";
    assert_eq!(
        attachments(&bundle.clone().edit("desk.yaml", "as: refunds", by_file)),
        [reached(Origin::Binding, false)]
    );
    let agent_wide = bundle
        .clone()
        .append("desk.yaml", "  default_policies: [shop.ask-first]\n");
    assert_eq!(
        attachments(&agent_wide),
        [reached(Origin::AgentDefault, true)]
    );
    let scoped = agent_wide.edit(
        "policies/ask.yaml",
        "  conditions",
        "  scope: \"tool:shop.clerk\"\n  conditions",
    );
    assert_eq!(attachments(&scoped), [reached(Origin::AgentDefault, false)]);
}

#[test]
fn rules_are_judged_against_the_arguments_of_a_delegation() {
    let amiss = POLICY.replace("field: task", "field: amount");
    let bundle = desk()
        .file("policies/ask.yaml", amiss)
        .append("desk.yaml", "  default_policies: [shop.ask-first]\n");
    assert_eq!(bundle.closure_codes(), ["E0603"]);
}

#[test]
fn boundaries_cover_delegations() {
    let bundle = desk().edit(
        "desk.yaml",
        "spec:",
        "  governance: {authority_boundaries: [shop.money]}\nspec:",
    );
    let snapshot = root(&bundle);
    assert_eq!(
        snapshot.policies[0].attachments[0].origin,
        Origin::AuthorityBoundary
    );
    assert_eq!(snapshot.policies[0].attachments[0].tools, ["refunds"]);
}
