//! `sessions ls`: which sessions there are.

use clap::ValueEnum;
use proto::runtime::v1::{BundleRef, ListSessionsRequest, SessionSummary};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{self, Output};
use crate::{reference, wire};

/// List sessions.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain sessions ls\n  ordain sessions ls support/refund-agent --status awaiting_approval"
)]
pub(crate) struct Args {
    /// Only those of this agent, or bundle with --kind bundle: namespace/name[@version].
    target: Option<String>,
    /// Only those with this status: pending, running, awaiting_tool, awaiting_approval,
    /// awaiting_input, completed, failed or cancelled.
    #[arg(long, default_value = "", hide_default_value = true)]
    status: String,
    /// Only those of this kind.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Those that other sessions started, too.
    #[arg(long)]
    include_children: bool,
    #[command(flatten)]
    output: Output,
}

/// What a session runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Agent,
    Bundle,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let mut request = ListSessionsRequest {
        status: args.status,
        include_children: args.include_children,
        ..ListSessionsRequest::default()
    };
    let target = args.target.as_deref().map(reference::parse).transpose()?;
    match args.kind {
        Some(Kind::Bundle) => {
            request.kind = "bundle".to_owned();
            request.bundle_ref = target.map(|it| BundleRef {
                namespace: it.namespace,
                name: it.name,
                version: it.version,
            });
        }
        Some(Kind::Agent) => {
            request.kind = "agent".to_owned();
            request.agent_ref = target;
        }
        None => request.agent_ref = target,
    }
    let runtime = Runtime::dial(context).await?;
    let answer = runtime.api().list_sessions(request).await;
    let sessions = answer
        .map_err(runtime.failed("list sessions"))?
        .into_inner()
        .sessions;
    let data = wire::list(sessions.iter().map(to_json).collect());
    context.printer.data(args.output.format, &data, || {
        let rows: Vec<_> = sessions.iter().map(row).collect();
        render::table(
            ["ID", "KIND", "TARGET", "STATUS", "UPDATED_AT", "RESUMABLE"],
            &rows,
        )
    })?;
    Ok(Exit::Done)
}

fn target(session: &SessionSummary) -> String {
    if session.kind == "bundle"
        && let Some(BundleRef {
            namespace,
            name,
            version,
        }) = &session.bundle_ref
    {
        return format!("{namespace}/{name}@{version}");
    }
    session
        .agent_ref
        .as_ref()
        .map(reference::label)
        .unwrap_or_default()
}

fn is_resumable(session: &SessionSummary) -> bool {
    session.status == "awaiting_input"
}

fn row(it: &SessionSummary) -> [String; 6] {
    let resumable = if is_resumable(it) { "yes" } else { "no" };
    [
        it.id.clone(),
        it.kind.clone(),
        target(it),
        it.status.clone(),
        it.updated_at.clone(),
        resumable.to_owned(),
    ]
}

fn to_json(it: &SessionSummary) -> Json {
    Json::from_members([
        ("id", Json::from(it.id.as_str())),
        ("kind", Json::from(it.kind.as_str())),
        ("target", Json::from(target(it))),
        ("status", Json::from(it.status.as_str())),
        ("created_at", wire::text_or_null(&it.created_at)),
        ("updated_at", wire::text_or_null(&it.updated_at)),
        ("resumable", Json::from(is_resumable(it))),
    ])
}
