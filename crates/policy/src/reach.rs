//! Which rules reach a tool, for whoever wants to read them. Judges nothing.

use spec::snapshot::{Identity, Origin};

use crate::ruleset::{Reached, RuleSet};
use crate::truth::Truth;

/// A policy, as it reaches one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach<'a> {
    /// Which policy.
    pub policy: &'a Identity,
    /// From where it reaches the tool, in merge order; never empty.
    pub origins: &'a [Origin],
    /// Whether it takes part when a call is judged first.
    pub in_first_round: bool,
    /// Whether it takes part when a dispatch has failed.
    pub in_second_round: bool,
    /// What its comparisons say of a field that is missing, in the order of writing.
    pub missing: &'a [Truth],
}

impl RuleSet {
    /// The policies that reach a tool, in merge order; none for a tool that the agent does not bind.
    #[must_use]
    pub fn reaching(&self, wire_name: &str) -> Vec<Reach<'_>> {
        let Some(tool) = self.tools.get(wire_name) else {
            return Vec::new();
        };
        let all = tool.first.iter().chain(&tool.second);
        let mut reaching: Vec<Reach<'_>> = all.map(reach).collect();
        reaching.sort_by_key(|it| (it.origins.first(), it.policy));
        reaching.dedup_by_key(|it| it.policy);
        reaching
    }
}

fn reach(reached: &Reached) -> Reach<'_> {
    Reach {
        policy: &reached.rule.id,
        origins: &reached.origins,
        in_first_round: reached.rule.in_first_round,
        in_second_round: reached.rule.in_second_round,
        missing: &reached.missing,
    }
}
