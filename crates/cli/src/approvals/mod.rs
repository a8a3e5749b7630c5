//! `approvals`: one file for each verb, and what they share: how an approval is shown. Whoever
//! decides sees exactly what they decide about.

mod approve;
mod decide;
mod list;
mod reject;
mod show;

use clap::Subcommand;
use proto::runtime::v1::{Approval, ApprovalVote, GetApprovalRequest};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{escape, text};
use crate::wire;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain approvals list\n  ordain approvals show 6f1c\n  ordain approvals approve 6f1c --comment \"checked with the customer\""
)]
pub(crate) struct Group {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    List(list::Args),
    Show(show::Args),
    Approve(approve::Args),
    Reject(reject::Args),
}

impl Verb {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Verb::List(args) => list::run(args, context).await,
            Verb::Show(args) => show::run(args, context).await,
            Verb::Approve(args) => approve::run(args, context).await,
            Verb::Reject(args) => reject::run(args, context).await,
        }
    }
}

pub(crate) async fn fetch(runtime: &Runtime, id: &str) -> Result<Approval, Failure> {
    let request = GetApprovalRequest {
        approval_id: id.to_owned(),
    };
    let answer = runtime.api().get_approval(request).await;
    Ok(answer.map_err(runtime.failed("get approval"))?.into_inner())
}

/// The proposed arguments, exactly, on one line.
fn args_line(approval: &Approval) -> Option<String> {
    wire::from_bytes(&approval.args).map(|it| text::compact(&it))
}

/// Says so when a reader could overlook something in what was proposed.
fn warn_of_deception(approval: &Approval, context: &Context) {
    let args = String::from_utf8_lossy(&approval.args);
    let has_escapes = wire::from_bytes(&approval.args).is_some_and(|it| deceives(&it));
    if has_escapes || escape::is_deceptive(&args) || escape::is_deceptive(&approval.reason) {
        context.printer.warn(
            "the request holds invisible characters or long white space; read the arguments \
             with care, hidden characters are shown as escapes",
        );
    }
}

/// Whether a string in `value`, as it reads without its escapes, deceives.
fn deceives(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
        Json::String(text) => escape::is_deceptive(text),
        Json::Array(elements) => elements.iter().any(deceives),
        Json::Object(members) => members
            .iter()
            .any(|(key, member)| escape::is_deceptive(key) || deceives(member)),
    }
}

/// `vote: <who> <decision> "<comment>"`
pub(crate) fn vote(vote: &ApprovalVote) -> String {
    let comment = text::quoted(&vote.comment);
    format!("vote: {} {} {comment}", vote.decided_by, vote.decision)
}

fn to_json(it: &Approval) -> Json {
    let votes = it.votes.iter().map(|vote| {
        Json::from_members([
            ("decided_by", Json::from(vote.decided_by.as_str())),
            ("decision", Json::from(vote.decision.as_str())),
            ("comment", Json::from(vote.comment.as_str())),
            (
                "comprehension_acknowledged",
                Json::from(vote.comprehension_acknowledged),
            ),
            ("created_at", wire::text_or_null(&vote.created_at)),
        ])
    });
    Json::from_members([
        ("id", Json::from(it.id.as_str())),
        ("session_id", Json::from(it.session_id.as_str())),
        ("call_id", Json::from(it.call_id.as_str())),
        ("status", Json::from(it.status.as_str())),
        ("route", wire::text_or_null(&it.route)),
        ("reason", wire::text_or_null(&it.reason)),
        ("tool", Json::from(it.tool.as_str())),
        ("version", Json::from(it.version.as_str())),
        ("args", Json::from(wire::from_bytes(&it.args))),
        ("authority_ref", wire::text_or_null(&it.authority_ref)),
        ("policy_name", wire::text_or_null(&it.policy_name)),
        (
            "policy_runtime",
            Json::from(wire::from_bytes(&it.policy_runtime)),
        ),
        ("approvals_required", wire::count(it.approvals_required)),
        ("approvals_received", wire::count(it.approvals_received)),
        (
            "comprehension_required",
            Json::from(it.comprehension_required),
        ),
        ("on_reject", wire::text_or_null(&it.on_reject)),
        ("on_modify", wire::text_or_null(&it.on_modify)),
        ("expires_at", wire::text_or_null(&it.expires_at)),
        ("created_at", wire::text_or_null(&it.created_at)),
        ("decided_at", wire::text_or_null(&it.decided_at)),
        ("decided_by", wire::text_or_null(&it.decided_by)),
        ("comment", wire::text_or_null(&it.comment)),
        ("votes", Json::from(votes.collect::<Vec<_>>())),
    ])
}
