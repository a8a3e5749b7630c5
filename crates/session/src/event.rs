//! What can have happened. The serialised shapes are frozen by goldens from the first tagged
//! release on: fields may be added with a default, never renamed or given another meaning.

use serde::{Deserialize, Serialize};
use spec::snapshot::{OnReject, SessionMode, TimeoutDefault};
use spec::{ApprovalId, CallId, Digest, SideEffectClass, Time, VersionId, WorkerId};

use crate::Payload;

/// One event with the moment that it was decided at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When.
    pub at: Time,
    /// What.
    pub event: Event,
}

/// Something that has happened in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The session exists. Always first, never again.
    Started {
        /// The published version that drives it.
        version: VersionId,
        /// Content hash of its snapshot; pinned for the whole session.
        snapshot: Digest,
        /// Whether it waits for more input after a turn.
        mode: SessionMode,
        /// The input object, canonical JSON.
        input: Payload,
        /// Who asked for it, where that is known.
        requester: Option<String>,
    },
    /// What the session stands on, decided once and never again. Follows `Started`.
    EvidenceRecorded {
        /// Descriptive metadata, and which predicates hold: a JSON object.
        evidence: Payload,
        /// Tools that this session does not have.
        unavailable: Vec<Unavailable>,
    },
    /// A person (or the starting input) said something.
    UserMessage {
        /// UTF-8 text.
        text: Payload,
    },
    /// The model answered. The calls of the same turn follow in the same commit.
    AssistantMessage {
        /// Counts the completions of the session, from 1.
        completion: u32,
        /// UTF-8 text, maybe empty.
        text: Payload,
        /// Why it stopped, as the provider says.
        stop_reason: String,
        /// Tokens.
        usage: Usage,
        /// Milliseconds that the completion took.
        duration_ms: u64,
    },
    /// The final answer keeps the output's contract.
    OutputAccepted {
        /// Which completion.
        completion: u32,
        /// The answer as canonical JSON.
        output: Payload,
        /// Whether it had to be mended mechanically first.
        repaired: bool,
    },
    /// The final answer breaks the output's contract: the model is told so and answers again.
    OutputRejected {
        /// Which completion.
        completion: u32,
        /// What the model is told, UTF-8.
        text: Payload,
    },
    /// The model asked for a call; what became of it follows in the same commit.
    CallProposed {
        /// The call's own id.
        call: CallId,
        /// The completion that asked for it.
        completion: u32,
        /// Its place in that completion, from 0.
        index: u32,
        /// What the provider calls it; only mapped back, never trusted.
        provider_id: String,
        /// The name that the model used.
        wire_name: String,
        /// `namespace.name` of the contract; empty for a name that is no tool.
        tool: String,
        /// Pinned version of the contract.
        version: String,
        /// Class that recovery follows.
        class: SideEffectClass,
        /// Canonical arguments, or the raw text where it is not an object.
        args: Payload,
        /// Explain tree of the first policy round, where policies reach the tool.
        explain: Option<Payload>,
        /// Digest of the overlay under which it was judged, if the deployment had one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overlay: Option<Digest>,
    },
    /// A call was refused before anything was sent.
    CallRefused {
        /// Which call.
        call: CallId,
        /// Which check refused.
        code: String,
        /// Why, for the model and for people.
        message: String,
    },
    /// A call may go and waits for a worker.
    CallQueued {
        /// Which call.
        call: CallId,
    },
    /// A call is about to be handed to a worker: recorded before it is sent.
    CallDispatched {
        /// Which call.
        call: CallId,
        /// Counts the dispatches of this call, from 1.
        attempt: u32,
        /// The worker slot reserved for it.
        slot: Slot,
        /// Digest of exactly the arguments that are sent.
        args: Digest,
        /// When the runtime gives up waiting.
        deadline: Time,
        /// Digest of the overlay under which it goes, if the deployment has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overlay: Option<Digest>,
    },
    /// The worker refused before executing.
    CallNacked {
        /// Which call.
        call: CallId,
        /// Which dispatch.
        attempt: u32,
        /// The worker's code.
        code: String,
        /// The worker's words.
        message: String,
    },
    /// Whether the call ran is not known.
    CallUnknown {
        /// Which call.
        call: CallId,
        /// Which dispatch.
        attempt: u32,
        /// How that came.
        cause: UnknownCause,
        /// Explain tree of the second policy round, where policies took part.
        explain: Option<Payload>,
    },
    /// The handler says that it failed, and the call is not over: it runs again later, or what
    /// follows in the same commit says where it goes from here.
    CallErred {
        /// Which call.
        call: CallId,
        /// Which dispatch.
        attempt: u32,
        /// Code of the handler.
        handler_code: String,
        /// Its words.
        message: String,
        /// When it is due to run again; `None` when people are asked.
        retry_at: Option<Time>,
    },
    /// The call ran and its result is valid.
    CallSucceeded {
        /// Which call.
        call: CallId,
        /// Who delivered it.
        worker: WorkerId,
        /// The worker's bytes as they came.
        result: Payload,
        /// Whether it ends the loop with its result as the output.
        terminal: bool,
    },
    /// The call ended with an error.
    CallFailed {
        /// Which call.
        call: CallId,
        /// Model-facing code.
        code: String,
        /// Code of the handler, where it gave one.
        handler_code: Option<String>,
        /// Why.
        message: String,
        /// The raw result, where there is one (a result that breaks its schema).
        result: Option<Payload>,
    },
    /// Nobody will find out any more by themselves whether the call ran.
    CallIndeterminate {
        /// Which call.
        call: CallId,
        /// What the model is told.
        message: String,
    },
    /// The session ended before the call was sent.
    CallCancelled {
        /// Which call.
        call: CallId,
    },
    /// A second, different result of a finished call: evidence, nothing else.
    ResultConflict {
        /// Which call.
        call: CallId,
        /// Who delivered it.
        worker: WorkerId,
        /// What came.
        result: Payload,
    },
    /// A person is asked.
    ApprovalOpened {
        /// Its id, derived from the subject.
        approval: ApprovalId,
        /// Which call.
        call: CallId,
        /// What is asked about.
        subject: ApprovalSubject,
        /// Digest of exactly the arguments that the person decides about.
        args: Digest,
        /// How many distinct people must approve.
        required: u32,
        /// What a rejection does.
        on_reject: OnReject,
        /// Whether an approval must acknowledge the text.
        comprehension_required: bool,
        /// When the timeout fires.
        expires_at: Option<Time>,
        /// What the timeout does.
        timeout_default: TimeoutDefault,
        /// Who is asked, by role.
        route: String,
        /// Whom a timeout asks next.
        escalate_to: Option<String>,
        /// Why.
        reason: String,
        /// All policies that ask, as a JSON array.
        causes: Payload,
    },
    /// Somebody voted.
    ApprovalVoted {
        /// Which approval.
        approval: ApprovalId,
        /// Who.
        actor: String,
        /// How.
        vote: Vote,
        /// Their words.
        comment: String,
        /// Whether they acknowledged the text.
        comprehension_acknowledged: bool,
        /// Digest of the arguments that they voted about.
        args: Digest,
    },
    /// A decider changed the arguments; votes for others no longer count.
    ArgumentsEdited {
        /// Which approval.
        approval: ApprovalId,
        /// Which call.
        call: CallId,
        /// Who.
        actor: String,
        /// The new canonical arguments.
        args: Payload,
        /// Explain tree of the round that judged them.
        explain: Option<Payload>,
    },
    /// An approval is over.
    ApprovalClosed {
        /// Which approval.
        approval: ApprovalId,
        /// How.
        outcome: ApprovalOutcome,
        /// Who, or which part of the runtime.
        by: String,
        /// Their words.
        comment: String,
    },
    /// The session is over; only evidence may follow.
    Ended {
        /// How.
        outcome: Outcome,
        /// Stop reason, or why it failed.
        reason: String,
        /// Who asked for it, where somebody did.
        by: Option<String>,
    },
}

