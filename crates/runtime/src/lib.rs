//! The one driver of sessions, and the ports that it awaits.
//!
//! Invariant: start-up, steady state, recovery, attached and background runs all pass through
//! [`Driver`]: decide, append, perform what is outstanding. It awaits only a [`Journal`] and a
//! [`World`] and knows nothing of tokio, SQL, gRPC, files or clocks.

mod block_on;
mod driver;
mod ports;
mod session;
pub mod suite;
mod transcript;
pub mod workers;

pub use block_on::block_on;
pub use driver::{Driver, Fault, Signal};
pub use ports::{
    AppendError, Batch, Epoch, Invocation, Journal, LoadError, PlanUnavailable, Stored, Work,
    World, chain,
};
pub use session::Session;
pub use transcript::{Line, LineCall, LineResult, Transcript};
