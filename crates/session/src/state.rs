//! What a session is: the fold of its events. Holds digests and small values; payloads lie beside
//! the events.

use std::collections::BTreeMap;

use spec::snapshot::{OnReject, SessionMode, TimeoutDefault};
use spec::{ApprovalId, CallId, Digest, SessionId, SideEffectClass, Time, VersionId};

use crate::{Answer, ApprovalOutcome, ApprovalSubject, Outcome, Payload, Slot, Usage, Vote};

/// The state of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Whose state this is.
    pub session: SessionId,
    /// Number of events folded; the sequence number of the last one.
    pub seq: u64,
    /// What it began with; `None` before the first event.
    pub started: Option<Started>,
    /// The transcript, without the results of calls (they stand in `calls`).
    pub messages: Vec<Message>,
    /// Completions on record.
    pub completions: u32,
    /// Every call, in order.
    pub calls: Vec<Call>,
    /// Every approval.
    pub approvals: BTreeMap<ApprovalId, Approval>,
    /// Tokens of all completions.
    pub usage: Usage,
    /// How it ended.
    pub ended: Option<Ended>,
    /// Time spent, by kind.
    pub clock: Clock,
    /// Tools that this session does not have, by wire name, with the predicate that failed.
    pub unavailable: BTreeMap<String, String>,
    /// The last final answer that kept a JSON output's contract, canonical.
    pub output: Option<Payload>,
    /// Place of each call in `calls`.
    pub(crate) index: BTreeMap<CallId, usize>,
    /// Places of calls without an outcome yet; small, so that long sessions stay cheap.
    pub(crate) open: Vec<usize>,
}

/// What a session began with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the event")]
pub struct Started {
    pub version: VersionId,
    pub snapshot: Digest,
    pub mode: SessionMode,
    pub input: Payload,
    pub requester: Option<String>,
    pub at: Time,
}

/// One message of the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A person's.
    User {
        /// UTF-8 text.
        text: Payload,
        /// When.
        at: Time,
    },
    /// The runtime's, about an answer that breaks the output's contract.
    Correction {
        /// UTF-8 text.
        text: Payload,
        /// When.
        at: Time,
    },
    /// The model's.
    Assistant {
        /// UTF-8 text, maybe empty.
        text: Payload,
        /// Places of its calls in [`State::calls`].
        calls: std::ops::Range<usize>,
        /// Why it stopped.
        stop_reason: String,
        /// Tokens of this completion.
        usage: Usage,
        /// Milliseconds that it took.
        duration_ms: u64,
        /// When.
        at: Time,
    },
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the event")]
pub struct Call {
    pub id: CallId,
    pub completion: u32,
    pub index: u32,
    pub provider_id: String,
    pub wire_name: String,
    pub tool: String,
    pub version: String,
    pub class: SideEffectClass,
    /// The arguments in force: those proposed, or those of the last edit.
    pub args: Payload,
    pub explain: Option<Payload>,
    /// The overlay under which it was judged last.
    pub overlay: Option<Digest>,
    pub phase: Phase,
    /// Dispatches so far.
    pub attempts: u32,
    /// Whether some dispatch may have run without our knowing how it ended.
    pub in_doubt: bool,
    /// What the handler said when it failed last, where the call was not over with it.
    pub failure: Option<Failure>,
    /// Whether its success ends the loop.
    pub terminal: bool,
    /// The slot of the last dispatch.
    pub last_slot: Option<Slot>,
    /// Approvals opened about it so far; makes their ids.
    pub approvals: u32,
    /// What the model is told; set once.
    pub answer: Option<Answer>,
    /// The raw result, where there is one.
    pub result: Option<Payload>,
    pub proposed_at: Time,
    pub dispatched_at: Option<Time>,
    pub finished_at: Option<Time>,
}

/// What a handler says when it fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the event")]
pub struct Failure {
    pub handler_code: String,
    pub message: String,
}

