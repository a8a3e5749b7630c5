//! A snapshot in the form that existing clients read: an Agent document with its references inlined.
//! Knows that form; it shows less than the snapshot holds: no policies and no limits.

use spec::snapshot::{OutputFormat, Secret, Tool};
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
    Json::from_members([
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
    ])
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::manifest;
    use crate::tests::sample;

    #[test]
    fn references_are_resolved() {
        let snapshot = sample().compile().snapshot.unwrap();
        expect![[r#"{"apiVersion":"phrony.com/v1","kind":"Agent","metadata":{"name":"clerk","namespace":"shop","version":"1.0.0"},"output":{"format":"text"},"spec":{"instructions":{"text":"Be fair."},"model":{"name":"scripted","provider":"stub"},"purpose":"Settle refunds.","tools":[{"as":"refund","description":"Pay money back.","input_schema":{"inline":{"additionalProperties":false,"properties":{"amount":{"type":"number"},"currency":{"enum":["EUR","USD"]},"order":{"pattern":"^A-[0-9]+$","type":"string"}},"required":["order","amount"],"type":"object"}},"ref":"pay.refund","side_effect_class":"non_idempotent_write","version":"1.2.0"}]}}"#]]
        .assert_eq(&manifest(&snapshot).to_canonical());
    }
}
