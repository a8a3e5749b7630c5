//! Decisions: from a state and an input to the events that follow, or a refusal. Pure; the parent
//! branches, each file settles one verb.

mod approval;
mod call;
mod clock;
mod draft;
mod end;
mod failure;
mod output;
mod overlay;
mod start;
mod turn;

use spec::{ApprovalId, CallId, Digest, Time};

use crate::state::{Phase, State};
use crate::{Event, Input, Payloads, Plan, Vote};
use draft::Draft;

pub use approval::BY_TIMEOUT;
pub use turn::judge;

/// What a decision adds to the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Appended in one commit, in this order; empty when nothing changes.
    pub events: Vec<Event>,
    /// Bytes that the events refer to.
    pub payloads: Payloads,
}

/// Why an input changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// `Start` for a session that has started.
    #[error("the session has started already")]
    AlreadyStarted,
    /// Anything else for a session that has not.
    #[error("the session has not started")]
    NotStarted,
    /// The session is over.
    #[error("the session has ended ({status})")]
    Ended {
        /// Its status on the wire.
        status: &'static str,
    },
    /// A user message while a turn runs.
    #[error("the session is in the middle of a turn")]
    Busy,
    /// An outcome of something that is no longer waited for.
    #[error("nothing waits for this any more")]
    Stale,
    /// No such call in this session.
    #[error("this session has no call `{0}`")]
    UnknownCall(CallId),
    /// The call is finished and this is the result on record.
    #[error("the call is finished with this very result")]
    AlreadyFinished,
    /// The sender does not hold the call.
    #[error("the worker does not hold this call")]
    NotHolder,
    /// No such approval in this session.
    #[error("approval `{0}` not found")]
    UnknownApproval(ApprovalId),
    /// The approval is over, and this is the decision that it ended with.
    #[error("the approval is settled with this decision")]
    SameDecision,
    /// The approval is over, with another decision or by another cause.
    #[error("already decided: {outcome} by {by}")]
    AlreadyDecided {
        /// How it ended.
        outcome: &'static str,
        /// Who.
        by: String,
        /// When.
        at: Time,
    },
    /// The actor has voted about these arguments.
    #[error("actor \"{actor}\" already decided on this approval")]
    AlreadyVoted {
        /// Who.
        actor: String,
    },
    /// An approval that must acknowledge the text does not.
    #[error("this approval requires comprehension_acknowledged")]
    ComprehensionRequired,
    /// An approval that does not say which arguments it is about, after somebody changed them.
    #[error("the arguments were changed by {by}: say which ones you approve by sending them")]
    ArgumentsChanged {
        /// Who changed them last.
        by: String,
    },
    /// Edited arguments that the contract or a policy refuses.
    #[error("the edited arguments are refused: {0}")]
    EditRefused(String),
    /// The driver did not hand in bytes that the decision reads.
    #[error("payload {0} was not handed in")]
    MissingPayload(Digest),
    /// Bytes on record that do not read as what they must be.
    #[error("a payload on record is damaged: {0}")]
    DamagedPayload(String),
}

