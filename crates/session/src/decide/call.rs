//! A call on its way: slots, nacks, results, unknown outcomes. Knows nothing of connections.

use std::sync::Arc;

use policy::{Ask, Outcome as PolicyOutcome, Trigger, Verdict};
use spec::snapshot::OnReject;
use spec::{CallId, Digest, Json, WorkerId};

use super::draft::{Draft, Question, context_of_call};
use super::turn::{denial_text, explain};
use super::{Refusal, dispatched};
use crate::state::{Call, Phase};
use crate::{
    ApprovalOutcome, ApprovalSubject, CallResult, ErrorCode, Event, NoSlot, Slot, UnknownCause,
};

pub(super) fn slot_ready(draft: &mut Draft<'_>, id: &CallId, slot: &Slot) -> Result<(), Refusal> {
    draft.still_running()?;
    let call = draft.call(id)?;
    if !matches!(call.phase, Phase::Queued { .. }) {
        return Err(Refusal::Stale);
    }
    super::overlay::send(draft, call, call.args.digest, (slot, None))
}

pub(super) fn no_slot(draft: &mut Draft<'_>, id: &CallId, cause: NoSlot) -> Result<(), Refusal> {
    draft.still_running()?;
    let call = draft.call(id)?;
    if !matches!(call.phase, Phase::Queued { .. }) {
        return Err(Refusal::Stale);
    }
    let (trigger, message) = match cause {
        NoSlot::NoHandler => (
            Trigger::NoHandler,
            format!("no worker is connected for {}@{}", call.tool, call.version),
        ),
        NoSlot::CapacityExhausted => (
            Trigger::CapacityExhausted,
            format!(
                "every worker for {}@{} stayed busy",
                call.tool, call.version
            ),
        ),
    };
    nobody(draft, call, trigger, &message)
}

/// Nobody took the call: the policies that read the trigger decide, then the agent is told.
fn nobody(
    draft: &mut Draft<'_>,
    call: &Call,
    trigger: Trigger,
    message: &str,
) -> Result<(), Refusal> {
    let code = if trigger == Trigger::CapacityExhausted {
        ErrorCode::CapacityExhausted
    } else {
        ErrorCode::NoHandler
    };
    let verdict = second_round(draft, call, trigger)?;
    let denied = match verdict.outcome {
        PolicyOutcome::Ask(ask) => {
            let question = Question::new(ApprovalSubject::NoWorker, call.args.digest, None);
            draft.open_approval(&call.id, call.approvals, question, &ask);
            return Ok(());
        }
        PolicyOutcome::Deny(denials) => Some(denial_text(&denials)),
        PolicyOutcome::Pass => None,
    };
    let message = denied.as_deref().unwrap_or(message);
    let message = match &call.failure {
        Some(it) => &format!(
            "{message}; when it ran last it failed: {}",
            super::failure::words(&it.handler_code, &it.message)
        ),
        None => message,
    };
    // An earlier dispatch may have run: saying "not run" would be a guess.
    give_up(draft, call, code, message);
    Ok(())
}

/// The call goes no further: it has not run, or nobody knows whether it has.
pub(super) fn give_up(draft: &mut Draft<'_>, call: &Call, code: ErrorCode, message: &str) {
    if call.in_doubt {
        indeterminate(draft, call, message);
    } else {
        fail(draft, call, code, message);
    }
}

fn fail(draft: &mut Draft<'_>, call: &Call, code: ErrorCode, message: &str) {
    draft.push(Event::CallFailed {
        call: call.id.clone(),
        code: code.as_str().to_owned(),
        handler_code: None,
        message: message.to_owned(),
        result: None,
    });
}

fn indeterminate(draft: &mut Draft<'_>, call: &Call, message: &str) {
    draft.push(Event::CallIndeterminate {
        call: call.id.clone(),
        message: message.to_owned(),
    });
}

/// The policies that read the trigger, about a call that was let go once.
fn second_round(draft: &Draft<'_>, call: &Call, trigger: Trigger) -> Result<Verdict, Refusal> {
    let args = draft.json(call.args.digest)?;
    let input = draft.json(draft.started()?.input.digest)?;
    let context = context_of_call(draft.state, &input, call, draft.now);
    Ok(draft.plan.rules.judge(&policy::Call {
        wire_name: &call.wire_name,
        args: &args,
        trigger: Some(trigger),
        context: &context,
    }))
}

