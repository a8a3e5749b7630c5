//! State = fold(events). Total: an event that makes no sense in a state changes nothing but the
//! sequence number and the clock.

use crate::state::{
    Approval, ApprovalStatus, Call, CastVote, Clock, Ended, Failure, Message, Phase, Started,
    State, WaitsFor,
};
use crate::{Answer, Entry, Event, Payload, Usage};
use spec::{CallId, Time};

/// The state after `entry`.
#[must_use]
pub fn fold(mut state: State, entry: &Entry) -> State {
    advance_clock(&mut state, entry.at);
    state.seq = state.seq.saturating_add(1);
    match &entry.event {
        Event::Started { .. } | Event::UserMessage { .. } | Event::AssistantMessage { .. } => {
            fold_message(&mut state, entry);
        }
        Event::EvidenceRecorded { unavailable, .. } => {
            let by_name = |it: &crate::Unavailable| (it.tool.clone(), it.why.clone());
            state.unavailable = unavailable.iter().map(by_name).collect();
        }
        Event::OutputAccepted { output, .. } => state.output = Some(*output),
        Event::OutputRejected { text, .. } => state.messages.push(Message::Correction {
            text: *text,
            at: entry.at,
        }),
        Event::CallProposed { .. } => propose(&mut state, entry),
        Event::CallRefused { .. }
        | Event::CallQueued { .. }
        | Event::CallDispatched { .. }
        | Event::CallNacked { .. }
        | Event::CallErred { .. }
        | Event::CallUnknown { .. } => fold_on_the_way(&mut state, entry),
        Event::CallSucceeded { .. }
        | Event::CallFailed { .. }
        | Event::CallIndeterminate { .. }
        | Event::CallCancelled { .. }
        | Event::ResultConflict { .. } => fold_outcome(&mut state, entry),
        Event::ApprovalOpened { .. }
        | Event::ApprovalVoted { .. }
        | Event::ArgumentsEdited { .. }
        | Event::ApprovalClosed { .. } => fold_approval(&mut state, entry),
        Event::Ended {
            outcome,
            reason,
            by,
        } => {
            if state.ended.is_none() {
                state.ended = Some(Ended {
                    outcome: *outcome,
                    reason: reason.clone(),
                    by: by.clone(),
                    at: entry.at,
                });
            }
        }
    }
    state
}

fn advance_clock(state: &mut State, at: Time) {
    let waited = state.waits_for();
    let Clock {
        running_ms,
        people_ms,
        last,
    } = &mut state.clock;
    if state.seq > 0 {
        let passed = at.ms_since(*last);
        match waited {
            WaitsFor::Machines => *running_ms = running_ms.saturating_add(passed),
            WaitsFor::People => *people_ms = people_ms.saturating_add(passed),
            WaitsFor::Nothing | WaitsFor::Input => {}
        }
    }
    // A clock that stepped back must not make the next step count twice.
    *last = (*last).max(at);
}

fn fold_message(state: &mut State, entry: &Entry) {
    let at = entry.at;
    if let Event::Started {
        version,
        snapshot,
        mode,
        input,
        requester,
    } = &entry.event
    {
        if state.started.is_none() {
            state.started = Some(Started {
                version: version.clone(),
                snapshot: *snapshot,
                mode: *mode,
                input: *input,
                requester: requester.clone(),
                at,
            });
        }
    } else if let Event::UserMessage { text } = &entry.event {
        state.messages.push(Message::User { text: *text, at });
    } else if let Event::AssistantMessage {
        completion,
        text,
        stop_reason,
        usage,
        duration_ms,
    } = &entry.event
    {
        state.completions = *completion;
        // What an earlier turn came to is not what this one comes to.
        state.output = None;
        state.usage = Usage::plus(state.usage, *usage);
        let none = state.calls.len()..state.calls.len();
        state.messages.push(Message::Assistant {
            text: *text,
            calls: none,
            stop_reason: stop_reason.clone(),
            usage: *usage,
            duration_ms: *duration_ms,
            at,
        });
    }
}

