//! `rollback`: makes an earlier version of an agent the one that runs.

use proto::runtime::v1::{AgentRef, RollbackRequest, RollbackResponse};
use spec::Json;

use crate::agents::without_version;
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::reference;
use crate::render::{Output, escape};
use crate::wire;

/// Make an earlier version of an agent the one that runs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain rollback support/refund-agent                To the version that was active before\n  ordain rollback support/refund-agent --to 1.0.0"
)]
pub(crate) struct Args {
    /// The agent, as namespace/name.
    agent: String,
    /// The published version to go back to [default: the one that was active before].
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    // Ignored, either would lead to another version than was meant.
    let agent = without_version(&args.agent, "name the version with --to")?;
    if args.to.as_deref().is_some_and(|it| it.trim().is_empty()) {
        return Err(Failure::usage("version must not be empty after --to"));
    }
    let runtime = Runtime::dial(context).await?;
    let request = RollbackRequest {
        agent_ref: Some(agent.clone()),
        to_version: args.to.unwrap_or_default(),
        actor: context.environment.actor(),
    };
    let answer = runtime.api().rollback(request).await;
    let done = answer.map_err(runtime.failed("rollback"))?.into_inner();
    let data = Json::from_members([
        ("namespace", Json::from(agent.namespace.as_str())),
        ("name", Json::from(agent.name.as_str())),
        ("version", Json::from(done.version.as_str())),
        (
            "previous_version",
            wire::text_or_null(&done.previous_version),
        ),
    ]);
    context
        .printer
        .data(args.output.format, &data, || line(&agent, &done))?;
    Ok(Exit::Done)
}

fn line(agent: &AgentRef, done: &RollbackResponse) -> String {
    let agent = reference::id(agent);
    let mut line = format!("rolled back {agent} to {}", done.version);
    if !done.previous_version.is_empty() {
        line.push_str(&format!(" (was: {})", done.previous_version));
    }
    escape::inline(&line) + "\n"
}

#[cfg(test)]
mod tests {
    use proto::runtime::v1::RollbackResponse;

    use super::line;
    use crate::reference;

    #[test]
    fn what_is_unknown_is_left_out() {
        let agent = reference::parse("a.b").unwrap();
        let mut done = RollbackResponse {
            version: "1.0.0".into(),
            previous_version: "2.0.0".into(),
        };
        assert_eq!(
            line(&agent, &done),
            "rolled back a/b to 1.0.0 (was: 2.0.0)\n"
        );
        done.previous_version.clear();
        assert_eq!(line(&agent, &done), "rolled back a/b to 1.0.0\n");
    }
}