/// What a worker says when it refuses before executing.
pub(super) struct Nack<'a> {
    pub(super) code: &'a str,
    pub(super) message: &'a str,
}

pub(super) fn nacked(
    draft: &mut Draft<'_>,
    id: &CallId,
    worker: &WorkerId,
    nack: &Nack<'_>,
) -> Result<(), Refusal> {
    let call = draft.call(id)?;
    let attempt = match dispatched(&call.phase) {
        Some((attempt, slot)) if slot.worker == *worker => attempt,
        Some(_) => return Err(Refusal::NotHolder),
        None => return Err(Refusal::Stale),
    };
    if draft.ended {
        let event = if call.in_doubt && !call.class.may_rerun() {
            let message = "an earlier dispatch may have run".to_owned();
            Event::CallIndeterminate {
                call: id.clone(),
                message,
            }
        } else {
            Event::CallCancelled { call: id.clone() }
        };
        draft.push(event);
        return Ok(());
    }
    if nack.code == ErrorCode::InvalidArgs.as_str() && !call.in_doubt {
        draft.push(Event::CallFailed {
            call: id.clone(),
            code: ErrorCode::HandlerError.as_str().to_owned(),
            handler_code: Some(nack.code.to_owned()),
            message: nack.message.to_owned(),
            result: None,
        });
        return Ok(());
    }
    draft.push(Event::CallNacked {
        call: id.clone(),
        attempt,
        code: nack.code.to_owned(),
        message: nack.message.to_owned(),
    });
    if attempt >= draft.plan.settings.attempts_max {
        let message = format!(
            "every worker that was asked refused the call, last: {} {}",
            nack.code, nack.message
        );
        nobody(draft, call, Trigger::NoHandler, &message)?;
    }
    Ok(())
}

pub(super) fn result(
    draft: &mut Draft<'_>,
    id: &CallId,
    worker: &WorkerId,
    result: &CallResult,
) -> Result<(), Refusal> {
    let call = draft.call(id)?;
    let held = call
        .last_slot
        .as_ref()
        .is_some_and(|slot| slot.worker == *worker);
    if !held {
        return Err(Refusal::NotHolder);
    }
    match &call.phase {
        Phase::Dispatched { .. } | Phase::Indeterminate => accept(draft, call, worker, result),
        Phase::AwaitingApproval { approval } if call.in_doubt => {
            draft.push(Event::ApprovalClosed {
                approval: approval.clone(),
                outcome: ApprovalOutcome::Settled,
                by: format!("worker:{worker}"),
                comment: "the worker's result arrived".to_owned(),
            });
            accept(draft, call, worker, result);
        }
        Phase::Queued { .. } if call.in_doubt => accept(draft, call, worker, result),
        Phase::Succeeded | Phase::Failed => return conflict(draft, call, worker, result),
        Phase::Cancelled => return conflict(draft, call, worker, result),
        // The failure that it waits with, once more.
        Phase::Waiting { .. } => return conflict(draft, call, worker, result),
        Phase::AwaitingApproval { .. } | Phase::Queued { .. } if call.failure.is_some() => {
            return conflict(draft, call, worker, result);
        }
        Phase::Proposed
        | Phase::AwaitingApproval { .. }
        | Phase::Queued { .. }
        | Phase::Refused => {
            return Err(Refusal::NotHolder);
        }
    }
    Ok(())
}

fn accept(draft: &mut Draft<'_>, call: &Call, worker: &WorkerId, result: &CallResult) {
    let invalid = |message: String, result| Event::CallFailed {
        call: call.id.clone(),
        code: ErrorCode::InvalidResult.as_str().to_owned(),
        handler_code: None,
        message,
        result,
    };
    let event = match result {
        CallResult::Failed { code, message } => {
            super::failure::failed(draft, call, code, message);
            return;
        }
        CallResult::TooLarge { len, max } => invalid(
            format!("the tool did run, but its result is too large: {len} > {max} bytes"),
            None,
        ),
        CallResult::Returned(bytes) => {
            let payload = draft.keep(Arc::clone(bytes));
            match result_error(draft, call, bytes) {
                None => Event::CallSucceeded {
                    call: call.id.clone(),
                    worker: worker.clone(),
                    result: payload,
                    terminal: is_terminal(draft, call),
                },
                Some(message) => invalid(message, Some(payload)),
            }
        }
    };
    draft.push(event);
}