/// Digests of the payloads that a decision reads: about `input`, or (`None`) about a whole turn.
/// The driver loads them first, so that deciding never waits.
#[must_use]
pub fn needs(state: &State, input: Option<&Input>) -> Vec<Digest> {
    let calls: Vec<&crate::Call> = match input {
        None => Vec::new(),
        Some(
            Input::NoSlot { call, .. }
            | Input::Unknown { call, .. }
            | Input::Nacked { call, .. }
            | Input::SlotReady { call, .. },
        ) => state.call(call).into_iter().collect(),
        Some(Input::Decide(decision)) => state
            .approvals
            .get(&decision.approval)
            .and_then(|it| state.call(&it.call))
            .into_iter()
            .collect(),
        // Any call that is with a worker may turn out to be overdue.
        Some(Input::Tick) => state
            .open_calls()
            .filter(|call| dispatched(&call.phase).is_some())
            .collect(),
        Some(
            Input::Start(_)
            | Input::Say { .. }
            | Input::Completed { .. }
            | Input::CompletionFailed { .. }
            | Input::Result { .. }
            | Input::Cancel { .. }
            | Input::Complete { .. },
        ) => return Vec::new(),
    };
    let causes = match input {
        Some(Input::Decide(decision)) => state.approvals.get(&decision.approval),
        Some(_) | None => None,
    };
    // What was approved counts if the overlay has changed when the call goes.
    let goes = matches!(input, Some(Input::Decide(_) | Input::SlotReady { .. }));
    let given = calls
        .iter()
        .filter(|_| goes)
        .flat_map(|call| overlay::given(state, call))
        .map(|it| it.causes.digest);
    let given: Vec<Digest> = given.collect();
    let input = state.started.iter().map(|it| it.input.digest);
    input
        .chain(causes.map(|it| it.causes.digest))
        .chain(given)
        .chain(calls.into_iter().map(|call| call.args.digest))
        .collect()
}

/// The call that `input` lets go if all is well: the driver reserves a slot for it first.
#[must_use]
pub fn slot_wanted<'a>(state: &'a State, input: &Input) -> Option<&'a crate::Call> {
    let Input::Decide(decision) = input else {
        return None;
    };
    if decision.vote == Vote::Reject || state.ended.is_some() {
        return None;
    }
    let approval = state
        .approvals
        .get(&decision.approval)
        .filter(|it| it.is_pending())?;
    let votes = if decision.args.is_some() {
        0
    } else {
        approval.received()
    };
    if votes.saturating_add(1) < approval.required {
        return None;
    }
    state.call(&approval.call)
}

/// What follows from `input` in `state` at `now`.
///
/// # Errors
/// The input changes nothing, and why.
pub fn decide(
    plan: &Plan,
    state: &State,
    input: &Input,
    payloads: &Payloads,
    now: Time,
) -> Result<Decided, Refusal> {
    let mut draft = Draft::new(plan, state, payloads, now);
    if let Input::Start(start) = input {
        start::start(&mut draft, start)?;
        return Ok(draft.finish());
    }
    if state.started.is_none() {
        return Err(Refusal::NotStarted);
    }
    match input {
        // Handled above; kept so that a new input cannot be forgotten here.
        Input::Start(_) => return Err(Refusal::AlreadyStarted),
        Input::Say { text } => start::say(&mut draft, text)?,
        Input::Completed { turn, slots } => turn::completed(&mut draft, turn, slots)?,
        Input::CompletionFailed { completion, error } => {
            turn::completion_failed(&mut draft, *completion, error)?;
        }
        Input::SlotReady { call, slot } => call::slot_ready(&mut draft, call, slot)?,
        Input::NoSlot { call, cause } => call::no_slot(&mut draft, call, *cause)?,
        Input::Nacked {
            call,
            worker,
            code,
            message,
        } => {
            call::nacked(&mut draft, call, worker, &call::Nack { code, message })?;
        }
        Input::Result {
            call,
            worker,
            result,
        } => call::result(&mut draft, call, worker, result)?,
        Input::Unknown {
            call,
            attempt,
            cause,
        } => {
            call::unknown(&mut draft, call, *attempt, *cause)?;
        }
        Input::Decide(decision) => approval::decide(&mut draft, decision)?,
        Input::Tick => clock::tick(&mut draft)?,
        Input::Cancel { by } => end::asked(&mut draft, crate::Outcome::Cancelled, by)?,
        Input::Complete { by } => end::asked(&mut draft, crate::Outcome::Completed, by)?,
    }
    output::terminal(&mut draft);
    draft.check_limits();
    Ok(draft.finish())
}

/// The phase in which a call holds a worker, with its attempt.
fn dispatched(phase: &Phase) -> Option<(u32, &crate::Slot)> {
    if let Phase::Dispatched { attempt, slot, .. } = phase {
        Some((*attempt, slot))
    } else {
        None
    }
}
