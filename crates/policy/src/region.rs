//! Which calls a policy applies to, as JSON Schemas of their arguments, so that whoever can compare
//! schemas can compare policies. Knows nothing of how schemas are compared.
//!
//! What depends on more than the arguments (the hour, the session's input) has no schema, and a few
//! comparisons are too intricate for one. A region is therefore two schemas: one that takes the
//! arguments of every call to which the policy may apply, and one that takes none but those to which
//! it surely does.

mod combine;
mod values;

use spec::Json;
use spec::snapshot::{Case, DecisionKind, Op, Policy, Tool};

use crate::comparison::Actual;
use crate::compile;
use crate::contract::Contract;
use crate::field::{Field, Text};
use crate::path::Step;
use crate::probe::equalled;
use crate::rule::{Each, Leaf, Probe, Tree};
use crate::truth::Truth;

use combine::{all_of, any_of, document, not, typed};
use values::told;

/// The largest index that is written out as a schema.
const INDEX_MAX: usize = 64;

/// The calls of one tool to which a policy applies in their first round: those that an allow-list
/// lets through, and those that any other policy matches. Schemas of draft 2020-12.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Takes the arguments of every call to which the policy may apply.
    pub may: Json,
    /// Takes no arguments but those of calls to which the policy applies.
    pub must: Json,
    /// Its comparisons with a fixed value.
    pub constants: Vec<Constant>,
}

/// A comparison of an argument with one value that the author wrote, or one of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Where in the policy's spec: `conditions.all[0].value`.
    pub place: String,
    /// The argument, as written.
    pub field: String,
    /// The value.
    pub value: Json,
    /// Takes the arguments that have the value there.
    pub equal: Json,
    /// Takes the arguments that have the value there in other letter case; nothing if there is no
    /// such value, or if the comparison takes them for equal.
    pub other_case: Option<Json>,
    /// Whether the comparison holds of those that have it.
    pub holds: bool,
}

/// The region of `policy` among the calls of `tool`; `None` where the policy takes no part in a
/// first round, reads the trigger, or does not compile.
#[must_use]
pub fn region(policy: &Policy, tool: &Tool) -> Option<Region> {
    let rule = compile::rule(policy).ok()?;
    if !rule.in_first_round || rule.in_second_round {
        return None;
    }
    let kind = rule.decision.kind;
    let reader = Reader {
        kind,
        tool,
        contract: Contract::new(&tool.input_schema),
    };
    let bounds = match &rule.condition {
        Some(tree) => reader.tree(tree),
        None => Bounds::of(Truth::True),
    };
    let (may, must) = match kind {
        DecisionKind::Allow => (bounds.may_hold, bounds.must_hold),
        DecisionKind::Deny | DecisionKind::RequireApproval | DecisionKind::Escalate => {
            (not(bounds.must_fail), not(bounds.may_fail))
        }
    };
    let mut constants = Vec::new();
    if let Some(tree) = &rule.condition {
        tree.visit_leaves(&mut |leaf| constants.extend(reader.constants(leaf)));
    }
    Some(Region {
        may: document(may),
        must: document(must),
        constants,
    })
}

/// Arguments for which a condition holds, and for which it fails; each as what may and what must.
struct Bounds {
    may_hold: Json,
    must_hold: Json,
    may_fail: Json,
    must_fail: Json,
}

impl Bounds {
    /// The same whatever the arguments.
    fn of(truth: Truth) -> Self {
        let (holds, fails) = (
            Json::Bool(truth == Truth::True),
            Json::Bool(truth == Truth::False),
        );
        Self::exact(holds, fails)
    }

    fn exact(holds: Json, fails: Json) -> Self {
        Self {
            may_hold: holds.clone(),
            must_hold: holds,
            may_fail: fails.clone(),
            must_fail: fails,
        }
    }

    /// Nothing is known of it.
    fn open() -> Self {
        Self {
            may_hold: Json::Bool(true),
            must_hold: Json::Bool(false),
            may_fail: Json::Bool(true),
            must_fail: Json::Bool(false),
        }
    }

    fn negated(self) -> Self {
        Self {
            may_hold: self.may_fail,
            must_hold: self.must_fail,
            may_fail: self.may_hold,
            must_fail: self.must_hold,
        }
    }

    /// Holds where all do, and fails where one does.
    fn all(parts: Vec<Bounds>) -> Self {
        let mut lists = [const { Vec::new() }; 4];
        for part in parts {
            let Bounds {
                may_hold,
                must_hold,
                may_fail,
                must_fail,
            } = part;
            let parts = [may_hold, must_hold, may_fail, must_fail];
            for (list, part) in lists.iter_mut().zip(parts) {
                list.push(part);
            }
        }
        let [may_hold, must_hold, may_fail, must_fail] = lists;
        Self {
            may_hold: all_of(may_hold),
            must_hold: all_of(must_hold),
            may_fail: any_of(may_fail),
            must_fail: any_of(must_fail),
        }
    }
}

struct Reader<'a> {
    kind: DecisionKind,
    tool: &'a Tool,
    contract: Contract<'a>,
}

