//! `agents deploy`: makes a published version the one that runs.

use proto::runtime::v1::{DeployRequest, DeployResponse};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Output, escape};
use crate::{reference, wire};

/// Make a published version the one that runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain agents deploy support/refund-agent@1.0.0")]
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
    let request = DeployRequest {
        agent_ref: Some(agent),
        actor: context.environment.actor(),
    };
    let answer = runtime.api().deploy(request).await;
    let deployed = answer.map_err(runtime.failed("deploy"))?.into_inner();
    let data = Json::from_members([
        ("namespace", Json::from(deployed.namespace.as_str())),
        ("name", Json::from(deployed.name.as_str())),
        ("version", Json::from(deployed.version.as_str())),
        (
            "previous_version",
            wire::text_or_null(&deployed.previous_version),
        ),
        ("deployed_at", wire::text_or_null(&deployed.deployed_at)),
    ]);
    context
        .printer
        .data(args.output.format, &data, || line(&deployed))?;
    Ok(Exit::Done)
}

fn line(deployed: &DeployResponse) -> String {
    let DeployResponse {
        namespace,
        name,
        version,
        ..
    } = deployed;
    let mut line = format!("deployed {namespace}/{name}@{version}");
    if !deployed.previous_version.is_empty() {
        line.push_str(&format!(" (previous: {})", deployed.previous_version));
    }
    if !deployed.deployed_at.is_empty() {
        line.push_str(&format!(" at {}", deployed.deployed_at));
    }
    escape::inline(&line) + "\n"
}

#[cfg(test)]
mod tests {
    use proto::runtime::v1::DeployResponse;

    use super::line;

    #[test]
    fn what_is_unknown_is_left_out() {
        let mut deployed = DeployResponse {
            namespace: "a".into(),
            name: "b".into(),
            version: "2.0.0".into(),
            ..DeployResponse::default()
        };
        assert_eq!(line(&deployed), "deployed a/b@2.0.0\n");
        deployed.previous_version = "1.0.0".into();
        deployed.deployed_at = "2026-01-02T03:04:05Z".into();
        assert_eq!(
            line(&deployed),
            "deployed a/b@2.0.0 (previous: 1.0.0) at 2026-01-02T03:04:05Z\n"
        );
    }
}
