//! Settles approvals: votes, quorums, edits, expiry. Knows not who is asked, nor how.

use std::sync::Arc;

use policy::{Ask, Outcome as PolicyOutcome, Verdict};
use spec::snapshot::{OnReject, TimeoutDefault};
use spec::{ApprovalId, Json};

use super::draft::{Draft, Question, context_of_call};
use super::turn::{check_args, denial_text, explain};
use super::{Refusal, end};
use crate::state::{Approval, ApprovalStatus, Call};
use crate::{ApprovalOutcome, ApprovalSubject, Decision, ErrorCode, Event, Outcome, Payload, Vote};

/// The actor on record for what a timeout does.
pub const BY_TIMEOUT: &str = "system:timeout";

pub(super) fn decide(draft: &mut Draft<'_>, decision: &Decision) -> Result<(), Refusal> {
    let approval = draft
        .state
        .approvals
        .get(&decision.approval)
        .ok_or_else(|| Refusal::UnknownApproval(decision.approval.clone()))?;
    if let ApprovalStatus::Closed {
        outcome,
        by,
        comment: _,
        at,
    } = &approval.status
    {
        let same = same_arguments(approval, decision);
        return Err(closed(*outcome, by, *at, decision.vote, same));
    }
    draft.still_running()?;
    if approval.expires_at.is_some_and(|at| at <= draft.now) {
        // The deadline has passed, whether or not anybody looked at the clock: what was declared
        // for it happens, and nobody's late word is taken for consent.
        return expire(draft, approval);
    }
    match decision.vote {
        Vote::Reject => reject(draft, approval, decision),
        Vote::Approve => approve(draft, approval, decision),
    }
}

/// Whether the decision is about the arguments that the approval ended with.
fn same_arguments(approval: &Approval, decision: &Decision) -> bool {
    let Some(bytes) = &decision.args else {
        return true;
    };
    Json::parse(bytes)
        .is_ok_and(|args| spec::Digest::of(args.to_canonical().as_bytes()) == approval.args)
}

/// On a settled approval the same decision is an echo, another one a conflict.
fn closed(
    outcome: ApprovalOutcome,
    by: &str,
    at: spec::Time,
    vote: Vote,
    same_arguments: bool,
) -> Refusal {
    let same = match vote {
        Vote::Approve => outcome == ApprovalOutcome::Approved && same_arguments,
        Vote::Reject => outcome == ApprovalOutcome::Rejected,
    };
    if same {
        return Refusal::SameDecision;
    }
    let outcome = outcome.as_str();
    Refusal::AlreadyDecided {
        outcome,
        by: by.to_owned(),
        at,
    }
}

fn vote(draft: &mut Draft<'_>, approval: &Approval, decision: &Decision, args: spec::Digest) {
    draft.push(Event::ApprovalVoted {
        approval: approval.id.clone(),
        actor: decision.actor.clone(),
        vote: decision.vote,
        comment: decision.comment.clone(),
        comprehension_acknowledged: decision.comprehension_acknowledged,
        args,
    });
}

fn close(
    draft: &mut Draft<'_>,
    id: &ApprovalId,
    outcome: ApprovalOutcome,
    by: &str,
    comment: &str,
) {
    draft.push(Event::ApprovalClosed {
        approval: id.clone(),
        outcome,
        by: by.to_owned(),
        comment: comment.to_owned(),
    });
}

fn reject(draft: &mut Draft<'_>, approval: &Approval, decision: &Decision) -> Result<(), Refusal> {
    let call = draft.call(&approval.call)?;
    if approval.has_voted(&decision.actor, approval.args) {
        return Err(Refusal::AlreadyVoted {
            actor: decision.actor.clone(),
        });
    }
    vote(draft, approval, decision, approval.args);
    close(
        draft,
        &approval.id,
        ApprovalOutcome::Rejected,
        &decision.actor,
        &decision.comment,
    );
    let what = match approval.subject {
        ApprovalSubject::Call => "the call was rejected by a person and was not run",
        ApprovalSubject::HandlerFailed => "a person decided that it does not run again",
        ApprovalSubject::NoWorker if call.failure.is_some() && !call.in_doubt => {
            "tool dispatch denied after failure; the call did run and failed"
        }
        ApprovalSubject::NoWorker if !call.in_doubt => {
            "tool dispatch denied after failure; the call was not run"
        }
        ApprovalSubject::NoWorker | ApprovalSubject::Indeterminate => {
            "tool dispatch denied after failure; the call may or may not have run"
        }
    };
    let message = match decision.comment.trim() {
        "" => what.to_owned(),
        comment => format!("{what}: {comment}"),
    };
    refuse(draft, approval, call, ErrorCode::ApprovalRejected, &message);
    Ok(())
}