impl Reader<'_> {
    fn tree(&self, tree: &Tree) -> Bounds {
        let list = |parts: &[Tree]| parts.iter().map(|it| self.tree(it)).collect();
        match tree {
            Tree::All(parts) => Bounds::all(list(parts)),
            Tree::Any(parts) => {
                let negated: Vec<Bounds> = list(parts);
                Bounds::all(negated.into_iter().map(Bounds::negated).collect()).negated()
            }
            Tree::Not(part) => self.tree(part).negated(),
            Tree::Leaf(leaf) => self.leaf(leaf),
        }
    }

    fn leaf(&self, leaf: &Leaf) -> Bounds {
        match &leaf.probe {
            Probe::Trigger(_) => Bounds::of(Truth::False),
            Probe::Value { field, test, each } => match field {
                Field::Argument(steps) => {
                    let missing = leaf.when_missing(self.kind, self.contract.knows(steps));
                    let exact = told(leaf).and_then(|told| {
                        let holds = at(steps, *each, (&told.holds, Truth::True), missing)?;
                        let fails = at(steps, *each, (&told.fails, Truth::False), missing)?;
                        Some(Bounds::exact(holds, fails))
                    });
                    exact.unwrap_or_else(Bounds::open)
                }
                Field::Text(text) => match self.word(*text) {
                    Some(word) => Bounds::of(test.judge(Actual::Text(&word))),
                    None => Bounds::open(),
                },
                Field::Input(_) | Field::Trigger | Field::Count(_) => Bounds::open(),
            },
        }
    }

    /// A word of the context that is the same in every call of the tool.
    fn word(&self, text: Text) -> Option<String> {
        match text {
            Text::Tool => Some(self.tool.contract.logical_id()),
            Text::WireName => Some(self.tool.wire_name.clone()),
            Text::SideEffectClass => Some(self.tool.side_effect_class.as_str().to_owned()),
            Text::AgentNamespace
            | Text::AgentName
            | Text::AgentVersion
            | Text::Weekday
            | Text::Date
            | Text::Limit => None,
        }
    }

    fn constants(&self, leaf: &Leaf) -> Vec<Constant> {
        let Probe::Value {
            field: Field::Argument(steps),
            ..
        } = &leaf.probe
        else {
            return Vec::new();
        };
        let source = &leaf.source;
        let values = equalled(source);
        let holds = !matches!(source.op, Op::Neq | Op::NotIn);
        // A text that the comparison takes in any letter case has no one value to look for.
        let folds = source.case == Case::Insensitive;
        let exact = values.iter().filter(|it| !folds || it.as_str().is_none());
        let having = |values: Vec<Json>| {
            let schema = Json::from_members([("enum", Json::Array(values))]);
            let wanted = (&schema, Truth::True);
            at(steps, Each::Some, wanted, Truth::False).map(document)
        };
        let several = matches!(source.op, Op::In | Op::NotIn);
        let constant = |(index, value): (usize, &Json)| {
            Some(Constant {
                place: if several {
                    format!("{}.value[{index}]", leaf.place)
                } else {
                    format!("{}.value", leaf.place)
                },
                field: source.field.clone(),
                value: value.clone(),
                equal: having(vec![value.clone()])?,
                other_case: other_case(value).and_then(having),
                holds,
            })
        };
        exact.enumerate().filter_map(constant).collect()
    }
}

/// The value in other letter case.
fn other_case(value: &Json) -> Option<Vec<Json>> {
    let text = value.as_str()?;
    let others = [text.to_lowercase(), text.to_uppercase()];
    let others: Vec<Json> = others
        .into_iter()
        .filter(|it| it != text)
        .map(|it| Json::from(it.as_str()))
        .collect();
    (!others.is_empty()).then_some(others)
}

/// The arguments for which what lies at the path makes the comparison say `truth`: `wanted` takes
/// the values for which it does, and a path that is not there says `missing`. `None` for an index
/// too large to write out.
fn at(steps: &[Step], each: Each, (wanted, truth): (&Json, Truth), missing: Truth) -> Option<Json> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(wanted.clone());
    };
    let below = at(rest, each, (wanted, truth), missing)?;
    let (there, here) = match step {
        Step::Key(key) => {
            let required = Json::Array(vec![Json::from(key.as_str())]);
            let there = typed("object", [("required", required.clone())]);
            let members = Json::from_members([(key.as_str(), below)]);
            let here = typed("object", [("required", required), ("properties", members)]);
            (there, here)
        }
        Step::Index(index) if *index > INDEX_MAX => return None,
        Step::Index(index) => {
            let least = u64::try_from(index.saturating_add(1)).unwrap_or(u64::MAX);
            let least = Json::from(least);
            let mut items = vec![Json::Bool(true); *index];
            items.push(below);
            let there = typed("array", [("minItems", least.clone())]);
            let items = Json::Array(items);
            (
                there,
                typed("array", [("minItems", least), ("prefixItems", items)]),
            )
        }
        Step::Each => {
            let some = (each == Each::Some) == (truth == Truth::True);
            let keyword = if some { "contains" } else { "items" };
            (typed("array", []), typed("array", [(keyword, below)]))
        }
    };
    Some(if truth == missing {
        any_of(vec![not(there), here])
    } else {
        here
    })
}
