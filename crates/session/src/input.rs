//! What can come in. Each input carries the bytes that it is about and, for a call that may go,
//! the worker slot that the driver has reserved.

use std::collections::BTreeMap;
use std::sync::Arc;

use policy::Verdict;
use spec::snapshot::SessionMode;
use spec::{ApprovalId, CallId, Digest, Json, VersionId, WorkerId};

use crate::{ErrorCode, Slot, Usage, Vote};

/// The stop reason that says that the output limit cut the completion.
pub const STOP_MAX_TOKENS: &str = "max_tokens";

/// The stop reason of a turn that a terminal tool ended.
pub const STOP_TERMINAL: &str = "terminal_tool";

/// Something that a session is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Begin.
    Start(Start),
    /// A user message.
    Say {
        /// The text.
        text: String,
    },
    /// The model answered; judged already, so that the driver could reserve slots.
    Completed {
        /// The judged turn.
        turn: Box<Turn>,
        /// Reserved slots by index of the call.
        slots: BTreeMap<u32, Slot>,
    },
    /// The model did not answer, and retrying is over.
    CompletionFailed {
        /// Which completion.
        completion: u32,
        /// Why.
        error: String,
    },
    /// A queued call has its turn on a worker.
    SlotReady {
        /// Which call.
        call: CallId,
        /// Where.
        slot: Slot,
    },
    /// A queued call waited in vain.
    NoSlot {
        /// Which call.
        call: CallId,
        /// How.
        cause: NoSlot,
    },
    /// The worker refused before executing.
    Nacked {
        /// Which call.
        call: CallId,
        /// Who.
        worker: WorkerId,
        /// The worker's code.
        code: String,
        /// The worker's words.
        message: String,
    },
    /// A worker delivered an outcome.
    Result {
        /// Which call.
        call: CallId,
        /// Who.
        worker: WorkerId,
        /// What.
        result: CallResult,
    },
    /// The outcome of a dispatch cannot be waited for any longer.
    Unknown {
        /// Which call.
        call: CallId,
        /// Which dispatch; another one in flight is not touched.
        attempt: u32,
        /// How that came.
        cause: crate::UnknownCause,
    },
    /// A person decides.
    Decide(Decision),
    /// Time passed.
    Tick,
    /// End the session as cancelled.
    Cancel {
        /// Who.
        by: String,
    },
    /// End the session as completed.
    Complete {
        /// Who.
        by: String,
    },
}

/// How a session begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The published version.
    pub version: VersionId,
    /// Content hash of its snapshot.
    pub snapshot: Digest,
    /// Whether it waits for more input after a turn.
    pub mode: SessionMode,
    /// The input object.
    pub input: Json,
    /// Who asks, where that is known.
    pub requester: Option<String>,
    /// The variables that the operator lets predicates look at, as they are now.
    pub env: Arc<BTreeMap<String, String>>,
}

/// What the model answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// All text of the completion.
    pub text: String,
    /// The calls that it asks for, in its order.
    pub calls: Vec<Proposal>,
    /// Why it stopped; a hint, except when it reports a cut.
    pub stop_reason: String,
    /// Tokens.
    pub usage: Usage,
    /// Milliseconds that it took.
    pub duration_ms: u64,
}

/// One call that the model asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// What the provider calls it.
    pub provider_id: String,
    /// The tool's wire name.
    pub name: String,
    /// The arguments as the provider sent them.
    pub args: Vec<u8>,
}

/// A reply whose every call has been judged. Only [`crate::judge`] makes one, so that a decision
/// can never rest on a ruling that was not reached by the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    pub(crate) completion: u32,
    pub(crate) reply: Reply,
    pub(crate) calls: Vec<Judged>,
}

impl Turn {
    /// The calls that may go at once: index in the turn, call id, tool, version.
    pub fn going(&self) -> impl Iterator<Item = (u32, &CallId, &str, &str)> {
        self.calls
            .iter()
            .filter(|it| matches!(it.ruling, Ruling::Go))
            .map(|it| (it.index, &it.call, it.tool.as_str(), it.version.as_str()))
    }
}

/// One judged call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judged {
    pub(crate) index: u32,
    pub(crate) call: CallId,
    pub(crate) tool: String,
    pub(crate) version: String,
    pub(crate) class: spec::SideEffectClass,
    /// Canonical arguments, or the raw bytes where they are no object.
    pub(crate) args: Arc<[u8]>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) ruling: Ruling,
}

/// What the checks say about a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ruling {
    Go,
    Ask(policy::Ask),
    Refuse { code: ErrorCode, message: String },
}

/// Why no worker took a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSlot {
    /// No worker for the tool was connected during the wait.
    NoHandler,
    /// Workers were there and stayed busy, or the queue is full.
    CapacityExhausted,
}

/// What a worker delivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallResult {
    /// The handler returned; the bytes as they came.
    Returned(Arc<[u8]>),
    /// The handler failed.
    Failed {
        /// Its code.
        code: String,
        /// Its words.
        message: String,
    },
    /// The result is larger than the runtime takes; the handler did run.
    TooLarge {
        /// Its size in bytes.
        len: u64,
        /// The limit in bytes.
        max: u64,
    },
}

/// A person's decision about an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Which approval.
    pub approval: ApprovalId,
    /// Who decides.
    pub actor: String,
    /// How.
    pub vote: Vote,
    /// Their words.
    pub comment: String,
    /// Whether they acknowledged the text.
    pub comprehension_acknowledged: bool,
    /// Changed arguments, as JSON text; `None` leaves them.
    pub args: Option<Vec<u8>>,
    /// A slot reserved in case this decision lets the call go.
    pub slot: Option<Slot>,
}
