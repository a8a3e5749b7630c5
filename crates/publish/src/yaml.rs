//! YAML and JSON texts as trees whose every node knows its place. Scalars stay as written: what a
//! plain `1.10` means is decided by whoever knows which type is due. Knows nothing of documents.

mod cursor;
mod json_text;
mod lines;
mod read;
mod scalar;
mod value;

use std::rc::Rc;

pub(crate) use cursor::{Cursor, Fields, Shape};

use crate::diagnostic::{Location, Sink, Span};
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
    if file.ends_with(".json") {
        json_text::read(file, text, sink)
    } else {
        read::read(file, text, sink)
    }
}

/// Reads the one JSON value in `bytes`, whatever the name says.
pub(crate) fn read_json(file: &Rc<str>, bytes: &[u8], sink: &mut Sink) -> Option<Node> {
    json_text::read(file, text(file, bytes, sink)?, sink)
}

fn text<'a>(file: &Rc<str>, bytes: &'a [u8], sink: &mut Sink) -> Option<&'a str> {
    let whole = Location::file(file);
    if bytes.len() > FILE_BYTES_MAX {
        sink.push(e0102::too_large(&whole, FILE_BYTES_MAX));
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            sink.push(e0101::not_utf8(&whole, error.valid_up_to()));
            None
        }
    }
}
