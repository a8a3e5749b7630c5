//! The rules over one tool, in words and as data. Knows policies as they are frozen in a snapshot;
//! judges no call.

use policy::{Reach, RuleSet, Truth};
use spec::snapshot::{
    Decision, DecisionKind, OnReject, Origin, Policy, Timeout, TimeoutDefault, Tool,
};
use spec::{Json, Snapshot};

use super::condition::{self, Setting};

/// One rule that reaches a tool.
pub(super) struct Rule<'a> {
    policy: &'a Policy,
    reach: Reach<'a>,
    /// When it applies, in words; `None` for always.
    when: Option<String>,
}

/// The rules that reach a tool, in merge order.
pub(super) fn of<'a>(set: &'a RuleSet, snapshot: &'a Snapshot, tool: &Tool) -> Vec<Rule<'a>> {
    let reaching = set.reaching(&tool.wire_name);
    let rules = reaching.into_iter().filter_map(|reach| {
        let policy = snapshot.policies.iter().find(|it| &it.id == reach.policy)?;
        let setting = Setting {
            kind: policy.decision.kind,
            missing: reach.missing,
            schema: &tool.input_schema,
        };
        let when = policy.condition.as_ref();
        let when = when.map(|it| condition::words(it, &setting));
        Some(Rule {
            policy,
            reach,
            when,
        })
    });
    rules.collect()
}

/// Where a rule comes from, in words.
fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::ToolDefault => "the Tool's default",
        Origin::Binding => "the binding",
        Origin::AgentDefault => "the Agent's default",
        Origin::AuthorityBoundary => "an authority boundary",
        Origin::Overlay => "the deployment's overlay",
    }
}

fn people(count: u32) -> String {
    match count {
        1 => "a person".to_owned(),
        several => format!("{several} people"),
    }
}

/// What the rule does, in words.
fn what(decision: &Decision) -> String {
    match decision.kind {
        DecisionKind::Allow => "deny unless it holds".to_owned(),
        DecisionKind::Deny => "deny".to_owned(),
        DecisionKind::RequireApproval => format!("ask {}", people(decision.approvals_required)),
        DecisionKind::Escalate => format!("escalate to {}", people(decision.approvals_required)),
    }
}

impl Rule<'_> {
    /// Whether its words leave something to be told about missing fields.
    pub(super) fn has_doubt(&self) -> bool {
        let is_told = |it: &String| it.contains("(undecided if missing)");
        self.when.as_ref().is_some_and(is_told) && self.reach.missing.contains(&Truth::Unknown)
    }

    /// The first line, without its number.
    pub(super) fn head(&self) -> String {
        let origins = self.reach.origins.iter().map(|it| origin(*it));
        let origins: Vec<_> = origins.collect();
        let what = what(&self.policy.decision);
        let id = &self.policy.id;
        format!("{what}: policy {id} (from {})", origins.join(" and "))
    }

    /// What there is to say about it, by key.
    pub(super) fn details(&self) -> Vec<(&'static str, String)> {
        let decision = &self.policy.decision;
        let condition = self.when.clone();
        let when = match (decision.kind, condition) {
            (DecisionKind::Allow, Some(condition)) => ("holds if", condition),
            (DecisionKind::Allow, None) => ("holds", "always: it denies nothing".to_owned()),
            (
                DecisionKind::Deny | DecisionKind::RequireApproval | DecisionKind::Escalate,
                condition,
            ) => ("when", condition.unwrap_or_else(|| "always".to_owned())),
        };
        let mut details = vec![when];
        let rounds = match (self.reach.in_first_round, self.reach.in_second_round) {
            (true, false) => None,
            (true, true) => {
                Some("every call, and again when a dispatch fails or its outcome is unknown")
            }
            (false, _) => Some("failed dispatches and unknown outcomes only"),
        };
        details.extend(rounds.map(|it| ("judges", it.to_owned())));
        details.extend(decision.reason.clone().map(|it| ("reason", it)));
        details.extend(self.policy.description.clone().map(|it| ("about", it)));
        details.extend(decision.authority_ref.clone().map(|it| ("boundary", it)));
        match decision.kind {
            DecisionKind::RequireApproval | DecisionKind::Escalate => {
                details.extend(approval(decision));
            }
            DecisionKind::Allow | DecisionKind::Deny => {}
        }
        let passed = decision.runtime.iter();
        details.extend(passed.map(|(key, value)| {
            (
                "note",
                format!(
                    "{key}: {}",
                    value
                        .as_str()
                        .map_or_else(|| value.to_canonical(), str::to_owned)
                ),
            )
        }));
        details
    }

    pub(super) fn to_json(&self) -> Json {
        let decision = &self.policy.decision;
        let origins = self.reach.origins.iter().map(Json::word);
        let mut rounds = Vec::new();
        if self.reach.in_first_round {
            rounds.push(Json::from("call"));
        }
        if self.reach.in_second_round {
            rounds.push(Json::from("failed_dispatch"));
        }
        let missing = self.reach.missing.iter().map(|it| Json::from(it.as_str()));
        Json::from_members([
            ("policy", Json::from(self.policy.id.to_string())),
            ("origins", Json::from(origins.collect::<Vec<_>>())),
            ("decision", Json::word(decision)),
            ("when", Json::from(self.when.as_deref())),
            (
                "condition",
                self.policy
                    .condition
                    .as_ref()
                    .map_or(Json::Null, Json::word),
            ),
            ("missing", Json::from(missing.collect::<Vec<_>>())),
            ("rounds", Json::from(rounds)),
            (
                "scope",
                self.policy.scope.as_ref().map_or(Json::Null, Json::word),
            ),
            (
                "description",
                Json::from(self.policy.description.as_deref()),
            ),
        ])
    }
}

/// What becomes of an approval that is not given.
fn approval(decision: &Decision) -> Vec<(&'static str, String)> {
    let mut details = Vec::new();
    let timeout = match &decision.timeout {
        Some(Timeout {
            after_minutes,
            default,
        }) => {
            let then = match default {
                TimeoutDefault::Allow => {
                    "it counts as approved, unless the call may have run already"
                }
                TimeoutDefault::Escalate => "another route is asked",
                TimeoutDefault::Deny => "it is denied",
            };
            format!("after {after_minutes} min without a decision {then}")
        }
        None => "waits until somebody decides, or the run's limit is reached".to_owned(),
    };
    details.push(("timeout", timeout));
    let rejected = match decision.on_reject {
        OnReject::ReturnToAgent => "the model is told and goes on",
        OnReject::Fail => "the session fails",
    };
    details.push(("rejected", rejected.to_owned()));
    if decision.comprehension_required {
        details.push((
            "approver",
            "has to confirm that the text was understood".to_owned(),
        ));
    }
    details
}
