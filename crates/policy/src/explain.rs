//! The trace of a judgement, and its stored form. Knows nothing of how truth is found.

use spec::Json;
use spec::snapshot::{DecisionKind, Identity, Op, Origin};

use crate::probe::op_name;
use crate::truth::Truth;
use crate::verdict::Verdict;

/// One policy that took part.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Which policy.
    pub policy: Identity,
    /// Where it was attached from, of the places that reach this call.
    pub origins: Vec<Origin>,
    /// What it asks for.
    pub kind: DecisionKind,
    /// What its condition says; true when it has none.
    pub truth: Truth,
    /// Whether it applies: `unknown` does, except for an allow-list.
    pub matched: bool,
    /// Its condition, with the truth of each node.
    pub tree: Option<Node>,
}

/// One node of a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it says.
    pub truth: Truth,
    /// What kind of node it is.
    pub shape: Shape,
    /// Why, in a few words.
    pub why: String,
}

/// What kind of node.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Every child must hold.
    All(Vec<Node>),
    /// One child must hold.
    Any(Vec<Node>),
    /// The child must not hold.
    Not(Box<Node>),
    /// One comparison.
    Leaf(Comparison),
}

/// One comparison, with what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Path, as written.
    pub field: String,
    /// Comparison.
    pub op: Op,
    /// What the field is compared with.
    pub expected: Json,
    /// Whether that was too large to keep whole; the snapshot has it.
    pub expected_is_cut: bool,
    /// What the call has there.
    pub actual: Found,
    /// With `[*]`: the place of the element that decided.
    pub at: Option<String>,
}

/// What a call has at a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// This value.
    Value(Json),
    /// A value too large to keep in a trace; its beginning.
    Cut(Json),
    /// Nothing.
    Absent,
    /// A list without elements, so nothing to compare.
    Empty,
}

/// The stored form.
pub(crate) fn to_json(verdict: &Verdict) -> Json {
    let policies: Vec<Json> = verdict.trace.iter().map(policy).collect();
    Json::from_members([
        ("outcome", Json::from(verdict.outcome.as_str())),
        ("policies", Json::from(policies)),
    ])
}

fn policy(trace: &Trace) -> Json {
    let origins: Vec<Json> = trace
        .origins
        .iter()
        .map(|origin| Json::from(origin_name(*origin)))
        .collect();
    Json::from_members([
        ("policy", Json::from(trace.policy.to_string())),
        ("origins", Json::from(origins)),
        ("decision", Json::from(kind_name(trace.kind))),
        ("truth", Json::from(trace.truth.as_str())),
        ("matched", Json::from(trace.matched)),
        ("why", Json::from(why(trace))),
        ("tree", Json::from(trace.tree.as_ref().map(to_node))),
    ])
}

fn why(trace: &Trace) -> &'static str {
    if trace.tree.is_none() {
        return "it has no conditions, so it applies always";
    }
    match trace.kind {
        DecisionKind::Allow => match trace.truth {
            Truth::True => "the allow-list holds",
            Truth::Unknown => {
                "it cannot be told whether the allow-list holds, so it counts as not holding"
            }
            Truth::False => "the allow-list does not hold",
        },
        DecisionKind::Deny | DecisionKind::RequireApproval | DecisionKind::Escalate => {
            match trace.truth {
                Truth::True => "its condition holds",
                Truth::Unknown => {
                    "it cannot be told whether its condition holds, so it counts as holding"
                }
                Truth::False => "its condition does not hold",
            }
        }
    }
}

fn to_node(node: &Node) -> Json {
    let mut members = vec![
        ("truth", Json::from(node.truth.as_str())),
        ("why", Json::from(node.why.as_str())),
    ];
    let children = |nodes: &[Node]| Json::from(nodes.iter().map(to_node).collect::<Vec<Json>>());
    match &node.shape {
        Shape::All(nodes) => {
            members.push(("node", Json::from("all")));
            members.push(("children", children(nodes)));
        }
        Shape::Any(nodes) => {
            members.push(("node", Json::from("any")));
            members.push(("children", children(nodes)));
        }
        Shape::Not(child) => {
            members.push(("node", Json::from("not")));
            members.push(("children", children(std::slice::from_ref(child))));
        }
        Shape::Leaf(comparison) => {
            members.push(("node", Json::from("leaf")));
            members.extend(leaf(comparison));
        }
    }
    Json::from_members(members)
}

/// The members of a leaf. A value and a missing one have different members, for a call could carry
/// any text that would stand for "absent".
fn leaf(comparison: &Comparison) -> Vec<(&'static str, Json)> {
    let mut members = vec![
        ("field", Json::from(comparison.field.as_str())),
        ("op", Json::from(op_name(comparison.op))),
        ("expected", comparison.expected.clone()),
    ];
    if comparison.expected_is_cut {
        members.push(("expected_cut", Json::from(true)));
    }
    match &comparison.actual {
        Found::Value(value) => members.push(("actual", value.clone())),
        Found::Cut(value) => {
            members.push(("actual", value.clone()));
            members.push(("cut", Json::from(true)));
        }
        Found::Absent => members.push(("absent", Json::from(true))),
        Found::Empty => members.push(("empty", Json::from(true))),
    }
    members.extend(comparison.at.as_deref().map(|at| ("at", Json::from(at))));
    members
}

fn origin_name(origin: Origin) -> &'static str {
    match origin {
        Origin::ToolDefault => "tool_default",
        Origin::Binding => "binding",
        Origin::AgentDefault => "agent_default",
        Origin::AuthorityBoundary => "authority_boundary",
        Origin::Overlay => "overlay",
    }
}

/// The decision's name in documents.
pub(crate) fn kind_name(kind: DecisionKind) -> &'static str {
    match kind {
        DecisionKind::Allow => "allow",
        DecisionKind::Deny => "deny",
        DecisionKind::RequireApproval => "require_approval",
        DecisionKind::Escalate => "escalate",
    }
}