/// Where a call stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Just proposed; only inside one commit.
    Proposed,
    /// Waits for a worker.
    Queued {
        /// Since when.
        since: Time,
    },
    /// Has failed, and runs again later.
    Waiting {
        /// When it is queued again.
        until: Time,
    },
    /// Waits for people.
    AwaitingApproval {
        /// For this one.
        approval: ApprovalId,
    },
    /// With a worker.
    Dispatched {
        /// Which dispatch.
        attempt: u32,
        /// Where.
        slot: Slot,
        /// Until when.
        deadline: Time,
    },
    /// Ran, valid result.
    Succeeded,
    /// Ended with an error.
    Failed,
    /// Refused before anything was sent.
    Refused,
    /// May or may not have run.
    Indeterminate,
    /// The session ended before it was sent.
    Cancelled,
}

impl Phase {
    /// Whether the call still waits for something.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match self {
            Phase::Proposed
            | Phase::Queued { .. }
            | Phase::Waiting { .. }
            | Phase::AwaitingApproval { .. }
            | Phase::Dispatched { .. } => true,
            Phase::Succeeded
            | Phase::Failed
            | Phase::Refused
            | Phase::Indeterminate
            | Phase::Cancelled => false,
        }
    }
}

impl Call {
    /// The word on the wire for where the call stands.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match self.phase {
            Phase::Proposed => "pending",
            Phase::Queued { .. } | Phase::Waiting { .. } => "queued",
            Phase::AwaitingApproval { .. } if self.in_doubt => "indeterminate",
            Phase::AwaitingApproval { .. } => "awaiting_approval",
            Phase::Dispatched { .. } => "dispatched",
            Phase::Succeeded => "succeeded",
            Phase::Failed => "failed",
            Phase::Refused => "refused",
            Phase::Indeterminate => "indeterminate",
            Phase::Cancelled => "cancelled",
        }
    }
}

/// One approval.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the event")]
pub struct Approval {
    pub id: ApprovalId,
    pub call: CallId,
    pub subject: ApprovalSubject,
    /// Digest that a vote must be about to count.
    pub args: Digest,
    pub required: u32,
    pub on_reject: OnReject,
    pub comprehension_required: bool,
    pub expires_at: Option<Time>,
    pub timeout_default: TimeoutDefault,
    pub route: String,
    pub escalate_to: Option<String>,
    pub reason: String,
    pub causes: Payload,
    pub status: ApprovalStatus,
    /// Who changed the arguments last, if anybody did.
    pub edited_by: Option<String>,
    pub votes: Vec<CastVote>,
    pub created_at: Time,
}

impl Approval {
    /// Distinct approvers of exactly the arguments in force.
    #[must_use]
    pub fn received(&self) -> u32 {
        let mut actors: Vec<String> = self
            .votes
            .iter()
            .filter(|it| it.vote == Vote::Approve && it.args == self.args)
            .map(|it| it.actor.to_lowercase())
            .collect();
        actors.sort_unstable();
        actors.dedup();
        u32::try_from(actors.len()).unwrap_or(u32::MAX)
    }

    /// Whether `actor` has voted about exactly these arguments. One person is one person, however
    /// the name is spelled in upper and lower case.
    #[must_use]
    pub fn has_voted(&self, actor: &str, args: Digest) -> bool {
        let actor = actor.to_lowercase();
        self.votes
            .iter()
            .any(|it| it.args == args && it.actor.to_lowercase() == actor)
    }

    /// Whether it still waits.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.status == ApprovalStatus::Pending
    }
}

/// Whether an approval waits, or how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalStatus {
    /// Waits.
    Pending,
    /// Over.
    Closed {
        /// How.
        outcome: ApprovalOutcome,
        /// Who.
        by: String,
        /// Their words.
        comment: String,
        /// When.
        at: Time,
    },
}

/// A vote on record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the event")]
pub struct CastVote {
    pub actor: String,
    pub vote: Vote,
    pub comment: String,
    pub comprehension_acknowledged: bool,
    pub args: Digest,
    pub at: Time,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the event")]
pub struct Ended {
    pub outcome: Outcome,
    pub reason: String,
    pub by: Option<String>,
    pub at: Time,
}

/// Time spent, in milliseconds, by what the session waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Models, tools, queues: counts against the wall-clock limit.
    pub running_ms: u64,
    /// Everything open waited for people.
    pub people_ms: u64,
    /// When the last event happened.
    pub last: Time,
}

