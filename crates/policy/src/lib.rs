//! Compiles rules against schemas and evaluates them to a verdict with reasons.
//!
//! Invariant: judging is a pure, total function of the rules, the call and the context; time comes
//! in as an argument. What cannot be told counts against the call. It knows nothing of files, of
//! sessions, or of who approves.

mod check;
mod civil;
mod comparison;
mod compile;
mod condition;
mod contract;
mod eval;
mod explain;
mod fault;
mod field;
mod path;
mod pattern;
mod probe;
mod reach;
mod region;
mod rule;
mod ruleset;
mod schema;
mod trace;
mod trigger;
mod truth;
mod verdict;

pub use check::{Finding, Severity, check};
pub use compile::CompileError;
pub use explain::{Comparison, Found, Node, Shape, Trace};
pub use reach::Reach;
pub use region::{Constant, Region, region};
pub use ruleset::{Call, Context, RuleSet};
pub use trigger::{Trigger, UnknownTrigger};
pub use truth::Truth;
pub use verdict::{Ask, Cause, Denial, Outcome, Verdict};
