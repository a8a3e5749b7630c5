//! `approvals list`: what waits for a person, or has waited.

use proto::runtime::v1::{Approval, ListApprovalsRequest};

use super::to_json;
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{self, Output};
use crate::{reference, wire};

/// List approvals, those that are pending unless you ask for others.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain approvals list\n  ordain approvals list --route support-lead --agent support/refund-agent\n  ordain approvals list --status \"\""
)]
pub(crate) struct Args {
    /// pending, approved, denied or escalated; empty for all.
    #[arg(long, default_value = "pending")]
    status: String,
    /// Only those for this role.
    #[arg(long, default_value = "", hide_default_value = true)]
    route: String,
    /// Only those of this session.
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    session_id: String,
    /// Only those of this agent.
    #[arg(long, value_name = "NS/NAME")]
    agent: Option<String>,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agent = args
        .agent
        .as_deref()
        .map(reference::parse)
        .transpose()?
        .unwrap_or_default();
    let request = ListApprovalsRequest {
        status: args.status,
        route: args.route,
        session_id: args.session_id,
        agent_namespace: agent.namespace,
        agent_name: agent.name,
    };
    let runtime = Runtime::dial(context).await?;
    let answer = runtime.api().list_approvals(request).await;
    let approvals = answer
        .map_err(runtime.failed("list approvals"))?
        .into_inner()
        .approvals;
    let data = wire::list(approvals.iter().map(to_json).collect());
    context.printer.data(args.output.format, &data, || {
        let rows: Vec<_> = approvals.iter().map(row).collect();
        let header = [
            "ID",
            "STATUS",
            "SESSION_ID",
            "TOOL",
            "ROUTE",
            "RECEIVED",
            "EXPIRES_AT",
        ];
        render::table(header, &rows)
    })?;
    Ok(Exit::Done)
}

fn row(it: &Approval) -> [String; 7] {
    [
        it.id.clone(),
        it.status.clone(),
        it.session_id.clone(),
        it.tool.clone(),
        it.route.clone(),
        format!("{}/{}", it.approvals_received, it.approvals_required),
        it.expires_at.clone(),
    ]
}
