//! `agents deprecate`: a version that shall not run any more.

use proto::runtime::v1::{AgentRef, DeprecateAgentVersionRequest};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::reference;
use crate::render::{Output, escape};

/// Deprecate a version for good: no run of it starts any more.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain agents deprecate support/refund-agent@1.0.0")]
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
    let request = DeprecateAgentVersionRequest {
        agent_ref: Some(agent.clone()),
    };
    let answer = runtime.api().deprecate_agent_version(request).await;
    let version_id = answer
        .map_err(runtime.failed("deprecate agent version"))?
        .into_inner()
        .version_id;
    let data = Json::from_members([
        ("namespace", Json::from(agent.namespace.as_str())),
        ("name", Json::from(agent.name.as_str())),
        ("version", Json::from(agent.version.as_str())),
        ("version_id", Json::from(version_id.as_str())),
    ]);
    context
        .printer
        .data(args.output.format, &data, || line(&agent, &version_id))?;
    Ok(Exit::Done)
}

fn line(agent: &AgentRef, version_id: &str) -> String {
    let agent = reference::label(agent);
    escape::inline(&format!("deprecated {agent} (id: {version_id})")) + "\n"
}

#[cfg(test)]
mod tests {
    use super::line;
    use crate::reference;

    #[test]
    fn the_line() {
        let agent = reference::parse_version("a.b@1.0.0").unwrap();
        assert_eq!(line(&agent, "v-1"), "deprecated a/b@1.0.0 (id: v-1)\n");
    }
}
