//! One policy, compiled: its condition as a tree over ready comparisons. Knows nothing of calls.

use spec::snapshot::{self, Absent, Decision, DecisionKind, Identity, Op, Scope};

use crate::comparison::Test;
use crate::field::Field;
use crate::trigger::Trigger;
use crate::truth::Truth;

/// One policy.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: Identity,
    pub(crate) decision: Decision,
    pub(crate) condition: Option<Tree>,
    /// As many as there are leaves in the condition.
    pub(crate) leaves: usize,
    /// Takes part in the first round of a call.
    pub(crate) in_first_round: bool,
    /// Takes part in the second round of a call.
    pub(crate) in_second_round: bool,
    /// Takes part when a limit is reached.
    pub(crate) in_limit_round: bool,
}

impl Rule {
    pub(crate) fn new(policy: &snapshot::Policy, condition: Option<Tree>, leaves: usize) -> Self {
        let reads_trigger = condition.as_ref().is_some_and(Tree::reads_trigger);
        let is_allow = policy.decision.kind == DecisionKind::Allow;
        // A scope that is a round of its own reads the trigger for its policy: it would take part
        // in nothing otherwise.
        let (dispatch_only, limit_only) = match &policy.scope {
            Some(Scope::Dispatch) => (true, false),
            Some(Scope::Limit) => (false, true),
            Some(Scope::Tool(_) | Scope::Agent) | None => (false, false),
        };
        Self {
            id: policy.id.clone(),
            decision: policy.decision.clone(),
            condition,
            leaves,
            in_first_round: !dispatch_only,
            in_second_round: !is_allow && (reads_trigger || dispatch_only),
            in_limit_round: !is_allow && (reads_trigger || limit_only),
        }
    }

    /// Whether the policy applies when its condition says `truth`.
    pub(crate) fn matches(&self, truth: Truth) -> bool {
        match self.decision.kind {
            DecisionKind::Allow => truth == Truth::True,
            DecisionKind::Deny | DecisionKind::RequireApproval | DecisionKind::Escalate => {
                truth != Truth::False
            }
        }
    }
}

/// A condition.
#[derive(Debug)]
pub(crate) enum Tree {
    All(Vec<Tree>),
    Any(Vec<Tree>),
    Not(Box<Tree>),
    Leaf(Box<Leaf>),
}

impl Tree {
    fn reads_trigger(&self) -> bool {
        match self {
            Tree::All(children) | Tree::Any(children) => children.iter().any(Tree::reads_trigger),
            Tree::Not(child) => child.reads_trigger(),
            Tree::Leaf(leaf) => matches!(leaf.probe, Probe::Trigger(_)),
        }
    }

    /// Every leaf, in the order of their ordinals.
    pub(crate) fn visit_leaves<'a>(&'a self, visit: &mut impl FnMut(&'a Leaf)) {
        match self {
            Tree::All(children) | Tree::Any(children) => {
                for child in children {
                    child.visit_leaves(visit);
                }
            }
            Tree::Not(child) => child.visit_leaves(visit),
            Tree::Leaf(leaf) => visit(leaf),
        }
    }
}

/// One comparison of a condition.
#[derive(Debug)]
pub(crate) struct Leaf {
    /// Which leaf of its policy, in the order of writing.
    pub(crate) ordinal: usize,
    /// Where in the policy's spec.
    pub(crate) place: String,
    /// As written.
    pub(crate) source: snapshot::Leaf,
    pub(crate) probe: Probe,
}

impl Leaf {
    /// What the leaf says when its field is missing.
    ///
    /// The author's word counts most. `exists` asks just that. An allow-list is not helped by
    /// leaving something out, not even below a `not`. Else a missing field is false where the
    /// contract does not know it, and undecided where it does.
    pub(crate) fn when_missing(&self, kind: DecisionKind, known: bool) -> Truth {
        match self.source.absent {
            Some(Absent::Skip) => return Truth::False,
            Some(Absent::Match) => return Truth::True,
            None => {}
        }
        if self.source.op == Op::Exists {
            return Truth::from(self.source.value.as_bool() == Some(false));
        }
        match kind {
            DecisionKind::Allow => Truth::Unknown,
            DecisionKind::Deny | DecisionKind::RequireApproval | DecisionKind::Escalate => {
                if known { Truth::Unknown } else { Truth::False }
            }
        }
    }
}

/// What a leaf looks at, and how.
#[derive(Debug)]
pub(crate) enum Probe {
    Trigger(Triggers),
    Value {
        field: Field,
        test: Test,
        each: Each,
    },
}

/// Which elements of `[*]` a leaf must hold for.
///
/// Under deny and approval one is enough, under allow it takes all. Below a `not` it is the other
/// way round, so that `not` means "none does" and "not every one does": whichever way it is
/// written, one bad element stops the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Each {
    Some,
    Every,
}

impl Each {
    pub(crate) fn new(kind: DecisionKind, below_not: bool) -> Self {
        let every = match kind {
            DecisionKind::Allow => !below_not,
            DecisionKind::Deny | DecisionKind::RequireApproval | DecisionKind::Escalate => {
                below_not
            }
        };
        if every { Each::Every } else { Each::Some }
    }
}

/// The triggers for which a leaf holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Triggers([bool; Trigger::ALL.len()]);

impl Triggers {
    /// Those for which `holds` does.
    pub(crate) fn collect(holds: impl Fn(Trigger) -> bool) -> Self {
        Self(Trigger::ALL.map(holds))
    }

    pub(crate) fn has(self, trigger: Trigger) -> bool {
        Trigger::ALL
            .into_iter()
            .zip(self.0)
            .any(|(each, is_in)| is_in && each == trigger)
    }
}
