//! A session as an interactive client sees it: who it is, what was said, and what happens.

use proto::runtime::v1 as wire;
use session::{Answer, Call, Entry, Event, Message, Outcome, STOP_TERMINAL, State, Status};
use spec::snapshot::{Framework, STUB_SCRIPT};
use spec::{CallId, Digest, Snapshot};
use wire::run_session_interactive_server_msg::Body;

use super::event::Bytes;
use super::{approval, int32, int64, json, usage};

/// The longest piece of text in one message, in bytes.
const DELTA_BYTES_MAX: usize = 1024 * 1024;
/// What the text of a history may come to, in bytes: clients receive no more than 4 MiB.
const HISTORY_BYTES_MAX: usize = 3 * 1024 * 1024;

/// What blocks input, in the words that clients know.
const AWAITING_APPROVAL: &str = "awaiting_approval";
const AWAITING_TOOL: &str = "awaiting_tool";

pub(crate) fn message(body: Body) -> wire::RunSessionInteractiveServerMsg {
    wire::RunSessionInteractiveServerMsg { body: Some(body) }
}

/// The first message of every stream. A client that attaches gets what was said so far.
pub(crate) fn session_started(
    state: &State,
    snapshot: &Snapshot,
    history: Vec<wire::InteractiveConversationMessage>,
) -> wire::RunSessionInteractiveServerMsg {
    let started = state.started.as_ref();
    let limits = &snapshot.limits;
    message(Body::SessionStarted(
        wire::RunSessionInteractiveSessionStarted {
            session_id: state.session.to_string(),
            agent_version_id: started.map(|it| it.version.to_string()).unwrap_or_default(),
            model_provider: snapshot.model.provider.clone(),
            model_name: snapshot.model.name.clone(),
            history,
            max_tokens_per_run: int32(limits.max_tokens_per_run.unwrap_or(0)),
            max_wall_clock_seconds: int32(limits.max_wall_clock_seconds.unwrap_or(0)),
            session_started_at_unix_ms: started.map_or(0, |it| it.at.unix_ms_i64()),
            session_ended_at_unix_ms: ended_at(state),
            descriptive_metadata: Some(metadata(snapshot)),
        },
    ))
}

fn metadata(snapshot: &Snapshot) -> wire::DescriptiveMetadataEvidence {
    let it = &snapshot.metadata;
    let pack = |(id, pack): (&String, &Framework)| wire::FrameworkPackEvidence {
        id: id.clone(),
        validation: pack.standing().to_owned(),
        payload: pack.content.to_canonical().into_bytes(),
    };
    let annotations = it.annotations.iter().filter(|(key, _)| *key != STUB_SCRIPT);
    wire::DescriptiveMetadataEvidence {
        owner: it.owner.clone().unwrap_or_default(),
        labels: it.labels.clone().into_iter().collect(),
        annotations: annotations
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        governance: Some(wire::GovernanceMetadataEvidence {
            risk_tier: it.governance.risk_tier.clone().unwrap_or_default(),
            classifications: it.governance.classifications.clone(),
            authority_boundaries: it.governance.authority_boundaries.clone(),
            frameworks: it.governance.frameworks.iter().map(pack).collect(),
        }),
    }
}

/// What was said so far.
pub(crate) fn history(
    state: &State,
    bytes: &Bytes<'_>,
) -> Vec<wire::InteractiveConversationMessage> {
    let said = |digest| {
        let found = bytes(&digest);
        found
            .map(|it| String::from_utf8_lossy(&it).into_owned())
            .unwrap_or_default()
    };
    let line = |it: &Message| match it {
        Message::User { text, .. } => wire::InteractiveConversationMessage {
            role: "user".to_owned(),
            content: said(text.digest),
            ..Default::default()
        },
        // Not the person's words: clients pass over the role that says so.
        Message::Correction { text, .. } => wire::InteractiveConversationMessage {
            role: "system".to_owned(),
            content: said(text.digest),
            ..Default::default()
        },
        Message::Assistant {
            text,
            stop_reason,
            usage: spent,
            duration_ms,
            ..
        } => wire::InteractiveConversationMessage {
            role: "assistant".to_owned(),
            content: said(text.digest),
            stop_reason: stop_reason.clone(),
            turn_usage: Some(usage(*spent)),
            turn_duration_ms: int64(*duration_ms),
        },
    };
    let mut lines: Vec<_> = state.messages.iter().map(line).collect();
    // The newest are kept whole; what was said before is marked where it is left out.
    let mut room = HISTORY_BYTES_MAX;
    for line in lines.iter_mut().rev() {
        let bytes = line.content.len();
        if bytes > room {
            line.content = format!("[{bytes} bytes, not shown here]");
        }
        room = room.saturating_sub(bytes);
    }
    lines
}

fn ended_at(state: &State) -> i64 {
    state.ended.as_ref().map_or(0, |it| it.at.unix_ms_i64())
}

