//! A snapshot in the form that existing clients read: an Agent document with everything inlined.

use spec::snapshot::{OutputFormat, Secret, Tool};
use spec::{Json, Snapshot};

/// The manifest of a version, canonical JSON.
pub(crate) fn of(snapshot: &Snapshot) -> Vec<u8> {
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
    Json::from_members(document).to_canonical().into_bytes()
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
