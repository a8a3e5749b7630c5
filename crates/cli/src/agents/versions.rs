//! `agents versions`: what was published of an agent.

use proto::runtime::v1::{AgentVersionSummary, ListAgentVersionsRequest};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{self, Output};
use crate::{reference, wire};

/// List the published versions of an agent.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain agents versions support/refund-agent")]
pub(crate) struct Args {
    /// The agent, as namespace/name.
    agent: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agent = reference::parse(&args.agent)?;
    let runtime = Runtime::dial(context).await?;
    let request = ListAgentVersionsRequest {
        agent_ref: Some(agent),
    };
    let answer = runtime.api().list_agent_versions(request).await;
    let versions = answer
        .map_err(runtime.failed("list agent versions"))?
        .into_inner()
        .versions;
    let data = wire::list(versions.iter().map(to_json).collect());
    context.printer.data(args.output.format, &data, || {
        let rows: Vec<_> = versions.iter().map(row).collect();
        render::table(
            ["VERSION", "ID", "CONTENT_HASH", "PUBLISHED_AT", "STATUS"],
            &rows,
        )
    })?;
    Ok(Exit::Done)
}

fn status(version: &AgentVersionSummary) -> &'static str {
    if !version.retired_at.is_empty() {
        "retired"
    } else if !version.deprecated_at.is_empty() {
        "deprecated"
    } else {
        "published"
    }
}

fn row(it: &AgentVersionSummary) -> [String; 5] {
    [
        it.version.clone(),
        it.id.clone(),
        it.content_hash.clone(),
        // The field's name is older than what it holds.
        it.deployed_at.clone(),
        status(it).to_owned(),
    ]
}

fn to_json(it: &AgentVersionSummary) -> Json {
    Json::from_members([
        ("version", Json::from(it.version.as_str())),
        ("id", Json::from(it.id.as_str())),
        ("content_hash", Json::from(it.content_hash.as_str())),
        ("published_at", wire::text_or_null(&it.deployed_at)),
        ("deprecated_at", wire::text_or_null(&it.deprecated_at)),
        ("retired_at", wire::text_or_null(&it.retired_at)),
        ("status", Json::from(status(it))),
    ])
}

#[cfg(test)]
mod tests {
    use proto::runtime::v1::AgentVersionSummary;

    use super::status;

    #[test]
    fn the_strongest_status_is_shown() {
        let mut version = AgentVersionSummary::default();
        assert_eq!(status(&version), "published");
        version.deprecated_at = "2026-01-01T00:00:00Z".to_owned();
        assert_eq!(status(&version), "deprecated");
        version.retired_at.clone_from(&version.deprecated_at);
        assert_eq!(status(&version), "retired");
    }
}