fn propose(state: &mut State, entry: &Entry) {
    let Event::CallProposed {
        call,
        completion,
        index,
        provider_id,
        wire_name,
        tool,
        version,
        class,
        args,
        explain,
        overlay,
    } = &entry.event
    else {
        return;
    };
    if state.index.contains_key(call) {
        return;
    }
    let place = state.calls.len();
    state.index.insert(call.clone(), place);
    state.open.push(place);
    state.calls.push(Call {
        id: call.clone(),
        completion: *completion,
        index: *index,
        provider_id: provider_id.clone(),
        wire_name: wire_name.clone(),
        tool: tool.clone(),
        version: version.clone(),
        class: *class,
        args: *args,
        explain: *explain,
        overlay: *overlay,
        phase: Phase::Proposed,
        attempts: 0,
        in_doubt: false,
        failure: None,
        terminal: false,
        last_slot: None,
        approvals: 0,
        answer: None,
        result: None,
        proposed_at: entry.at,
        dispatched_at: None,
        finished_at: None,
    });
    if let Some(Message::Assistant { calls, .. }) = state.messages.last_mut() {
        calls.end = place.saturating_add(1);
    }
}

fn with_call(state: &mut State, id: &CallId, change: impl FnOnce(&mut Call)) {
    let Some(place) = state.index.get(id).copied() else {
        return;
    };
    let Some(call) = state.calls.get_mut(place) else {
        return;
    };
    change(call);
    let open = call.phase.is_open();
    let listed = state.open.binary_search(&place);
    match (open, listed) {
        (true, Err(at)) => state.open.insert(at, place),
        (false, Ok(at)) => {
            state.open.remove(at);
        }
        (true, Ok(_)) | (false, Err(_)) => {}
    }
}

fn fold_on_the_way(state: &mut State, entry: &Entry) {
    let at = entry.at;
    if let Event::CallRefused {
        call,
        code,
        message,
    } = &entry.event
    {
        with_call(state, call, |it| {
            finish(it, Phase::Refused, at, error(code, None, message), None);
        });
    } else if let Event::CallQueued { call } = &entry.event {
        with_call(state, call, |it| it.phase = Phase::Queued { since: at });
    } else if let Event::CallDispatched {
        call,
        attempt,
        slot,
        args: _,
        deadline,
        overlay,
    } = &entry.event
    {
        with_call(state, call, |it| {
            it.overlay = *overlay;
            it.attempts = *attempt;
            it.last_slot = Some(slot.clone());
            it.dispatched_at = Some(at);
            it.phase = Phase::Dispatched {
                attempt: *attempt,
                slot: slot.clone(),
                deadline: *deadline,
            };
        });
    } else if let Event::CallNacked { call, .. } = &entry.event {
        with_call(state, call, |it| it.phase = Phase::Queued { since: at });
    } else if let Event::CallUnknown { call, .. } = &entry.event {
        // What follows in the same commit says where the call goes from here.
        with_call(state, call, |it| {
            it.in_doubt = true;
            it.phase = Phase::Proposed;
        });
    } else if let Event::CallErred {
        call,
        handler_code,
        message,
        retry_at,
        ..
    } = &entry.event
    {
        with_call(state, call, |it| {
            // The handler has said how it ended: nothing is in doubt any more.
            it.in_doubt = false;
            it.failure = Some(Failure {
                handler_code: handler_code.clone(),
                message: message.clone(),
            });
            it.phase = retry_at.map_or(Phase::Proposed, |until| Phase::Waiting { until });
        });
    }
}

