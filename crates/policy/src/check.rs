//! What publish wants to know about a policy. Knows nothing of files or lines.

use spec::snapshot::{Policy, Tool};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Publish refuses.
    Error,
    /// Publish says so.
    Warning,
}

/// One thing that is wrong, or looks wrong, with a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Where in the policy's spec: `conditions.all[0].value`.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// Everything that is wrong, or looks wrong.
#[must_use]
pub fn check(_policy: &Policy, _tools: &[&Tool]) -> Vec<Finding> {
    Vec::new()
}
