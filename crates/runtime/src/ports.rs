//! What the driver awaits: a journal that keeps, and a world that acts.

use std::future::Future;
use std::sync::Arc;

use ::session::{ApprovalView, Plan, SessionView, Slot, State};
use spec::snapshot::Identity;
use spec::{CallId, Digest, SessionId, SideEffectClass, Time, VersionId};

use crate::Transcript;

/// Which incarnation of a runtime writes. A journal refuses every epoch but its newest, so that a
/// process that was thought dead cannot write behind its successor's back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub u64);

/// One entry as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// From 1, without gaps.
    pub seq: u64,
    /// [`chain`] of the entry before, the sequence number and the bytes.
    pub hash: Digest,
    /// The encoded entry.
    pub bytes: Vec<u8>,
}

/// The hash of an entry: it commits to everything before it.
#[must_use]
pub fn chain(previous: &Digest, seq: u64, bytes: &[u8]) -> Digest {
    let mut input = Vec::with_capacity(bytes.len().saturating_add(40));
    input.extend_from_slice(previous.as_bytes());
    input.extend_from_slice(&seq.to_be_bytes());
    input.extend_from_slice(bytes);
    Digest::of(&input)
}

/// What one append writes, all of it or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The entries, in order.
    pub entries: Vec<Stored>,
    /// Bytes that they refer to.
    pub payloads: Vec<(Digest, Arc<[u8]>)>,
    /// The session's line in lists.
    pub session: SessionView,
    /// The agent, for lists that are filtered by it.
    pub agent: Identity,
    /// Lines of the approvals that changed.
    pub approvals: Vec<ApprovalView>,
}

/// Why an append did not happen, or may not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// Somebody else wrote first; nothing was written.
    #[error("another writer moved session {session} past {expected}")]
    Conflict {
        /// Which session.
        session: SessionId,
        /// The sequence number that the append built on.
        expected: u64,
    },
    /// A newer incarnation has taken over; nothing was written.
    #[error("this runtime's epoch is over: another one has taken the store")]
    Fenced,
    /// The store did not answer: it may or may not have been written.
    #[error("the store is not available: {0}")]
    Unavailable(String),
}

/// Why something could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The store did not answer.
    #[error("the store is not available: {0}")]
    Unavailable(String),
}

/// Keeps sessions. Acknowledged means on disk.
pub trait Journal: Send + Sync {
    /// Starts a new epoch; every earlier one is over.
    fn claim(&self) -> impl Future<Output = Result<Epoch, LoadError>> + Send;

    /// Appends to the session whose last entry is `expected` (0 for a new session).
    fn append(
        &self,
        session: &SessionId,
        expected: u64,
        epoch: Epoch,
        batch: Batch,
    ) -> impl Future<Output = Result<(), AppendError>> + Send;

    /// Every entry of the session, in order; empty when there is no such session.
    fn load(
        &self,
        session: &SessionId,
    ) -> impl Future<Output = Result<Vec<Stored>, LoadError>> + Send;

    /// Bytes that entries of the session refer to.
    fn payload(
        &self,
        session: &SessionId,
        digest: Digest,
    ) -> impl Future<Output = Result<Option<Arc<[u8]>>, LoadError>> + Send;

    /// Sessions with something outstanding.
    fn runnable(&self) -> impl Future<Output = Result<Vec<SessionId>, LoadError>> + Send;

    /// At most `max` sessions that time alone changes at or before `now`, earliest first.
    fn due(
        &self,
        now: Time,
        max: usize,
    ) -> impl Future<Output = Result<Vec<SessionId>, LoadError>> + Send;
}

/// A plan cannot be had now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("version {version} cannot be loaded: {why}")]
pub struct PlanUnavailable {
    /// Which version.
    pub version: VersionId,
    /// Why.
    pub why: String,
    /// Whether it may be had later (the store does not answer), or never (it does not compile).
    pub transient: bool,
}

/// One thing to do, with the bytes that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Ask the model; answer with [`crate::Signal::Replied`] or `CompletionFailed`.
    Complete {
        /// Which completion.
        completion: u32,
        /// The version that says which model, and how.
        version: VersionId,
        /// Content hash of its snapshot.
        snapshot: Digest,
        /// What was said so far.
        transcript: Transcript,
        /// Wire names of the tools that it is offered, in the snapshot's order.
        tools: Vec<String>,
    },
    /// Queue for a worker; answer with `SlotReady` or `NoSlot`.
    Reserve {
        /// Which call.
        call: CallId,
        /// `namespace.name`.
        tool: String,
        /// Exact version.
        version: String,
        /// Queued since.
        since: Time,
    },
    /// See a dispatched call through: send it on its reserved slot if that is held and nothing was
    /// sent; wait for the worker if something was; answer `Unknown` once it cannot be waited for.
    Invoke(Box<Invocation>),
    /// Tell the worker that nobody waits any more.
    Cancel {
        /// Which call.
        call: CallId,
        /// Where.
        slot: Slot,
    },
}

/// A dispatched call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the effect")]
pub struct Invocation {
    pub call: CallId,
    pub version_id: VersionId,
    pub attempt: u32,
    pub slot: Slot,
    pub tool: String,
    pub version: String,
    pub args: Arc<[u8]>,
    pub class: SideEffectClass,
    pub deadline: Time,
    pub turn: u32,
}

/// Acts. Everything begun here is idempotent by its identity: the same effect of the same session
/// may be handed over again after a reload.
pub trait World: Send + Sync {
    /// The present.
    fn now(&self) -> Time;

    /// The compiled version.
    fn plan(
        &self,
        version: &VersionId,
        snapshot: Digest,
    ) -> impl Future<Output = Result<Arc<Plan>, PlanUnavailable>> + Send;

    /// Holds a free slot for `call`, if there is one right now.
    fn reserve(&self, call: &CallId, tool: &str, version: &str) -> Option<Slot>;

    /// Whether `slot` is still held for `call`.
    fn holds(&self, call: &CallId, slot: &Slot) -> bool;

    /// Gives back a slot that was not used.
    fn release(&self, call: &CallId);

    /// Gives back every slot held for calls of `session` other than `calls`. Asked after a reload,
    /// when an append whose outcome was unknown has been looked up.
    fn release_all_but(&self, session: &SessionId, calls: &[CallId]);

    /// Begins `work`. Does not wait for its outcome, which comes back as a signal.
    fn perform(&self, session: &SessionId, work: Work);

    /// The journal has grown: `state` is what it folds to now.
    fn recorded(&self, state: &State);
}
