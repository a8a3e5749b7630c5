//! Journal entries as the wire shows them: a type, a JSON payload, who did it.

use std::sync::Arc;

use session::{
    ApprovalOutcome, ApprovalSubject, Entry, Event, Outcome, Payload, Slot, State, UnknownCause,
    Vote,
};
use spec::{Digest, Json};

use super::json;
use crate::clock::rfc3339;

/// An entry, shown.
pub(crate) struct Shown {
    pub(crate) kind: &'static str,
    pub(crate) payload: Json,
    pub(crate) turn: u32,
    pub(crate) call: String,
    pub(crate) actor: String,
}

/// Payload bytes that were loaded before.
pub(crate) type Bytes<'a> = dyn Fn(&Digest) -> Option<Arc<[u8]>> + 'a;

/// Payloads that showing `entry` reads.
pub(crate) fn digests(entry: &Entry) -> Vec<Digest> {
    let of = |payloads: &[Option<Payload>]| {
        payloads.iter().flatten().map(|it| it.digest).collect::<Vec<_>>()
    };
    match &entry.event {
        Event::Started { input, .. } => of(&[Some(*input)]),
        Event::UserMessage { text } | Event::AssistantMessage { text, .. } => of(&[Some(*text)]),
        Event::CallProposed { args, explain, .. } | Event::ArgumentsEdited { args, explain, .. } => {
            of(&[Some(*args), *explain])
        }
        Event::CallUnknown { explain, .. } => of(&[*explain]),
        Event::CallSucceeded { result, .. } | Event::ResultConflict { result, .. } => {
            of(&[Some(*result)])
        }
        Event::CallFailed { result, .. } => of(&[*result]),
        Event::ApprovalOpened { causes, .. } => of(&[Some(*causes)]),
        Event::CallRefused { .. }
        | Event::CallQueued { .. }
        | Event::CallDispatched { .. }
        | Event::CallNacked { .. }
        | Event::CallIndeterminate { .. }
        | Event::CallCancelled { .. }
        | Event::ApprovalVoted { .. }
        | Event::ApprovalClosed { .. }
        | Event::Ended { .. } => Vec::new(),
    }
}

/// Shows `entry`, where `state` is what the journal folds to with it.
pub(crate) fn show(entry: &Entry, state: &State, bytes: &Bytes<'_>) -> Shown {
    let (kind, payload, call, actor) = match &entry.event {
        Event::Started { .. }
        | Event::UserMessage { .. }
        | Event::AssistantMessage { .. }
        | Event::Ended { .. } => of_session(entry, state, bytes),
        Event::CallProposed { .. }
        | Event::CallRefused { .. }
        | Event::CallQueued { .. }
        | Event::CallDispatched { .. }
        | Event::CallNacked { .. }
        | Event::CallUnknown { .. } => of_call(entry, bytes),
        Event::CallSucceeded { .. }
        | Event::CallFailed { .. }
        | Event::CallIndeterminate { .. }
        | Event::CallCancelled { .. }
        | Event::ResultConflict { .. } => of_outcome(entry, bytes),
        Event::ApprovalOpened { .. }
        | Event::ApprovalVoted { .. }
        | Event::ArgumentsEdited { .. }
        | Event::ApprovalClosed { .. } => of_approval(entry, state, bytes),
    };
    let known = state.call(&spec::CallId::new(call.clone()));
    Shown {
        kind,
        payload,
        turn: known.map_or(state.completions, |it| it.completion),
        call,
        actor,
    }
}

type Parts = (&'static str, Json, String, String);

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    // Empty members are left out, as the format's other runtime does.
    Json::from_members(members.into_iter().filter(|(_, value)| *value != Json::Null))
}

fn text(bytes: &Bytes<'_>, payload: &Payload) -> Json {
    let found = bytes(&payload.digest);
    Json::from(found.map(|it| String::from_utf8_lossy(&it).into_owned()))
}

fn value(bytes: &Bytes<'_>, payload: &Payload) -> Json {
    bytes(&payload.digest).map_or(Json::Null, |it| json::of_bytes(&it))
}

fn maybe(bytes: &Bytes<'_>, payload: Option<&Payload>) -> Json {
    payload.map_or(Json::Null, |it| value(bytes, it))
}

fn of_session(entry: &Entry, state: &State, bytes: &Bytes<'_>) -> Parts {
    let none = String::new;
    if let Event::Started { input, .. } = &entry.event {
        return ("session.started", value(bytes, input), none(), "user".to_owned());
    }
    if let Event::UserMessage { text: said } = &entry.event {
        let said = text(bytes, said);
        let payload =
            object([("role", Json::from("user")), ("content", said.clone()), ("text", said)]);
        return ("message.user", payload, none(), "user".to_owned());
    }
    if let Event::AssistantMessage { completion, text: said, stop_reason, usage, duration_ms } =
        &entry.event
    {
        let said = text(bytes, said);
        let payload = object([
            ("role", Json::from("assistant")),
            ("content", said.clone()),
            ("text", said),
            ("completion", Json::from(*completion)),
            ("stop_reason", Json::from(stop_reason.as_str())),
            (
                "turn_usage",
                object([
                    ("input_tokens", Json::from(usage.input_tokens)),
                    ("output_tokens", Json::from(usage.output_tokens)),
                    ("estimated", if usage.estimated { Json::from(true) } else { Json::Null }),
                ]),
            ),
            ("turn_duration_ms", Json::from(*duration_ms)),
        ]);
        return ("message.assistant", payload, none(), "agent".to_owned());
    }
    of_end(entry, state, bytes)
}

