//! Compiled policies as inert data: who they are, what they reach, when they apply, what then.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Identity, Metadata};
use crate::Json;

/// One policy, with every place that it was attached from. The same policy attached twice counts
/// once and keeps both origins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// `namespace.name@version`; two policies of one bare name in two namespaces are two policies.
    pub id: Identity,
    /// Descriptive metadata of the document; never changes behaviour.
    pub metadata: Metadata,
    /// For people.
    pub description: Option<String>,
    /// As written; `None` when the document has none.
    pub scope: Option<Scope>,
    /// Where it came from and what it reaches; never empty.
    pub attachments: Vec<Attachment>,
    /// When it applies; `None` means always.
    pub condition: Option<Condition>,
    /// What then.
    pub decision: Decision,
}

/// One place that a policy is attached from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Which list named it.
    pub origin: Origin,
    /// Wire names of the tools that it reaches from here.
    pub tools: Vec<String>,
    /// Whether it reaches limit breaches from here.
    pub limits: bool,
}

/// Which list named a policy, in merge order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The Tool's `default_policies`.
    ToolDefault,
    /// The binding's `policies`.
    Binding,
    /// The Agent's `default_policies`.
    AgentDefault,
    /// Compiled from `governance.authority_boundaries`.
    AuthorityBoundary,
    /// The deployment's overlay.
    Overlay,
}

/// `spec.scope` of a Policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// `tool:namespace.name`, where a trailing `*` segment stands for any rest.
    Tool(String),
    /// `agent`: every call.
    Agent,
    /// `limit`: limit breaches only.
    Limit,
    /// `dispatch`: failed dispatches only.
    Dispatch,
}

/// A tree of conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Every child holds; true when empty.
    All(Vec<Condition>),
    /// Some child holds; false when empty.
    Any(Vec<Condition>),
    /// The child does not hold.
    Not(Box<Condition>),
    /// One comparison.
    Leaf(Leaf),
}

/// One comparison of a field with a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaf {
    /// Path, as written.
    pub field: String,
    /// Comparison.
    pub op: Op,
    /// What the field is compared with; null for `exists` without a value.
    pub value: Json,
    /// What a missing field means, when the author says.
    pub absent: Option<Absent>,
    /// How strings compare.
    pub case: Case,
}

/// What a missing field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Absent {
    /// The leaf is false.
    Skip,
    /// The leaf is true.
    Match,
}

/// How strings compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    /// By code point.
    Sensitive,
    /// After Unicode simple lower-casing of both sides.
    Insensitive,
}

/// Comparison operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the format's own and say it all")]
pub enum Op {
    Eq,
    Neq,
    Gt,
    Gte,
    Lt,
    Lte,
    In,
    NotIn,
    Matches,
    Contains,
    StartsWith,
    EndsWith,
    Exists,
    LengthGt,
    LengthGte,
    LengthLt,
    LengthLte,
}

/// What a policy does when it applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The verdict it asks for.
    pub kind: DecisionKind,
    /// The boundary that it defines.
    pub authority_ref: Option<String>,
    /// How many distinct people must approve; at least 1.
    pub approvals_required: u32,
    /// What happens when nobody decides.
    pub timeout: Option<Timeout>,
    /// What a rejection does.
    pub on_reject: OnReject,
    /// Whether an approval must say that the text was understood.
    pub comprehension_required: bool,
    /// Shown to people and to the model.
    pub reason: Option<String>,
    /// Passed through unchanged.
    pub runtime: BTreeMap<String, Json>,
}

/// `decision.type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// An allow-list: every one that reaches a call must hold.
    Allow,
    /// Never.
    Deny,
    /// A person decides.
    RequireApproval,
    /// A person decides; the route says who.
    Escalate,
}

/// `decision.timeout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeout {
    /// Minutes from the opening of the approval.
    pub after_minutes: u64,
    /// What then.
    pub default: TimeoutDefault,
}

/// What a timeout does; ordered from lenient to strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutDefault {
    /// As if approved.
    Allow,
    /// Another route is asked.
    Escalate,
    /// As if rejected, and told apart from it.
    Deny,
}

/// `decision.on_reject`; ordered from lenient to strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    /// The model gets a tool error and goes on.
    ReturnToAgent,
    /// The session fails.
    Fail,
}
