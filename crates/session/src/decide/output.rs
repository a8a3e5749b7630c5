//! What a turn comes to: the final answer against the output's contract, or the result of a call
//! that ends the loop. Knows nothing of how either is shown.

use spec::Json;
use spec::snapshot::{OnInvalid, OutputFormat, SessionMode};

use super::draft::Draft;
use super::{Refusal, end};
use crate::repair::repair;
use crate::{Event, Outcome, Plan, STOP_TERMINAL, Turn};

/// The model has said its last word of the turn.
pub(super) fn answered(draft: &mut Draft<'_>, turn: &Turn) -> Result<(), Refusal> {
    let mode = draft.started()?.mode;
    match draft.plan.snapshot.output.format {
        OutputFormat::Text => {}
        OutputFormat::Json => match read(draft.plan, &turn.reply.text) {
            Ok((value, repaired)) => {
                let output = draft.keep(value.to_canonical().into_bytes());
                draft.push(Event::OutputAccepted {
                    completion: turn.completion,
                    output,
                    repaired,
                });
            }
            Err(why) => {
                reject(draft, turn, &why);
                return Ok(());
            }
        },
    }
    if mode == SessionMode::SingleTurn {
        let reason = turn.reply.stop_reason.clone();
        end::end(draft, Outcome::Completed, reason, None);
    }
    Ok(())
}

/// The value of an answer, and whether it had to be mended; else what is wrong with it.
fn read(plan: &Plan, text: &str) -> Result<(Json, bool), String> {
    let (value, repaired) = match Json::parse(text.as_bytes()) {
        Ok(value) => (value, false),
        Err(error) => {
            let mended = match plan.snapshot.output.on_invalid {
                OnInvalid::Repair => repair(text),
                OnInvalid::Retry | OnInvalid::Fail => None,
            };
            (
                mended.ok_or_else(|| format!("it is not JSON: {error}"))?,
                true,
            )
        }
    };
    let violations = plan.answer_violations(&value);
    if violations.is_empty() {
        Ok((value, repaired))
    } else {
        Err(violations.join("; "))
    }
}

fn reject(draft: &mut Draft<'_>, turn: &Turn, why: &str) {
    let max = draft.plan.settings.corrections_max;
    let again = match draft.plan.snapshot.output.on_invalid {
        OnInvalid::Retry | OnInvalid::Repair => draft.state.corrections() < max,
        OnInvalid::Fail => false,
    };
    if again {
        let text = format!(
            "The answer is not valid output: {why}. Answer again with nothing but the JSON value."
        );
        let text = draft.keep(text.into_bytes());
        draft.push(Event::OutputRejected {
            completion: turn.completion,
            text,
        });
        return;
    }
    let policy = match draft.plan.snapshot.output.on_invalid {
        OnInvalid::Retry => "retry",
        OnInvalid::Repair => "repair",
        OnInvalid::Fail => "fail",
    };
    let reason = format!("invalid output (on_invalid={policy}): {why}");
    end::end(draft, Outcome::Failed, reason, None);
}

/// Ends the loop where a call that ends it has succeeded and no other of its turn is open.
pub(super) fn terminal(draft: &mut Draft<'_>) {
    if draft.ended || draft.turn_over || draft.any_open() || draft.events().is_empty() {
        return;
    }
    let newer = |event: &Event| {
        matches!(
            event,
            Event::AssistantMessage { .. } | Event::UserMessage { .. }
        )
    };
    if draft.events().iter().any(newer) {
        return;
    }
    let succeeded = |event: &Event| {
        matches!(event, Event::CallSucceeded { call, terminal: true, .. }
            if draft.state.call(call).is_some_and(|it| it.answer.is_none()))
    };
    let before = draft.state.terminal_call().is_some();
    if !before && !draft.events().iter().any(succeeded) {
        return;
    }
    draft.turn_over = true;
    let single = draft
        .state
        .started
        .as_ref()
        .is_some_and(|it| it.mode == SessionMode::SingleTurn);
    if single {
        let reason = STOP_TERMINAL.to_owned();
        end::end(draft, Outcome::Completed, reason, None);
    }
}