fn stats(state: &State) -> wire::InteractiveSessionStats {
    let last = state.messages.iter().rev().find_map(|it| match it {
        Message::Assistant { usage, .. } => Some(*usage),
        Message::User { .. } | Message::Correction { .. } => None,
    });
    wire::InteractiveSessionStats {
        turn: int32(state.completions.into()),
        turn_usage: last.map(usage),
        session_usage: Some(usage(state.usage)),
    }
}

fn stop_reason(state: &State) -> String {
    if state.turn_is_over() && state.terminal_call().is_some() {
        return STOP_TERMINAL.to_owned();
    }
    match state.messages.last() {
        Some(Message::Assistant { stop_reason, .. }) => stop_reason.clone(),
        Some(Message::User { .. } | Message::Correction { .. }) | None => String::new(),
    }
}

fn awaiting(state: &State, blocked: &str) -> wire::RunSessionInteractiveServerMsg {
    message(Body::AwaitingInput(
        wire::RunSessionInteractiveAwaitingInput {
            stop_reason: stop_reason(state),
            stats: Some(stats(state)),
            input_blocked_reason: blocked.to_owned(),
        },
    ))
}

/// Says why a client's message was not taken; the session lives on.
pub(crate) fn refused(state: &State, why: &str) -> wire::RunSessionInteractiveServerMsg {
    awaiting(state, why)
}

/// What a client that attaches is told about where the session stands, after the replay. Nothing
/// while it is running: what happens next says more.
pub(crate) fn standing(state: &State) -> Option<wire::RunSessionInteractiveServerMsg> {
    match state.status() {
        Status::AwaitingApproval => Some(awaiting(state, AWAITING_APPROVAL)),
        Status::AwaitingTool => Some(awaiting(state, AWAITING_TOOL)),
        Status::AwaitingInput => Some(awaiting(state, "")),
        Status::Pending
        | Status::Running
        | Status::Completed
        | Status::Failed
        | Status::Cancelled => None,
    }
}

/// Whether a message is the last of its stream.
pub(crate) fn is_last(message: &wire::RunSessionInteractiveServerMsg) -> bool {
    matches!(
        message.body,
        Some(Body::Completed(_) | Body::Failed(_) | Body::Cancelled(_))
    )
}

/// Whether the model has been told already how the call ended that `entry` is about: a late result
/// is evidence, and no second answer.
pub(crate) fn is_late(entry: &Entry, before: &State) -> bool {
    if let Event::CallRefused { call, .. }
    | Event::CallSucceeded { call, .. }
    | Event::CallFailed { call, .. }
    | Event::CallIndeterminate { call, .. } = &entry.event
    {
        return before.call(call).is_some_and(|it| it.answer.is_some());
    }
    false
}

