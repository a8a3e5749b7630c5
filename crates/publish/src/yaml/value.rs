//! Nodes as JSON values, for schemas and for values that policies compare with.

use std::collections::BTreeMap;

use spec::Json;

use super::cursor::Cursor;
use super::scalar::{Core, resolve};
use super::{Kind, Style};
use crate::diagnostic::Sink;
use crate::diagnostics::e0209;

/// The value of an unquoted scalar; `None` for a number that is not taken for one.
pub(super) fn of_core(core: Core, text: &str) -> Option<Json> {
    match core {
        Core::Null => Some(Json::Null),
        Core::Bool(value) => Some(Json::Bool(value)),
        Core::Number(number) => Some(Json::Number(number)),
        Core::Text => Some(Json::String(text.to_owned())),
        Core::Odd(_) => None,
    }
}

/// The value of a node, or `None` when something in it was refused and reported.
pub(super) fn json(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Json> {
    match &cursor.node.kind {
        Kind::Broken => None,
        Kind::Scalar(scalar) if scalar.style != Style::Plain => {
            Some(Json::String(scalar.text.clone()))
        }
        Kind::Scalar(scalar) => match resolve(&scalar.text) {
            Core::Odd(odd) => {
                sink.push(e0209::odd(&cursor.at(), &scalar.text, odd.why()));
                None
            }
            core @ (Core::Null | Core::Bool(_) | Core::Number(_) | Core::Text) => {
                of_core(core, &scalar.text)
            }
        },
        Kind::Sequence(nodes) => {
            let elements = nodes.iter().enumerate();
            let values: Vec<_> = elements
                .map(|(index, node)| json(&cursor.element(index, node), sink))
                .collect();
            values
                .into_iter()
                .collect::<Option<Vec<_>>>()
                .map(Json::Array)
        }
        Kind::Mapping(entries) => {
            let members: Vec<_> = entries
                .iter()
                .map(|entry| Some((entry.key.clone(), json(&cursor.member(entry), sink)?)))
                .collect();
            let members = members.into_iter().collect::<Option<BTreeMap<_, _>>>();
            members.map(Json::Object)
        }
    }
}
