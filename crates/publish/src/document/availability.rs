//! `available_when` of a Tool: the predicates that must hold for it to be offered. Knows how they
//! are written; not whether they hold.

use spec::Json;
use spec::snapshot::{Predicate, Subject};

use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0203, e0205, e0506};
use crate::yaml::Cursor;

/// The most predicates of one Tool, and the most values of one predicate.
const ENTRIES_MAX: usize = 64;

/// Subjects without a part of the author's own.
const PLAIN: [(&str, Subject); 3] = [
    ("agent.capability", Subject::AgentCapability),
    ("agent.namespace", Subject::AgentNamespace),
    ("agent.name", Subject::AgentName),
];
/// Subjects that end with a key or a path.
fn keyed(key: &str) -> Option<Subject> {
    let rest = |prefix: &str| key.strip_prefix(prefix).map(str::to_owned);
    rest("agent.label.")
        .map(Subject::AgentLabel)
        .or_else(|| rest("session.input.").map(Subject::SessionInput))
        .or_else(|| rest("runtime.env.").map(Subject::RuntimeEnv))
}

/// Reads a list of `key: value` maps, or of texts of that form.
pub(super) fn read(cursor: &Cursor<'_>, sink: &mut Sink) -> Vec<At<Predicate>> {
    let items = cursor.items(sink).unwrap_or_default();
    if items.len() > ENTRIES_MAX {
        sink.push(e0205::too_many(&cursor.at(), "predicates", ENTRIES_MAX));
        return Vec::new();
    }
    let one = |item: &Cursor<'_>| {
        if item.is_mapping() {
            from_map(item, sink)
        } else {
            from_text(item, sink)
        }
    };
    items.iter().filter_map(one).collect()
}

fn from_map(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<At<Predicate>> {
    let entries = cursor.entries(sink)?;
    let [(key, value)] = entries.as_slice() else {
        sink.push(e0506::not_one(&cursor.at(), entries.len()));
        return None;
    };
    let subject = subject(key, sink)?;
    let values = if value.is_sequence() {
        value.items(sink)?
    } else {
        vec![value.clone()]
    };
    if values.is_empty() || values.len() > ENTRIES_MAX {
        sink.push(e0506::no_value(&value.at(), &key.value, ENTRIES_MAX));
        return None;
    }
    let read = |it: &Cursor<'_>| self::value(&subject, it, sink);
    let any_of: Option<Vec<Json>> = values.iter().map(read).collect();
    Some(At {
        value: Predicate {
            subject: subject.clone(),
            any_of: any_of?,
        },
        at: key.at.clone(),
    })
}

/// `"key: value"`; the value means what it would mean behind the key of a map.
fn from_text(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<At<Predicate>> {
    let text = cursor.filled(sink)?;
    let Some((key, value)) = text.value.split_once(':') else {
        sink.push(e0506::no_colon(&text.at, &text.value));
        return None;
    };
    let (key, value) = (key.trim().to_owned(), value.trim());
    if value.is_empty() {
        sink.push(e0506::no_value(&text.at, &key, ENTRIES_MAX));
        return None;
    }
    let at = text.at.clone();
    let subject = subject(&At { value: key, at }, sink)?;
    let read = match subject {
        Subject::SessionInput(_) => crate::yaml::plain(value),
        Subject::AgentCapability
        | Subject::AgentNamespace
        | Subject::AgentName
        | Subject::AgentLabel(_)
        | Subject::RuntimeEnv(_) => None,
    };
    let any_of = vec![read.unwrap_or_else(|| Json::from(value))];
    Some(At {
        value: Predicate { subject, any_of },
        at: text.at,
    })
}

fn subject(key: &At<String>, sink: &mut Sink) -> Option<Subject> {
    let plain = PLAIN.iter().find(|(word, _)| *word == key.value);
    if let Some((_, subject)) = plain {
        return Some(subject.clone());
    }
    let keyed = keyed(&key.value).filter(|_| !key.value.split('.').any(str::is_empty));
    if keyed.is_none() {
        sink.push(e0506::unknown(&key.at, &key.value, &words()));
    }
    keyed
}

/// The keys as authors write them.
fn words() -> Vec<&'static str> {
    let keyed = ["agent.label.KEY", "session.input.PATH", "runtime.env.KEY"];
    PLAIN.iter().map(|(word, _)| *word).chain(keyed).collect()
}

/// A value that the subject can have: anything plain in a session's input, text elsewhere.
fn value(subject: &Subject, cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Json> {
    match subject {
        Subject::SessionInput(_) => {
            let json = cursor.json(sink)?;
            if matches!(json, Json::Array(_) | Json::Object(_)) {
                let due = "text, a number, true, false or null";
                sink.push(e0203::found(&cursor.at(), due, "a list or a map"));
                return None;
            }
            Some(json)
        }
        Subject::AgentCapability
        | Subject::AgentNamespace
        | Subject::AgentName
        | Subject::AgentLabel(_)
        | Subject::RuntimeEnv(_) => Some(Json::String(cursor.filled(sink)?.value)),
    }
}

/// What an Agent is, as far as predicates may ask.
pub(crate) struct AgentFacts<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) labels: &'a std::collections::BTreeMap<String, String>,
    pub(crate) capabilities: &'a [String],
}

/// What keeps a Tool from ever being available to an agent.
pub(crate) struct Never<'a> {
    pub(crate) predicate: &'a At<Predicate>,
    /// How the Agent would have to change.
    pub(crate) mend: String,
}

/// The first predicate that cannot hold for this agent, whatever a session brings.
pub(crate) fn never<'a>(
    predicates: &'a [At<Predicate>],
    agent: &AgentFacts<'_>,
) -> Option<Never<'a>> {
    predicates.iter().find_map(|predicate| {
        let mend = agent.mend_for(&predicate.value)?;
        Some(Never { predicate, mend })
    })
}

impl AgentFacts<'_> {
    /// `None` where the predicate holds, or is decided later.
    fn mend_for(&self, predicate: &Predicate) -> Option<String> {
        let wanted = || {
            let words: Vec<&str> = predicate.any_of.iter().filter_map(Json::as_str).collect();
            words.join("` or `")
        };
        let among = |value: &str| predicate.any_of.iter().any(|it| it.as_str() == Some(value));
        match &predicate.subject {
            Subject::AgentCapability if !self.capabilities.iter().any(|it| among(it)) => Some(
                format!("add `{}` to the Agent's `spec.capabilities`", wanted()),
            ),
            Subject::AgentNamespace if !among(self.namespace) => Some(format!(
                "only agents in the namespace `{}` may bind it",
                wanted()
            )),
            Subject::AgentName if !among(self.name) => {
                Some(format!("only agents named `{}` may bind it", wanted()))
            }
            Subject::AgentLabel(key) if !self.labels.get(key).is_some_and(|it| among(it)) => {
                Some(format!("give the Agent the label `{key}: {}`", wanted()))
            }
            Subject::AgentCapability
            | Subject::AgentNamespace
            | Subject::AgentName
            | Subject::AgentLabel(_)
            | Subject::SessionInput(_)
            | Subject::RuntimeEnv(_) => None,
        }
    }
}
