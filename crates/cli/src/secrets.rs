//! The values of the secrets that a run is given. Knows where a published agent names its variables;
//! never prints a value.

use std::collections::HashMap;

use proto::runtime::v1::{AgentRef, GetActiveVersionRequest, GetAgentVersionRequest};
use spec::Json;

use crate::connect::Runtime;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::text::quoted;

/// Fills in the deployed version where `agent` has none, and reads the secrets of that version.
pub(crate) async fn resolve(
    runtime: &Runtime,
    agent: &mut AgentRef,
    environment: &Environment,
) -> Result<HashMap<String, Vec<u8>>, Failure> {
    if agent.version.is_empty() {
        let request = GetActiveVersionRequest {
            agent_ref: Some(agent.clone()),
        };
        let answer = runtime.api().get_active_version(request).await;
        let active = answer.map_err(runtime.failed("get active version"))?;
        agent.version = active.into_inner().version;
    }
    let request = GetAgentVersionRequest {
        agent_ref: Some(agent.clone()),
    };
    let answer = runtime.api().get_agent_version(request).await;
    let published = answer
        .map_err(runtime.failed("get agent version"))?
        .into_inner();
    let manifest = Json::parse(&published.manifest)
        .map_err(|why| Failure::new(Exit::Failed, "parse manifest").because(&why))?;
    declared(&manifest)
        .into_iter()
        .map(|(name, variable)| {
            let value = environment
                .get_trimmed(variable)
                .ok_or_else(|| unset(name, variable))?;
            Ok((name.to_owned(), value.as_bytes().to_vec()))
        })
        .collect()
}

/// Secret names with their variables.
pub(crate) fn declared(manifest: &Json) -> Vec<(&str, &str)> {
    let secrets = manifest.get("secrets").and_then(Json::as_object);
    secrets
        .into_iter()
        .flatten()
        .filter_map(|(name, secret)| {
            let variable = secret.get("from_env").or_else(|| secret.get("fromEnv"))?;
            Some((name.as_str(), variable.as_str()?))
        })
        .collect()
}

fn unset(name: &str, variable: &str) -> Failure {
    Failure::new(
        Exit::Failed,
        format!(
            "secret {}: environment variable {variable} is not set; set {variable} and retry run",
            quoted(name)
        ),
    )
}

#[cfg(test)]
mod tests {
    use spec::Json;

    use super::{declared, unset};

    #[test]
    fn both_shapes_of_a_manifest() {
        let text = br#"{"secrets":{"a":{"from_env":"A_KEY"},"b":{"fromEnv":"B_KEY"},"c":{}}}"#;
        let manifest = Json::parse(text).unwrap();
        assert_eq!(declared(&manifest), [("a", "A_KEY"), ("b", "B_KEY")]);
        assert!(declared(&Json::object()).is_empty());
    }

    #[test]
    fn an_unset_variable_is_named() {
        assert_eq!(
            unset("key", "KEY").message,
            "secret \"key\": environment variable KEY is not set; set KEY and retry run"
        );
    }
}
