//! `agents inspect`: one published version.

use proto::runtime::v1::{AgentRef, GetAgentVersionRequest, GetAgentVersionResponse};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Output, escape};
use crate::{reference, wire};

/// Show a published version of an agent.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain agents inspect support/refund-agent@1.0.0\n  ordain agents inspect support/refund-agent@1.0.0 -o json    With the manifest"
)]
pub(crate) struct Args {
    /// The agent's version, as namespace/name@version.
    #[arg(value_name = "AGENT@VERSION")]
    agent: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agent = reference::parse_version(&args.agent)?;
    let runtime = Runtime::dial(context).await?;
    let version = fetch(&runtime, &agent).await?;
    let data = to_json(&agent, &version);
    context
        .printer
        .data(args.output.format, &data, || sheet(&agent, &version))?;
    Ok(Exit::Done)
}

pub(super) async fn fetch(
    runtime: &Runtime,
    agent: &AgentRef,
) -> Result<GetAgentVersionResponse, Failure> {
    let request = GetAgentVersionRequest {
        agent_ref: Some(agent.clone()),
    };
    let answer = runtime.api().get_agent_version(request).await;
    Ok(answer
        .map_err(runtime.failed("get agent version"))?
        .into_inner())
}

fn sheet(agent: &AgentRef, version: &GetAgentVersionResponse) -> String {
    let agent = reference::label(agent);
    let mut lines = vec![
        format!("agent:        {agent}"),
        format!("content_hash: {}", version.content_hash),
        format!("published_at: {}", version.published_at),
    ];
    for (key, time) in [
        ("deprecated_at", &version.deprecated_at),
        ("retired_at", &version.retired_at),
    ] {
        if !time.is_empty() {
            lines.push(format!("{key}: {time}"));
        }
    }
    let shown = lines.iter().map(|it| escape::inline(it) + "\n");
    shown.collect()
}

fn to_json(agent: &AgentRef, version: &GetAgentVersionResponse) -> Json {
    Json::from_members([
        ("namespace", Json::from(agent.namespace.as_str())),
        ("name", Json::from(agent.name.as_str())),
        ("version", Json::from(agent.version.as_str())),
        ("content_hash", Json::from(version.content_hash.as_str())),
        ("published_at", wire::text_or_null(&version.published_at)),
        ("deprecated_at", wire::text_or_null(&version.deprecated_at)),
        ("retired_at", wire::text_or_null(&version.retired_at)),
        ("manifest", Json::from(wire::from_bytes(&version.manifest))),
    ])
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proto::runtime::v1::GetAgentVersionResponse;

    use super::{sheet, to_json};
    use crate::reference;
    use crate::render::text;

    fn sample() -> GetAgentVersionResponse {
        GetAgentVersionResponse {
            manifest: br#"{"kind":"Agent"}"#.to_vec(),
            content_hash: "00ff".into(),
            version: "1.0.0".into(),
            published_at: "2026-01-02T03:04:05Z".into(),
            ..GetAgentVersionResponse::default()
        }
    }

    #[test]
    fn times_that_have_not_come_are_left_out() {
        let agent = reference::parse_version("a.b@1.0.0").unwrap();
        let mut version = sample();
        expect![[r"
            agent:        a/b@1.0.0
            content_hash: 00ff
            published_at: 2026-01-02T03:04:05Z
        "]]
        .assert_eq(&sheet(&agent, &version));
        version.deprecated_at = "2026-02-02T03:04:05Z".into();
        version.retired_at = "2026-03-02T03:04:05Z\u{1b}[2K".into();
        expect![[r"
            agent:        a/b@1.0.0
            content_hash: 00ff
            published_at: 2026-01-02T03:04:05Z
            deprecated_at: 2026-02-02T03:04:05Z
            retired_at: 2026-03-02T03:04:05Z\u{1b}[2K
        "]]
        .assert_eq(&sheet(&agent, &version));
    }

    #[test]
    fn as_data_with_the_manifest() {
        let agent = reference::parse_version("a/b@1.0.0").unwrap();
        expect![[r#"
            {
              "content_hash": "00ff",
              "deprecated_at": null,
              "manifest": {
                "kind": "Agent"
              },
              "name": "b",
              "namespace": "a",
              "published_at": "2026-01-02T03:04:05Z",
              "retired_at": null,
              "version": "1.0.0"
            }"#]]
        .assert_eq(&text::pretty(&to_json(&agent, &sample())));
    }
}
