//! Model providers: what a completion is made of, what a provider is shown of tools, and the
//! scripted provider.
//!
//! Invariant: a provider turns what was said so far into one completion; it knows nothing of
//! policies, sessions on record or who pays, and what it is shown of a tool's contract is a copy that
//! nothing is checked against.

mod completion;
pub mod present;
mod stub;

pub use completion::{Completion, ToolCall, Usage};
pub use stub::{Script, ScriptError, Step};
