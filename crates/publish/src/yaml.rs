//! YAML and JSON texts as trees whose every node knows its place. Scalars stay as written: what a
//! plain `1.10` means is decided by whoever knows which type is due. Knows nothing of documents.

mod cursor;
mod json_text;
mod lines;
mod read;
mod scalar;
mod value;

use std::rc::Rc;

use lines::Lines;

pub(crate) use cursor::{Cursor, Fields, Shape};

use crate::diagnostic::{Diagnostic, Location, Sink, Span};
use crate::diagnostics::{e0101, e0102};

/// The largest file that is read.
pub(crate) const FILE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How deep maps and lists may nest.
const DEPTH_MAX: usize = 128;
/// How many keys and values a file may hold.
const NODES_MAX: usize = 100_000;

/// A value in a document.
#[derive(Debug)]
pub(crate) struct Node {
    /// A scalar as a whole; a flow collection with its brackets; of a block collection the first
    /// key or element.
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Vec<Entry>),
    /// Something was refused here and has been reported; readers pass over it.
    Broken,
}

#[derive(Debug)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    pub(crate) style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Not quoted, so its text decides its type.
    Plain,
    /// Quoted or a literal block: always text.
    Quoted,
    /// A block that `>` opens: always text.
    Folded,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
}

/// What an unquoted scalar means; `None` for a number that is not taken for one.
pub(crate) fn plain(text: &str) -> Option<spec::Json> {
    value::of_core(scalar::resolve(text), text)
}

/// Reads the one document in `bytes`: JSON when the name says so, else YAML.
pub(crate) fn read(file: &Rc<str>, bytes: &[u8], sink: &mut Sink) -> Option<Node> {
    let text = text(file, bytes, sink)?;
    if file.ends_with(".json") || is_json(text) {
        json_text::read(file, text, sink)
    } else {
        read::read(file, text, sink)
    }
}

/// Whether a text in a YAML file is JSON. Readers of YAML differ from JSON in corners, surrogate pairs
/// in escapes for one, and what is JSON is read as such.
fn is_json(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.trim_start().starts_with('{') && spec::Json::parse(text.as_bytes()).is_ok()
}

/// Reads the one JSON value in `bytes`, whatever the name says.
pub(crate) fn read_json(file: &Rc<str>, bytes: &[u8], sink: &mut Sink) -> Option<Node> {
    json_text::read(file, text(file, bytes, sink)?, sink)
}

fn text<'a>(file: &Rc<str>, bytes: &'a [u8], sink: &mut Sink) -> Option<&'a str> {
    if bytes.len() > FILE_BYTES_MAX {
        sink.push(e0102::too_large(&Location::top(file), FILE_BYTES_MAX));
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            sink.push(not_utf8(file, bytes, error.valid_up_to()));
            None
        }
    }
}

/// Says at which line the first bytes are that are no text.
pub(crate) fn not_utf8(file: &Rc<str>, bytes: &[u8], byte: usize) -> Diagnostic {
    let text = bytes.get(..byte).unwrap_or_default();
    let text = std::str::from_utf8(text).unwrap_or_default();
    let lines = Lines::new(text);
    let at = Location {
        span: Some(lines.span(lines.text.len(), lines.text.len())),
        ..Location::file(file)
    };
    e0101::not_utf8(&at, byte)
}