fn of_end(entry: &Entry, state: &State, bytes: &Bytes<'_>) -> Parts {
    let Event::Ended { outcome, reason, by } = &entry.event else {
        return ("session.unknown", Json::Null, String::new(), String::new());
    };
    let actor = by.clone().unwrap_or_else(|| "system".to_owned());
    let (kind, payload) = match outcome {
        Outcome::Completed => (
            "session.completed",
            object([
                ("stop_reason", Json::from(reason.as_str())),
                ("output", super::inspect::output(state, bytes)),
            ]),
        ),
        Outcome::Failed => (
            "session.failed",
            object([("message", Json::from(reason.as_str())), ("reason", Json::from(reason.as_str()))]),
        ),
        Outcome::Cancelled => {
            ("session.cancelled", object([("by", Json::from(actor.as_str()))]))
        }
    };
    (kind, payload, String::new(), actor)
}

fn slot(slot: &Slot) -> Json {
    object([
        ("worker", Json::from(slot.worker.as_str())),
        ("connection", Json::from(slot.connection.as_str())),
        ("identity", Json::from(slot.identity.as_str())),
        ("image_digest", Json::from(slot.image.as_str())),
    ])
}

fn of_call(entry: &Entry, bytes: &Bytes<'_>) -> Parts {
    let system = || "system".to_owned();
    if let Event::CallProposed { call, wire_name, tool, version, class, args, explain, .. } =
        &entry.event
    {
        let payload = object([
            ("call_id", Json::from(call.as_str())),
            ("wire_name", Json::from(wire_name.as_str())),
            ("tool", Json::from(tool.as_str())),
            ("version", Json::from(version.as_str())),
            ("side_effect_class", Json::from(class.as_str())),
            ("args", value(bytes, args)),
            ("args_digest", Json::from(args.digest.to_string())),
            ("status", Json::from("pending")),
            ("explain", maybe(bytes, explain.as_ref())),
        ]);
        return ("tool.requested", payload, call.to_string(), "agent".to_owned());
    }
    if let Event::CallRefused { call, code, message } = &entry.event {
        let payload = object([
            ("call_id", Json::from(call.as_str())),
            ("code", Json::from(code.as_str())),
            ("message", Json::from(message.as_str())),
            ("error_code", Json::from(code.as_str())),
            ("error_message", Json::from(message.as_str())),
        ]);
        let denied = *code == session::ErrorCode::PolicyDenied.as_str();
        let kind = if denied { "tool.policy_denied" } else { "tool.refused" };
        let actor = if denied { "policy" } else { "system" };
        return (kind, payload, call.to_string(), actor.to_owned());
    }
    if let Event::CallDispatched { call, attempt, slot: held, args, deadline } = &entry.event {
        let payload = object([
            ("call_id", Json::from(call.as_str())),
            ("attempt", Json::from(*attempt)),
            ("worker", Json::from(held.worker.as_str())),
            ("slot", slot(held)),
            ("args_digest", Json::from(args.to_string())),
            ("deadline", Json::from(rfc3339(*deadline))),
            ("status", Json::from("dispatched")),
        ]);
        return ("tool.dispatched", payload, call.to_string(), system());
    }
    if let Event::CallNacked { call, attempt, code, message } = &entry.event {
        let payload = object([
            ("call_id", Json::from(call.as_str())),
            ("attempt", Json::from(*attempt)),
            ("code", Json::from(code.as_str())),
            ("message", Json::from(message.as_str())),
        ]);
        return ("tool.nacked", payload, call.to_string(), "worker".to_owned());
    }
    if let Event::CallUnknown { call, attempt, cause, explain } = &entry.event {
        let cause = match cause {
            UnknownCause::LeaseExpired => "lease_expired",
            UnknownCause::Indeterminate => "indeterminate",
        };
        let payload = object([
            ("call_id", Json::from(call.as_str())),
            ("attempt", Json::from(*attempt)),
            ("cause", Json::from(cause)),
            ("explain", maybe(bytes, explain.as_ref())),
        ]);
        return ("tool.unknown", payload, call.to_string(), system());
    }
    let call = if let Event::CallQueued { call } = &entry.event { call.as_str() } else { "" };
    let payload =
        object([("call_id", Json::from(call)), ("status", Json::from("queued"))]);
    ("tool.queued", payload, call.to_owned(), system())
}