/// Ends a call that will not run (again), and the session where the policy says so.
fn refuse(draft: &mut Draft<'_>, approval: &Approval, call: &Call, code: ErrorCode, message: &str) {
    let event = if call.in_doubt {
        Event::CallIndeterminate {
            call: call.id.clone(),
            message: message.to_owned(),
        }
    } else if let (ApprovalSubject::HandlerFailed, Some(failure)) =
        (approval.subject, &call.failure)
    {
        Event::CallFailed {
            call: call.id.clone(),
            code: ErrorCode::HandlerError.as_str().to_owned(),
            handler_code: Some(failure.handler_code.clone()),
            message: format!("{} ({message})", failure.message),
            result: None,
        }
    } else {
        Event::CallFailed {
            call: call.id.clone(),
            code: code.as_str().to_owned(),
            handler_code: None,
            message: message.to_owned(),
            result: None,
        }
    };
    draft.push(event);
    if approval.on_reject == OnReject::Fail {
        end::end(draft, Outcome::Failed, message.to_owned(), None);
    }
}

fn approve(draft: &mut Draft<'_>, approval: &Approval, decision: &Decision) -> Result<(), Refusal> {
    if approval.comprehension_required && !decision.comprehension_acknowledged {
        return Err(Refusal::ComprehensionRequired);
    }
    let call = draft.call(&approval.call)?;
    let edit = match (&decision.args, &approval.edited_by) {
        (Some(bytes), _) => edited(draft, call, bytes)?,
        // Whoever looked before the edit saw something else.
        (None, Some(by)) => return Err(Refusal::ArgumentsChanged { by: by.clone() }),
        (None, None) => None,
    };
    let args = edit.as_ref().map_or(approval.args, |edit| edit.digest());
    if approval.has_voted(&decision.actor, args) {
        return Err(Refusal::AlreadyVoted {
            actor: decision.actor.clone(),
        });
    }
    let mut received = approval.received();
    if let Some(edit) = edit {
        let payload = draft.keep(Arc::clone(&edit.bytes));
        let explain = explain(draft, Some(&edit.verdict));
        draft.push(Event::ArgumentsEdited {
            approval: approval.id.clone(),
            call: call.id.clone(),
            actor: decision.actor.clone(),
            args: payload,
            explain,
        });
        let asked = draft.json(approval.causes.digest)?;
        if let Some(ask) = edit.needs_more(approval, &asked) {
            return supersede(draft, approval, call, decision, (payload, ask));
        }
        // Earlier votes were for other arguments, unless somebody had voted for these.
        received = count_for(approval, payload.digest);
    }
    vote(draft, approval, decision, args);
    if received.saturating_add(1) >= approval.required {
        close(
            draft,
            &approval.id,
            ApprovalOutcome::Approved,
            &decision.actor,
            &decision.comment,
        );
        return match &decision.slot {
            Some(slot) => super::overlay::send(draft, call, args, (slot, Some(approval))),
            None => {
                draft.send_or_queue(call, args, None);
                Ok(())
            }
        };
    }
    Ok(())
}

fn count_for(approval: &Approval, args: spec::Digest) -> u32 {
    let as_if = Approval {
        args,
        ..approval.clone()
    };
    as_if.received()
}

/// Changed arguments that the contract takes and no policy denies.
struct Edit {
    bytes: Arc<[u8]>,
    verdict: Verdict,
}

impl Edit {
    fn digest(&self) -> spec::Digest {
        spec::Digest::of(&self.bytes)
    }

    /// What the edited call asks for beyond the approval that is open, whose causes are `asked`:
    /// more people, or a policy that has not been asked for yet.
    fn needs_more(&self, approval: &Approval, asked: &Json) -> Option<Ask> {
        let PolicyOutcome::Ask(ask) = &self.verdict.outcome else {
            return None;
        };
        let asked: Vec<&str> = asked
            .as_array()
            .unwrap_or_default()
            .iter()
            .filter_map(|cause| cause.get("policy").and_then(Json::as_str))
            .collect();
        let another = ask
            .causes
            .iter()
            .any(|cause| !asked.contains(&cause.policy.to_string().as_str()));
        let more = another
            || ask.approvals_required > approval.required
            || (ask.comprehension_required && !approval.comprehension_required)
            || ask.on_reject > approval.on_reject;
        more.then(|| ask.clone())
    }
}

