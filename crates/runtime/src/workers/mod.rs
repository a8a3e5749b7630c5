//! Which worker gets which call, as a pure state machine: messages and moments in, frames and
//! signals out. The daemon moves the bytes, the simulation moves none; both run this.
//!
//! Registrations belong to the connection. Knows nothing of sockets, of what a tool does, or of
//! why a session wants a call made.

mod calls;
mod queue;
mod registry;
#[cfg(test)]
mod tests;

use ::session::{Refusal, Slot};
use spec::{CallId, SessionId, WorkerId};

use crate::{Fault, Invocation, Signal};

pub use registry::{Refused, Registry};

/// One connection of one worker, within one incarnation of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// `tool@version`, what routing is on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HandlerKey {
    /// `namespace.name`
    pub tool: String,
    /// Exact version.
    pub version: String,
}

/// What a worker says when it dials in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Its name.
    pub worker: WorkerId,
    /// Workload identity that it has or claims; empty when none.
    pub identity: String,
    /// Image digest that it claims; empty when none.
    pub image: String,
    /// What it can do, and how many at once (at least 1).
    pub handlers: Vec<(HandlerKey, u32)>,
    /// Calls that it says it holds.
    pub in_flight: Vec<CallId>,
}

/// Bounds and spans, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long a registration lives without a word.
    pub lease_ms: u64,
    /// How much longer a silent worker's calls are waited for while its connection stands.
    pub silence_ms: u64,
    /// How long a call of a dangerous class waits for its lost worker to come back.
    pub resync_ms: u64,
    /// How long a call waits for a free handler.
    pub queue_wait_ms: u64,
    /// Calls that may wait for one handler.
    pub queue_max: usize,
    /// Calls that one worker may claim to hold.
    pub claims_max: usize,
}

impl Settings {
    /// What an unconfigured runtime uses.
    pub const STANDARD: Settings = Settings {
        lease_ms: 30_000,
        silence_ms: 60_000,
        resync_ms: 10_000,
        queue_wait_ms: 10_000,
        queue_max: 1024,
        claims_max: 4096,
    };
}

/// What is to be done after a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Out {
    /// Send a frame on a connection.
    Send(ConnectionId, Frame),
    /// Close a connection that has been silent too long.
    Close(ConnectionId),
    /// Tell a session something.
    Signal(SessionId, Signal),
    /// A worker claims a call that nothing here waits for: look up whether it is finished.
    Claimed(ConnectionId, CallId),
}

/// A frame to a worker.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// Run this.
    Invoke(Box<Invocation>, SessionId),
    /// Nobody waits for this any more.
    Cancel(CallId),
    /// Its outcome is on record: the worker may forget it.
    Ack(CallId),
}

/// What a worker is told about an outcome that it delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It is on record, or nothing needs it: forget it.
    Ack,
    /// It was not the worker's to deliver.
    Cancel,
    /// It could not be recorded now: keep it.
    Keep,
}

impl Receipt {
    /// The receipt for what the session made of the outcome.
    #[must_use]
    pub fn of(handled: &Result<(), Fault>) -> Self {
        match handled {
            Ok(()) => Receipt::Ack,
            Err(Fault::Refused(Refusal::NotHolder)) => Receipt::Cancel,
            Err(Fault::Refused(_)) => Receipt::Ack,
            Err(
                Fault::Moved
                | Fault::Fenced
                | Fault::Unavailable(_)
                | Fault::Plan(_)
                | Fault::Damaged { .. },
            ) => Receipt::Keep,
        }
    }
}

/// A call and the session that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Whose.
    pub session: SessionId,
    /// Which.
    pub call: CallId,
    /// What it needs.
    pub key: HandlerKey,
}

/// How a slot names its connection.
fn slot_of(connection: &registry::Connection) -> Slot {
    Slot {
        worker: connection.worker.clone(),
        connection: connection.name.clone(),
        identity: connection.identity.clone(),
        image: connection.image.clone(),
    }
}