fn of_outcome(entry: &Entry, bytes: &Bytes<'_>) -> Parts {
    if let Event::CallSucceeded { call, worker, result } = &entry.event {
        let payload = object([
            ("call_id", Json::from(call.as_str())),
            ("worker", Json::from(worker.as_str())),
            ("result", value(bytes, result)),
            ("result_digest", Json::from(result.digest.to_string())),
        ]);
        return ("tool.completed", payload, call.to_string(), "worker".to_owned());
    }
    if let Event::CallFailed { call, code, handler_code, message, result } = &entry.event {
        let payload = object([
            ("call_id", Json::from(call.as_str())),
            ("error_code", Json::from(code.as_str())),
            ("handler_code", Json::from(handler_code.clone())),
            ("error_message", Json::from(message.as_str())),
            ("result", maybe(bytes, result.as_ref())),
        ]);
        return ("tool.completed", payload, call.to_string(), "worker".to_owned());
    }
    if let Event::CallIndeterminate { call, message } = &entry.event {
        let payload = object([
            ("call_id", Json::from(call.as_str())),
            ("reason", Json::from(message.as_str())),
        ]);
        return ("tool.indeterminate", payload, call.to_string(), "system".to_owned());
    }
    if let Event::ResultConflict { call, worker, result } = &entry.event {
        let payload = object([
            ("call_id", Json::from(call.as_str())),
            ("worker", Json::from(worker.as_str())),
            ("result", value(bytes, result)),
        ]);
        return ("tool.result_conflict", payload, call.to_string(), "worker".to_owned());
    }
    let call = if let Event::CallCancelled { call } = &entry.event { call.as_str() } else { "" };
    ("tool.cancelled", object([("call_id", Json::from(call))]), call.to_owned(), "system".to_owned())
}

fn of_approval(entry: &Entry, state: &State, bytes: &Bytes<'_>) -> Parts {
    let call_of = |id: &spec::ApprovalId| {
        state.approvals.get(id).map(|it| it.call.to_string()).unwrap_or_default()
    };
    if let Event::ApprovalOpened { .. } = &entry.event {
        return opened(entry, state, bytes);
    }
    if let Event::ApprovalVoted {
        approval, actor, vote, comment, comprehension_acknowledged, args,
    } = &entry.event
    {
        let payload = object([
            ("approval_id", Json::from(approval.as_str())),
            ("actor", Json::from(actor.as_str())),
            ("decision", Json::from(vote_word(*vote))),
            ("comment", Json::from(comment.as_str())),
            ("comprehension_acknowledged", Json::from(*comprehension_acknowledged)),
            ("args_digest", Json::from(args.to_string())),
        ]);
        return ("approval.vote", payload, call_of(approval), actor.clone());
    }
    if let Event::ArgumentsEdited { approval, call, actor, args, explain } = &entry.event {
        let payload = object([
            ("approval_id", Json::from(approval.as_str())),
            ("call_id", Json::from(call.as_str())),
            ("actor", Json::from(actor.as_str())),
            ("args", value(bytes, args)),
            ("args_digest", Json::from(args.digest.to_string())),
            ("explain", maybe(bytes, explain.as_ref())),
        ]);
        return ("approval.edited", payload, call.to_string(), actor.clone());
    }
    let Event::ApprovalClosed { approval, outcome, by, comment } = &entry.event else {
        return ("approval.unknown", Json::Null, String::new(), String::new());
    };
    let (word, kind) = match outcome {
        ApprovalOutcome::Approved => ("approved", "approval.decided"),
        ApprovalOutcome::Rejected => ("rejected", "approval.decided"),
        ApprovalOutcome::Expired => ("expired", "approval.decided"),
        ApprovalOutcome::Cancelled => ("cancelled", "approval.decided"),
        ApprovalOutcome::Settled => ("settled", "approval.decided"),
        ApprovalOutcome::Escalated => ("escalated", "approval.escalated"),
        ApprovalOutcome::Superseded => ("superseded", "approval.escalated"),
    };
    let payload = object([
        ("approval_id", Json::from(approval.as_str())),
        ("call_id", Json::from(call_of(approval))),
        ("approved", Json::from(*outcome == ApprovalOutcome::Approved)),
        ("outcome", Json::from(word)),
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
    };
    let payload = object([
        ("approval_id", Json::from(approval.as_str())),
        ("call_id", Json::from(call.as_str())),
        ("subject", Json::from(subject)),
        ("tool", Json::from(known.map(|it| it.tool.clone()))),
        ("version", Json::from(known.map(|it| it.version.clone()))),
        ("args", bytes(args).map_or(Json::Null, |it| json::of_bytes(&it))),
        ("args_digest", Json::from(args.to_string())),
        ("route", Json::from(route.as_str())),
        ("reason", Json::from(reason.as_str())),
        ("policies", value(bytes, causes)),
        ("approvals_required", Json::from(*required)),
        ("comprehension_required", Json::from(*comprehension_required)),
        ("expires_at", Json::from(expires_at.map(rfc3339))),
    ]);
    ("approval.required", payload, call.to_string(), "policy".to_owned())
}
