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
const BY_TIMEOUT: &str = "system:timeout";

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
        return Err(closed(*outcome, by, *at, decision.vote));
    }
    draft.still_running()?;
    match decision.vote {
        Vote::Reject => reject(draft, approval, decision),
        Vote::Approve => approve(draft, approval, decision),
    }
}

/// On a settled approval the same decision is an echo, another one a conflict.
fn closed(outcome: ApprovalOutcome, by: &str, at: spec::Time, vote: Vote) -> Refusal {
    let same = match vote {
        Vote::Approve => outcome == ApprovalOutcome::Approved,
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
        ApprovalSubject::NoWorker => "tool dispatch denied after failure; the call was not run",
        ApprovalSubject::Indeterminate => {
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
    let edit = match &decision.args {
        Some(bytes) => edited(draft, call, bytes)?,
        None => None,
    };
    let args = edit.as_ref().map_or(approval.args, |edit| edit.digest());
    let voted = approval
        .votes
        .iter()
        .any(|it| it.actor == decision.actor && it.args == args && it.vote == Vote::Approve);
    if voted {
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
        if let Some(ask) = edit.needs_more(approval) {
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
        draft.send_or_queue(call, args, decision.slot.as_ref());
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

    /// What the edited call asks for beyond the approval that is open: another policy, or more
    /// people.
    fn needs_more(&self, approval: &Approval) -> Option<Ask> {
        let PolicyOutcome::Ask(ask) = &self.verdict.outcome else {
            return None;
        };
        let more = ask.approvals_required > approval.required
            || (ask.comprehension_required && !approval.comprehension_required)
            || ask
                .causes
                .first()
                .and_then(|it| it.route.as_deref())
                .unwrap_or_default()
                != approval.route;
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
    // A call that may have run must not come back under its id with other arguments.
    if call.in_doubt {
        return Err(Refusal::EditRefused(
            "the call may have run with its arguments; it can only run again with the same"
                .to_owned(),
        ));
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
    let dangerous = approval.subject == ApprovalSubject::Indeterminate && !call.class.may_rerun();
    let may_pass_on = call.approvals < draft.plan.settings.escalations_max;
    match approval.timeout_default {
        TimeoutDefault::Allow if dangerous => pass_on(draft, approval, call),
        TimeoutDefault::Allow => {
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
        TimeoutDefault::Deny | TimeoutDefault::Escalate => {
            close(
                draft,
                &approval.id,
                ApprovalOutcome::Expired,
                BY_TIMEOUT,
                "",
            );
            let message = if call.in_doubt {
                "nobody decided in time; the call may or may not have run"
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
