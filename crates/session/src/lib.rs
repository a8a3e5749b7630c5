//! The session state machine: what may happen next, what has happened, what is still to be done.
//!
//! Invariant: pure. [`decide()`] and [`fold`] are functions of their arguments; time, identities and
//! payloads are handed in. Nothing here knows of stores, sockets, threads, models or of who calls
//! it; crashes are invisible to it, since a state is always the fold of the events on record.

mod answer;
mod availability;
mod codec;
pub mod decide;
mod event;
mod evidence;
mod fold;
mod input;
mod outstanding;
mod payload;
mod plan;
mod project;
mod repair;
mod state;

pub use answer::{Answer, ErrorCode};
pub use availability::offered;
pub use codec::{CodecError, decode, encode};
pub use decide::{BY_TIMEOUT, Decided, Refusal, decide, judge, needs, slot_wanted};
pub use event::{
    ApprovalOutcome, ApprovalSubject, Entry, Event, Outcome, Slot, Unavailable, UnknownCause,
    Usage, Vote,
};
pub use fold::fold;
pub use input::{
    CallResult, Decision, Input, NoSlot, Proposal, Reply, STOP_MAX_TOKENS, STOP_TERMINAL, Start,
    Turn,
};
pub use outstanding::{Effect, next_wake, outstanding};
pub use payload::{Payload, Payloads};
pub use plan::{Plan, PlanError, Settings};
pub use project::{ApprovalView, SessionView, approval_view, session_view};
pub use state::{
    Approval, ApprovalStatus, Call, CastVote, Clock, Ended, Failure, Message, Phase, Started,
    State, Status,
};
