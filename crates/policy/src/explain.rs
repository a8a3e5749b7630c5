//! The trace of a judgement, and its stored form. Knows nothing of how truth is found.

use spec::Json;
use spec::snapshot::{DecisionKind, Identity, Op, Origin};

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
    Json::from_members([("outcome", Json::from(verdict.outcome.as_str()))])
}
