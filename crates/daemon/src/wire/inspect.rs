//! One session in full: what it is, and its timeline.

use proto::runtime::v1 as wire;
use session::{Answer, Call, Entry, Message, Outcome, STOP_TERMINAL, State, fold};
use spec::{Digest, Json, SessionId, Snapshot};

use super::event::{Bytes, show};
use super::{approval, int32, int64, json, usage};
use crate::clock::rfc3339;

/// The session's output as one JSON object; null while there is no assistant message.
pub(crate) fn output(state: &State, bytes: &Bytes<'_>) -> Json {
    let Some((message, stop_reason)) = last_words(state, bytes) else {
        return Json::Null;
    };
    let tokens = |it: session::Usage| {
        Json::from_members([
            ("input_tokens", Json::from(it.input_tokens)),
            ("output_tokens", Json::from(it.output_tokens)),
        ])
    };
    let mut turns = Vec::new();
    let mut last = session::Usage::default();
    for said in &state.messages {
        if let Message::Assistant {
            stop_reason,
            usage,
            duration_ms,
            ..
        } = said
        {
            last = *usage;
            turns.push(Json::from_members([
                ("stop_reason", Json::from(stop_reason.as_str())),
                ("turn_usage", tokens(*usage)),
                ("turn_duration_ms", Json::from(*duration_ms)),
            ]));
        }
    }
    let mut members = vec![
        ("message", Json::from(message)),
        ("stop_reason", Json::from(stop_reason)),
        ("turn_usage", tokens(last)),
        ("session_usage", tokens(state.usage)),
        ("turns", Json::from(turns)),
    ];
    if let Some(output) = parsed(state, bytes) {
        members.push(("output", output));
    }
    Json::from_members(members)
}

/// The result of the call that ended the loop, as text; `None` where none did.
fn terminal_text(state: &State, bytes: &Bytes<'_>) -> Option<String> {
    let call = state.terminal_call()?;
    let Some(Answer::Result(result)) = &call.answer else {
        return None;
    };
    // A handler that returns nothing returns the empty object.
    if result.len == 0 {
        return Some("{}".to_owned());
    }
    let text = bytes(&result.digest)?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// The output as a value, where there is one: a terminal call's result, or a JSON answer.
fn parsed(state: &State, bytes: &Bytes<'_>) -> Option<Json> {
    if let Some(text) = terminal_text(state, bytes) {
        return Some(json::of_bytes(text.as_bytes()));
    }
    let output = state.output?;
    bytes(&output.digest).map(|it| json::of_bytes(&it))
}

/// Payloads that the session's output is made of.
pub(crate) fn output_digests(state: &State) -> Vec<Digest> {
    let said = state.messages.iter().rev().find_map(|it| match it {
        Message::Assistant { text, .. } => Some(text.digest),
        Message::User { .. } | Message::Correction { .. } => None,
    });
    let result = state.terminal_call().and_then(|it| it.result);
    let values = [result, state.output].into_iter().flatten();
    said.into_iter().chain(values.map(|it| it.digest)).collect()
}

fn last_words(state: &State, bytes: &Bytes<'_>) -> Option<(String, String)> {
    if let Some(text) = terminal_text(state, bytes) {
        return Some((text, STOP_TERMINAL.to_owned()));
    }
    state
        .messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::Assistant {
                text, stop_reason, ..
            } => {
                let said = bytes(&text.digest)
                    .map(|it| String::from_utf8_lossy(&it).into_owned())
                    .unwrap_or_default();
                Some((said, stop_reason.clone()))
            }
            Message::User { .. } | Message::Correction { .. } => None,
        })
}

fn output_message(state: &State, bytes: &Bytes<'_>) -> Option<wire::SessionOutputInspect> {
    let (message, stop_reason) = last_words(state, bytes)?;
    let mut turns = Vec::new();
    for said in &state.messages {
        if let Message::Assistant {
            stop_reason,
            usage: spent,
            duration_ms,
            ..
        } = said
        {
            turns.push(wire::SessionTurnInspect {
                stop_reason: stop_reason.clone(),
                turn_usage: Some(usage(*spent)),
                turn_duration_ms: int64(*duration_ms),
            });
        }
    }
    Some(wire::SessionOutputInspect {
        message,
        stop_reason,
        turn_usage: turns.last().and_then(|it| it.turn_usage),
        session_usage: Some(usage(state.usage)),
        turns,
    })
}

