//! Approvals' entries.

use session::{ApprovalOutcome, ApprovalSubject, Entry, Event, State, Vote};
use spec::Json;

use super::{Bytes, Parts, id, json, maybe, object, value};
use crate::clock::rfc3339;

pub(super) fn of_approval(entry: &Entry, state: &State, bytes: &Bytes<'_>) -> Parts {
    if let Event::ApprovalOpened { .. } = &entry.event {
        return opened(entry, state, bytes);
    }
    let call_of = |id: &spec::ApprovalId| {
        state
            .approvals
            .get(id)
            .map(|it| it.call.to_string())
            .unwrap_or_default()
    };
    if let Event::ApprovalVoted {
        approval,
        actor,
        vote,
        comment,
        comprehension_acknowledged,
        args,
    } = &entry.event
    {
        let payload = object([
            ("approval_id", Json::from(approval.as_str())),
            ("actor", Json::from(actor.as_str())),
            ("decision", Json::from(vote_word(*vote))),
            ("comment", Json::from(comment.as_str())),
            (
                "comprehension_acknowledged",
                Json::from(*comprehension_acknowledged),
            ),
            ("args_digest", Json::from(args.to_string())),
        ]);
        return ("approval.vote", payload, call_of(approval), actor.clone());
    }
    if let Event::ArgumentsEdited {
        approval,
        call,
        actor,
        args,
        explain,
    } = &entry.event
    {
        let payload = object([
            ("approval_id", Json::from(approval.as_str())),
            id(call),
            ("actor", Json::from(actor.as_str())),
            ("args", value(bytes, args)),
            ("args_digest", Json::from(args.digest.to_string())),
            ("explain", maybe(bytes, explain.as_ref())),
        ]);
        return ("approval.edited", payload, call.to_string(), actor.clone());
    }
    closed(entry, call_of)
}

fn closed(entry: &Entry, call_of: impl Fn(&spec::ApprovalId) -> String) -> Parts {
    let Event::ApprovalClosed {
        approval,
        outcome,
        by,
        comment,
    } = &entry.event
    else {
        return ("approval.unknown", Json::Null, String::new(), String::new());
    };
    let kind = match outcome {
        ApprovalOutcome::Approved
        | ApprovalOutcome::Rejected
        | ApprovalOutcome::Expired
        | ApprovalOutcome::Cancelled
        | ApprovalOutcome::Settled => "approval.decided",
        ApprovalOutcome::Escalated | ApprovalOutcome::Superseded => "approval.escalated",
    };
    let payload = object([
        ("approval_id", Json::from(approval.as_str())),
        ("call_id", Json::from(call_of(approval))),
        (
            "approved",
            Json::from(*outcome == ApprovalOutcome::Approved),
        ),
        ("outcome", Json::from(outcome.as_str())),
        ("decided_by", Json::from(by.as_str())),
        ("by", Json::from(by.as_str())),
        ("comment", Json::from(comment.as_str())),
    ]);
    (kind, payload, call_of(approval), by.clone())
}

pub(crate) fn vote_word(vote: Vote) -> &'static str {
    match vote {
        Vote::Approve => "approved",
        Vote::Reject => "denied",
    }
}

fn opened(entry: &Entry, state: &State, bytes: &Bytes<'_>) -> Parts {
    let Event::ApprovalOpened {
        approval,
        call,
        subject,
        args,
        required,
        comprehension_required,
        expires_at,
        route,
        reason,
        causes,
        ..
    } = &entry.event
    else {
        return ("approval.unknown", Json::Null, String::new(), String::new());
    };
    let known = state.call(call);
    let subject = match subject {
        ApprovalSubject::Call => "call",
        ApprovalSubject::NoWorker => "no_worker",
        ApprovalSubject::Indeterminate => "indeterminate",
        ApprovalSubject::HandlerFailed => "handler_failed",
    };
    let payload = object([
        ("approval_id", Json::from(approval.as_str())),
        ("call_id", Json::from(call.as_str())),
        ("subject", Json::from(subject)),
        ("tool", Json::from(known.map(|it| it.tool.clone()))),
        ("version", Json::from(known.map(|it| it.version.clone()))),
        (
            "args",
            bytes(args).map_or(Json::Null, |it| json::of_bytes(&it)),
        ),
        ("args_digest", Json::from(args.to_string())),
        ("route", Json::from(route.as_str())),
        ("reason", Json::from(reason.as_str())),
        ("policies", value(bytes, causes)),
        ("approvals_required", Json::from(*required)),
        (
            "comprehension_required",
            Json::from(*comprehension_required),
        ),
        ("expires_at", Json::from(expires_at.map(rfc3339))),
    ]);
    (
        "approval.required",
        payload,
        call.to_string(),
        "policy".to_owned(),
    )
}
