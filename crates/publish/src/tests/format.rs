//! The schema for editors says what the readers say: the same fields at every place, and it takes
//! what they take.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::OnceLock;

use jsonschema::Validator;
use spec::Json;

use super::{disk, sample};
use crate::diagnostic::Sink;
use crate::yaml::{self, Cursor};
use crate::{FormatKind, format_schema};

/// What a `Shape` calls the map that it reads, and the definition of that map. Of a map that this
/// version refuses as a whole there may be no `Shape` yet.
const PLACES: [(&str, &str); 37] = [
    ("a Bundle", "Bundle"),
    ("a Bundle's spec", "BundleSpec"),
    ("a Policy", "Policy"),
    ("a Policy's spec", "PolicySpec"),
    ("a Tool", "Tool"),
    ("a Tool's spec", "ToolSpec"),
    ("a binding", "Binding"),
    ("a condition", "Condition"),
    ("a decision", "Decision"),
    ("a file reference", "FileRef"),
    ("a model", "Model"),
    ("a probe", "Probe"),
    ("a schema", "SchemaSource"),
    ("a secret", "Secret"),
    ("a timeout", "Timeout"),
    ("an Agent", "Agent"),
    ("an Agent's spec", "AgentSpec"),
    ("an MCP server", "McpServer"),
    ("an entry of agents", "Delegation"),
    ("auth", "McpAuth"),
    ("governance", "Governance"),
    ("instructions", "Instructions"),
    ("limits", "Limits"),
    ("an MCP backend", "McpBinding"),
    ("the pack eu-ai-act/v1", "EuAiAct"),
    ("metadata", "Metadata"),
    ("model parameters", "ModelParameters"),
    ("output", "Output"),
    ("reasoning", "Reasoning"),
    // No documents, so they have no definition.
    ("a case", ""),
    ("a case's context", ""),
    ("a case's session", ""),
    ("a file of instructions", ""),
    ("a policy test", ""),
    ("an expectation", ""),
    ("an overlay", ""),
    ("an overlay of a tool", ""),
];

fn definitions() -> BTreeMap<String, Json> {
    let schema = format_schema(None);
    schema.get("$defs").unwrap().as_object().unwrap().clone()
}