/// Shows an entry as it happens, where `after` is the state with it and `next` the entry on record
/// behind it.
pub(crate) fn live(
    (entry, next): (&Entry, Option<&Entry>),
    late: bool,
    after: &State,
    bytes: &Bytes<'_>,
) -> Vec<wire::RunSessionInteractiveServerMsg> {
    let mut messages = Vec::new();
    if let Event::AssistantMessage { text, .. } = &entry.event {
        let said = bytes(&text.digest).unwrap_or_else(|| [].into());
        let said = String::from_utf8_lossy(&said);
        let mut rest: &str = &said;
        while !rest.is_empty() {
            let at = rest.floor_char_boundary(DELTA_BYTES_MAX);
            let (delta, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
            let delta = delta.to_owned();
            messages.push(message(Body::TextDelta(
                wire::RunSessionInteractiveTextDelta { delta },
            )));
            rest = tail;
        }
        // Between the entries of one commit a turn only looks over: its calls, or the end, follow.
        let whole = !matches!(
            next.map(|it| &it.event),
            Some(
                Event::CallProposed { .. }
                    | Event::OutputAccepted { .. }
                    | Event::OutputRejected { .. }
                    | Event::Ended { .. }
            )
        );
        if whole && after.status() == Status::AwaitingInput {
            messages.push(awaiting(after, ""));
        }
    }
    messages.extend(replayed(entry, late, after, bytes));
    // A turn can also end with a value that is accepted, or with the last outcome of its calls.
    let ends = matches!(&entry.event, Event::OutputAccepted { .. }) || (is_outcome(entry) && !late);
    let over = matches!(next.map(|it| &it.event), Some(Event::Ended { .. }));
    if ends && !over && after.status() == Status::AwaitingInput {
        messages.push(awaiting(after, ""));
    }
    messages
}

fn is_outcome(entry: &Entry) -> bool {
    matches!(
        &entry.event,
        Event::CallRefused { .. }
            | Event::CallSucceeded { .. }
            | Event::CallFailed { .. }
            | Event::CallIndeterminate { .. }
    )
}

/// Shows an entry again: calls, results, open questions and the end, but not what was said.
pub(crate) fn replayed(
    entry: &Entry,
    late: bool,
    after: &State,
    bytes: &Bytes<'_>,
) -> Option<wire::RunSessionInteractiveServerMsg> {
    match &entry.event {
        Event::CallProposed { call, tool, .. } if !tool.is_empty() => tool_call(after, call, bytes),
        Event::ApprovalOpened { approval: id, .. } => approval_required(after, id, bytes),
        Event::CallRefused { call, .. }
        | Event::CallSucceeded { call, .. }
        | Event::CallFailed { call, .. }
        | Event::CallIndeterminate { call, .. } => after
            .call(call)
            .filter(|_| !late)
            .map(|it| tool_result(it, bytes)),
        Event::Ended {
            outcome, reason, ..
        } => Some(end(*outcome, reason, after, bytes)),
        Event::Started { .. }
        | Event::EvidenceRecorded { .. }
        | Event::OutputAccepted { .. }
        | Event::OutputRejected { .. }
        | Event::CallErred { .. }
        | Event::UserMessage { .. }
        | Event::AssistantMessage { .. }
        | Event::CallProposed { .. }
        | Event::CallQueued { .. }
        | Event::CallDispatched { .. }
        | Event::CallNacked { .. }
        | Event::CallUnknown { .. }
        | Event::CallCancelled { .. }
        | Event::ResultConflict { .. }
        | Event::ApprovalVoted { .. }
        | Event::ArgumentsEdited { .. }
        | Event::ApprovalClosed { .. } => None,
    }
}

fn tool_call(
    state: &State,
    call: &CallId,
    bytes: &Bytes<'_>,
) -> Option<wire::RunSessionInteractiveServerMsg> {
    let call = state.call(call)?;
    Some(message(Body::ToolCall(
        wire::RunSessionInteractiveToolCall {
            call_id: call.id.to_string(),
            tool: call.tool.clone(),
            version: call.version.clone(),
            args: bytes(&call.args.digest)
                .map(|it| it.to_vec())
                .unwrap_or_default(),
            wire_name: call.wire_name.clone(),
            ..Default::default()
        },
    )))
}

fn tool_result(call: &Call, bytes: &Bytes<'_>) -> wire::RunSessionInteractiveServerMsg {
    let (payload, error_message) = match &call.answer {
        Some(Answer::Result(payload)) => (
            bytes(&payload.digest)
                .map(|it| it.to_vec())
                .unwrap_or_default(),
            String::new(),
        ),
        Some(Answer::Error {
            code: _,
            handler_code: Some(handler),
            message,
        }) => {
            let said: Vec<&str> = [handler.as_str(), message.as_str()]
                .into_iter()
                .filter(|it| !it.is_empty())
                .collect();
            (Vec::new(), said.join(": "))
        }
        Some(Answer::Error { message, .. }) => (Vec::new(), message.clone()),
        None => (Vec::new(), String::new()),
    };
    message(Body::ToolResult(wire::RunSessionInteractiveToolResult {
        call_id: call.id.to_string(),
        payload,
        error_message,
    }))
}

pub(crate) fn approval_required(
    state: &State,
    id: &spec::ApprovalId,
    bytes: &Bytes<'_>,
) -> Option<wire::RunSessionInteractiveServerMsg> {
    let it = approval::message(state, state.approvals.get(id)?, bytes);
    Some(message(Body::ApprovalRequired(
        wire::RunSessionInteractiveApprovalRequired {
            approval_id: it.id,
            call_id: it.call_id,
            tool: it.tool,
            version: it.version,
            args: it.args,
            route: it.route,
            reason: it.reason,
            authority_ref: it.authority_ref,
            policy_name: it.policy_name,
            policy_runtime: it.policy_runtime,
            approvals_required: it.approvals_required,
            approvals_received: it.approvals_received,
            comprehension_required: it.comprehension_required,
            expires_at: it.expires_at,
        },
    )))
}

fn end(
    outcome: Outcome,
    reason: &str,
    state: &State,
    bytes: &Bytes<'_>,
) -> wire::RunSessionInteractiveServerMsg {
    match outcome {
        // A value stands twice in it, as text and parsed: together they fit.
        Outcome::Completed => json::fitting(json::SHOWN_BYTES_MAX, |max| {
            let within = |digest: &Digest| bytes(digest).map(|it| json::within(&it, max));
            let output = super::inspect::output(state, &within);
            message(Body::Completed(wire::RunSessionInteractiveCompleted {
                stop_reason: reason.to_owned(),
                output: output.to_canonical().into_bytes(),
                stats: Some(stats(state)),
                session_ended_at_unix_ms: ended_at(state),
            }))
        }),
        Outcome::Failed => message(Body::Failed(wire::RunSessionInteractiveFailed {
            message: reason.to_owned(),
        })),
        Outcome::Cancelled => message(Body::Cancelled(wire::RunSessionInteractiveCancelled {
            session_ended_at_unix_ms: ended_at(state),
        })),
    }
}