fn is_terminal(draft: &Draft<'_>, call: &Call) -> bool {
    let tool = draft.plan.snapshot.tool(&call.wire_name);
    tool.is_some_and(|it| it.terminal)
}

fn result_error(draft: &Draft<'_>, call: &Call, bytes: &[u8]) -> Option<String> {
    let value = if bytes.is_empty() {
        Json::object()
    } else {
        match Json::parse(bytes) {
            Ok(value) => value,
            Err(error) => {
                return Some(format!(
                    "the tool did run, but its result is not JSON: {error}"
                ));
            }
        }
    };
    let violations = draft.plan.output_violations(&call.wire_name, &value);
    if violations.is_empty() {
        return None;
    }
    Some(format!(
        "the tool did run, but its result breaks its contract: {}",
        violations.join("; ")
    ))
}

/// A second result of a finished call: harmless when equal, evidence when not.
fn conflict(
    draft: &mut Draft<'_>,
    call: &Call,
    worker: &WorkerId,
    result: &CallResult,
) -> Result<(), Refusal> {
    let CallResult::Returned(bytes) = result else {
        return Err(Refusal::AlreadyFinished);
    };
    if call.result.is_some_and(|it| it.digest == Digest::of(bytes)) {
        return Err(Refusal::AlreadyFinished);
    }
    let result = draft.keep(Arc::clone(bytes));
    draft.push(Event::ResultConflict {
        call: call.id.clone(),
        worker: worker.clone(),
        result,
    });
    Ok(())
}

/// A dispatch whose outcome cannot be waited for any longer: the policies that read the trigger
/// first, then the class.
pub(super) fn unknown(
    draft: &mut Draft<'_>,
    id: &CallId,
    attempt: u32,
    cause: UnknownCause,
) -> Result<(), Refusal> {
    let call = draft.call(id)?;
    if dispatched(&call.phase).is_none_or(|(current, _)| current != attempt) {
        return Err(Refusal::Stale);
    }
    if draft.ended {
        super::end::settle(draft, call);
        return Ok(());
    }
    let trigger = match cause {
        UnknownCause::LeaseExpired => Trigger::LeaseExpired,
        UnknownCause::Indeterminate => Trigger::Indeterminate,
    };
    let verdict = second_round(draft, call, trigger)?;
    let explain = explain(draft, Some(&verdict));
    draft.push(Event::CallUnknown {
        call: id.clone(),
        attempt,
        cause,
        explain,
    });
    let ask = match verdict.outcome {
        PolicyOutcome::Deny(denials) => {
            indeterminate(draft, call, &denial_text(&denials));
            return Ok(());
        }
        PolicyOutcome::Ask(ask) => ask,
        PolicyOutcome::Pass if call.class.may_rerun() => {
            if attempt < draft.plan.settings.attempts_max {
                draft.push(Event::CallQueued { call: id.clone() });
            } else {
                let message = format!("no outcome was learnt in {attempt} attempts");
                indeterminate(draft, call, &message);
            }
            return Ok(());
        }
        PolicyOutcome::Pass => class_default(),
    };
    let reason = ask.causes.is_empty().then(|| {
        format!(
            "the outcome of a {} call is unknown: it may or may not have run",
            call.class
        )
    });
    let question = Question::new(ApprovalSubject::Indeterminate, call.args.digest, reason);
    draft.open_approval(id, call.approvals, question, &ask);
    Ok(())
}

/// What is asked where no policy says more: one person decides, and no time decides for them.
pub(super) fn class_default() -> Ask {
    Ask {
        approvals_required: 1,
        timeout: None,
        on_reject: OnReject::ReturnToAgent,
        comprehension_required: false,
        causes: Vec::new(),
    }
}
