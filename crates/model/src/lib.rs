//! Model providers: what a completion is made of, and the scripted provider.
//!
//! Invariant: a provider turns what was said so far into one completion; it knows nothing of
//! policies, tools' contracts, sessions on record or who pays.

mod completion;
mod stub;

pub use completion::{Completion, ToolCall, Usage};
pub use stub::{Script, ScriptError, Step};
