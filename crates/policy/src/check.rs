//! What publish wants to know about a policy before it accepts it. Knows nothing of files or lines.

use spec::Json;
use spec::snapshot::{Absent, Condition, DecisionKind, Op, Origin, Policy, Tool};

use crate::compile;
use crate::contract::Contract;
use crate::field::Field;
use crate::path::Step;
use crate::probe::op_name;
use crate::rule::{Each, Leaf, Probe};
use crate::schema::Types;

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

impl Finding {
    fn new(severity: Severity, field: String, message: String, help: &str) -> Self {
        Self {
            severity,
            field,
            message,
            help: help.to_owned(),
        }
    }
}

/// Everything that is wrong, or looks wrong, with `policy`. Of `tools` only those count that an
/// attachment names; with no attachment yet, all of them.
#[must_use]
pub fn check(policy: &Policy, tools: &[&Tool]) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(condition) = &policy.condition {
        empty_nodes(condition, "conditions", &mut findings);
    }
    let rule = match compile::rule(policy) {
        Ok(rule) => rule,
        Err(errors) => {
            findings.extend(errors.into_iter().map(|error| Finding {
                severity: Severity::Error,
                field: error.field,
                message: error.message,
                help: error.help,
            }));
            return findings;
        }
    };
    let reached: Vec<(&Tool, Contract<'_>)> = tools
        .iter()
        .filter(|tool| policy.attachments.is_empty() || is_reached(policy, tool))
        .map(|tool| (*tool, Contract::new(&tool.input_schema)))
        .collect();
    if let Some(condition) = &rule.condition {
        condition.visit_leaves(&mut |leaf| {
            LeafCheck {
                policy,
                leaf,
                tools: &reached,
            }
            .run(&mut findings);
        });
    }
    findings
}

fn is_reached(policy: &Policy, tool: &Tool) -> bool {
    policy
        .attachments
        .iter()
        .any(|attachment| attachment.tools.contains(&tool.wire_name))
}

/// Warns of `all` and `any` without children. As deep as publish reads; not the compiler's bound.
fn empty_nodes(condition: &Condition, place: &str, findings: &mut Vec<Finding>) {
    let mut children = |children: &[Condition], word: &str, always: &str| {
        let place = format!("{place}.{word}");
        if children.is_empty() {
            findings.push(Finding::new(
                Severity::Warning,
                place,
                format!("an empty `{word}` is always {always}"),
                "write the conditions, or leave the node out",
            ));
            return;
        }
        for (index, child) in children.iter().enumerate() {
            empty_nodes(child, &format!("{place}[{index}]"), findings);
        }
    };
    match condition {
        Condition::All(nodes) => children(nodes, "all", "true"),
        Condition::Any(nodes) => children(nodes, "any", "false"),
        Condition::Not(child) => empty_nodes(child, &format!("{place}.not"), findings),
        Condition::Leaf(_) => {}
    }
}

/// What is asked about one leaf.
struct LeafCheck<'a> {
    policy: &'a Policy,
    leaf: &'a Leaf,
    tools: &'a [(&'a Tool, Contract<'a>)],
}

