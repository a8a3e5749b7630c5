//! Journal entries as the wire shows them: a type, a JSON payload, who did it.

mod approvals;
mod calls;

use std::sync::Arc;

use session::{Entry, Event, Outcome, Payload, State};
use spec::{CallId, Digest, Json};

use super::json;
use approvals::of_approval;
pub(crate) use approvals::vote_word;
use calls::{of_call, of_outcome};

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
        payloads
            .iter()
            .flatten()
            .map(|it| it.digest)
            .collect::<Vec<_>>()
    };
    match &entry.event {
        Event::Started { input, .. } => of(&[Some(*input)]),
        Event::EvidenceRecorded { evidence, .. } => of(&[Some(*evidence)]),
        Event::UserMessage { text }
        | Event::AssistantMessage { text, .. }
        | Event::OutputRejected { text, .. } => of(&[Some(*text)]),
        Event::OutputAccepted { output, .. } => of(&[Some(*output)]),
        Event::CallProposed { args, explain, .. }
        | Event::ArgumentsEdited { args, explain, .. } => of(&[Some(*args), *explain]),
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
        | Event::CallErred { .. }
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
        | Event::EvidenceRecorded { .. }
        | Event::UserMessage { .. }
        | Event::AssistantMessage { .. }
        | Event::Ended { .. } => of_session(entry, state, bytes),
        Event::OutputAccepted { .. } | Event::OutputRejected { .. } => of_output(entry, bytes),
        Event::CallProposed { .. }
        | Event::CallRefused { .. }
        | Event::CallQueued { .. }
        | Event::CallDispatched { .. }
        | Event::CallNacked { .. }
        | Event::CallErred { .. }
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
    Json::from_members(
        members
            .into_iter()
            .filter(|(_, value)| *value != Json::Null),
    )
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
        return (
            "session.started",
            value(bytes, input),
            none(),
            "user".to_owned(),
        );
    }
    if let Event::EvidenceRecorded { evidence, .. } = &entry.event {
        return (
            "evidence.recorded",
            value(bytes, evidence),
            none(),
            "system".to_owned(),
        );
    }
    if let Event::UserMessage { text: said } = &entry.event {
        let said = text(bytes, said);
        let payload = object([
            ("role", Json::from("user")),
            ("content", said.clone()),
            ("text", said),
        ]);
        return ("message.user", payload, none(), "user".to_owned());
    }
    if let Event::AssistantMessage {
        completion,
        text: said,
        stop_reason,
        usage,
        duration_ms,
    } = &entry.event
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
                    (
                        "estimated",
                        if usage.estimated {
                            Json::from(true)
                        } else {
                            Json::Null
                        },
                    ),
                ]),
            ),
            ("turn_duration_ms", Json::from(*duration_ms)),
        ]);
        return ("message.assistant", payload, none(), "agent".to_owned());
    }
    of_end(entry, state, bytes)
}

fn of_output(entry: &Entry, bytes: &Bytes<'_>) -> Parts {
    let parts = |kind, payload| (kind, payload, String::new(), "system".to_owned());
    if let Event::OutputAccepted {
        completion,
        output,
        repaired,
    } = &entry.event
    {
        let payload = object([
            ("completion", Json::from(*completion)),
            ("output", value(bytes, output)),
            ("repaired", Json::from(*repaired)),
        ]);
        return parts("output.accepted", payload);
    }
    if let Event::OutputRejected {
        completion,
        text: said,
    } = &entry.event
    {
        let said = text(bytes, said);
        let payload = object([
            ("role", Json::from("system")),
            ("content", said.clone()),
            ("text", said),
            ("completion", Json::from(*completion)),
        ]);
        return parts("output.rejected", payload);
    }
    parts("output.unknown", Json::Null)
}

fn of_end(entry: &Entry, state: &State, bytes: &Bytes<'_>) -> Parts {
    let Event::Ended {
        outcome,
        reason,
        by,
    } = &entry.event
    else {
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
            object([
                ("message", Json::from(reason.as_str())),
                ("reason", Json::from(reason.as_str())),
            ]),
        ),
        Outcome::Cancelled => (
            "session.cancelled",
            object([("by", Json::from(actor.as_str()))]),
        ),
    };
    (kind, payload, String::new(), actor)
}

/// The call's id, which most payloads begin with.
fn id(call: &CallId) -> (&'static str, Json) {
    ("call_id", Json::from(call.as_str()))
}