/// The session's status on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the specification's")]
pub enum Status {
    Pending,
    Running,
    AwaitingTool,
    AwaitingApproval,
    AwaitingInput,
    Completed,
    Failed,
    Cancelled,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 8] = [
        Status::Pending,
        Status::Running,
        Status::AwaitingTool,
        Status::AwaitingApproval,
        Status::AwaitingInput,
        Status::Completed,
        Status::Failed,
        Status::Cancelled,
    ];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Running => "running",
            Status::AwaitingTool => "awaiting_tool",
            Status::AwaitingApproval => "awaiting_approval",
            Status::AwaitingInput => "awaiting_input",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        }
    }
}

impl State {
    /// The state before any event.
    #[must_use]
    pub fn new(session: SessionId) -> Self {
        Self {
            session,
            seq: 0,
            started: None,
            messages: Vec::new(),
            completions: 0,
            calls: Vec::new(),
            approvals: BTreeMap::new(),
            usage: Usage::default(),
            ended: None,
            clock: Clock::default(),
            unavailable: BTreeMap::new(),
            output: None,
            index: BTreeMap::new(),
            open: Vec::new(),
        }
    }

    /// The call with this id.
    #[must_use]
    pub fn call(&self, id: &CallId) -> Option<&Call> {
        self.index.get(id).and_then(|at| self.calls.get(*at))
    }

    /// Calls without an outcome, in order.
    pub fn open_calls(&self) -> impl Iterator<Item = &Call> {
        self.open.iter().filter_map(|at| self.calls.get(*at))
    }

    /// The session's status.
    #[must_use]
    pub fn status(&self) -> Status {
        if let Some(ended) = &self.ended {
            return match ended.outcome {
                Outcome::Completed => Status::Completed,
                Outcome::Failed => Status::Failed,
                Outcome::Cancelled => Status::Cancelled,
            };
        }
        if self.started.is_none() {
            return Status::Pending;
        }
        if !self.open.is_empty() {
            let asks = |call: &Call| matches!(call.phase, Phase::AwaitingApproval { .. });
            return if self.open_calls().any(asks) {
                Status::AwaitingApproval
            } else {
                Status::AwaitingTool
            };
        }
        if self.turn_is_over() {
            Status::AwaitingInput
        } else {
            Status::Running
        }
    }

    /// Whether no completion is due: the last word is the model's and asks for nothing, or a call
    /// that it asked for ended the loop.
    #[must_use]
    pub fn turn_is_over(&self) -> bool {
        match self.messages.last() {
            Some(Message::Assistant { calls, .. }) => {
                calls.is_empty() || (self.open.is_empty() && self.terminal_call().is_some())
            }
            Some(Message::User { .. } | Message::Correction { .. }) | None => false,
        }
    }

    /// The first call of the last turn, in the model's order, whose success ends the loop. One that
    /// succeeded after the model was told otherwise does not count.
    #[must_use]
    pub fn terminal_call(&self) -> Option<&Call> {
        let Some(Message::Assistant { calls, .. }) = self.messages.last() else {
            return None;
        };
        self.calls
            .get(calls.clone())?
            .iter()
            .find(|it| it.terminal && matches!(it.answer, Some(Answer::Result(_))))
    }

    /// Answers of this turn so far that broke the output's contract.
    #[must_use]
    pub fn corrections(&self) -> usize {
        self.messages
            .iter()
            .rev()
            .take_while(|it| !matches!(it, Message::User { .. }))
            .filter(|it| matches!(it, Message::Correction { .. }))
            .count()
    }

    /// Which budget the passing time counts against.
    pub(crate) fn waits_for(&self) -> WaitsFor {
        match self.status() {
            Status::Pending | Status::Completed | Status::Failed | Status::Cancelled => {
                WaitsFor::Nothing
            }
            Status::AwaitingInput => WaitsFor::Input,
            Status::Running | Status::AwaitingTool => WaitsFor::Machines,
            Status::AwaitingApproval => {
                let asks = |call: &Call| matches!(call.phase, Phase::AwaitingApproval { .. });
                if self.open_calls().all(asks) {
                    WaitsFor::People
                } else {
                    WaitsFor::Machines
                }
            }
        }
    }
}

/// What a session waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitsFor {
    Nothing,
    Input,
    Machines,
    People,
}
