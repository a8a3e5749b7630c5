//! A call that waited, judged once more where the deployment's overlay has changed since: a rule that
//! was added meanwhile counts. Knows nothing of how an overlay came about.

use policy::{Ask, Outcome as PolicyOutcome};
use spec::{Digest, Json};

use super::Refusal;
use super::call::give_up;
use super::draft::{Draft, Question, context_of_call};
use super::turn::{denial_text, keeps_contract};
use crate::state::{Approval, ApprovalStatus, Call, State};
use crate::{ApprovalOutcome, ApprovalSubject, ErrorCode, Slot};

/// The approvals of a call that were given.
pub(super) fn given<'a>(state: &'a State, call: &'a Call) -> impl Iterator<Item = &'a Approval> {
    state.approvals.values().filter(|it| {
        let approved = matches!(
            it.status,
            ApprovalStatus::Closed {
                outcome: ApprovalOutcome::Approved,
                ..
            }
        );
        it.call == call.id && approved
    })
}

/// Sends the call, unless the overlay in force has something against it now. `just` is an approval
/// that this very decision gives.
pub(super) fn send(
    draft: &mut Draft<'_>,
    call: &Call,
    args: Digest,
    (slot, just): (&Slot, Option<&Approval>),
) -> Result<(), Refusal> {
    if draft.plan.overlay == call.overlay {
        draft.send_or_queue(call, args, Some(slot));
        return Ok(());
    }
    let values = draft.json(args)?;
    if let Err(message) = keeps_contract(draft.plan, &call.wire_name, &values) {
        give_up(draft, call, ErrorCode::InvalidArgs, &changed(&message));
        return Ok(());
    }
    let input = draft.json(draft.started()?.input.digest)?;
    let context = context_of_call(draft.state, &input, call, draft.now);
    let verdict = draft.plan.rules.judge(&policy::Call {
        wire_name: &call.wire_name,
        args: &values,
        trigger: None,
        context: &context,
    });
    match &verdict.outcome {
        PolicyOutcome::Deny(denials) => {
            let message = changed(&denial_text(denials));
            give_up(draft, call, ErrorCode::PolicyDenied, &message);
        }
        PolicyOutcome::Ask(ask) => match unanswered(draft, call, ask, just)? {
            Some(ask) => {
                let question = Question::new(ApprovalSubject::Call, args, None);
                draft.open_approval(&call.id, call.approvals, question, &ask);
            }
            None => draft.send_or_queue(call, args, Some(slot)),
        },
        PolicyOutcome::Pass => draft.send_or_queue(call, args, Some(slot)),
    }
    Ok(())
}

fn changed(message: &str) -> String {
    format!("the rules of the deployment changed while the call waited: {message}")
}

/// What people have not been asked about the call yet. Who has said yes to a policy is not asked for
/// it again, unless more of them are needed now.
fn unanswered(
    draft: &Draft<'_>,
    call: &Call,
    ask: &Ask,
    just: Option<&Approval>,
) -> Result<Option<Ask>, Refusal> {
    let mut asked: Vec<String> = Vec::new();
    let mut people = 0;
    let mut understood = false;
    for approval in given(draft.state, call).chain(just) {
        let causes = draft.json(approval.causes.digest)?;
        let causes = causes.as_array().unwrap_or_default().iter();
        let policies = causes.filter_map(|it| it.get("policy").and_then(Json::as_str));
        asked.extend(policies.map(str::to_owned));
        people = people.max(approval.required);
        understood |= approval.comprehension_required;
    }
    let enough = people >= ask.approvals_required && (understood || !ask.comprehension_required);
    let mut left = ask.clone();
    left.causes
        .retain(|it| !asked.contains(&it.policy.to_string()));
    Ok(match (left.causes.is_empty(), enough) {
        (true, true) => None,
        (true, false) => Some(ask.clone()),
        (false, _) => Some(left),
    })
}
