//! Ending a session. Whatever waits is closed in the same commit; calls that are with a worker
//! stay open until it answers or the grace is over.

use super::Refusal;
use super::draft::Draft;
use crate::state::{Call, Phase};
use crate::{ApprovalOutcome, ErrorCode, Event, Message, Outcome, STOP_TERMINAL};

/// A person ends it.
pub(super) fn asked(draft: &mut Draft<'_>, outcome: Outcome, by: &str) -> Result<(), Refusal> {
    draft.still_running()?;
    let reason = match outcome {
        Outcome::Completed => last_stop_reason(draft),
        Outcome::Failed | Outcome::Cancelled => String::new(),
    };
    end(draft, outcome, reason, Some(by.to_owned()));
    Ok(())
}

/// A budget is used up.
pub(super) fn limit(draft: &mut Draft<'_>, limit: &str) {
    let reason = format!("run limit {limit} exceeded (on_limit=halt)");
    end(draft, Outcome::Failed, reason, None);
}

pub(super) fn end(draft: &mut Draft<'_>, outcome: Outcome, reason: String, by: Option<String>) {
    let state = draft.state;
    for approval in state.approvals.values().filter(|it| it.is_pending()) {
        if draft.is_open(&approval.call) {
            draft.push(Event::ApprovalClosed {
                approval: approval.id.clone(),
                outcome: ApprovalOutcome::Cancelled,
                by: "system".to_owned(),
                comment: String::new(),
            });
        }
    }
    for call in state.open_calls() {
        let with_worker = matches!(call.phase, Phase::Dispatched { .. });
        if !with_worker && draft.is_open(&call.id) {
            settle(draft, call);
        }
    }
    draft.push(Event::Ended {
        outcome,
        reason,
        by,
    });
}

/// Settles a call that will not be waited for any longer, by what is known about it.
pub(super) fn settle(draft: &mut Draft<'_>, call: &Call) {
    let may_have_run = call.in_doubt || matches!(call.phase, Phase::Dispatched { .. });
    let event = if may_have_run && !call.class.may_rerun() {
        Event::CallIndeterminate {
            call: call.id.clone(),
            message: "the session ended before the outcome was known".to_owned(),
        }
    } else if let Some(failure) = call.failure.as_ref().filter(|_| !may_have_run) {
        // It did run; how that ended is known.
        Event::CallFailed {
            call: call.id.clone(),
            code: ErrorCode::HandlerError.as_str().to_owned(),
            handler_code: Some(failure.handler_code.clone()),
            message: failure.message.clone(),
            result: None,
        }
    } else {
        Event::CallCancelled {
            call: call.id.clone(),
        }
    };
    draft.push(event);
}

fn last_stop_reason(draft: &Draft<'_>) -> String {
    if draft.state.terminal_call().is_some() {
        return STOP_TERMINAL.to_owned();
    }
    draft
        .state
        .messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::Assistant { stop_reason, .. } => Some(stop_reason.clone()),
            Message::User { .. } | Message::Correction { .. } => None,
        })
        .unwrap_or_default()
}
