//! A model's answer: every call of the turn is judged before any is dispatched.

use std::collections::BTreeMap;
use std::sync::Arc;

use policy::{Outcome as PolicyOutcome, Verdict};
use spec::{CallId, Json, SideEffectClass, Time};

use super::Refusal;
use super::draft::{Before, Draft, Question, context, read_json};
use crate::input::{Judged, Ruling, STOP_MAX_TOKENS};
use crate::state::State;
use crate::{
    ApprovalSubject, ErrorCode, Event, Outcome, Payloads, Plan, Proposal, Reply, Slot, Turn,
};
use spec::snapshot::{Backend, Tool};

/// Judges every call of a reply: name, arguments, contract, policies.
///
/// # Errors
/// The session has not started, or its input was not handed in.
pub fn judge(
    plan: &Plan,
    state: &State,
    reply: Reply,
    payloads: &Payloads,
    now: Time,
) -> Result<Turn, Refusal> {
    let started = state.started.as_ref().ok_or(Refusal::NotStarted)?;
    let completion = state.completions.saturating_add(1);
    let session_input = read_json(payloads, started.input.digest)?;
    let room = plan
        .snapshot
        .limits
        .max_tool_calls
        .map_or(usize::MAX, |max| {
            usize::try_from(max)
                .unwrap_or(usize::MAX)
                .saturating_sub(state.calls.len())
        });
    let room = room.min(plan.settings.turn_calls_max);
    let cut = reply.stop_reason == STOP_MAX_TOKENS;
    let mut calls = Vec::with_capacity(reply.calls.len());
    for (place, proposal) in reply.calls.iter().enumerate() {
        let index = u32::try_from(place).unwrap_or(u32::MAX);
        let call = CallId::derive(&state.session, &started.version, completion, index);
        let tool = plan
            .snapshot
            .tool(&proposal.name)
            .map(|it| it.contract.logical_id());
        let same = |it: &str| Some(it) == tool.as_deref();
        let before = Before {
            calls: state.calls.len().saturating_add(place),
            tool_calls: state.calls.iter().filter(|it| same(&it.tool)).count()
                + calls.iter().filter(|it: &&Judged| same(&it.tool)).count(),
            turn: completion,
        };
        let context = context(&session_input, &before, now);
        let mut judged = judge_one(plan, state, proposal, &context);
        judged.index = index;
        judged.call = call;
        if cut {
            judged.ruling = refuse(
                ErrorCode::InvalidArgs,
                "the output limit cut the completion inside its tool calls; nothing was run",
            );
        } else if place >= room {
            judged.ruling = refuse(
                ErrorCode::LimitExceeded,
                "the run's limit of tool calls is used up",
            );
        }
        calls.push(judged);
    }
    Ok(Turn {
        completion,
        reply,
        calls,
    })
}

fn refuse(code: ErrorCode, message: impl Into<String>) -> Ruling {
    Ruling::Refuse {
        code,
        message: message.into(),
    }
}

fn judge_one(
    plan: &Plan,
    state: &State,
    proposal: &Proposal,
    context: &policy::Context<'_>,
) -> Judged {
    let raw: Arc<[u8]> = Arc::from(proposal.args.as_slice());
    let unjudged = |tool: &str, version: &str, class, ruling| Judged {
        index: 0,
        call: CallId::new(""),
        tool: tool.to_owned(),
        version: version.to_owned(),
        class,
        args: Arc::clone(&raw),
        verdict: None,
        ruling,
    };
    let Some(tool) = plan.snapshot.tool(&proposal.name) else {
        let message = format!("there is no tool \"{}\"", proposal.name);
        let ruling = refuse(ErrorCode::UnavailableTool, message);
        return unjudged("", "", SideEffectClass::ReadOnly, ruling);
    };
    let logical = tool.contract.logical_id();
    let mut judged = unjudged(
        &logical,
        &tool.contract.version,
        tool.side_effect_class,
        Ruling::Go,
    );
    let args = match read_args(plan, &proposal.args) {
        Ok(args) => args,
        Err(message) => {
            judged.ruling = refuse(ErrorCode::InvalidArgs, message);
            return judged;
        }
    };
    if let Some(why) = state.unavailable.get(&tool.wire_name) {
        let name = &tool.wire_name;
        let message = format!("the tool \"{name}\" is not available in this session: {why}");
        judged.ruling = refuse(ErrorCode::UnavailableTool, message);
        return judged;
    }
    if let Err(message) = keeps_contract(plan, &tool.wire_name, &args) {
        judged.ruling = refuse(ErrorCode::InvalidArgs, message);
        return judged;
    }
    judged.args = Arc::from(args.to_canonical().into_bytes());
    let verdict = plan.rules.judge(&policy::Call {
        wire_name: &tool.wire_name,
        args: &args,
        trigger: None,
        context,
    });
    judged.ruling = match &verdict.outcome {
        PolicyOutcome::Pass => Ruling::Go,
        PolicyOutcome::Ask(ask) => Ruling::Ask(ask.clone()),
        PolicyOutcome::Deny(denials) => refuse(ErrorCode::PolicyDenied, denial_text(denials)),
    };
    judged.verdict = Some(verdict);
    if let (Ruling::Go | Ruling::Ask(_), Some(why)) = (&judged.ruling, not_dialled(tool)) {
        // Nobody is asked about a call that cannot be made.
        judged.ruling = refuse(ErrorCode::NoHandler, why);
    }
    judged
}

