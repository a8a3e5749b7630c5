//! The compiled rules of one snapshot and the rounds that they judge. Knows nothing of sessions.

use spec::snapshot::Identity;
use spec::{Json, Time};

use crate::trigger::Trigger;
use crate::verdict::{Outcome, Verdict};

/// The compiled policies of one snapshot, indexed by tool.
#[derive(Debug)]
pub struct RuleSet {}

/// One call, as it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The name that the model calls.
    pub wire_name: &'a str,
    /// Its arguments, after they passed the schema.
    pub args: &'a Json,
    /// What opened the second round; `None` in the first.
    pub trigger: Option<Trigger>,
    /// What the session has done so far.
    pub context: &'a Context<'a>,
}

/// What conditions may know about the session.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The input that the session was started with.
    pub session_input: &'a Json,
    /// Tool calls so far.
    pub calls: u32,
    /// Calls of this tool so far.
    pub tool_calls: u32,
    /// The turn, from 1.
    pub turn: u32,
    /// How many agents above this one.
    pub depth: u32,
    /// The moment of the judgement.
    pub now: Time,
}

/// Why a policy cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("policy {policy}: {field}: {message}")]
pub struct CompileError {
    /// Which policy.
    pub policy: Identity,
    /// Where in its spec: `conditions.all[0].value`.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl RuleSet {
    /// Compiles every policy of the snapshot against the schemas of the tools that it reaches.
    ///
    /// # Errors
    /// All that is wrong with any of them.
    pub fn compile(_snapshot: &spec::Snapshot) -> Result<RuleSet, Vec<CompileError>> {
        Ok(RuleSet {})
    }

    /// The verdict on a call.
    #[must_use]
    pub fn judge(&self, _call: &Call<'_>) -> Verdict {
        Verdict { outcome: Outcome::Pass, trace: Vec::new() }
    }

    /// The verdict on a limit breach.
    #[must_use]
    pub fn judge_limit(&self, _limit: &str, _context: &Context<'_>) -> Verdict {
        Verdict { outcome: Outcome::Pass, trace: Vec::new() }
    }
}
