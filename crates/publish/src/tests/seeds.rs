//! The forms of the seed texts.

use spec::SideEffectClass;
use spec::snapshot::{Attachment, Condition, DecisionKind, Op, Origin, Scope};

use super::bundle::Bundle;
use super::sample;

const AGENT: &str = "\
apiVersion: phrony.com/v1
kind: Agent

metadata:
  name: weather-assistant
  namespace: weather
  version: 2.4.0
  governance:
    authority_boundaries:
      - weather.alert-authority

spec:
  purpose: Tell and warn.
  instructions: {text: Be brief.}
  model: {provider: stub, name: scripted}
  capabilities: [weather-alerts]
  tools:
    - ref: weather.send-alert@^1.0
      as: send_alert
      description: Send a public weather alert within delegated limits.
      input_schema:
        ref: schemas/alert-input
      policies:
        - weather.high-severity-alert-boundary
      side_effect_class: non_idempotent_write
    - ref: weather.get-forecast@^1.0
      policies:
        - weather.strict-geo
  default_policies:
    - weather.indeterminate-dispatch-review
";

const SEND_ALERT: &str = "\
apiVersion: phrony.com/v1
kind: Tool

metadata:
  name: send-alert
  namespace: weather
  version: 1.0.0
  governance:
    risk_tier: high
    classifications:
      - weather.high-impact-external
  labels:
    owning-team: weather-platform

spec:
  description: Send a public weather alert for a region.
  side_effect_class: non_idempotent_write
  input_schema:
    ref: schemas/alert-input
  output_schema:
    inline:
      type: object
      properties:
        alert_id: { type: string }
        status: { type: string, enum: [sent, rejected] }
      required: [alert_id, status]
      additionalProperties: false
  default_policies:
    - weather.high-severity-alert-boundary
";

const GET_FORECAST: &str = "\
apiVersion: phrony.com/v1
kind: Tool
metadata:
  name: get-forecast
  namespace: weather
  version: 1.3.0
spec:
  description: Return the forecast for a city.
  input_schema:
    inline:
      type: object
      properties:
        city: { type: string }
        country: { type: string }
      required: [country]
";

const ALERT_INPUT: &str = r#"{
  "type": "object",
  "properties": {"severity": {"type": "integer", "minimum": 1, "maximum": 5}, "region": {"type": "string"}},
  "required": ["severity"]
}"#;

const BOUNDARY: &str = "\
apiVersion: phrony.com/v1
kind: Policy
metadata:
  name: high-severity-alert-boundary
  namespace: weather
  version: 1.0.0
spec:
  conditions:
    all:
      - field: severity
        op: '>='
        value: 4
      - not:
          field: region
          op: starts_with
          value: test-
          absent: skip
  decision:
    type: require_approval
    authority_ref: weather.alert-authority
    approvals_required: 2
";

const STRICT_GEO: &str = "\
apiVersion: phrony.com/v1
kind: Policy

metadata:
  name: strict-geo
  namespace: weather
  version: 1.0.0

spec:
  scope: tool:weather.get-forecast
  conditions:
    field: country
    op: in
    value: [\"US\", \"CA\", \"MX\"]
  decision:
    type: allow
";

const REVIEW: &str = "\
apiVersion: phrony.com/v1
kind: Policy

metadata:
  name: indeterminate-dispatch-review
  namespace: weather
  version: 1.0.0

spec:
  description: Escalate when tool execution outcome is unknown.
  conditions:
    field: dispatch.outcome
    op: eq
    value: indeterminate
  decision:
    type: escalate
    reason: Tool outcome indeterminate; operator review required.
    runtime:
      phrony.com/approver_role: on-call
";

fn weather() -> Bundle {
    sample()
        .without("tools/refund.yaml")
        .without("policies/limit.yaml")
        .without("schemas/refund.json")
        .file("agent.yaml", AGENT)
        .file("tools/send-alert.yaml", SEND_ALERT)
        .file("tools/get-forecast.yaml", GET_FORECAST)
        .file("schemas/alert-input.json", ALERT_INPUT)
        .file("policies/boundary.yaml", BOUNDARY)
        .file("policies/strict-geo.yaml", STRICT_GEO)
        .file("policies/indeterminate-dispatch.yaml", REVIEW)
}

#[test]
fn the_weather_assistant_compiles() {
    let compiled = weather().compile();
    let drawn = crate::render(&compiled.diagnostics, &|path| weather().text(path), false);
    let snapshot = compiled.snapshot.expect(&drawn);
    let tools: Vec<_> = snapshot
        .tools
        .iter()
        .map(|it| (it.wire_name.as_str(), it.side_effect_class))
        .collect();
    assert_eq!(
        tools,
        [
            ("send_alert", SideEffectClass::NonIdempotentWrite),
            ("weather_get-forecast", SideEffectClass::ReadOnly),
        ]
    );
    let ids: Vec<_> = snapshot
        .policies
        .iter()
        .map(|it| it.id.to_string())
        .collect();
    assert_eq!(
        ids,
        [
            "weather.high-severity-alert-boundary@1.0.0",
            "weather.indeterminate-dispatch-review@1.0.0",
            "weather.strict-geo@1.0.0",
        ]
    );
    let at = |origin, tools: &[&str], limits| Attachment {
        origin,
        tools: tools.iter().map(|it| (*it).to_owned()).collect(),
        limits,
    };
    let [boundary, review, geo] = snapshot.policies.as_slice() else {
        panic!()
    };
    // Attached twice, counted once.
    assert_eq!(
        boundary.attachments,
        [
            at(Origin::ToolDefault, &["send_alert"], false),
            at(Origin::Binding, &["send_alert"], false)
        ]
    );
    assert_eq!(
        review.attachments,
        [at(
            Origin::AgentDefault,
            &["send_alert", "weather_get-forecast"],
            true
        )]
    );
    assert_eq!(
        geo.attachments,
        [at(Origin::Binding, &["weather_get-forecast"], false)]
    );
    assert_eq!(
        geo.scope,
        Some(Scope::Tool("weather.get-forecast".to_owned()))
    );
    assert_eq!(geo.decision.kind, DecisionKind::Allow);
    let Some(Condition::All(parts)) = &boundary.condition else {
        panic!()
    };
    let [Condition::Leaf(severity), Condition::Not(_)] = parts.as_slice() else {
        panic!()
    };
    assert_eq!(severity.op, Op::Gte);
    assert_eq!(boundary.decision.approvals_required, 2);
}

#[test]
fn a_partial_schema_on_a_binding_is_refused_for_now() {
    let narrowed = "      input_schema:\n        inline:\n          properties:\n            severity: { type: integer, maximum: 3 }\n";
    let bundle = weather().edit(
        "agent.yaml",
        "      input_schema:\n        ref: schemas/alert-input\n",
        narrowed,
    );
    assert!(bundle.codes().contains(&"E0504".to_owned()));
}
