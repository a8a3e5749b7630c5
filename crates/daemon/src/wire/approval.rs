//! Approvals as the wire shows them.

use std::sync::Arc;

use proto::runtime::v1 as wire;
use session::{Approval, ApprovalStatus, State};
use spec::snapshot::OnReject;
use spec::{Digest, Json};

use super::event::{Bytes, vote_word};
use super::int32;
use crate::clock::rfc3339;

/// The first policy that asks, from the stored causes.
struct Cause {
    name: String,
    authority_ref: String,
    runtime: Vec<u8>,
}

fn cause(approval: &Approval, bytes: &Bytes<'_>) -> Cause {
    let causes = bytes(&approval.causes.digest).and_then(|it| Json::parse(&it).ok());
    let first = causes
        .as_ref()
        .and_then(Json::as_array)
        .and_then(|it| it.first());
    let text = |key: &str| {
        first
            .and_then(|it| it.get(key))
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let runtime = first.and_then(|it| it.get("runtime"));
    let runtime = runtime.filter(|it| it.as_object().is_some_and(|it| !it.is_empty()));
    Cause {
        name: text("name"),
        authority_ref: text("authority_ref"),
        runtime: runtime
            .map(|it| it.to_canonical().into_bytes())
            .unwrap_or_default(),
    }
}

/// Payloads that showing an approval reads.
pub(crate) fn digests(approval: &Approval) -> [Digest; 2] {
    [approval.args, approval.causes.digest]
}

pub(crate) fn message(state: &State, approval: &Approval, bytes: &Bytes<'_>) -> wire::Approval {
    let call = state.call(&approval.call);
    let cause = cause(approval, bytes);
    let (decided_at, decided_by, comment) = match &approval.status {
        ApprovalStatus::Pending => (String::new(), String::new(), String::new()),
        ApprovalStatus::Closed {
            by, comment, at, ..
        } => (rfc3339(*at), by.clone(), comment.clone()),
    };
    wire::Approval {
        id: approval.id.to_string(),
        session_id: state.session.to_string(),
        call_id: approval.call.to_string(),
        status: approval.status.as_wire().to_owned(),
        route: approval.route.clone(),
        reason: approval.reason.clone(),
        tool: call.map(|it| it.tool.clone()).unwrap_or_default(),
        version: call.map(|it| it.version.clone()).unwrap_or_default(),
        args: bytes(&approval.args)
            .map(|it: Arc<[u8]>| it.to_vec())
            .unwrap_or_default(),
        authority_ref: cause.authority_ref,
        policy_name: cause.name,
        policy_runtime: cause.runtime,
        approvals_required: int32(approval.required.into()),
        approvals_received: int32(approval.received().into()),
        comprehension_required: approval.comprehension_required,
        on_reject: match approval.on_reject {
            OnReject::ReturnToAgent => "return_to_agent".to_owned(),
            OnReject::Fail => "fail".to_owned(),
        },
        on_modify: "revalidate".to_owned(),
        expires_at: approval.expires_at.map(rfc3339).unwrap_or_default(),
        created_at: rfc3339(approval.created_at),
        decided_at,
        decided_by,
        comment,
        votes: approval.votes.iter().map(vote).collect(),
    }
}

fn vote(vote: &session::CastVote) -> wire::ApprovalVote {
    wire::ApprovalVote {
        decided_by: vote.actor.clone(),
        decision: vote_word(vote.vote).to_owned(),
        comment: vote.comment.clone(),
        comprehension_acknowledged: vote.comprehension_acknowledged,
        created_at: rfc3339(vote.at),
    }
}

/// The same, as `InspectSession` has it.
pub(crate) fn inspect(
    state: &State,
    approval: &Approval,
    bytes: &Bytes<'_>,
) -> wire::InspectApproval {
    let it = message(state, approval, bytes);
    let value = |bytes: &[u8]| {
        (!bytes.is_empty()).then(|| super::json::value(&super::json::of_bytes(bytes)))
    };
    wire::InspectApproval {
        args: value(&it.args),
        policy_runtime: value(&it.policy_runtime),
        id: it.id,
        session_id: it.session_id,
        call_id: it.call_id,
        status: it.status,
        route: it.route,
        reason: it.reason,
        tool: it.tool,
        version: it.version,
        authority_ref: it.authority_ref,
        policy_name: it.policy_name,
        approvals_required: it.approvals_required,
        approvals_received: it.approvals_received,
        comprehension_required: it.comprehension_required,
        on_reject: it.on_reject,
        on_modify: it.on_modify,
        expires_at: it.expires_at,
        created_at: it.created_at,
        decided_at: it.decided_at,
        decided_by: it.decided_by,
        comment: it.comment,
        votes: it.votes,
    }
}
