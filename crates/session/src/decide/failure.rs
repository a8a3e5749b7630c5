//! What a call does whose handler says that it failed: back to the agent, again later, to a person,
//! or the end of the session. Knows nothing of calls whose outcome is unknown.

use spec::Time;
use spec::snapshot::OnFailure;

use super::call::class_default;
use super::draft::{Draft, Question};
use super::end;
use crate::state::{Call, Phase};
use crate::{ApprovalSubject, ErrorCode, Event, Outcome};

/// What a handler said, in one line.
pub(super) fn words(code: &str, message: &str) -> String {
    let said: Vec<&str> = [code, message]
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect();
    said.join(": ")
}

pub(super) fn failed(draft: &mut Draft<'_>, call: &Call, code: &str, message: &str) {
    match on_failure(draft, call) {
        OnFailure::ReturnToAgent => tell(draft, call, code, message),
        OnFailure::Retry => match retry_at(draft, call) {
            Some(due) => erred(draft, call, (code, message), Some(due)),
            None => tell(draft, call, code, message),
        },
        OnFailure::Escalate => {
            erred(draft, call, (code, message), None);
            let reason = format!(
                "the handler of {} says that it failed: {}; approve to run it again",
                call.wire_name,
                words(code, message)
            );
            let subject = ApprovalSubject::HandlerFailed;
            let question = Question::new(subject, call.args.digest, Some(reason));
            // An approval about this call may have been settled by this very result.
            draft.open_approval(&call.id, call.approvals, question, &class_default());
        }
        OnFailure::Fail => {
            tell(draft, call, code, message);
            let reason = format!(
                "{} failed (on_failure=fail): {}",
                call.wire_name,
                words(code, message)
            );
            end::end(draft, Outcome::Failed, reason, None);
        }
    }
}

/// What the author asks for, where there is still something to decide: nothing is, once the session
/// has ended, the model has its answer, or the worker was told that nobody waits any more.
fn on_failure(draft: &Draft<'_>, call: &Call) -> OnFailure {
    let given_up = draft.ended
        || call.answer.is_some()
        || matches!(&call.phase, Phase::Dispatched { deadline, .. } if *deadline <= draft.now);
    let tool = draft.plan.snapshot.tool(&call.wire_name);
    match tool {
        Some(tool) if !given_up => tool.on_failure,
        Some(_) | None => OnFailure::ReturnToAgent,
    }
}

/// When the call is due to run again by itself; `None` when it is not.
fn retry_at(draft: &Draft<'_>, call: &Call) -> Option<Time> {
    let settings = &draft.plan.settings;
    if !call.class.may_rerun() || call.attempts >= settings.attempts_max {
        return None;
    }
    let [first, later] = settings.retry_ms;
    let wait = if call.attempts <= 1 { first } else { later };
    let due = draft.now.plus_ms(wait);
    (due < draft.call_deadline()).then_some(due)
}

fn erred(
    draft: &mut Draft<'_>,
    call: &Call,
    (code, message): (&str, &str),
    retry_at: Option<Time>,
) {
    draft.push(Event::CallErred {
        call: call.id.clone(),
        attempt: call.attempts,
        handler_code: code.to_owned(),
        message: message.to_owned(),
        retry_at,
    });
}

fn tell(draft: &mut Draft<'_>, call: &Call, code: &str, message: &str) {
    draft.push(Event::CallFailed {
        call: call.id.clone(),
        code: ErrorCode::HandlerError.as_str().to_owned(),
        handler_code: Some(code.to_owned()),
        message: message.to_owned(),
        result: None,
    });
}
