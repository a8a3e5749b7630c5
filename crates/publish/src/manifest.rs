//! A snapshot in the form that existing clients read: an Agent document with its references inlined
//! and its policies compiled. Knows that form; not who asks for it.

mod policies;

use std::collections::BTreeMap;

use spec::snapshot::{
    Backend, Framework, Limits, McpServer, Metadata, Model, OnFailure, OnInvalid, Output,
    Predicate, Probe, ProbeArg, Secret, SessionMode, Tool,
};
use spec::{Json, Snapshot};

/// The manifest of a version, as `GetAgentVersion` answers it. It shows everything that an author
/// wrote, but not where a policy was attached and under which version, which the content hash tells.
#[must_use]
pub fn manifest(snapshot: &Snapshot) -> Json {
    let id = &snapshot.agent;
    let own = [
        ("name", Json::from(id.name.as_str())),
        ("namespace", Json::from(id.namespace.as_str())),
        ("version", Json::from(id.version.as_str())),
    ];
    let mut metadata = described(&snapshot.metadata);
    metadata.extend(own.map(|(key, value)| (key.to_owned(), value)));
    let secrets = snapshot
        .secrets
        .iter()
        .map(|(name, secret)| (name.clone(), source(secret)));
    present([
        ("apiVersion", Some(Json::from("phrony.com/v1"))),
        ("kind", Some(Json::from("Agent"))),
        ("metadata", Some(Json::Object(metadata))),
        ("spec", Some(spec(snapshot))),
        ("output", Some(output(&snapshot.output))),
        ("secrets", filled(Json::from_members(secrets))),
    ])
}

/// An object of the members that are there.
fn present<const N: usize>(members: [(&str, Option<Json>); N]) -> Json {
    let members = members.into_iter();
    Json::from_members(members.filter_map(|(key, value)| Some((key, value?))))
}