fn fold_outcome(state: &mut State, entry: &Entry) {
    let at = entry.at;
    if let Event::CallSucceeded {
        call,
        worker: _,
        result,
        terminal,
    } = &entry.event
    {
        with_call(state, call, |it| {
            it.in_doubt = false;
            it.terminal = *terminal;
            finish(
                it,
                Phase::Succeeded,
                at,
                Answer::Result(*result),
                Some(*result),
            );
        });
    } else if let Event::CallFailed {
        call,
        code,
        handler_code,
        message,
        result,
    } = &entry.event
    {
        with_call(state, call, |it| {
            it.in_doubt = false;
            finish(
                it,
                Phase::Failed,
                at,
                error(code, handler_code.as_deref(), message),
                *result,
            );
        });
    } else if let Event::CallIndeterminate { call, message } = &entry.event {
        with_call(state, call, |it| {
            it.in_doubt = true;
            let answer = error(crate::ErrorCode::Indeterminate.as_str(), None, message);
            finish(it, Phase::Indeterminate, at, answer, None);
        });
    } else if let Event::CallCancelled { call } = &entry.event {
        with_call(state, call, |it| {
            let answer = error(
                "cancelled",
                None,
                "the session ended before the call was sent",
            );
            finish(it, Phase::Cancelled, at, answer, None);
        });
    }
    // A conflicting result is evidence: it stands in the journal and changes nothing.
}

fn error(code: &str, handler_code: Option<&str>, message: &str) -> Answer {
    Answer::Error {
        code: code.to_owned(),
        handler_code: handler_code.map(str::to_owned),
        message: message.to_owned(),
    }
}

fn finish(call: &mut Call, phase: Phase, at: Time, answer: Answer, result: Option<Payload>) {
    call.phase = phase;
    call.finished_at = Some(at);
    // What the model was told stays told: a late result is evidence, not another transcript.
    call.answer.get_or_insert(answer);
    if result.is_some() {
        call.result = result;
    }
}

fn fold_approval(state: &mut State, entry: &Entry) {
    let at = entry.at;
    if let Event::ApprovalOpened { .. } = &entry.event {
        open_approval(state, entry);
    } else if let Event::ApprovalVoted {
        approval,
        actor,
        vote,
        comment,
        comprehension_acknowledged,
        args,
    } = &entry.event
    {
        if let Some(it) = state.approvals.get_mut(approval) {
            it.votes.push(CastVote {
                actor: actor.clone(),
                vote: *vote,
                comment: comment.clone(),
                comprehension_acknowledged: *comprehension_acknowledged,
                args: *args,
                at,
            });
        }
    } else if let Event::ArgumentsEdited {
        approval,
        call,
        args,
        actor,
        ..
    } = &entry.event
    {
        if let Some(it) = state.approvals.get_mut(approval) {
            it.args = args.digest;
            it.edited_by = Some(actor.clone());
        }
        with_call(state, call, |it| it.args = *args);
    } else if let Event::ApprovalClosed {
        approval,
        outcome,
        by,
        comment,
    } = &entry.event
        && let Some(it) = state.approvals.get_mut(approval)
        && it.is_pending()
    {
        it.status = ApprovalStatus::Closed {
            outcome: *outcome,
            by: by.clone(),
            comment: comment.clone(),
            at,
        };
    }
}

fn open_approval(state: &mut State, entry: &Entry) {
    let Event::ApprovalOpened {
        approval,
        call,
        subject,
        args,
        required,
        on_reject,
        comprehension_required,
        expires_at,
        timeout_default,
        route,
        escalate_to,
        reason,
        causes,
    } = &entry.event
    else {
        return;
    };
    with_call(state, call, |it| {
        it.approvals = it.approvals.saturating_add(1);
        it.phase = Phase::AwaitingApproval {
            approval: approval.clone(),
        };
    });
    state
        .approvals
        .entry(approval.clone())
        .or_insert_with(|| Approval {
            id: approval.clone(),
            call: call.clone(),
            subject: *subject,
            args: *args,
            required: *required,
            on_reject: *on_reject,
            comprehension_required: *comprehension_required,
            expires_at: *expires_at,
            timeout_default: *timeout_default,
            route: route.clone(),
            escalate_to: escalate_to.clone(),
            reason: reason.clone(),
            causes: *causes,
            status: ApprovalStatus::Pending,
            edited_by: None,
            votes: Vec::new(),
            created_at: entry.at,
        });
}
