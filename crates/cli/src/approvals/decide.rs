//! What approving and rejecting share: the vote is sent, and what it led to is printed. Knows the
//! states that an approval can be in afterwards.

use proto::runtime::v1::{
    Approval, ApprovalDecision, DecideApprovalRequest, DecideApprovalResponse,
};
use spec::Json;

use super::{args_line, fetch, warn_of_deception};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Format, escape};
use crate::wire;

/// Shows on stderr what the vote is about, then sends it.
pub(super) async fn run(
    mut request: DecideApprovalRequest,
    format: Format,
    context: &Context,
) -> Result<Exit, Failure> {
    request.actor = context.environment.actor();
    let runtime = Runtime::dial(context).await?;
    let approval = fetch(&runtime, &request.approval_id).await?;
    warn_of_deception(&approval, context);
    context.printer.note(&subject(&approval));
    if let Some(edited) = wire::from_bytes(&request.args) {
        let edited = crate::render::text::compact(&edited);
        context
            .printer
            .note(&format!("with the arguments replaced by: {edited}"));
    }
    let decision = request.decision;
    if request.args.is_empty() && decision == i32::from(ApprovalDecision::Approve) {
        // The vote is about what was shown, should somebody change it meanwhile.
        request.args = approval.args;
    }
    let answer = runtime.api().decide_approval(request).await;
    let decided = answer
        .map_err(runtime.failed("decide approval"))?
        .into_inner();
    let data = Json::from_members([
        ("status", Json::from(decided.status.as_str())),
        (
            "approvals_received",
            wire::count(decided.approvals_received),
        ),
        (
            "session_status",
            wire::text_or_null(&decided.session_status),
        ),
    ]);
    context.printer.data(format, &data, || lines(&decided))?;
    Ok(exit(decision, &decided.status))
}

fn subject(approval: &Approval) -> String {
    let tool = escape::inline(&format!("{}@{}", approval.tool, approval.version));
    let args = args_line(approval).unwrap_or_else(|| "{}".to_owned());
    format!("{tool} {args}")
}

fn lines(decided: &DecideApprovalResponse) -> String {
    let mut out = format!(
        "status: {}\napprovals_received: {}\n",
        escape::inline(&decided.status),
        decided.approvals_received
    );
    if !decided.session_status.is_empty() {
        out.push_str(&format!(
            "session_status: {}\n",
            escape::inline(&decided.session_status)
        ));
    }
    out
}

/// An approval that came too late, or that another person's rejection overrode, is not done.
fn exit(decision: i32, status: &str) -> Exit {
    match ApprovalDecision::try_from(decision) {
        Ok(ApprovalDecision::Approve) if !matches!(status, "approved" | "pending") => {
            Exit::AwaitsPerson
        }
        Ok(
            ApprovalDecision::Approve | ApprovalDecision::Reject | ApprovalDecision::Unspecified,
        )
        | Err(_) => Exit::Done,
    }
}

#[cfg(test)]
mod tests {
    use proto::runtime::v1::{ApprovalDecision, DecideApprovalResponse};

    use super::{exit, lines};
    use crate::exit::Exit;

    #[test]
    fn a_late_approval_is_not_done() {
        let approve = ApprovalDecision::Approve.into();
        assert_eq!(exit(approve, "approved"), Exit::Done);
        assert_eq!(exit(approve, "pending"), Exit::Done);
        assert_eq!(exit(approve, "denied"), Exit::AwaitsPerson);
        assert_eq!(exit(ApprovalDecision::Reject.into(), "denied"), Exit::Done);
    }

    #[test]
    fn lines_that_scripts_match() {
        let mut decided = DecideApprovalResponse {
            status: "approved".into(),
            approvals_received: 1,
            session_status: String::new(),
        };
        assert_eq!(lines(&decided), "status: approved\napprovals_received: 1\n");
        decided.session_status = "running".into();
        assert!(lines(&decided).ends_with("\nsession_status: running\n"));
    }
}
