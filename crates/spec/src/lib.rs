//! The inert nouns of the format: ids, side-effect classes, the resolved snapshot, digests,
//! canonical JSON and exact numbers.
//!
//! Invariant: nothing here reads a clock, a file, the environment or the network, and nothing
//! decides anything. It knows nothing of YAML, gRPC, SQL or of how a session runs.

mod class;
mod digest;
mod document;
pub mod ids;
pub mod json;
mod number;
pub mod snapshot;
mod time;

pub use class::{SideEffectClass, UnknownClass};
pub use digest::{Digest, DigestError};
pub use document::DocumentKind;
pub use ids::{ApprovalId, CallId, SessionId, VersionId, WorkerId};
pub use json::{Json, JsonError};
pub use number::{Decimal, NumberError};
pub use snapshot::Snapshot;
pub use time::Time;
