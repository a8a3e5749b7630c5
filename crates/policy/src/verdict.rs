//! What the policies say about a call, and how what several of them say is merged. Knows nothing of
//! conditions, nor of what a session does with the verdict.

use std::collections::BTreeMap;

use spec::Json;
use spec::snapshot::{Decision, DecisionKind, Identity, OnReject, Timeout, TimeoutDefault};

use crate::explain::{self, Trace};

/// Keys of `decision.runtime` that say who is asked.
const ROUTE_KEYS: [&str; 2] = ["phrony.com/approver_role", "approver_role"];
/// Keys of `decision.runtime` that say who is asked when nobody answers.
const ESCALATE_KEYS: [&str; 2] = ["phrony.com/escalate_to_role", "escalate_to_role"];

/// What the policies say, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What they say.
    pub outcome: Outcome,
    /// Every policy that took part, in merge order, matched or not.
    pub trace: Vec<Trace>,
}

impl Verdict {
    /// The tree that is stored with the decision and shown beside a denial or an approval.
    #[must_use]
    pub fn explain(&self) -> Json {
        explain::to_json(self)
    }
}

/// What the policies say.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// No policy stands in the way.
    Pass,
    /// Never; by at least one policy.
    Deny(Vec<Denial>),
    /// A person decides.
    Ask(Ask),
}

impl Outcome {
    /// `pass`, `deny` or `ask`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Deny(_) => "deny",
            Outcome::Ask(_) => "ask",
        }
    }
}

/// One policy that denies. Denies come before allow-lists that do not hold; each in merge order.
#[derive(Clone, Debug, PartialEq)]
pub struct Denial {
    /// Which policy. For a tool that the agent does not bind, the agent itself.
    pub policy: Identity,
    /// Why, for people and for the model; never empty.
    pub reason: String,
}

/// The approval that all matching policies together ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// How many distinct people must approve; at least 1.
    pub approvals_required: u32,
    /// What happens when nobody decides.
    pub timeout: Option<Timeout>,
    /// What a rejection does.
    pub on_reject: OnReject,
    /// Whether an approval must say that the text was understood.
    pub comprehension_required: bool,
    /// Every policy that asks, in merge order.
    pub causes: Vec<Cause>,
}

/// One policy that asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// Which policy.
    pub policy: Identity,
    /// `require_approval` or `escalate`.
    pub kind: DecisionKind,
    /// The author's reason.
    pub reason: Option<String>,
    /// The role that is asked.
    pub route: Option<String>,
    /// The role that is asked when nobody answers.
    pub escalate_to: Option<String>,
    /// The boundary that the policy defines.
    pub authority_ref: Option<String>,
    /// `decision.runtime`, unchanged.
    pub runtime: BTreeMap<String, Json>,
}

/// The matching policies of one judgement, each list in merge order.
#[derive(Default)]
pub(crate) struct Tally<'a> {
    pub(crate) denies: Vec<(&'a Identity, &'a Decision)>,
    pub(crate) failed_allows: Vec<(&'a Identity, &'a Decision)>,
    pub(crate) asks: Vec<(&'a Identity, &'a Decision)>,
}

impl Tally<'_> {
    /// Deny over approval over pass.
    pub(crate) fn settle(&self) -> Outcome {
        let denials: Vec<Denial> = self
            .denies
            .iter()
            .map(|(policy, decision)| denial(policy, decision, "denied by policy"))
            .chain(self.failed_allows.iter().map(|(policy, decision)| {
                denial(
                    policy,
                    decision,
                    "the call is not on the allow-list of policy",
                )
            }))
            .collect();
        if !denials.is_empty() {
            return Outcome::Deny(denials);
        }
        if self.asks.is_empty() {
            return Outcome::Pass;
        }
        let decisions = || self.asks.iter().map(|(_, decision)| *decision);
        Outcome::Ask(Ask {
            approvals_required: decisions()
                .map(|decision| decision.approvals_required)
                .fold(1, u32::max),
            timeout: merge_timeouts(decisions().map(|decision| decision.timeout)),
            on_reject: decisions()
                .map(|decision| decision.on_reject)
                .fold(OnReject::ReturnToAgent, OnReject::max),
            comprehension_required: decisions().any(|decision| decision.comprehension_required),
            causes: self
                .asks
                .iter()
                .map(|(policy, decision)| cause(policy, decision))
                .collect(),
        })
    }
}

fn denial(policy: &Identity, decision: &Decision, default: &str) -> Denial {
    let reason = written_reason(decision).unwrap_or_else(|| format!("{default} {policy}"));
    Denial {
        policy: policy.clone(),
        reason,
    }
}

fn written_reason(decision: &Decision) -> Option<String> {
    decision
        .reason
        .as_ref()
        .filter(|reason| !reason.trim().is_empty())
        .cloned()
}

fn cause(policy: &Identity, decision: &Decision) -> Cause {
    Cause {
        policy: policy.clone(),
        kind: decision.kind,
        reason: written_reason(decision),
        route: role(&decision.runtime, ROUTE_KEYS),
        escalate_to: role(&decision.runtime, ESCALATE_KEYS),
        authority_ref: decision.authority_ref.clone(),
        runtime: decision.runtime.clone(),
    }
}

fn role(runtime: &BTreeMap<String, Json>, keys: [&str; 2]) -> Option<String> {
    keys.into_iter()
        .find_map(|key| runtime.get(key).and_then(Json::as_str))
        .map(str::to_owned)
}

/// The shortest time and the strictest default.
fn merge_timeouts(timeouts: impl Iterator<Item = Option<Timeout>>) -> Option<Timeout> {
    let mut merged: Option<Timeout> = None;
    let mut some_wait_for_good = false;
    for timeout in timeouts {
        let Some(timeout) = timeout else {
            some_wait_for_good = true;
            continue;
        };
        merged = Some(merged.map_or(timeout, |so_far| Timeout {
            after_minutes: so_far.after_minutes.min(timeout.after_minutes),
            default: so_far.default.max(timeout.default),
        }));
    }
    merged.map(|timeout| match timeout.default {
        // INVARIANT: merging never weakens. A policy without a timeout never lets a call go by
        // itself, so another policy's `default: allow` must not do it in its place.
        TimeoutDefault::Allow if some_wait_for_good => Timeout {
            default: TimeoutDefault::Deny,
            ..timeout
        },
        TimeoutDefault::Allow | TimeoutDefault::Escalate | TimeoutDefault::Deny => timeout,
    })
}
