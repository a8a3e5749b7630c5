//! What the kinds of documents have in common: `apiVersion`, `kind`, `metadata`, lists of policies.

pub(crate) mod agent;
pub(crate) mod availability;
pub(crate) mod binding;
pub(crate) mod bundle;
mod condition;
pub(crate) mod decision;
pub(crate) mod delegation;
mod frameworks;
pub(crate) mod mcp;
mod metadata;
mod model;
mod output;
pub(crate) mod policy;
pub(crate) mod probe;
pub(crate) mod tool;

pub(crate) use metadata::Header;

use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0204, e0810};
use crate::reference::{self, LogicalRef};
use crate::sources::{FILE_REF, FileRef};
use crate::yaml::{Cursor, Fields, Shape};

/// The only `apiVersion`.
const API_VERSION: &str = "phrony.com/v1";

/// Where most fields of a document go.
const IN_SPEC: &str = "write it in `spec`";

/// A document's parts.
struct Parts<'a> {
    header: Header,
    spec: Option<Cursor<'a>>,
    top: Fields<'a>,
}

/// Reads what every document begins with. `None` when it is not a document of this kind at all.
fn open<'a>(root: &Cursor<'a>, kind: &str, shape: &Shape, sink: &mut Sink) -> Option<Parts<'a>> {
    if !root.is_mapping() {
        // Reports what stands there instead.
        root.fields(shape, sink);
        return None;
    }
    if !is_kind(root, kind, sink) {
        return None;
    }
    let top = root.fields(shape, sink)?;
    if let Some(version) = top.required("apiVersion", sink) {
        version.word(&[(API_VERSION, ())], sink);
    }
    top.required("kind", sink);
    let header = Header::read(top.required("metadata", sink).as_ref(), kind, sink);
    let spec = top.required("spec", sink);
    Some(Parts { header, spec, top })
}

/// Whether the document is of `kind`; one that does not say counts as such and is reported later.
fn is_kind(root: &Cursor<'_>, kind: &str, sink: &mut Sink) -> bool {
    let Some(cursor) = root.child("kind") else {
        return true;
    };
    let Some(found) = cursor.text(sink) else {
        return false;
    };
    if found.value == kind {
        return true;
    }
    sink.push(if found.value == "Bundle" {
        e0810::bundle(&found.at, kind)
    } else {
        e0204::wrong_kind(&found.at, &found.value, kind)
    });
    false
}

/// A list of texts, each of which says something.
fn texts(cursor: &Cursor<'_>, sink: &mut Sink) -> Vec<At<String>> {
    let items = cursor.items(sink).unwrap_or_default();
    items.iter().filter_map(|item| item.filled(sink)).collect()
}

/// One entry of a list of policies.
pub(crate) enum PolicyRef {
    Logical(At<LogicalRef>),
    File(FileRef),
}

/// `default_policies`: logical ids only.
fn logical_policies(cursor: Option<Cursor<'_>>, sink: &mut Sink) -> Vec<PolicyRef> {
    let items = cursor.and_then(|it| it.items(sink)).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| logical_policy(item, sink))
        .collect()
}

/// `policies` of a binding: logical ids, or `{ref: policies/file}`.
pub(crate) fn binding_policies(cursor: Option<Cursor<'_>>, sink: &mut Sink) -> Vec<PolicyRef> {
    let items = cursor.and_then(|it| it.items(sink)).unwrap_or_default();
    let one = |item: &Cursor<'_>, sink: &mut Sink| {
        if !item.is_mapping() {
            return logical_policy(item, sink);
        }
        let fields = item.fields(&FILE_REF, sink)?;
        FileRef::read(&fields, sink).map(PolicyRef::File)
    };
    items.iter().filter_map(|item| one(item, sink)).collect()
}

fn logical_policy(item: &Cursor<'_>, sink: &mut Sink) -> Option<PolicyRef> {
    let text = item.filled(sink)?;
    reference::logical(text, sink).map(PolicyRef::Logical)
}
