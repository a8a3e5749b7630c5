//! `agents archive`: an agent that is done with.

use proto::runtime::v1::ArchiveAgentRequest;
use spec::Json;

use super::without_version;
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Output, escape};

/// Archive an agent for good: nothing of it can be published, deployed or run any more.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain agents archive support/refund-agent")]
pub(crate) struct Args {
    /// The agent, as namespace/name.
    agent: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    // There is no way back, so whoever means one version must not lose the agent.
    let hint = format!(
        "`{} agents retire AGENT@VERSION` takes one version out of use",
        context.program
    );
    let agent = without_version(&args.agent, &hint)?;
    let runtime = Runtime::dial(context).await?;
    let request = ArchiveAgentRequest {
        agent_ref: Some(agent.clone()),
    };
    let answer = runtime.api().archive_agent(request).await;
    answer.map_err(runtime.failed("archive agent"))?;
    let data = Json::from_members([
        ("namespace", Json::from(agent.namespace.as_str())),
        ("name", Json::from(agent.name.as_str())),
        ("status", Json::from("archived")),
    ]);
    context
        .printer
        .data(args.output.format, &data, || line(&args.agent))?;
    Ok(Exit::Done)
}

fn line(typed: &str) -> String {
    escape::inline(&format!("archived agent {typed} (all versions deprecated)")) + "\n"
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_agent_is_named_as_it_was_typed() {
        assert_eq!(
            super::line("a.b"),
            "archived agent a.b (all versions deprecated)\n"
        );
    }
}
