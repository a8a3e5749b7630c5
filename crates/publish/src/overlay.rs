//! An overlay: what a deployment adds to a published version, for one runtime only. It may narrow and
//! never widen, which this version reads and does not prove yet, so that every overlay is refused.
//! Knows the version's snapshot; not which runtime deploys it.

use std::rc::Rc;

use spec::Snapshot;
use spec::snapshot::Tool;

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::diagnostics::{e0101, e0503, e0512};
use crate::document::policy::Policy;
use crate::document::tool::class;
use crate::document::{PolicyRef, binding_policies};
use crate::files::Files;
use crate::library::Library;
use crate::schema::{self, Role};
use crate::sources::{DOCUMENT_EXTENSIONS, Sources};
use crate::yaml::{Cursor, Shape};

const OVERLAY: Shape = Shape {
    what: "an overlay",
    known: &["policies", "tools"],
    elsewhere: &[
        ("default_policies", "in an overlay the list is `policies`"),
        (
            "spec",
            "an overlay has no `spec`: write its fields at the top",
        ),
        (
            "kind",
            "an overlay is no document of the format; it has no kind and no metadata",
        ),
    ],
    unsupported: &[],
};

const NARROWED: Shape = Shape {
    what: "an overlay of a tool",
    known: &[
        "input_schema",
        "output_schema",
        "side_effect_class",
        "policies",
    ],
    elsewhere: &[
        ("as", "the name that the model sees is the published one"),
        ("ref", "a deployment keeps the pinned contract"),
        (
            "available_when",
            "the contract says when a tool is available",
        ),
    ],
    unsupported: &[],
};

/// Everything that is wrong with the overlay in the file `path`, laid over `snapshot`. Never empty:
/// what is sound is refused as not proven.
#[must_use]
pub fn check_overlay(files: &dyn Files, path: &str, snapshot: &Snapshot) -> Vec<Diagnostic> {
    let mut sink = Sink::default();
    let mut sources = Sources::new(files);
    read(path, snapshot, &mut sources, &mut sink);
    sink.into_sorted(path)
}

fn read(path: &str, snapshot: &Snapshot, sources: &mut Sources<'_>, sink: &mut Sink) {
    let whole = Location::top(&Rc::from(path));
    let before = sink.errors();
    if sources.bytes(path, sink).is_none() {
        if sink.errors() == before {
            sink.push(e0101::no_manifest(&whole));
        }
        return;
    }
    let Some(document) = sources.document(path, sink) else {
        return;
    };
    let cursor = document.cursor();
    let Some(fields) = cursor.fields(&OVERLAY, sink) else {
        return;
    };
    let mut library = Library::<Policy>::load(sources, sink);
    if let Some(list) = fields.get("policies") {
        attach(&list, &mut library, sources, sink);
    }
    let tools = fields.get("tools").and_then(|it| it.entries(sink));
    for (name, narrowed) in tools.unwrap_or_default() {
        let Some(tool) = snapshot.tool(&name.value) else {
            let known: Vec<&str> = snapshot
                .tools
                .iter()
                .map(|it| it.wire_name.as_str())
                .collect();
            sink.push(e0512::unknown_tool(&name.at, &name.value, &known));
            continue;
        };
        narrow(&narrowed, tool, &mut library, sources, sink);
    }
    if sink.errors() == before {
        sink.push(e0512::not_proven(&cursor.at()));
    }
}

fn narrow(
    cursor: &Cursor<'_>,
    tool: &Tool,
    library: &mut Library<Policy>,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) {
    let Some(fields) = cursor.fields(&NARROWED, sink) else {
        return;
    };
    for (key, role) in [
        ("input_schema", Role::Input),
        ("output_schema", Role::Output),
    ] {
        if let Some(schema) = fields.get(key) {
            schema::read(&schema, role, sources, sink);
        }
    }
    if let Some(written) = fields.get("side_effect_class")
        && let Some(chosen) = class(&written, sink)
        && chosen < tool.side_effect_class
    {
        sink.push(e0503::widened(
            &written.at(),
            chosen,
            (tool.side_effect_class, None),
        ));
    }
    if let Some(list) = fields.get("policies") {
        attach(&list, library, sources, sink);
    }
}

/// Has every policy of a list looked up.
fn attach(
    list: &Cursor<'_>,
    library: &mut Library<Policy>,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) {
    for reference in binding_policies(Some(list.clone()), sink) {
        match reference {
            PolicyRef::Logical(reference) => {
                library.find(&reference, sink);
            }
            PolicyRef::File(reference) => {
                if let Some(path) = sources.find(&reference, DOCUMENT_EXTENSIONS, sink) {
                    library.in_file(&path, sources, sink);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check_overlay;
    use crate::tests::sample;

    fn codes(overlay: &str) -> Vec<String> {
        let snapshot = sample().compile().snapshot.unwrap();
        let files = sample().file("overlay.yaml", overlay).files();
        let found = check_overlay(&files, "overlay.yaml", &snapshot);
        found.iter().map(|it| it.code.to_string()).collect()
    }

    #[test]
    fn every_overlay_is_refused_for_what_is_wrong_with_it() {
        for (overlay, expected) in [
            ("policies: [pay.limit]", vec!["E0512"]),
            (
                "tools: {refund: {side_effect_class: irreversible_action}}",
                vec!["E0512"],
            ),
            (
                "tools: {refund: {input_schema: {inline: {type: object}}}}",
                vec!["E0512"],
            ),
            (
                "tools: {refund: {policies: [{ref: policies/limit}]}}",
                vec!["E0512"],
            ),
            ("{}", vec!["E0512"]),
            (
                "tools: {refund: {side_effect_class: read_only}}",
                vec!["E0503"],
            ),
            ("tools: {refunds: {}}", vec!["E0512"]),
            ("tools: {refund: {as: pay}}", vec!["E0206"]),
            ("policies: [pay.lost]", vec!["E0305"]),
            ("polices: []", vec!["E0201"]),
            (
                "tools: {refund: {input_schema: {inline: {type: objekt}}}}",
                vec!["E0401"],
            ),
            ("[", vec!["E0103"]),
        ] {
            assert_eq!(codes(overlay), expected, "{overlay}");
        }
        let snapshot = sample().compile().snapshot.unwrap();
        assert!(!check_overlay(&sample().files(), "lost.yaml", &snapshot).is_empty());
    }
}