/// The session itself.
pub(crate) fn session(
    state: &State,
    snapshot: Option<&Snapshot>,
    bytes: &Bytes<'_>,
) -> wire::SessionInspect {
    let started = state.started.as_ref();
    let input = started.and_then(|it| bytes(&it.input.digest));
    let error = match &state.ended {
        Some(ended) if ended.outcome == Outcome::Failed => ended.reason.clone(),
        Some(_) | None => String::new(),
    };
    wire::SessionInspect {
        id: state.session.to_string(),
        agent_version_id: started.map(|it| it.version.to_string()).unwrap_or_default(),
        status: state.status().as_str().to_owned(),
        parent_session_id: String::new(),
        depth: 0,
        bundle_version_id: String::new(),
        created_at: started.map(|it| rfc3339(it.at)).unwrap_or_default(),
        updated_at: rfc3339(state.clock.last),
        input: input.map(|it| json::value(&json::of_bytes(&it))),
        output: output_message(state, bytes),
        error,
        agent: snapshot.map(agent),
        descriptive_metadata: snapshot.map(|it| json::value(&metadata(it))),
        session_started_at_unix_ms: started.map(|it| it.at.unix_ms_i64()).unwrap_or_default(),
        session_ended_at_unix_ms: state
            .ended
            .as_ref()
            .map(|it| it.at.unix_ms_i64())
            .unwrap_or_default(),
        children: Vec::new(),
    }
}

fn agent(snapshot: &Snapshot) -> wire::SessionAgentContext {
    let limits = &snapshot.limits;
    wire::SessionAgentContext {
        namespace: snapshot.agent.namespace.clone(),
        name: snapshot.agent.name.clone(),
        version: snapshot.agent.version.clone(),
        model_provider: snapshot.model.provider.clone(),
        model_name: snapshot.model.name.clone(),
        max_tokens_per_run: int32(limits.max_tokens_per_run.unwrap_or(0)),
        max_wall_clock_seconds: int32(limits.max_wall_clock_seconds.unwrap_or(0)),
    }
}

/// Descriptive metadata as the session's evidence shows it.
fn metadata(snapshot: &Snapshot) -> Json {
    let it = &snapshot.metadata;
    let strings = |map: &std::collections::BTreeMap<String, String>| {
        // The stub's script is the run's own input, not description.
        let kept = map
            .iter()
            .filter(|(key, _)| *key != spec::snapshot::STUB_SCRIPT);
        Json::from_members(kept.map(|(key, value)| (key.clone(), Json::from(value.as_str()))))
    };
    let list = |words: &[String]| {
        Json::from(
            words
                .iter()
                .map(|it| Json::from(it.as_str()))
                .collect::<Vec<_>>(),
        )
    };
    let frameworks = it.governance.frameworks.iter().map(|(name, pack)| {
        let members = [
            ("validation", Json::from(pack.standing())),
            ("content", pack.content.clone()),
        ];
        (name.clone(), Json::from_members(members))
    });
    Json::from_members([
        ("owner", Json::from(it.owner.clone())),
        ("labels", strings(&it.labels)),
        ("annotations", strings(&it.annotations)),
        (
            "governance",
            Json::from_members([
                ("risk_tier", Json::from(it.governance.risk_tier.clone())),
                ("classifications", list(&it.governance.classifications)),
                (
                    "authority_boundaries",
                    list(&it.governance.authority_boundaries),
                ),
                ("frameworks", Json::from_members(frameworks)),
            ]),
        ),
    ])
}

/// The timeline: every entry, with the call or the approval that it is about as it is now.
pub(crate) fn timeline(
    id: &SessionId,
    entries: &[Entry],
    state: &State,
    bytes: &Bytes<'_>,
) -> Vec<wire::InspectTimelineEntry> {
    let mut lines = Vec::with_capacity(entries.len());
    let mut then = State::new(id.clone());
    let mut previous = None;
    for entry in entries {
        then = fold(then, entry);
        let shown = show(entry, &then, bytes);
        let gap = previous.map_or(0, |it| entry.at.ms_since(it));
        previous = Some(entry.at);
        let seq = int32(then.seq);
        let summary = summary(&shown);
        lines.push(wire::InspectTimelineEntry {
            timestamp: rfc3339(entry.at),
            gap_ms: int64(gap),
            source: "event".to_owned(),
            kind: shown.kind.to_owned(),
            summary,
            invocation: invocation_line(shown.kind, &shown.call, state, bytes),
            approval: approval_line(shown.kind, entry, state, bytes),
            event: Some(wire::SessionEventEntry {
                id: then.seq.try_into().unwrap_or(i64::MAX),
                r#type: shown.kind.to_owned(),
                payload: Some(json::value(&shown.payload)),
                created_at: rfc3339(entry.at),
                seq,
                ts_unix_ms: entry.at.unix_ms_i64(),
                session_id: id.to_string(),
                turn: int32(shown.turn.into()),
                call_id: shown.call,
                child_session_id: String::new(),
                actor: shown.actor,
            }),
            session_id: id.to_string(),
            depth: 0,
            seq,
            ts_unix_ms: entry.at.unix_ms_i64(),
        });
    }
    lines
}