/// Reads edited arguments; `None` where they are those in force.
fn edited(draft: &Draft<'_>, call: &Call, bytes: &[u8]) -> Result<Option<Edit>, Refusal> {
    let args = check_args(draft.plan, &call.wire_name, bytes).map_err(Refusal::EditRefused)?;
    let canonical: Arc<[u8]> = Arc::from(args.to_canonical().into_bytes());
    if spec::Digest::of(&canonical) == call.args.digest {
        return Ok(None);
    }
    // A call that has run, or may have, must not come back under its id with other arguments.
    let ran = match (call.in_doubt, &call.failure) {
        (true, _) => Some("may have run"),
        (false, Some(_)) => Some("has run"),
        (false, None) => None,
    };
    if let Some(ran) = ran {
        return Err(Refusal::EditRefused(format!(
            "the call {ran} with its arguments; it can only run again with the same"
        )));
    }
    let input = draft.json(draft.started()?.input.digest)?;
    let verdict = judge_edit(draft, call, &args, &input);
    if let PolicyOutcome::Deny(denials) = &verdict.outcome {
        return Err(Refusal::EditRefused(denial_text(denials)));
    }
    Ok(Some(Edit {
        bytes: canonical,
        verdict,
    }))
}

fn judge_edit(draft: &Draft<'_>, call: &Call, args: &Json, input: &Json) -> Verdict {
    let context = context_of_call(draft.state, input, call, draft.now);
    draft.plan.rules.judge(&policy::Call {
        wire_name: &call.wire_name,
        args,
        trigger: None,
        context: &context,
    })
}

/// The edit needs more than this approval can give: a new one opens, with the editor's vote.
fn supersede(
    draft: &mut Draft<'_>,
    approval: &Approval,
    call: &Call,
    decision: &Decision,
    (args, ask): (Payload, Ask),
) -> Result<(), Refusal> {
    close(
        draft,
        &approval.id,
        ApprovalOutcome::Superseded,
        &decision.actor,
        &decision.comment,
    );
    let question = Question::new(approval.subject, args.digest, None);
    draft.open_approval(&call.id, call.approvals, question, &ask);
    // A vote that must acknowledge the new text cannot be carried over.
    if ask.approvals_required > 1 && !ask.comprehension_required {
        draft.push(Event::ApprovalVoted {
            approval: ApprovalId::derive(call.id.as_str(), call.approvals),
            actor: decision.actor.clone(),
            vote: Vote::Approve,
            comment: decision.comment.clone(),
            comprehension_acknowledged: decision.comprehension_acknowledged,
            args: args.digest,
        });
    }
    Ok(())
}

/// The timeout of an approval fires.
pub(super) fn expire(draft: &mut Draft<'_>, approval: &Approval) -> Result<(), Refusal> {
    let call = draft.call(&approval.call)?;
    let ran = match approval.subject {
        ApprovalSubject::Indeterminate | ApprovalSubject::HandlerFailed => true,
        ApprovalSubject::Call | ApprovalSubject::NoWorker => false,
    };
    let dangerous = ran && !call.class.may_rerun();
    let may_pass_on = call.approvals < draft.plan.settings.escalations_max;
    match approval.timeout_default {
        TimeoutDefault::Allow if dangerous => pass_on(draft, approval, call),
        TimeoutDefault::Allow if may_pass_on => {
            close(
                draft,
                &approval.id,
                ApprovalOutcome::Approved,
                BY_TIMEOUT,
                "",
            );
            draft.send_or_queue(call, approval.args, None);
        }
        TimeoutDefault::Escalate if may_pass_on => pass_on(draft, approval, call),
        TimeoutDefault::Deny | TimeoutDefault::Escalate | TimeoutDefault::Allow => {
            close(
                draft,
                &approval.id,
                ApprovalOutcome::Expired,
                BY_TIMEOUT,
                "",
            );
            let message = if call.in_doubt {
                "nobody decided in time; the call may or may not have run"
            } else if call.failure.is_some() {
                "nobody decided in time; the call does not run again"
            } else {
                "nobody decided in time; the call was not run"
            };
            refuse(draft, approval, call, ErrorCode::ApprovalExpired, message);
        }
    }
    Ok(())
}

/// Closes as escalated and asks the next route, with the same quorum and the same span of time.
fn pass_on(draft: &mut Draft<'_>, approval: &Approval, call: &Call) {
    close(
        draft,
        &approval.id,
        ApprovalOutcome::Escalated,
        BY_TIMEOUT,
        "",
    );
    let span = approval
        .expires_at
        .map(|at| at.ms_since(approval.created_at));
    draft.push(Event::ApprovalOpened {
        approval: ApprovalId::derive(call.id.as_str(), call.approvals),
        call: call.id.clone(),
        subject: approval.subject,
        args: approval.args,
        required: approval.required,
        on_reject: approval.on_reject,
        comprehension_required: approval.comprehension_required,
        expires_at: span
            .filter(|_| call.approvals < draft.plan.settings.escalations_max)
            .map(|ms| draft.now.plus_ms(ms)),
        timeout_default: TimeoutDefault::Deny,
        route: approval
            .escalate_to
            .clone()
            .unwrap_or_else(|| approval.route.clone()),
        escalate_to: None,
        reason: approval.reason.clone(),
        causes: approval.causes,
    });
}
