//! Evaluates a condition once more, node by node, to show why it says what it says. Knows nothing
//! of how the result is stored.

use spec::Json;
use spec::snapshot::{Absent, Op};

use crate::eval::{self, Facts};
use crate::explain::{Comparison, Found, Node, Shape};
use crate::field::Field;
use crate::path::{self, Step};
use crate::probe::op_name;
use crate::rule::{Each, Leaf, Probe, Tree};
use crate::truth::Truth;

/// Characters of a text that a trace keeps.
const TEXT_CHARS_MAX: usize = 256;
/// Values, nested ones too, that a trace keeps of one argument or of a rule's list.
const VALUES_MAX: usize = 64;

/// The node of a trace for `tree`.
pub(crate) fn node(tree: &Tree, missing: &[Truth], facts: &Facts<'_>) -> Node {
    let nodes = |children: &[Tree]| -> Vec<Node> {
        children
            .iter()
            .map(|child| node(child, missing, facts))
            .collect()
    };
    match tree {
        Tree::All(children) => {
            let children = nodes(children);
            let truth = children
                .iter()
                .fold(Truth::True, |so_far, child| so_far.and(child.truth));
            Node {
                truth,
                why: tally(&children, truth, "all of no conditions hold"),
                shape: Shape::All(children),
            }
        }
        Tree::Any(children) => {
            let children = nodes(children);
            let truth = children
                .iter()
                .fold(Truth::False, |so_far, child| so_far.or(child.truth));
            Node {
                truth,
                why: tally(&children, truth, "none of no conditions holds"),
                shape: Shape::Any(children),
            }
        }
        Tree::Not(child) => {
            let child = node(child, missing, facts);
            Node {
                truth: child.truth.not(),
                why: format!("the condition below is {}", child.truth.as_str()),
                shape: Shape::Not(Box::new(child)),
            }
        }
        Tree::Leaf(it) => leaf(it, eval::missing_of(it, missing), facts),
    }
}

/// How many children decided.
fn tally(children: &[Node], truth: Truth, of_none: &str) -> String {
    if children.is_empty() {
        return of_none.to_owned();
    }
    let alike = children.iter().filter(|child| child.truth == truth).count();
    format!("{alike} of {} {}", children.len(), truth.as_str())
}

fn leaf(leaf: &Leaf, missing: Truth, facts: &Facts<'_>) -> Node {
    let truth = eval::leaf_truth(leaf, missing, facts);
    let (actual, at) = find(leaf, truth, missing, facts);
    let (expected, expected_is_cut) = clip(&leaf.source.value);
    Node {
        truth,
        why: why(leaf, truth, &actual, facts),
        shape: Shape::Leaf(Comparison {
            field: leaf.source.field.clone(),
            op: leaf.source.op,
            expected,
            expected_is_cut,
            actual,
            at,
        }),
    }
}

/// What the call has at the leaf's field, and where, when `[*]` left a choice.
fn find(leaf: &Leaf, truth: Truth, missing: Truth, facts: &Facts<'_>) -> (Found, Option<String>) {
    let (field, test, each) = match &leaf.probe {
        Probe::Trigger(_) => {
            let word = facts.trigger.map(|trigger| Json::from(trigger.as_str()));
            return (word.map_or(Found::Absent, Found::Value), None);
        }
        Probe::Value { field, test, each } => (field, test, *each),
    };
    let root = match field {
        Field::Argument(_) => facts.tool.map(|tool| tool.args),
        Field::Input(_) => Some(facts.context.session_input),
        Field::Text(text) => {
            let word = eval::with_text(*text, facts, |text| text.map(Json::from));
            return (word.map_or(Found::Absent, Found::Value), None);
        }
        Field::Count(count) => {
            let count = eval::count_of(*count, facts.context);
            return (Found::Value(Json::from(count)), None);
        }
        Field::Trigger => None,
    };
    let mut search = Search {
        wanted: truth,
        truth_of: &|value, rest| eval::at_path(value, rest, each, test, missing),
        trail: Vec::new(),
    };
    let found = match root {
        Some(root) => search.descend(root, field.steps()),
        None => Found::Absent,
    };
    let chose = field.steps().contains(&Step::Each) && !search.trail.is_empty();
    let prefix = match field {
        Field::Input(_) => "ctx.session.input.",
        Field::Argument(_) | Field::Trigger | Field::Text(_) | Field::Count(_) => "",
    };
    let at = chose.then(|| format!("{prefix}{}", path::render(&search.trail)));
    (found, at)
}