fn summary(shown: &super::event::Shown) -> String {
    let text = |key: &str| {
        shown
            .payload
            .get(key)
            .and_then(Json::as_str)
            .map(str::to_owned)
    };
    let what = text("wire_name")
        .or_else(|| text("message"))
        .or_else(|| text("error_message"))
        .or_else(|| text("reason"))
        .or_else(|| text("text"))
        .or_else(|| text("worker"))
        .or_else(|| text("outcome"))
        .or_else(|| text("decision"))
        .unwrap_or_default();
    let short: String = what.chars().take(120).collect();
    let cut = if short.len() < what.len() { "…" } else { "" };
    if short.is_empty() {
        shown.kind.to_owned()
    } else {
        format!("{}: {short}{cut}", shown.kind)
    }
}

/// The call as it stands now, beside the entry that last says something about it.
fn invocation_line(
    kind: &str,
    call: &str,
    state: &State,
    bytes: &Bytes<'_>,
) -> Option<wire::ToolInvocationEntry> {
    let outcome = matches!(
        kind,
        "tool.completed"
            | "tool.policy_denied"
            | "tool.refused"
            | "tool.indeterminate"
            | "tool.cancelled"
            | "tool.dispatched"
    );
    let call = state.call(&spec::CallId::new(call)).filter(|_| outcome)?;
    Some(invocation(state, call, bytes))
}

fn invocation(state: &State, call: &Call, bytes: &Bytes<'_>) -> wire::ToolInvocationEntry {
    let (error_code, error_message) = match &call.answer {
        Some(Answer::Error {
            code,
            handler_code,
            message,
        }) => (
            handler_code.clone().unwrap_or_else(|| code.clone()),
            message.clone(),
        ),
        Some(Answer::Result(_)) | None => (String::new(), String::new()),
    };
    let stamp = |at: Option<spec::Time>| at.map(rfc3339).unwrap_or_default();
    let span = |from: Option<spec::Time>, to: Option<spec::Time>| match (from, to) {
        (Some(from), Some(to)) => int64(to.ms_since(from)),
        (Some(_) | None, None) | (None, Some(_)) => 0,
    };
    let slot = call.last_slot.as_ref();
    let started = state.started.as_ref();
    let value = |digest| bytes(&digest).map(|it| json::value(&json::of_bytes(&it)));
    wire::ToolInvocationEntry {
        call_id: call.id.to_string(),
        agent_version_id: started.map(|it| it.version.to_string()).unwrap_or_default(),
        turn: int32(call.completion.into()),
        tool: call.tool.clone(),
        version: call.version.clone(),
        args: value(call.args.digest),
        result: call.result.and_then(|it| value(it.digest)),
        status: call.status().to_owned(),
        worker_identity: slot.map(|it| it.identity.clone()).unwrap_or_default(),
        image_digest: slot.map(|it| it.image.clone()).unwrap_or_default(),
        descriptor_hash: String::new(),
        manifest_content_hash: started
            .map(|it| it.snapshot.to_string())
            .unwrap_or_default(),
        attempt: int32(call.attempts.into()),
        error_code,
        error_message,
        usage: None,
        created_at: rfc3339(call.proposed_at),
        updated_at: stamp(call.finished_at.or(call.dispatched_at)),
        dispatched_at: stamp(call.dispatched_at),
        completed_at: stamp(call.finished_at),
        queue_delay_ms: span(Some(call.proposed_at), call.dispatched_at),
        execution_duration_ms: span(call.dispatched_at, call.finished_at),
        total_duration_ms: span(Some(call.proposed_at), call.finished_at),
    }
}

fn approval_line(
    kind: &str,
    entry: &Entry,
    state: &State,
    bytes: &Bytes<'_>,
) -> Option<wire::InspectApproval> {
    let session::Event::ApprovalOpened { approval: id, .. } = &entry.event else {
        return None;
    };
    let it = state
        .approvals
        .get(id)
        .filter(|_| kind == "approval.required")?;
    Some(approval::inspect(state, it, bytes))
}
