//! `agents active`: which version of an agent is deployed.

use proto::runtime::v1::{AgentRef, GetActiveVersionRequest};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Output, escape};
use crate::{reference, wire};

/// Show which version of an agent is deployed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain agents active support/refund-agent")]
pub(crate) struct Args {
    /// The agent, as namespace/name.
    agent: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agent = reference::parse(&args.agent)?;
    let runtime = Runtime::dial(context).await?;
    let request = GetActiveVersionRequest {
        agent_ref: Some(agent.clone()),
    };
    let answer = runtime.api().get_active_version(request).await;
    let active = answer
        .map_err(runtime.failed("get active version"))?
        .into_inner();
    let data = Json::from_members([
        ("namespace", Json::from(agent.namespace.as_str())),
        ("name", Json::from(agent.name.as_str())),
        ("version", Json::from(active.version.as_str())),
        ("deployed_at", wire::text_or_null(&active.deployed_at)),
        ("actor", wire::text_or_null(&active.actor)),
    ]);
    context.printer.data(args.output.format, &data, || {
        let version = active.version.clone();
        let mut line = reference::label(&AgentRef { version, ..agent });
        if !active.deployed_at.is_empty() {
            line.push_str(&format!(" deployed {}", active.deployed_at));
        }
        if !active.actor.is_empty() {
            line.push_str(&format!(" by {}", active.actor));
        }
        escape::inline(&line) + "\n"
    })?;
    Ok(Exit::Done)
}
