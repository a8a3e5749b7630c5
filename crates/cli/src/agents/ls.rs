//! `agents ls`: which agents a runtime has.

use proto::runtime::v1::{AgentSummary, ListAgentsRequest};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{self, Output};
use crate::wire;

/// List the agents.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ordain agents ls\n  ordain agents ls -n support -o json")]
pub(crate) struct Args {
    /// Only those of this namespace.
    #[arg(
        short,
        long,
        value_name = "NS",
        default_value = "",
        hide_default_value = true
    )]
    namespace: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let runtime = Runtime::dial(context).await?;
    let request = ListAgentsRequest {
        namespace: args.namespace,
    };
    let answer = runtime.api().list_agents(request).await;
    let agents = answer
        .map_err(runtime.failed("list agents"))?
        .into_inner()
        .agents;
    let data = wire::list(agents.iter().map(to_json).collect());
    context.printer.data(args.output.format, &data, || {
        let rows: Vec<_> = agents.iter().map(row).collect();
        render::table(["ID", "NAMESPACE", "NAME", "OWNER", "STATUS"], &rows)
    })?;
    Ok(Exit::Done)
}

fn status(agent: &AgentSummary) -> &'static str {
    if agent.archived_at.is_empty() {
        "active"
    } else {
        "archived"
    }
}

fn row(agent: &AgentSummary) -> [String; 5] {
    let AgentSummary {
        id,
        namespace,
        name,
        owner,
        ..
    } = agent;
    [
        id.clone(),
        namespace.clone(),
        name.clone(),
        owner.clone(),
        status(agent).to_owned(),
    ]
}

fn to_json(agent: &AgentSummary) -> Json {
    Json::from_members([
        ("id", Json::from(agent.id.as_str())),
        ("namespace", Json::from(agent.namespace.as_str())),
        ("name", Json::from(agent.name.as_str())),
        ("owner", Json::from(agent.owner.as_str())),
        ("status", Json::from(status(agent))),
        ("archived_at", wire::text_or_null(&agent.archived_at)),
    ])
}
