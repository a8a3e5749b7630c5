//! A second opinion: slow, obvious, and written another way than the crate. A `not` is pushed down
//! to the leaves first, so that what a leaf says of each element can be counted without thinking of
//! what stands above it.

use std::cmp::Ordering;

use policy::{Context, Trigger};
use spec::Json;
use spec::snapshot::{Absent, Case, Condition, DecisionKind, Leaf, Op, Policy, Scope, Tool};

/// One opinion: who denies, who asks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Opinion {
    pub(crate) denies: Vec<String>,
    pub(crate) asks: Vec<String>,
}

pub(crate) struct World<'a> {
    pub(crate) tool: &'a Tool,
    /// Paths that the tool's contract knows, as texts.
    pub(crate) known: &'a [&'a str],
    pub(crate) args: &'a Json,
    pub(crate) trigger: Option<Trigger>,
    pub(crate) context: &'a Context<'a>,
}

/// `Some(true)`, `Some(false)`, or `None` when it cannot be told.
type Told = Option<bool>;

impl World<'_> {
    pub(crate) fn judge(&self, policies: &[Policy]) -> Opinion {
        let (mut denies, mut asks) = (Vec::new(), Vec::new());
        for policy in policies {
            let kind = policy.decision.kind;
            let reached = policy
                .attachments
                .iter()
                .any(|it| it.tools.contains(&self.tool.wire_name));
            if !reached || !self.takes_part(policy) {
                continue;
            }
            let told = match &policy.condition {
                None => Some(true),
                Some(condition) => self.tree(condition, kind, false),
            };
            let name = policy.id.name.clone();
            match kind {
                DecisionKind::Allow if told != Some(true) => denies.push(name),
                DecisionKind::Deny if told != Some(false) => denies.push(name),
                DecisionKind::RequireApproval | DecisionKind::Escalate if told != Some(false) => {
                    asks.push(name);
                }
                _ => {}
            }
        }
        if !denies.is_empty() {
            asks.clear();
        }
        denies.sort();
        asks.sort();
        Opinion { denies, asks }
    }

    fn takes_part(&self, policy: &Policy) -> bool {
        let of_dispatch = policy.scope == Some(Scope::Dispatch);
        if self.trigger.is_none() {
            return !of_dispatch;
        }
        let text = format!("{:?}", policy.condition);
        let reads = text.contains("\"dispatch.outcome\"") || text.contains("\"phrony.dispatch");
        policy.decision.kind != DecisionKind::Allow && (of_dispatch || reads)
    }

    fn tree(&self, condition: &Condition, kind: DecisionKind, negated: bool) -> Told {
        let each = |nodes: &[Condition]| -> Vec<Told> {
            nodes
                .iter()
                .map(|it| self.tree(it, kind, negated))
                .collect()
        };
        match condition {
            Condition::Not(child) => self.tree(child, kind, !negated),
            Condition::All(nodes) if negated => some(&each(nodes)),
            Condition::All(nodes) => every(&each(nodes)),
            Condition::Any(nodes) if negated => every(&each(nodes)),
            Condition::Any(nodes) => some(&each(nodes)),
            Condition::Leaf(leaf) => {
                let found: Vec<Told> = self
                    .values(leaf, kind)
                    .into_iter()
                    .map(|told| told.map(|it| it != negated))
                    .collect();
                // One bad element stops the call.
                match kind {
                    DecisionKind::Allow => every(&found),
                    _ => some(&found),
                }
            }
        }
    }

    /// What the leaf says of each value that its path finds.
    fn values(&self, leaf: &Leaf, kind: DecisionKind) -> Vec<Told> {
        let field = leaf.field.as_str();
        if field == "dispatch.outcome" || field == "phrony.dispatch.trigger" {
            let Some(trigger) = self.trigger else {
                return vec![Some(false)];
            };
            let word = Json::from(trigger.as_str());
            let short = Json::from(trigger.as_str().replace("dispatch:", ""));
            let is = |value: &Json| *value == word || *value == short;
            let listed = |value: &Json| value.as_array().unwrap().iter().any(is);
            return vec![Some(match leaf.op {
                Op::Eq => is(&leaf.value),
                Op::Neq => !is(&leaf.value),
                Op::In => listed(&leaf.value),
                Op::NotIn => !listed(&leaf.value),
                Op::Exists => true,
                other => panic!("{other:?}"),
            })];
        }
        let context = self.context;
        let count = |value: u32| vec![Some(Json::from(value))];
        let text = |value: &str| vec![Some(Json::from(value))];
        let (found, known) = match field {
            "ctx.turn" => (count(context.turn), true),
            "ctx.session.calls" => (count(context.calls), true),
            "ctx.session.tool_calls" => (count(context.tool_calls), true),
            "ctx.wire_name" => (text(&self.tool.wire_name), true),
            "ctx.side_effect_class" => (text(self.tool.side_effect_class.as_str()), true),
            _ => match field.strip_prefix("ctx.session.input.") {
                Some(path) => (walk(context.session_input, path), true),
                None => {
                    let path = field.strip_prefix("args.").unwrap_or(field);
                    (walk(self.args, path), self.known.contains(&path))
                }
            },
        };
        found
            .into_iter()
            .map(|value| match value {
                Some(value) => compare(leaf, &value),
                None => match (leaf.absent, leaf.op) {
                    (Some(Absent::Skip), _) => Some(false),
                    (Some(Absent::Match), _) => Some(true),
                    (None, Op::Exists) => Some(leaf.value == Json::Bool(false)),
                    (None, _) if known || kind == DecisionKind::Allow => None,
                    (None, _) => Some(false),
                },
            })
            .collect()
    }
}

