//! `stub-script.json`: what the stub provider plays instead of asking a model.

use spec::Json;
use spec::snapshot::STUB_SCRIPT;

use crate::diagnostic::Sink;
use crate::diagnostics::{e0206, e0703};
use crate::sources::{Document, Sources};
use crate::yaml::Cursor;

const FILE: &str = "stub-script.json";

/// The script, as canonical text: that of the file beside the Agent, or else the one that its
/// annotations hold; `None` when there is none.
pub(crate) fn read(agent: &Document, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<String> {
    let folder = agent.file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if folder.is_empty() {
        FILE.to_owned()
    } else {
        format!("{folder}/{FILE}")
    };
    let metadata = agent.cursor().child("metadata");
    let annotations = metadata.and_then(|it| it.child("annotations"));
    let written = annotations.and_then(|it| it.child(STUB_SCRIPT));
    if sources.bytes(&path, sink).is_none() {
        return in_annotation(&written?, sink);
    }
    if let Some(written) = written {
        let place = format!("the script is in {path}; keep one of the two");
        let at = written.key_at();
        sink.push(e0206::belongs_elsewhere(
            &at,
            STUB_SCRIPT,
            "these annotations",
            &place,
        ));
    }
    let document = sources.document(&path, sink)?;
    let cursor = document.cursor();
    let script = cursor.json(sink)?;
    for (steps, why) in faults(&script) {
        sink.push(e0703::malformed(&cursor.locate_steps(steps), &why));
    }
    Some(script.to_canonical())
}

fn in_annotation(written: &Cursor<'_>, sink: &mut Sink) -> Option<String> {
    // What is not text has been reported with the other annotations.
    let text = written.text(&mut Sink::default())?;
    let script = match Json::parse(text.value.as_bytes()) {
        Ok(script) => script,
        Err(error) => {
            sink.push(e0703::malformed(&text.at, &error.to_string()));
            return None;
        }
    };
    for (steps, why) in faults(&script) {
        let why = format!("{why} ({})", steps.join("."));
        sink.push(e0703::malformed(&text.at, &why));
    }
    Some(script.to_canonical())
}

/// What is wrong with a script, and the way to it.
fn faults(script: &Json) -> Vec<(Vec<String>, String)> {
    let only_turns = script
        .as_object()
        .is_some_and(|it| it.keys().all(|key| key == "turns"));
    let turns = script.get("turns").and_then(Json::as_array);
    let Some(turns) = turns.filter(|_| only_turns) else {
        let why = "it is an object with the one member `turns`, a list of lists";
        return vec![(Vec::new(), why.to_owned())];
    };
    let mut faults = Vec::new();
    for (turn_index, turn) in turns.iter().enumerate() {
        let way = vec!["turns".to_owned(), turn_index.to_string()];
        let Some(events) = turn.as_array() else {
            faults.push((way, "a turn is a list of events".to_owned()));
            continue;
        };
        for (index, event) in events.iter().enumerate() {
            if let Some(why) = fault(event) {
                let mut way = way.clone();
                way.push(index.to_string());
                faults.push((way, why));
            }
        }
    }
    faults
}

type Test = fn(&Json) -> bool;

/// A member of an event: its name, whether it must be there, what it must be, and that in words.
type Member = (&'static str, bool, Test, &'static str);

fn is_text(value: &Json) -> bool {
    value.as_str().is_some()
}

fn is_object(value: &Json) -> bool {
    value.as_object().is_some()
}

/// Text is sent to the runtime as it is, so that a script can play a model that does not send JSON.
fn is_arguments(value: &Json) -> bool {
    is_object(value) || is_text(value)
}

fn is_count(value: &Json) -> bool {
    value.as_number().is_some_and(|it| it.to_u64().is_some())
}

/// What is wrong with an event.
fn fault(event: &Json) -> Option<String> {
    let kind = event.get("type").and_then(Json::as_str).unwrap_or_default();
    let members: &[Member] = match kind {
        "text_delta" => &[("text", true, is_text, "text")],
        "tool_call" => &[
            ("name", true, is_text, "text"),
            (
                "args",
                false,
                is_arguments,
                "an object, or text that is sent as it is",
            ),
            ("id", false, is_text, "text"),
        ],
        "completed" => &[
            ("stop_reason", false, is_text, "text"),
            ("usage", false, is_object, "an object"),
        ],
        "failed" => &[("error", false, is_text, "text")],
        "delay" => &[("ms", true, is_count, "a whole number from 0 on")],
        _ => {
            let words = "text_delta, tool_call, completed, failed or delay";
            return Some(format!("an event is an object whose `type` is {words}"));
        }
    };
    for (name, needed, is_right, due) in members {
        match event.get(name) {
            Some(value) if !is_right(value) => {
                return Some(format!("`{name}` of a `{kind}` is {due}"));
            }
            None if *needed => return Some(format!("a `{kind}` needs `{name}`")),
            Some(_) | None => {}
        }
    }
    let known = |key: &str| key == "type" || members.iter().any(|(name, ..)| *name == key);
    let stray = event.as_object()?.keys().find(|key| !known(key))?;
    Some(format!("a `{kind}` has no `{stray}`"))
}