/// Why this version makes no call of the tool, whoever says that they serve it.
fn not_dialled(tool: &Tool) -> Option<String> {
    match &tool.backend {
        Backend::Worker => None,
        Backend::Mcp { server, .. } => Some(format!(
            "the call was not run: this version of the runtime does not dial MCP servers (\"{server}\")"
        )),
        Backend::Agent(delegation) => Some(format!(
            "the call was not run: this version of the runtime does not run delegations (\"{}\")",
            delegation.agent
        )),
    }
}

pub(super) fn denial_text(denials: &[policy::Denial]) -> String {
    match denials.first() {
        Some(denial) => format!("{} (policy {})", denial.reason, denial.policy),
        None => "denied by policy".to_owned(),
    }
}

/// Reads and validates arguments as an editor sent them.
pub(super) fn check_args(plan: &Plan, wire_name: &str, bytes: &[u8]) -> Result<Json, String> {
    let args = read_args(plan, bytes)?;
    keeps_contract(plan, wire_name, &args)?;
    Ok(args)
}

fn read_args(plan: &Plan, bytes: &[u8]) -> Result<Json, String> {
    let max = plan.settings.args_bytes_max;
    if bytes.len() > max {
        return Err(format!(
            "arguments too large: {} > {max} bytes",
            bytes.len()
        ));
    }
    let args = if bytes.iter().all(u8::is_ascii_whitespace) {
        Json::object()
    } else {
        Json::parse(bytes).map_err(|error| format!("the arguments are not valid JSON: {error}"))?
    };
    if args.as_object().is_none() {
        return Err(format!(
            "the arguments must be a JSON object, not {}",
            args.kind()
        ));
    }
    Ok(args)
}

pub(super) fn keeps_contract(plan: &Plan, wire_name: &str, args: &Json) -> Result<(), String> {
    let violations = plan.input_violations(wire_name, args);
    if violations.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "the arguments break the tool's contract: {}",
            violations.join("; ")
        ))
    }
}

/// The stored explain tree; `None` where no policy reaches the call.
pub(super) fn explain(draft: &mut Draft<'_>, verdict: Option<&Verdict>) -> Option<crate::Payload> {
    let verdict = verdict.filter(|it| !it.trace.is_empty())?;
    Some(draft.keep(verdict.explain().to_canonical().into_bytes()))
}

pub(super) fn completed(
    draft: &mut Draft<'_>,
    turn: &Turn,
    slots: &BTreeMap<u32, Slot>,
) -> Result<(), Refusal> {
    draft.still_running()?;
    let state = draft.state;
    let expected = state.completions.saturating_add(1);
    if turn.completion != expected || !state.open.is_empty() || state.turn_is_over() {
        return Err(Refusal::Stale);
    }
    let text = draft.keep(turn.reply.text.as_bytes());
    draft.push(Event::AssistantMessage {
        completion: turn.completion,
        text,
        stop_reason: turn.reply.stop_reason.clone(),
        usage: turn.reply.usage,
        duration_ms: turn.reply.duration_ms,
    });
    for judged in &turn.calls {
        propose(draft, turn, judged, slots.get(&judged.index));
    }
    if turn.calls.is_empty() {
        super::output::answered(draft, turn)?;
    }
    Ok(())
}

fn propose(draft: &mut Draft<'_>, turn: &Turn, judged: &Judged, slot: Option<&Slot>) {
    let args = draft.keep(Arc::clone(&judged.args));
    let explain = explain(draft, judged.verdict.as_ref());
    let place = usize::try_from(judged.index).unwrap_or(usize::MAX);
    let proposal = turn.reply.calls.get(place).cloned().unwrap_or_default();
    draft.push(Event::CallProposed {
        call: judged.call.clone(),
        completion: turn.completion,
        index: judged.index,
        provider_id: proposal.provider_id,
        wire_name: proposal.name,
        tool: judged.tool.clone(),
        version: judged.version.clone(),
        class: judged.class,
        args,
        explain,
        overlay: draft.plan.overlay,
    });
    match &judged.ruling {
        Ruling::Refuse { code, message } => draft.push(Event::CallRefused {
            call: judged.call.clone(),
            code: code.as_str().to_owned(),
            message: message.clone(),
        }),
        Ruling::Ask(ask) => {
            let question = Question::new(ApprovalSubject::Call, args.digest, None);
            draft.open_approval(&judged.call, 0, question, ask);
        }
        Ruling::Go => match slot {
            Some(slot) => {
                let deadline = draft.call_deadline();
                draft.push(Event::CallDispatched {
                    call: judged.call.clone(),
                    attempt: 1,
                    slot: slot.clone(),
                    args: args.digest,
                    deadline,
                    overlay: draft.plan.overlay,
                });
            }
            None => draft.push(Event::CallQueued {
                call: judged.call.clone(),
            }),
        },
    }
}

pub(super) fn completion_failed(
    draft: &mut Draft<'_>,
    completion: u32,
    error: &str,
) -> Result<(), Refusal> {
    draft.still_running()?;
    if completion != draft.state.completions.saturating_add(1) || !draft.state.open.is_empty() {
        return Err(Refusal::Stale);
    }
    super::end::end(draft, Outcome::Failed, error.to_owned(), None);
    Ok(())
}