fn every(all: &[Told]) -> Told {
    if all.contains(&Some(false)) {
        Some(false)
    } else if all.contains(&None) {
        None
    } else {
        Some(true)
    }
}

fn some(all: &[Told]) -> Told {
    if all.contains(&Some(true)) {
        Some(true)
    } else if all.contains(&None) {
        None
    } else {
        Some(false)
    }
}

/// Every value at the path; `None` for each place where it is missing. Paths without quotes.
fn walk(root: &Json, path: &str) -> Vec<Option<Json>> {
    let mut found = vec![Some(root.clone())];
    for step in path.replace('[', ".[").split('.') {
        let mut next = Vec::new();
        for value in found {
            let Some(value) = value else {
                next.push(None);
                continue;
            };
            match (step, value.as_array()) {
                ("[*]", Some(elements)) => next.extend(elements.iter().cloned().map(Some)),
                ("[*]", None) => next.push(None),
                (step, elements) if step.starts_with('[') => {
                    let index: usize = step[1..step.len() - 1].parse().unwrap();
                    next.push(elements.and_then(|it| it.get(index)).cloned());
                }
                (step, _) => next.push(value.get(step).cloned()),
            }
        }
        found = next;
    }
    found
}

fn compare(leaf: &Leaf, actual: &Json) -> Told {
    let expected = &leaf.value;
    let (folded, wanted) = match leaf.case {
        Case::Sensitive => (actual.clone(), expected.clone()),
        Case::Insensitive => (fold(actual), fold(expected)),
    };
    let texts = || Some((folded.as_str()?.to_owned(), wanted.as_str()?.to_owned()));
    let order = || Some(actual.as_number()?.cmp(expected.as_number()?));
    let length = || {
        let length = match actual {
            Json::String(text) => text.chars().count(),
            Json::Array(elements) => elements.len(),
            Json::Object(members) => members.len(),
            _ => return None,
        };
        let length = Json::from(u64::try_from(length).unwrap());
        Some(length.as_number()?.cmp(expected.as_number()?))
    };
    match leaf.op {
        Op::Eq => equal(&folded, &wanted),
        Op::Neq => equal(&folded, &wanted).map(|it| !it),
        Op::In => listed(&folded, &wanted),
        Op::NotIn => listed(&folded, &wanted).map(|it| !it),
        Op::Gt => order().map(Ordering::is_gt),
        Op::Gte => order().map(Ordering::is_ge),
        Op::Lt => order().map(Ordering::is_lt),
        Op::Lte => order().map(Ordering::is_le),
        // The random patterns are `^word$`, which needs no regular expressions to be understood.
        Op::Matches => texts().map(|(text, pattern)| format!("^{text}$") == pattern),
        Op::Contains => match folded.as_array() {
            Some(elements) => {
                let told: Vec<Told> = elements.iter().map(|it| equal(it, &wanted)).collect();
                some(&told)
            }
            None => texts().map(|(text, part)| text.contains(&part)),
        },
        Op::StartsWith => texts().map(|(text, part)| text.starts_with(&part)),
        Op::EndsWith => texts().map(|(text, part)| text.ends_with(&part)),
        Op::Exists => Some(*expected != Json::Bool(false)),
        Op::LengthGt => length().map(Ordering::is_gt),
        Op::LengthGte => length().map(Ordering::is_ge),
        Op::LengthLt => length().map(Ordering::is_lt),
        Op::LengthLte => length().map(Ordering::is_le),
    }
}

fn fold(value: &Json) -> Json {
    match value {
        Json::String(text) => Json::from(text.to_lowercase()),
        Json::Array(elements) => Json::from(elements.iter().map(fold).collect::<Vec<Json>>()),
        other => other.clone(),
    }
}

fn equal(actual: &Json, wanted: &Json) -> Told {
    if *wanted == Json::Null {
        return Some(*actual == Json::Null);
    }
    (actual.kind() == wanted.kind()).then(|| actual.to_canonical() == wanted.to_canonical())
}

fn listed(actual: &Json, list: &Json) -> Told {
    let list = list.as_array().unwrap();
    let told: Vec<Told> = list.iter().map(|it| equal(actual, it)).collect();
    let has_its_kind = list
        .iter()
        .any(|it| *it != Json::Null && it.kind() == actual.kind());
    if told.contains(&Some(true)) {
        Some(true)
    } else if has_its_kind || !told.contains(&None) {
        Some(false)
    } else {
        None
    }
}
