//! Compiles the policies of a snapshot and lays out which of them reach which tool in which round.
//! Knows nothing of calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use spec::Snapshot;
use spec::snapshot::{Attachment, Identity, Origin, Policy, Tool};

use crate::condition;
use crate::contract::Contract;
use crate::fault::Fault;
use crate::field::{Field, Text};
use crate::path::Step;
use crate::rule::{Leaf, Probe, Rule};
use crate::ruleset::{Reached, RuleSet, ToolRules};
use crate::truth::Truth;

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

impl CompileError {
    fn new(policy: &Policy, field: impl Into<String>, fault: Fault) -> Self {
        Self {
            policy: policy.id.clone(),
            field: field.into(),
            message: fault.message,
            help: fault.help,
        }
    }
}

/// Compiles one policy.
pub(crate) fn rule(policy: &Policy) -> Result<Rule, Vec<CompileError>> {
    let Some(condition) = &policy.condition else {
        return Ok(Rule::new(policy, None, 0));
    };
    match condition::compile(condition, &policy.decision) {
        Ok((tree, leaves)) => Ok(Rule::new(policy, Some(tree), leaves)),
        Err(faults) => Err(faults
            .into_iter()
            .map(|(field, fault)| CompileError::new(policy, field, fault))
            .collect()),
    }
}

/// Compiles all policies.
pub(crate) fn rule_set(snapshot: &Snapshot) -> Result<RuleSet, Vec<CompileError>> {
    let mut errors = Vec::new();
    let mut reach = Reach::default();
    let mut seen = BTreeSet::new();
    for policy in &snapshot.policies {
        if !seen.insert(&policy.id) {
            errors.push(CompileError::new(
                policy,
                "metadata",
                Fault::new(
                    "two policies have this identity",
                    "give one of them another version",
                ),
            ));
        }
        match rule(policy) {
            Ok(rule) => reach.add(&Arc::new(rule), &policy.attachments),
            Err(faults) => errors.extend(faults),
        }
        errors.extend(strangers(policy, snapshot));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let tools = snapshot.tools.iter().map(|tool| {
        let found = reach.tools.remove(&tool.wire_name).unwrap_or_default();
        (tool.wire_name.clone(), tool_rules(tool, &found))
    });
    Ok(RuleSet {
        tools: tools.collect(),
        limits: in_merge_order(reach.limits.iter().map(|found| Reached {
            rule: Arc::clone(&found.rule),
            origins: found.origins.iter().copied().collect(),
            missing: missing(&found.rule, known_at_limit),
        }))
        .filter(|reached| reached.rule.in_limit_round)
        .collect(),
        agent: snapshot.agent.clone(),
    })
}

/// Attachments to tools that the agent does not bind.
fn strangers<'a>(
    policy: &'a Policy,
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = CompileError> + use<'a> {
    let attachments = policy.attachments.iter().enumerate();
    attachments.flat_map(move |(index, attachment)| {
        attachment
            .tools
            .iter()
            .enumerate()
            .filter(|(_, name)| snapshot.tool(name).is_none())
            .map(move |(place, name)| {
                CompileError::new(
                    policy,
                    format!("attachments[{index}].tools[{place}]"),
                    Fault::new(
                        format!("the agent binds no tool as `{name}`"),
                        "attach the policy to a tool of the agent",
                    ),
                )
            })
    })
}

/// Which rules reach what, from where.
#[derive(Default)]
struct Reach {
    tools: BTreeMap<String, Vec<Found>>,
    limits: Vec<Found>,
}

#[derive(Clone)]
struct Found {
    rule: Arc<Rule>,
    origins: BTreeSet<Origin>,
}

impl Reach {
    fn add(&mut self, rule: &Arc<Rule>, attachments: &[Attachment]) {
        let mut tools: BTreeMap<&String, BTreeSet<Origin>> = BTreeMap::new();
        let mut limits = BTreeSet::new();
        for attachment in attachments {
            for tool in &attachment.tools {
                tools.entry(tool).or_default().insert(attachment.origin);
            }
            if attachment.limits {
                limits.insert(attachment.origin);
            }
        }
        let found = |origins| Found {
            rule: Arc::clone(rule),
            origins,
        };
        for (tool, origins) in tools {
            self.tools
                .entry(tool.clone())
                .or_default()
                .push(found(origins));
        }
        if !limits.is_empty() {
            self.limits.push(found(limits));
        }
    }
}

fn tool_rules(tool: &Tool, found: &[Found]) -> ToolRules {
    let contract = Contract::new(&tool.input_schema);
    // Many rules ask about few paths.
    let mut asked: BTreeMap<Vec<Step>, bool> = BTreeMap::new();
    let reached: Vec<Reached> = in_merge_order(found.iter().map(|found| Reached {
        rule: Arc::clone(&found.rule),
        origins: found.origins.iter().copied().collect(),
        missing: missing(&found.rule, |field| {
            match field {
                Field::Argument(steps) => *asked
                    .entry(steps.clone())
                    .or_insert_with(|| contract.knows(steps)),
                Field::Text(Text::Limit) => false,
                Field::Input(_) | Field::Trigger | Field::Text(_) | Field::Count(_) => true,
            }
        }),
    }))
    .collect();
    ToolRules {
        logical_id: tool.contract.logical_id(),
        side_effect_class: tool.side_effect_class,
        first: reached
            .iter()
            .filter(|reached| reached.rule.in_first_round)
            .cloned()
            .collect(),
        second: reached
            .into_iter()
            .filter(|reached| reached.rule.in_second_round)
            .collect(),
    }
}

/// Whether a limit round may have the field: there is no call in it.
fn known_at_limit(field: &Field) -> bool {
    match field {
        Field::Argument(_) => false,
        Field::Text(Text::Tool | Text::WireName | Text::SideEffectClass) => false,
        Field::Text(_) | Field::Input(_) | Field::Trigger | Field::Count(_) => true,
    }
}

/// What a missing field means, leaf by leaf. The session's input has no contract, so that nothing
/// can be told from a path that it lacks.
fn missing(rule: &Rule, mut known: impl FnMut(&Field) -> bool) -> Arc<[Truth]> {
    let mut missing = Vec::with_capacity(rule.leaves);
    if let Some(condition) = &rule.condition {
        condition.visit_leaves(&mut |leaf: &Leaf| {
            missing.push(match &leaf.probe {
                Probe::Trigger(_) => Truth::False,
                Probe::Value { field, .. } => leaf.when_missing(rule.decision.kind, known(field)),
            });
        });
    }
    missing.into()
}

/// By origin, then by identity.
fn in_merge_order(reached: impl Iterator<Item = Reached>) -> impl Iterator<Item = Reached> {
    let mut sorted: Vec<Reached> = reached.collect();
    sorted.sort_by(|a, b| (a.origins.first(), &a.rule.id).cmp(&(b.origins.first(), &b.rule.id)));
    sorted.into_iter()
}