/// A tool that a session does not have, since a predicate did not hold when it started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unavailable {
    /// Its wire name.
    pub tool: String,
    /// The predicate, for the model and for people.
    pub why: String,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Outcome {
    Completed,
    Failed,
    Cancelled,
}

/// How an approval ended. The causes differ, and so do the next steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalOutcome {
    /// Enough people agreed, or the timeout's default did.
    Approved,
    /// A person said no.
    Rejected,
    /// Nobody decided in time.
    Expired,
    /// Another route is asked now.
    Escalated,
    /// The session ended first.
    Cancelled,
    /// The outcome became known by itself.
    Settled,
    /// An edit needs more than this approval could give; a new one is open.
    Superseded,
}

impl ApprovalOutcome {
    /// The word on record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ApprovalOutcome::Approved => "approved",
            ApprovalOutcome::Rejected => "rejected",
            ApprovalOutcome::Expired => "expired",
            ApprovalOutcome::Escalated => "escalated",
            ApprovalOutcome::Cancelled => "cancelled",
            ApprovalOutcome::Settled => "settled",
            ApprovalOutcome::Superseded => "superseded",
        }
    }
}

/// A vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Vote {
    Approve,
    Reject,
}

/// What an approval is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalSubject {
    /// Whether a call may run.
    Call,
    /// What to do after nobody was there to run it.
    NoWorker,
    /// What to do about a call that may or may not have run.
    Indeterminate,
    /// Whether a call whose handler says that it failed runs again.
    HandlerFailed,
}

/// How an outcome came to be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownCause {
    /// The worker said nothing until its lease was over.
    LeaseExpired,
    /// The worker's connection was lost, no answer came by the deadline, or the runtime itself was
    /// away.
    Indeterminate,
}

/// A place reserved on one worker's connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// What the worker calls itself.
    pub worker: WorkerId,
    /// Names the connection; unique across restarts of the runtime.
    pub connection: String,
    /// Workload identity that the worker has or claims; empty when none.
    pub identity: String,
    /// Image digest that the worker claims; empty when none.
    pub image: String,
}

/// Tokens of a completion, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read by the model.
    pub input_tokens: u64,
    /// Written by the model.
    pub output_tokens: u64,
    /// Whether the runtime had to guess.
    pub estimated: bool,
}

impl Usage {
    /// Both kinds together.
    #[must_use]
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The sum; estimated if either is.
    #[must_use]
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            estimated: self.estimated || other.estimated,
        }
    }
}
