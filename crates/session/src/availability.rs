//! Which tools a session has: predicates over the agent, the session's input and the variables that
//! the operator lists. Decided when the session starts; knows no environment of its own.

use std::collections::BTreeMap;

use spec::snapshot::{Predicate, Subject, Tool};
use spec::{Json, Snapshot};

use crate::{Plan, State, Unavailable};

/// One predicate and what became of it.
pub(crate) struct Decided<'a> {
    pub(crate) tool: &'a Tool,
    pub(crate) predicate: &'a Predicate,
    pub(crate) at: &'static str,
    pub(crate) holds: bool,
}

impl Decided<'_> {
    pub(crate) fn to_json(&self) -> Json {
        Json::from_members([
            ("tool", Json::from(self.tool.wire_name.as_str())),
            ("subject", Json::from(self.predicate.subject.to_string())),
            ("any_of", Json::from(self.predicate.any_of.clone())),
            ("decided", Json::from(self.at)),
            ("holds", Json::from(self.holds)),
        ])
    }
}

/// Decides every predicate of every tool, in the snapshot's order.
pub(crate) fn decide<'a>(
    snapshot: &'a Snapshot,
    input: &Json,
    env: &BTreeMap<String, String>,
) -> Vec<Decided<'a>> {
    let predicates = snapshot
        .tools
        .iter()
        .flat_map(|tool| tool.available_when.iter().map(move |it| (tool, it)));
    predicates
        .map(|(tool, predicate)| {
            let (at, holds) = holds(predicate, input, env);
            Decided {
                tool,
                predicate,
                at,
                holds,
            }
        })
        .collect()
}

/// When a predicate is decided, and whether it holds. What cannot be found is false.
fn holds(
    predicate: &Predicate,
    input: &Json,
    env: &BTreeMap<String, String>,
) -> (&'static str, bool) {
    let any_of = |value: &Json| predicate.any_of.contains(value);
    match &predicate.subject {
        // A snapshot whose agent does not hold them is never published.
        Subject::AgentCapability
        | Subject::AgentNamespace
        | Subject::AgentName
        | Subject::AgentLabel(_) => ("publish", true),
        Subject::SessionInput(path) => ("start", at(input, path).is_some_and(any_of)),
        Subject::RuntimeEnv(key) => {
            let value = env.get(key).map(|it| Json::from(it.as_str()));
            ("start", value.as_ref().is_some_and(any_of))
        }
    }
}

/// The value at a dotted path through objects.
fn at<'a>(input: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('.').try_fold(input, |value, key| value.get(key))
}

/// The tools with a predicate that does not hold, each with its first such.
pub(crate) fn unavailable(decided: &[Decided<'_>]) -> Vec<Unavailable> {
    let mut unavailable: Vec<Unavailable> = Vec::new();
    for it in decided.iter().filter(|it| !it.holds) {
        let tool = &it.tool.wire_name;
        if unavailable.iter().all(|known| known.tool != *tool) {
            unavailable.push(Unavailable {
                tool: tool.clone(),
                why: why(it.predicate),
            });
        }
    }
    unavailable
}

/// Names the predicate; the value that was found is nobody's business but the operator's.
fn why(predicate: &Predicate) -> String {
    let values: Vec<String> = predicate.any_of.iter().map(Json::to_canonical).collect();
    let subject = &predicate.subject;
    match values.as_slice() {
        [one] => format!("{subject} is not {one}"),
        many => format!("{subject} is none of {}", many.join(", ")),
    }
}

/// The tools that the model is offered in this session, in the snapshot's order.
#[must_use]
pub fn offered<'a>(plan: &'a Plan, state: &State) -> Vec<&'a Tool> {
    let tools = plan.snapshot.tools.iter();
    tools
        .filter(|it| !state.unavailable.contains_key(&it.wire_name))
        .collect()
}