/// Looks for the element that decided: the first that says what the whole says.
struct Search<'a> {
    wanted: Truth,
    truth_of: &'a dyn Fn(&Json, &[Step]) -> Truth,
    trail: Vec<Step>,
}

impl Search<'_> {
    fn descend(&mut self, value: &Json, steps: &[Step]) -> Found {
        let Some((step, rest)) = steps.split_first() else {
            return match clip(value) {
                (kept, true) => Found::Cut(kept),
                (kept, false) => Found::Value(kept),
            };
        };
        let (below, step) = match step {
            Step::Key(key) => (value.get(key), step.clone()),
            Step::Index(index) => (value.as_array().and_then(|it| it.get(*index)), step.clone()),
            Step::Each => match value.as_array() {
                Some([]) => return Found::Empty,
                Some(elements) => {
                    let says = |element| (self.truth_of)(element, rest) == self.wanted;
                    let index = elements.iter().position(says).unwrap_or(0);
                    (elements.get(index), Step::Index(index))
                }
                None => (None, step.clone()),
            },
        };
        self.trail.push(step);
        match below {
            Some(value) => self.descend(value, rest),
            None => Found::Absent,
        }
    }
}

/// A value short enough to keep, and whether something of it is gone.
fn clip(value: &Json) -> (Json, bool) {
    let mut left = VALUES_MAX;
    let mut is_cut = false;
    let kept = clip_value(value, &mut left, &mut is_cut);
    (kept, is_cut)
}

fn clip_value(value: &Json, left: &mut usize, cut: &mut bool) -> Json {
    *left = left.saturating_sub(1);
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => value.clone(),
        Json::String(text) => Json::String(clip_text(text, cut)),
        Json::Array(elements) => {
            let mut kept = Vec::new();
            for element in elements {
                if *left == 0 {
                    *cut = true;
                    break;
                }
                kept.push(clip_value(element, left, cut));
            }
            Json::Array(kept)
        }
        Json::Object(members) => {
            let mut kept = Vec::new();
            for (key, member) in members {
                if *left == 0 {
                    *cut = true;
                    break;
                }
                kept.push((clip_text(key, cut), clip_value(member, left, cut)));
            }
            Json::from_members(kept)
        }
    }
}

fn clip_text(text: &str, cut: &mut bool) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => {
            *cut = true;
            format!("{}…", text.get(..end).unwrap_or(""))
        }
        None => text.to_owned(),
    }
}

/// Why a leaf says what it says.
fn why(leaf: &Leaf, truth: Truth, actual: &Found, facts: &Facts<'_>) -> String {
    let is_trigger = matches!(leaf.probe, Probe::Trigger(_));
    match actual {
        Found::Absent if is_trigger => "a first round has no trigger".to_owned(),
        Found::Absent => why_absent(leaf, truth, facts),
        Found::Empty => match each_of(leaf) {
            Each::Some => "the list is empty, so no element holds".to_owned(),
            Each::Every => "the list is empty, so no element fails".to_owned(),
        },
        Found::Value(value) | Found::Cut(value) => match truth {
            Truth::Unknown => format!(
                "`{}` cannot compare a value of type {} here",
                op_name(leaf.source.op),
                value.kind()
            ),
            Truth::True => "the comparison holds".to_owned(),
            Truth::False => "the comparison does not hold".to_owned(),
        },
    }
}

fn each_of(leaf: &Leaf) -> Each {
    match &leaf.probe {
        Probe::Trigger(_) => Each::Some,
        Probe::Value { each, .. } => *each,
    }
}

fn why_absent(leaf: &Leaf, truth: Truth, facts: &Facts<'_>) -> String {
    let word = match leaf.source.absent {
        Some(Absent::Skip) => "missing, and the policy says `absent: skip`",
        Some(Absent::Match) => "missing, and the policy says `absent: match`",
        None => match truth {
            Truth::Unknown => "missing, so nothing can be told",
            Truth::True => "missing, as the policy wants it",
            Truth::False if leaf.source.op == Op::Exists => {
                "missing, and the policy wants it there"
            }
            Truth::False if facts.tool.is_none() => "missing: a limit round has no call",
            Truth::False => "missing, and not known to the tool's contract",
        },
    };
    word.to_owned()
}
