//! `approvals reject`: a vote against a call.

use proto::runtime::v1::{ApprovalDecision, DecideApprovalRequest};

use super::decide;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::Output;

/// Reject a call.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain approvals reject 6f1c --comment \"paid already\"")]
pub(crate) struct Args {
    approval_id: String,
    /// Why; the agent gets to read it.
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    comment: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let request = DecideApprovalRequest {
        approval_id: args.approval_id,
        decision: ApprovalDecision::Reject.into(),
        comment: args.comment,
        ..DecideApprovalRequest::default()
    };
    decide::run(request, args.output.format, context).await
}