fn property_names(definition: &Json) -> BTreeSet<String> {
    let properties = definition.get("properties").and_then(Json::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect()
}

/// The quoted texts of `field` in the source of a `Shape`; fields of `elsewhere` are pairs and are
/// not asked for.
fn listed(shape: &str, field: &str) -> Vec<String> {
    let (_, rest) = shape.split_once(&format!("{field}:")).unwrap();
    let list = rest.split_once(']').map_or(rest, |(list, _)| list);
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// A `Shape` of the crate, as its source has it.
pub(super) struct Shape {
    path: String,
    /// What it calls its map.
    pub(super) what: String,
    known: Vec<String>,
    pub(super) unsupported: Vec<String>,
}

/// Every one of them; out of the sources, so that none can be forgotten.
pub(super) fn shapes() -> Vec<Shape> {
    let mut found = Vec::new();
    for path in disk::below("crates/publish/src") {
        if path.contains("/tests/") {
            continue;
        }
        let text = disk::text(&path);
        let shapes = text.split(": Shape = Shape {").skip(1);
        // One that is written in another way would go unseen.
        assert_eq!(
            shapes.clone().count(),
            text.matches("what: \"").count(),
            "{path}"
        );
        for shape in shapes {
            let (shape, _) = shape.split_once("\n};").unwrap();
            let (_, what) = shape.split_once("what: \"").unwrap();
            let (what, _) = what.split_once('"').unwrap();
            found.push(Shape {
                path: path.clone(),
                what: what.to_owned(),
                known: listed(shape, "known"),
                unsupported: listed(shape, "unsupported"),
            });
        }
    }
    found
}

#[test]
fn every_reader_and_the_schema_have_the_same_fields() {
    let definitions = definitions();
    let shapes = shapes();
    assert!(shapes.len() > 20, "{}", shapes.len());
    for Shape {
        path,
        what,
        known,
        unsupported,
    } in &shapes
    {
        let fields: BTreeSet<_> = known.iter().chain(unsupported).cloned().collect();
        let place = PLACES.iter().find(|(it, _)| it == what);
        let (_, name) = place.unwrap_or_else(|| panic!("{path}: say where {what:?} is"));
        if !name.is_empty() {
            assert_eq!(
                fields,
                property_names(&definitions[*name]),
                "{path}: {what}"
            );
        }
    }
    for (name, definition) in &definitions {
        let closed = definition.get("additionalProperties") == Some(&Json::from(false));
        let has_place = PLACES.iter().any(|(_, it)| it == name);
        assert_eq!(closed, has_place, "{name}");
    }
}

#[test]
fn every_field_is_described() {
    fn check(schema: &Json, place: &str) {
        for (key, value) in schema.as_object().into_iter().flatten() {
            if key == "properties"
                && !place.ends_with("then")
                && !place.ends_with("not")
                && !place.ends_with("if")
            {
                for (name, field) in value.as_object().unwrap() {
                    let text = field.get("description").and_then(Json::as_str);
                    let text = text.unwrap_or_else(|| panic!("{place}.{name}"));
                    assert!(
                        text.len() > 4 && text.ends_with('.'),
                        "{place}.{name}: {text}"
                    );
                }
            }
            check(value, &format!("{place}.{key}"));
        }
        for (index, element) in schema.as_array().into_iter().flatten().enumerate() {
            check(element, &format!("{place}[{index}]"));
        }
    }
    for (name, definition) in &definitions() {
        assert!(definition.get("description").is_some(), "{name}");
        check(definition, name);
    }
}

fn kinds() -> impl Iterator<Item = Option<FormatKind>> {
    FormatKind::ALL.into_iter().map(Some).chain([None])
}

fn validator(kind: Option<FormatKind>) -> &'static Validator {
    static ALL: OnceLock<Vec<(Option<FormatKind>, Validator)>> = OnceLock::new();
    let built = |kind| {
        let schema = serde(&format_schema(kind));
        if let Err(error) = jsonschema::meta::validate(&schema) {
            panic!("{kind:?}: {error}");
        }
        (kind, jsonschema::draft202012::new(&schema).unwrap())
    };
    let all = ALL.get_or_init(|| kinds().map(built).collect());
    &all.iter().find(|(it, _)| *it == kind).unwrap().1
}

#[test]
fn the_meta_schema_takes_it_and_every_reference_leads_somewhere() {
    for kind in kinds() {
        let schema = format_schema(kind);
        let definitions = schema.get("$defs").unwrap();
        let text = schema.to_canonical();
        let mut targets = BTreeSet::new();
        for target in text.split("\"$ref\":\"#/$defs/").skip(1) {
            let (name, _) = target.split_once('"').unwrap();
            assert!(definitions.get(name).is_some(), "{kind:?}: {name}");
            targets.insert(name);
        }
        for name in definitions.as_object().unwrap().keys() {
            assert!(
                targets.contains(name.as_str()),
                "{kind:?}: {name} is of no use"
            );
        }
        validator(kind);
    }
}

/// A document as JSON, by our own reader.
pub(super) fn json(path: &str, text: &str) -> Json {
    let mut sink = Sink::default();
    let file: Rc<str> = Rc::from(path);
    let node = yaml::read(&file, text.as_bytes(), &mut sink);
    let json = node.and_then(|node| Cursor::root(&file, &node).json(&mut sink));
    json.unwrap_or_else(|| panic!("{path}: {:?}", sink.into_sorted(path)))
}

fn complaints(validator: &Validator, document: &Json) -> Vec<String> {
    let document = serde(document);
    let errors = validator.iter_errors(&document);
    errors
        .map(|it| format!("{}: {it}", it.instance_path()))
        .collect()
}

/// What the schema of its kind has against a document; nothing of one whose numbers are too large for
/// the validator that is asked.
pub(super) fn objections(path: &str, text: &str) -> Vec<String> {
    let document = json(path, text);
    if serde_json::from_str::<serde_json::Value>(&document.to_canonical()).is_err() {
        return Vec::new();
    }
    let own = document.get("kind").and_then(Json::as_str);
    let kind = kinds().find(|it| it.map(FormatKind::as_str) == own);
    complaints(validator(kind.flatten()), &document)
}

/// Holds a document against the schema of all kinds and of its own, and against those of the others.
pub(super) fn takes(path: &str, text: &str) {
    let document = json(path, text);
    let own = document
        .get("kind")
        .and_then(Json::as_str)
        .unwrap()
        .to_owned();
    for kind in kinds() {
        let found = complaints(validator(kind), &document);
        if kind.is_none_or(|it| it.as_str() == own) {
            assert_eq!(found, [""; 0], "{path} as {kind:?}");
        } else {
            assert!(!found.is_empty(), "{path} as {kind:?}");
        }
    }
}

#[test]
fn it_takes_what_the_readers_take() {
    for path in ["agent.yaml", "tools/refund.yaml", "policies/limit.yaml"] {
        takes(path, &sample().text(path).unwrap());
    }
    let folders = ["examples", "crates/cli/src/init"];
    let paths: Vec<_> = folders.iter().flat_map(|it| disk::below(it)).collect();
    let mut taken = 0;
    for path in paths.iter().filter(|it| it.ends_with(".yaml")) {
        let text = disk::text(path);
        if text.contains("apiVersion:") {
            takes(path, &text);
            taken += 1;
        }
    }
    assert!(taken > 10, "{taken}");
}

/// One document that has every field of the format in it.
const EVERYTHING: [(&str, &str); 4] = [
    (
        "agent.yaml",
        "
apiVersion: phrony.com/v1
kind: Agent
metadata:
  name: weather-assistant
  namespace: weather.eu
  version: 2.4.0-rc.1
  owner: weather
  labels: {team: weather}
  annotations: {example.com/note: x}
  governance:
    risk_tier: high
    authority_boundaries: [weather.alert-authority]
    classifications: [weather.external]
    frameworks:
      eu-ai-act/v1: {role: deployer, annex_iii_category: '5'}
      iso-42001/v1: [anything]
spec:
  purpose: Tell and warn.
  instructions: {ref: prompts/warn, version: 2}
  model:
    provider: openai-compatible
    name: m
    secret: model_key
    base_url: http://localhost:8080/v1
    parameters: {temperature: 0.2, top_p: null, max_output_tokens: 100, stop_sequences: [END]}
    reasoning: {effort: low}
    provider_options: {seed: 1}
  tools:
    - ref: weather.send-alert@>=1.2 <2
      as: send_alert
      description: Warn.
      input_schema: {ref: schemas/alert.json, version: \"2\"}
      policies: [weather.limit@^1, {ref: rules/night, version: 3}]
      side_effect_class: irreversible_action
    - ref: search.web
      side_effect_class: read_only
      input_schema: {inline: {type: object}}
      mcp: {server: search, tool: web}
  mcp_servers:
    - name: search
      url: https://mcp.example.com/mcp
      transport: streamable_http
      auth: {scheme: header, secret: token, header: X-Key}
      on_drift: refuse
    - {name: local, url: 'http://127.0.0.1:9000/mcp', auth: {scheme: bearer, secret: token}}
  agents:
    - {ref: ./forecaster.yaml, as: forecaster, description: Forecasts., result: full}
    - {ref: weather.archivist@1.2.3, late_bound: true, policies: [weather.limit], input_schema: {inline: {type: object}}}
  default_policies: [weather.audit]
  capabilities: [weather-alerts]
  session: single_turn
  limits:
    max_tokens_per_run: 1000
    max_loop_iterations: 10
    max_wall_clock_seconds: 60
    max_hitl_wait_minutes: 60
    max_subagent_depth: 2
    max_tool_calls: 5
    max_cost: 1.5
    on_limit: escalate
secrets:
  model_key: {fromEnv: MODEL_KEY}
  token: {fromEnv: TOKEN}
output:
  format: json
  schema: {inline: {type: object}}
  strict: true
  on_invalid: repair
",
    ),
    (
        "tool.yaml",
        "
apiVersion: phrony.com/v1
kind: Tool
metadata: {name: send-alert, namespace: weather, version: 1.2.0}
spec:
  description: Warn.
  side_effect_class: non_idempotent_write
  input_schema: {ref: schemas/alert}
  output_schema: {inline: true}
  default_policies: [weather.limit]
  available_when:
    - agent.capability: weather-alerts
    - 'agent.label.team: weather'
    - session.input.region: [north, 2]
    - runtime.env.STAGE: production
  strict: true
  on_failure: retry
  probe: {tool: weather.find-alert, args: {id: 1}}
  terminal: true
",
    ),
    (
        "policy.yaml",
        "
apiVersion: phrony.com/v1
kind: Policy
metadata: {name: limit, namespace: weather, version: 1.0.0}
spec:
  description: Not too many.
  scope: tool:weather.*
  conditions:
    all:
      - any: [{field: severity, op: '>=', value: 3, absent: match}, {field: x, op: exists}]
      - not: {field: region, value: north, case: insensitive}
  decision:
    type: escalate
    authority_ref: weather.alert-authority
    approvals_required: 2
    timeout: {after_minutes: 5, default: escalate}
    on_reject: fail
    on_modify: revalidate
    comprehension_required: true
    reason: Severe.
    runtime: {phrony.com/approver_role: lead, own: [1]}
",
    ),
    (
        "bundle.yaml",
        "
apiVersion: phrony.com/v1
kind: Bundle
metadata: {name: weather, namespace: weather, version: 1.0.0}
spec: {root: agents/assistant.yaml}
",
    ),
];

#[test]
fn it_has_room_for_the_whole_format() {
    for (path, text) in EVERYTHING {
        takes(path, text);
    }
}

#[test]
fn it_refuses_what_the_readers_refuse() {
    let spoiled = [
        (0, "purpose: Tell", "purpos: Tell"),
        (0, "name: weather-assistant", "name: Weather"),
        (0, "version: 2.4.0-rc.1", "version: 2.4"),
        (0, "purpose: Tell and warn.", "purpose: ' '"),
        (0, "top_p: null", "top_p: 0.5"),
        (0, "provider: openai-compatible", "provider: openai"),
        (0, "ref: prompts/warn", "text: x, ref: prompts/warn"),
        (0, "as: send_alert", "as: send alert"),
        (0, "as: send_alert", "parameters: {}"),
        (0, "side_effect_class: read_only\n", "description: x\n"),
        (0, "https://mcp", "http://mcp"),
        (0, ", header: X-Key", ""),
        (0, "max_tool_calls: 5", "max_tool_calls: 0"),
        (0, "{fromEnv: TOKEN}", "{value: hunter2}"),
        (0, "format: json", "format: xml"),
        (0, "role: deployer", "role: owner"),
        (1, "non_idempotent_write", "irreversible_acton"),
        (1, "strict: true", "endpoint: https://example.com"),
        (1, "{ref: schemas/alert}", "{type: object}"),
        (1, "{ref: schemas/alert}", "{ref: /etc/passwd}"),
        (1, "agent.capability: weather-alerts", "agent.capabilty: x"),
        (1, "agent.label.team: weather", "agent.team: weather"),
        (2, "not: {", "not: {all: [], "),
        (2, "op: '>='", "op: gtee"),
        (2, "type: escalate", "type: ask"),
        (2, "approvals_required: 2", "approvals_required: 0"),
        (2, "description: Not too many.", "allow: [1]"),
        (2, "scope: tool:weather.*", "scope: weather.send-alert"),
        (3, "root: agents/assistant.yaml", "members: []"),
    ];
    for (index, from, to) in spoiled {
        let (path, text) = EVERYTHING[index];
        assert_eq!(text.matches(from).count(), 1, "{from}");
        let document = json(path, &text.replace(from, to));
        assert!(!complaints(validator(None), &document).is_empty(), "{to}");
    }
}

fn serde(json: &Json) -> serde_json::Value {
    serde_json::from_str(&json.to_canonical()).unwrap()
}
