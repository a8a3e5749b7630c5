//! `spec.instructions`: the system prompt, written in place or in a file of its own.

use std::rc::Rc;

use crate::diagnostic::{Location, Sink};
use crate::diagnostics::{e0102, e0205, e0208};
use crate::sources::{FileRef, INSTRUCTION_EXTENSIONS, Sources};
use crate::yaml::{self, Cursor, FILE_BYTES_MAX, Shape};

const INSTRUCTIONS: Shape = Shape {
    what: "instructions",
    known: &["text", "ref", "version"],
    elsewhere: &[],
    unsupported: &[],
};

const FILE: Shape = Shape {
    what: "a file of instructions",
    known: &["text"],
    elsewhere: &[],
    unsupported: &[],
};

pub(crate) fn read(
    cursor: &Cursor<'_>,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<String> {
    let fields = cursor.fields(&INSTRUCTIONS, sink)?;
    match (fields.get("text"), fields.get("ref")) {
        (Some(text), None) => {
            FileRef::refuse_version(&fields, "text", sink);
            Some(text.filled(sink)?.value)
        }
        (None, Some(_)) => {
            let reference = FileRef::read(&fields, sink)?;
            let path = sources.find(&reference, INSTRUCTION_EXTENSIONS, sink)?;
            if path.ends_with(".md") || path.ends_with(".txt") {
                plain_file(&path, sources, sink)
            } else {
                yaml_file(&path, sources, sink)
            }
        }
        (text, _) => {
            let found = if text.is_some() { 2 } else { 0 };
            sink.push(e0208::exactly_one(&cursor.at(), &["text", "ref"], found));
            None
        }
    }
}

/// A file that is the instructions, as it is.
fn plain_file(path: &str, sources: &Sources<'_>, sink: &mut Sink) -> Option<String> {
    let file = Rc::from(path);
    let at = Location::top(&file);
    let bytes = sources.bytes(path, sink)?;
    if bytes.len() > FILE_BYTES_MAX {
        sink.push(e0102::too_large(&at, FILE_BYTES_MAX));
        return None;
    }
    let Ok(text) = String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        sink.push(yaml::not_utf8(&file, error.as_bytes(), byte));
    }) else {
        return None;
    };
    let text = text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text);
    if text.trim().is_empty() {
        sink.push(e0205::empty(&at));
        return None;
    }
    Some(text)
}

/// A YAML file: one text, or a map with `text`.
fn yaml_file(path: &str, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<String> {
    let document = sources.document(path, sink)?;
    let root = document.cursor();
    let text = if root.is_mapping() {
        root.fields(&FILE, sink)?.required("text", sink)?
    } else {
        root
    };
    Some(text.filled(sink)?.value)
}