impl LeafCheck<'_> {
    fn run(&self, findings: &mut Vec<Finding>) {
        let (field, each) = match &self.leaf.probe {
            Probe::Trigger(_) => return,
            Probe::Value { field, each, .. } => (field, *each),
        };
        self.helped_by_omission(each, findings);
        match field {
            Field::Argument(steps) => {
                if !self.tools.is_empty()
                    && !self.is_lost(steps, findings)
                    && !self.is_mistyped(steps, findings)
                {
                    self.may_be_unknown(steps, findings);
                }
            }
            Field::Input(_) if !self.decides_absence() => findings.push(self.finding(
                Severity::Warning,
                "field",
                format!(
                    "`{}` may be missing or of another type, and the leaf is unknown then",
                    self.source_field()
                ),
                "say `absent: skip` or `absent: match` if a missing value should decide",
            )),
            Field::Input(_) | Field::Trigger | Field::Text(_) | Field::Count(_) => {}
        }
    }

    /// An allow-list that its author opens to whoever leaves the field out.
    fn helped_by_omission(&self, each: Each, findings: &mut Vec<Finding>) {
        let opens = match (self.leaf.source.absent, each) {
            (Some(Absent::Match), Each::Every) | (Some(Absent::Skip), Each::Some) => {
                self.is_allow()
            }
            (Some(Absent::Match), Each::Some)
            | (Some(Absent::Skip), Each::Every)
            | (None, Each::Some | Each::Every) => false,
        };
        if opens {
            findings.push(self.finding(
                Severity::Warning,
                "absent",
                format!(
                    "the allow-list lets a call through that leaves `{}` out",
                    self.source_field()
                ),
                "leave `absent` out unless that is meant",
            ));
        }
    }

    /// Paths that some or all contracts do not have. True when nothing else is worth saying.
    fn is_lost(&self, steps: &[Step], findings: &mut Vec<Finding>) -> bool {
        let field = self.source_field();
        if !self
            .tools
            .iter()
            .any(|(_, contract)| contract.permits(steps))
        {
            findings.push(self.finding(
                Severity::Error,
                "field",
                format!(
                    "`{field}` cannot exist in any call of {}",
                    self.names(|_| true)
                ),
                "write a path that the input schema has",
            ));
            return true;
        }
        let denied =
            self.names(|(tool, contract)| self.reaches_agent_wide(tool) && !contract.knows(steps));
        if self.is_allow() && !self.decides_absence() && !denied.is_empty() {
            findings.push(self.finding(
                Severity::Error,
                "field",
                format!(
                    "the allow-list reaches {denied}, whose contract does not know `{field}`, so every call would be denied"
                ),
                "give the policy a scope, or attach it to the bindings that it is about",
            ));
            return true;
        }
        if !self.tools.iter().any(|(_, contract)| contract.knows(steps)) {
            findings.push(self.finding(
                Severity::Warning,
                "field",
                format!("no contract of {} mentions `{field}`", self.names(|_| true)),
                "declare the argument in the input schema; until then a call may carry it or not",
            ));
            return true;
        }
        false
    }

    /// Comparisons that no declared type allows. True when that is so.
    fn is_mistyped(&self, steps: &[Step], findings: &mut Vec<Finding>) -> bool {
        let comparable = self.comparable();
        let never = self
            .tools
            .iter()
            .filter(|(_, contract)| contract.knows(steps))
            .all(|(_, contract)| contract.types(steps).meet(comparable) == Types::NONE);
        if never {
            findings.push(self.finding(
                Severity::Error,
                "op",
                format!(
                    "`{}` with {} can never compare the type that the input schema gives `{}`",
                    op_name(self.leaf.source.op),
                    self.leaf.source.value.to_canonical(),
                    self.source_field()
                ),
                "use an operator and a value that fit the type",
            ));
        }
        never
    }

    fn may_be_unknown(&self, steps: &[Step], findings: &mut Vec<Finding>) {
        let comparable = self.comparable();
        let left_out = self.names(|(_, contract)| {
            !self.decides_absence()
                && !contract.demands(steps)
                && (self.is_allow() || contract.knows(steps))
        });
        let other_type = self.names(|(_, contract)| {
            contract.knows(steps) && !contract.types(steps).is_within(comparable)
        });
        let counts = if self.is_allow() {
            "which denies the call"
        } else {
            "which counts as a match"
        };
        if !left_out.is_empty() {
            findings.push(self.finding(
                Severity::Warning,
                "field",
                format!(
                    "a call of {left_out} may leave `{}` out; the leaf is unknown then, {counts}",
                    self.source_field()
                ),
                "require the argument in the input schema, or say `absent: skip` or `absent: match`",
            ));
        }
        if !other_type.is_empty() {
            findings.push(self.finding(
                Severity::Warning,
                "field",
                format!(
                    "a call of {other_type} may give `{}` a type that `{}` cannot compare; the leaf is unknown then, {counts}",
                    self.source_field(),
                    op_name(self.leaf.source.op)
                ),
                "narrow the argument's type in the input schema",
            ));
        }
    }

    /// The types that the leaf's operator and value can compare.
    fn comparable(&self) -> Types {
        let source = &self.leaf.source;
        let of_all = |values: &[Json]| {
            let of_null = values.iter().all(|value| *value == Json::Null);
            let types = values
                .iter()
                .fold(Types::NONE, |types, value| types.join(Types::of(value)));
            if of_null { Types::ALL } else { types }
        };
        match source.op {
            Op::Eq | Op::Neq => of_all(std::slice::from_ref(&source.value)),
            Op::In | Op::NotIn => of_all(source.value.as_array().unwrap_or(&[])),
            Op::Gt | Op::Gte | Op::Lt | Op::Lte => Types::NUMBER,
            Op::Matches | Op::StartsWith | Op::EndsWith => Types::STRING,
            Op::Contains if source.value.as_str().is_some() => Types::STRING.join(Types::ARRAY),
            Op::Contains => Types::ARRAY,
            Op::Exists => Types::ALL,
            Op::LengthGt | Op::LengthGte | Op::LengthLt | Op::LengthLte => {
                Types::STRING.join(Types::ARRAY).join(Types::OBJECT)
            }
        }
    }

    /// Whether a missing field is decided by the leaf itself.
    fn decides_absence(&self) -> bool {
        self.leaf.source.absent.is_some() || self.leaf.source.op == Op::Exists
    }

    fn is_allow(&self) -> bool {
        self.policy.decision.kind == DecisionKind::Allow
    }

    /// Whether the policy comes to the tool without anybody having chosen the tool for it.
    fn reaches_agent_wide(&self, tool: &Tool) -> bool {
        self.policy.scope.is_none()
            && self.policy.attachments.iter().any(|attachment| {
                let is_wide = match attachment.origin {
                    Origin::AgentDefault | Origin::Overlay | Origin::AuthorityBoundary => true,
                    Origin::ToolDefault | Origin::Binding => false,
                };
                is_wide && attachment.tools.contains(&tool.wire_name)
            })
    }

    /// The wire names of the tools for which `which` holds.
    fn names(&self, which: impl Fn(&(&Tool, Contract<'_>)) -> bool) -> String {
        let names: Vec<String> = self
            .tools
            .iter()
            .filter(|entry| which(entry))
            .map(|(tool, _)| format!("`{}`", tool.wire_name))
            .collect();
        names.join(", ")
    }

    fn source_field(&self) -> &str {
        &self.leaf.source.field
    }

    fn finding(&self, severity: Severity, part: &str, message: String, help: &str) -> Finding {
        Finding::new(
            severity,
            format!("{}.{part}", self.leaf.place),
            message,
            help,
        )
    }
}
