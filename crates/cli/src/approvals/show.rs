//! `approvals show`: everything that a decision rests on.

use std::fmt::Write as _;

use proto::runtime::v1::Approval;

use super::{args_line, fetch, to_json, vote, warn_of_deception};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Output, escape};

/// Show an approval with its exact arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain approvals show 6f1c")]
pub(crate) struct Args {
    approval_id: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let runtime = Runtime::dial(context).await?;
    let approval = fetch(&runtime, &args.approval_id).await?;
    warn_of_deception(&approval, context);
    context
        .printer
        .data(args.output.format, &to_json(&approval), || sheet(&approval))?;
    Ok(Exit::Done)
}

fn sheet(it: &Approval) -> String {
    let comprehension = it.comprehension_required.to_string();
    let quorum = format!("{}/{}", it.approvals_received, it.approvals_required);
    let rows = [
        ("id", it.id.as_str()),
        ("status", &it.status),
        ("session_id", &it.session_id),
        ("call_id", &it.call_id),
        ("tool", &format!("{}@{}", it.tool, it.version)),
        ("route", &it.route),
        ("reason", &it.reason),
        ("policy", &it.policy_name),
        ("authority_ref", &it.authority_ref),
        ("approvals", &quorum),
        ("comprehension_required", &comprehension),
        ("on_reject", &it.on_reject),
        ("expires_at", &it.expires_at),
    ];
    let mut out = String::new();
    for (key, value) in rows {
        // Writing into a string cannot fail.
        let _infallible = writeln!(
            out,
            "{}",
            escape::inline(format!("{key}: {value}").trim_end())
        );
    }
    if let Some(args) = args_line(it) {
        let _infallible = writeln!(out, "args: {args}");
    }
    for it in &it.votes {
        let _infallible = writeln!(out, "{}", escape::inline(&vote(it)));
    }
    out
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proto::runtime::v1::{Approval, ApprovalVote};

    use super::sheet;
    use crate::render::text;

    fn sample() -> Approval {
        Approval {
            id: "p1".into(),
            session_id: "run_1".into(),
            call_id: "run_1:v:3:0".into(),
            status: "pending".into(),
            route: "support-lead".into(),
            reason: "Above 100.\u{1b}[2K".into(),
            tool: "payments.issue-refund".into(),
            version: "1.0.0".into(),
            args: "{\"amount\":450.00,\"order_id\":\"A\u{202e}1\\n2\"}".into(),
            policy_name: "payments.refund-approval-boundary".into(),
            approvals_required: 2,
            approvals_received: 1,
            on_reject: "return_to_agent".into(),
            votes: vec![ApprovalVote {
                decided_by: "ana".into(),
                decision: "approved".into(),
                comment: "it's \"fine\"".into(),
                ..ApprovalVote::default()
            }],
            ..Approval::default()
        }
    }

    #[test]
    fn everything_is_visible() {
        expect![[r#"
            id: p1
            status: pending
            session_id: run_1
            call_id: run_1:v:3:0
            tool: payments.issue-refund@1.0.0
            route: support-lead
            reason: Above 100.\u{1b}[2K
            policy: payments.refund-approval-boundary
            authority_ref:
            approvals: 1/2
            comprehension_required: false
            on_reject: return_to_agent
            expires_at:
            args: {"amount":450,"order_id":"A\u202e1\n2"}
            vote: ana approved "it's \"fine\""
        "#]]
        .assert_eq(&sheet(&sample()));
    }

    #[test]
    fn as_data_too() {
        let data = text::compact(&super::to_json(&sample()));
        assert!(
            data.contains(r#""args":{"amount":450,"order_id":"A\u202e1\n2"}"#),
            "{data}"
        );
        assert!(data.contains(r#""reason":"Above 100.\u001b[2K""#), "{data}");
    }
}