/// A collection, unless it is empty.
fn filled(json: Json) -> Option<Json> {
    let empty = match &json {
        Json::Object(members) => members.is_empty(),
        Json::Array(elements) => elements.is_empty(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    };
    (!empty).then_some(json)
}

fn words(list: &[String]) -> Json {
    Json::Array(list.iter().map(|it| Json::from(it.as_str())).collect())
}

fn texts(map: &BTreeMap<String, String>) -> Json {
    let members = map.iter();
    Json::from_members(members.map(|(key, value)| (key.clone(), Json::from(value.as_str()))))
}

/// The descriptive members of `metadata`.
fn described(metadata: &Metadata) -> BTreeMap<String, Json> {
    let it = &metadata.governance;
    let packs = it.frameworks.iter();
    let packs = packs.map(|(name, Framework { content, .. })| (name.clone(), content.clone()));
    let governance = present([
        ("risk_tier", it.risk_tier.clone().map(Json::from)),
        ("classifications", filled(words(&it.classifications))),
        (
            "authority_boundaries",
            filled(words(&it.authority_boundaries)),
        ),
        ("frameworks", filled(Json::from_members(packs))),
    ]);
    let members = [
        ("owner", metadata.owner.clone().map(Json::from)),
        ("labels", filled(texts(&metadata.labels))),
        ("annotations", filled(texts(&metadata.annotations))),
        ("governance", filled(governance)),
    ];
    let members = members.into_iter();
    members
        .filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect()
}

fn source(secret: &Secret) -> Json {
    Json::from_members([("fromEnv", Json::from(secret.from_env.as_str()))])
}

fn output(it: &Output) -> Json {
    let on_invalid = (it.on_invalid != OnInvalid::Retry).then(|| Json::word(&it.on_invalid));
    present([
        ("format", Some(Json::word(&it.format))),
        ("schema", it.schema.as_ref().map(inline)),
        ("strict", it.strict.then_some(Json::Bool(true))),
        ("on_invalid", on_invalid),
    ])
}

fn inline(schema: &Json) -> Json {
    Json::from_members([("inline", schema.clone())])
}

fn spec(snapshot: &Snapshot) -> Json {
    let text = Json::from_members([("text", Json::from(snapshot.instructions.as_str()))]);
    let tools: Vec<Json> = snapshot.tools.iter().map(tool).collect();
    let servers: Vec<Json> = snapshot.mcp_servers.iter().map(server).collect();
    // Text answers make a conversation and JSON ones a single turn, unless the author says.
    let session = match snapshot.session {
        SessionMode::Conversation => "conversation",
        SessionMode::SingleTurn => "single_turn",
    };
    present([
        ("purpose", Some(Json::from(snapshot.purpose.as_str()))),
        ("instructions", Some(text)),
        ("model", Some(model(&snapshot.model))),
        ("tools", Some(Json::from(tools))),
        ("mcp_servers", filled(Json::from(servers))),
        ("capabilities", filled(words(&snapshot.capabilities))),
        ("policies", filled(Json::from(policies::all(snapshot)))),
        ("session", Some(Json::from(session))),
        ("limits", filled(limits(&snapshot.limits))),
    ])
}

fn model(it: &Model) -> Json {
    let effort = it.reasoning_effort.as_deref();
    present([
        ("provider", Some(Json::from(it.provider.as_str()))),
        ("name", Some(Json::from(it.name.as_str()))),
        ("secret", it.secret.clone().map(Json::from)),
        ("base_url", it.base_url.clone().map(Json::from)),
        ("parameters", filled(it.parameters.clone())),
        (
            "reasoning",
            effort.map(|it| Json::from_members([("effort", Json::from(it))])),
        ),
        ("provider_options", filled(it.provider_options.clone())),
    ])
}

fn limits(it: &Limits) -> Json {
    present([
        ("max_tokens_per_run", it.max_tokens_per_run.map(Json::from)),
        (
            "max_loop_iterations",
            it.max_loop_iterations.map(Json::from),
        ),
        (
            "max_wall_clock_seconds",
            it.max_wall_clock_seconds.map(Json::from),
        ),
        (
            "max_hitl_wait_minutes",
            it.max_hitl_wait_minutes.map(Json::from),
        ),
        ("max_tool_calls", it.max_tool_calls.map(Json::from)),
        ("max_subagent_depth", it.max_subagent_depth.map(Json::from)),
    ])
}

fn server(it: &McpServer) -> Json {
    let auth = it.auth.as_ref().map(|auth| {
        let scheme = if auth.header.is_some() {
            "header"
        } else {
            "bearer"
        };
        present([
            ("scheme", Some(Json::from(scheme))),
            ("header", auth.header.clone().map(Json::from)),
            ("secret", Some(Json::from(auth.secret.as_str()))),
        ])
    });
    present([
        ("name", Some(Json::from(it.name.as_str()))),
        ("url", Some(Json::from(it.url.as_str()))),
        ("transport", Some(Json::from("streamable_http"))),
        ("auth", auth),
        ("on_drift", it.on_drift.as_ref().map(Json::word)),
    ])
}

fn tool(tool: &Tool) -> Json {
    let predicates: Vec<Json> = tool.available_when.iter().map(predicate).collect();
    let on_failure =
        (tool.on_failure != OnFailure::ReturnToAgent).then(|| Json::word(&tool.on_failure));
    let mcp = match &tool.backend {
        Backend::Mcp { server, tool } => Some(Json::from_members([
            ("server", Json::from(server.as_str())),
            ("tool", Json::from(tool.as_str())),
        ])),
        Backend::Worker | Backend::Agent(_) => None,
    };
    // A server that is dialled has no versions; its binding says which contract it is.
    let version = mcp
        .is_none()
        .then(|| Json::from(tool.contract.version.as_str()));
    present([
        ("ref", Some(Json::from(tool.contract.logical_id()))),
        ("as", Some(Json::from(tool.wire_name.as_str()))),
        ("description", Some(Json::from(tool.description.as_str()))),
        ("version", version),
        (
            "side_effect_class",
            Some(Json::from(tool.side_effect_class.as_str())),
        ),
        ("input_schema", Some(inline(&tool.input_schema))),
        ("output_schema", tool.output_schema.as_ref().map(inline)),
        ("strict", tool.strict.then_some(Json::Bool(true))),
        ("available_when", filled(Json::from(predicates))),
        ("on_failure", on_failure),
        ("probe", tool.probe.as_ref().map(probe)),
        ("terminal", tool.terminal.then_some(Json::Bool(true))),
        ("mcp", mcp),
        ("agent", delegation(&tool.backend)),
    ])
}

fn delegation(backend: &Backend) -> Option<Json> {
    let Backend::Agent(it) = backend else {
        return None;
    };
    let (namespace, name) = it.agent.rsplit_once('.').unwrap_or(("", &it.agent));
    Some(present([
        ("namespace", Some(Json::from(namespace))),
        ("name", Some(Json::from(name))),
        ("version", it.version.clone().map(Json::from)),
        (
            "late_bound",
            it.version.is_none().then_some(Json::Bool(true)),
        ),
        ("result", Some(Json::word(&it.result))),
    ]))
}

fn predicate(it: &Predicate) -> Json {
    let value = match it.any_of.as_slice() {
        [one] => one.clone(),
        several => Json::Array(several.to_vec()),
    };
    Json::from_members([(it.subject.to_string(), value)])
}

fn probe(it: &Probe) -> Json {
    let args = it.args.iter().map(|(name, arg)| {
        let value = match arg {
            ProbeArg::Path(path) => Json::from(format!("args.{path}")),
            ProbeArg::CallId => Json::from("call_id"),
            ProbeArg::Value(value) => value.clone(),
        };
        (name.clone(), value)
    });
    Json::from_members([
        ("tool", Json::from(it.tool.logical_id())),
        ("version", Json::from(it.tool.version.as_str())),
        ("args", Json::from_members(args)),
        ("input_schema", inline(&it.input_schema)),
    ])
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::manifest;
    use crate::tests::{desk, sample};

    #[test]
    fn references_are_resolved() {
        let snapshot = sample().compile().snapshot.unwrap();
        expect![[r#"{"apiVersion":"phrony.com/v1","kind":"Agent","metadata":{"name":"clerk","namespace":"shop","version":"1.0.0"},"output":{"format":"text"},"spec":{"instructions":{"text":"Be fair."},"model":{"name":"scripted","provider":"stub"},"policies":[{"action":"deny","conditions":{"field":"amount","op":"gt","value":1000},"name":"pay.limit","reason":"Too much."}],"purpose":"Settle refunds.","session":"conversation","tools":[{"as":"refund","description":"Pay money back.","input_schema":{"inline":{"additionalProperties":false,"properties":{"amount":{"type":"number"},"currency":{"enum":["EUR","USD"]},"order":{"pattern":"^A-[0-9]+$","type":"string"}},"required":["order","amount"],"type":"object"}},"ref":"pay.refund","side_effect_class":"non_idempotent_write","version":"1.2.0"}]}}"#]]
        .assert_eq(&manifest(&snapshot).to_canonical());
    }

    #[test]
    fn delegations_name_their_agents() {
        let late = "    - {ref: mail.courier, late_bound: true, result: full}\n";
        let closure = desk().append("desk.yaml", late).closure();
        let crate::Origin::Vendored(Some(root)) = &closure.members[0].origin else {
            panic!("no snapshot");
        };
        let agents = manifest(root);
        let tools = agents.get("spec").and_then(|it| it.get("tools"));
        let agents: Vec<String> = tools
            .and_then(spec::Json::as_array)
            .unwrap()
            .iter()
            .map(|it| it.get("agent").unwrap().to_canonical())
            .collect();
        assert_eq!(
            agents,
            [
                r#"{"name":"clerk","namespace":"shop","result":"summary","version":"1.0.0"}"#,
                r#"{"late_bound":true,"name":"courier","namespace":"mail","result":"full"}"#,
            ]
        );
    }
}
