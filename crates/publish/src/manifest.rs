//! A snapshot in the form that existing clients read: an Agent document with its references inlined.
//! Knows that form; it shows less than the snapshot holds: no policies and no limits.

use spec::snapshot::{Backend, Delegation, DelegationResult, OutputFormat, Secret, Tool};
use spec::{Json, Snapshot};

/// The manifest of a version, as `GetAgentVersion` answers it. Two snapshots with one manifest may
/// differ in what it does not show, which the content hash tells.
#[must_use]
pub fn manifest(snapshot: &Snapshot) -> Json {
    let id = &snapshot.agent;
    let mut metadata = vec![
        ("name", Json::from(id.name.as_str())),
        ("namespace", Json::from(id.namespace.as_str())),
        ("version", Json::from(id.version.as_str())),
    ];
    if let Some(owner) = &snapshot.metadata.owner {
        metadata.push(("owner", Json::from(owner.as_str())));
    }
    for (key, map) in [
        ("labels", &snapshot.metadata.labels),
        ("annotations", &snapshot.metadata.annotations),
    ] {
        if !map.is_empty() {
            let members = map
                .iter()
                .map(|(key, value)| (key.clone(), Json::from(value.as_str())));
            metadata.push((key, Json::from_members(members)));
        }
    }
    let format = match snapshot.output.format {
        OutputFormat::Text => "text",
        OutputFormat::Json => "json",
    };
    let mut document = vec![
        ("apiVersion", Json::from("phrony.com/v1")),
        ("kind", Json::from("Agent")),
        ("metadata", Json::from_members(metadata)),
        ("spec", spec(snapshot)),
        (
            "output",
            Json::from_members([("format", Json::from(format))]),
        ),
    ];
    if !snapshot.secrets.is_empty() {
        let secrets = snapshot
            .secrets
            .iter()
            .map(|(name, secret)| (name.clone(), source(secret)));
        document.push(("secrets", Json::from_members(secrets)));
    }
    Json::from_members(document)
}

fn source(secret: &Secret) -> Json {
    Json::from_members([("fromEnv", Json::from(secret.from_env.as_str()))])
}

fn spec(snapshot: &Snapshot) -> Json {
    let text = Json::from_members([("text", Json::from(snapshot.instructions.as_str()))]);
    let model = Json::from_members([
        ("provider", Json::from(snapshot.model.provider.as_str())),
        ("name", Json::from(snapshot.model.name.as_str())),
    ]);
    let tools: Vec<Json> = snapshot.tools.iter().map(tool).collect();
    Json::from_members([
        ("purpose", Json::from(snapshot.purpose.as_str())),
        ("instructions", text),
        ("model", model),
        ("tools", Json::from(tools)),
    ])
}

fn tool(tool: &Tool) -> Json {
    let mut members = vec![
        ("ref", Json::from(tool.contract.logical_id())),
        ("as", Json::from(tool.wire_name.as_str())),
        ("description", Json::from(tool.description.as_str())),
        ("version", Json::from(tool.contract.version.as_str())),
        (
            "side_effect_class",
            Json::from(tool.side_effect_class.as_str()),
        ),
        (
            "input_schema",
            Json::from_members([("inline", tool.input_schema.clone())]),
        ),
    ];
    match &tool.backend {
        Backend::Worker | Backend::Mcp { .. } => {}
        Backend::Agent(to) => members.push(("agent", delegation(tool, to))),
    }
    Json::from_members(members)
}

fn delegation(tool: &Tool, to: &Delegation) -> Json {
    let result = match to.result {
        DelegationResult::Summary => "summary",
        DelegationResult::Full => "full",
    };
    let mut members = vec![
        ("namespace", Json::from(tool.contract.namespace.as_str())),
        ("name", Json::from(tool.contract.name.as_str())),
        ("result", Json::from(result)),
    ];
    members.push(match &to.version {
        Some(version) => ("version", Json::from(version.as_str())),
        None => ("late_bound", Json::from(true)),
    });
    Json::from_members(members)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::manifest;
    use crate::tests::{desk, sample};

    #[test]
    fn references_are_resolved() {
        let snapshot = sample().compile().snapshot.unwrap();
        expect![[r#"{"apiVersion":"phrony.com/v1","kind":"Agent","metadata":{"name":"clerk","namespace":"shop","version":"1.0.0"},"output":{"format":"text"},"spec":{"instructions":{"text":"Be fair."},"model":{"name":"scripted","provider":"stub"},"purpose":"Settle refunds.","tools":[{"as":"refund","description":"Pay money back.","input_schema":{"inline":{"additionalProperties":false,"properties":{"amount":{"type":"number"},"currency":{"enum":["EUR","USD"]},"order":{"pattern":"^A-[0-9]+$","type":"string"}},"required":["order","amount"],"type":"object"}},"ref":"pay.refund","side_effect_class":"non_idempotent_write","version":"1.2.0"}]}}"#]]
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
