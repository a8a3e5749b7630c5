//! The compiled rules of one snapshot and the rounds that they judge. Knows nothing of sessions,
//! nor of how a condition is evaluated.

use std::collections::BTreeMap;
use std::sync::Arc;

use spec::snapshot::{DecisionKind, Identity, Origin};
use spec::{Json, SideEffectClass, Snapshot, Time};

use crate::compile::{self, CompileError};
use crate::eval::{self, Facts, ToolFacts};
use crate::explain::Trace;
use crate::rule::Rule;
use crate::trace;
use crate::trigger::Trigger;
use crate::truth::Truth;
use crate::verdict::{Denial, Outcome, Tally, Verdict};

/// The compiled policies of one snapshot, indexed by tool.
#[derive(Debug)]
pub struct RuleSet {
    pub(crate) agent: Identity,
    pub(crate) tools: BTreeMap<String, ToolRules>,
    pub(crate) limits: Vec<Reached>,
}

/// The rules that reach one tool, in merge order.
#[derive(Debug)]
pub(crate) struct ToolRules {
    pub(crate) logical_id: String,
    pub(crate) side_effect_class: SideEffectClass,
    pub(crate) first: Vec<Reached>,
    pub(crate) second: Vec<Reached>,
}

/// A rule, as it reaches one tool or the limits.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    pub(crate) rule: Arc<Rule>,
    /// From where, in merge order; never empty.
    pub(crate) origins: Vec<Origin>,
    /// What a missing field means here, leaf by leaf.
    pub(crate) missing: Arc<[Truth]>,
}

impl Reached {
    fn truth(&self, facts: &Facts<'_>) -> Truth {
        match &self.rule.condition {
            Some(condition) => eval::truth(condition, &self.missing, facts),
            None => Truth::True,
        }
    }
}

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

impl RuleSet {
    /// Compiles every policy of the snapshot against the schemas of the tools that it reaches.
    ///
    /// # Errors
    /// All that is wrong with any of them.
    pub fn compile(snapshot: &Snapshot) -> Result<RuleSet, Vec<CompileError>> {
        compile::rule_set(snapshot)
    }

    /// The verdict on a call: of all that reach it in the first round, and in a second one of those
    /// that read the trigger. A tool that the agent does not bind is denied.
    #[must_use]
    pub fn judge(&self, call: &Call<'_>) -> Verdict {
        match self.round(call) {
            Some((reached, facts)) => verdict(reached, &facts),
            None => Verdict {
                outcome: self.unbound(call.wire_name),
                trace: Vec::new(),
            },
        }
    }

    /// The outcome alone, as [`RuleSet::judge`] has it; allocates nothing for a call that passes.
    #[must_use]
    pub fn outcome(&self, call: &Call<'_>) -> Outcome {
        match self.round(call) {
            Some((reached, facts)) => outcome(reached, &facts),
            None => self.unbound(call.wire_name),
        }
    }

    /// The verdict on a limit breach with `on_limit: escalate`: of the policies that reach limits
    /// and read the trigger. Conditions know which `limit` it is as `ctx.limit`.
    #[must_use]
    pub fn judge_limit(&self, limit: &str, context: &Context<'_>) -> Verdict {
        let facts = Facts {
            agent: &self.agent,
            tool: None,
            trigger: Some(Trigger::LimitEscalate),
            limit: Some(limit),
            context,
        };
        verdict(&self.limits, &facts)
    }

    /// Who takes part, and what they may know; `None` for a tool that the agent does not bind.
    fn round<'a>(&'a self, call: &Call<'a>) -> Option<(&'a [Reached], Facts<'a>)> {
        let tool = self.tools.get_key_value(call.wire_name);
        tool.map(|(wire_name, tool)| {
            let reached = match call.trigger {
                None => &tool.first,
                Some(_) => &tool.second,
            };
            let facts = Facts {
                agent: &self.agent,
                tool: Some(ToolFacts {
                    logical_id: &tool.logical_id,
                    wire_name,
                    side_effect_class: tool.side_effect_class.as_str(),
                    args: call.args,
                }),
                trigger: call.trigger,
                limit: None,
                context: call.context,
            };
            (reached.as_slice(), facts)
        })
    }

    /// The binding is the grant, so without one there is none.
    fn unbound(&self, wire_name: &str) -> Outcome {
        Outcome::Deny(vec![Denial {
            policy: self.agent.clone(),
            reason: format!("agent {} binds no tool as `{wire_name}`", self.agent),
        }])
    }
}

fn verdict(reached: &[Reached], facts: &Facts<'_>) -> Verdict {
    Verdict {
        outcome: outcome(reached, facts),
        trace: reached
            .iter()
            .map(|reached| {
                let truth = reached.truth(facts);
                Trace {
                    policy: reached.rule.id.clone(),
                    origins: reached.origins.clone(),
                    kind: reached.rule.decision.kind,
                    truth,
                    matched: reached.rule.matches(truth),
                    tree: reached
                        .rule
                        .condition
                        .as_ref()
                        .map(|tree| trace::node(tree, &reached.missing, facts)),
                }
            })
            .collect(),
    }
}

fn outcome(reached: &[Reached], facts: &Facts<'_>) -> Outcome {
    let mut tally = Tally::default();
    for reached in reached {
        let rule = &reached.rule;
        let matched = rule.matches(reached.truth(facts));
        let entry = (&rule.id, &rule.decision);
        match (rule.decision.kind, matched) {
            (DecisionKind::Allow, false) => tally.failed_allows.push(entry),
            (DecisionKind::Deny, true) => tally.denies.push(entry),
            (DecisionKind::RequireApproval | DecisionKind::Escalate, true) => {
                tally.asks.push(entry);
            }
            (DecisionKind::Allow, true)
            | (
                DecisionKind::Deny | DecisionKind::RequireApproval | DecisionKind::Escalate,
                false,
            ) => {}
        }
    }
    tally.settle()
}
