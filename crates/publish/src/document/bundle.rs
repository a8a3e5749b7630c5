//! `kind: Bundle`: which Agent is the root. Knows nothing of whom that Agent hands work to.

use super::{Header, open};
use crate::diagnostic::{At, Sink};
use crate::diagnostics::e0206;
use crate::sources::Document;
use crate::yaml::Shape;

const MEMBERS: &str = "a Bundle's members follow from `spec.agents` of its Agents";
const AGENTS: &str = "write it in the Agents that it is for";

const TOP: Shape = Shape {
    what: "a Bundle",
    known: &["apiVersion", "kind", "metadata", "spec"],
    elsewhere: &[
        ("root", super::IN_SPEC),
        ("agents", MEMBERS),
        ("members", MEMBERS),
        ("secrets", AGENTS),
        ("output", AGENTS),
    ],
    unsupported: &[],
};

const SPEC: Shape = Shape {
    what: "a Bundle's spec",
    known: &["root", "description"],
    elsewhere: &[
        ("agents", MEMBERS),
        ("members", MEMBERS),
        ("tools", AGENTS),
        ("policies", AGENTS),
        ("default_policies", AGENTS),
        ("limits", AGENTS),
        ("secrets", AGENTS),
    ],
    unsupported: &[],
};

/// A Bundle document.
pub(crate) struct Bundle {
    pub(crate) header: Header,
    /// The root Agent's file, as written.
    pub(crate) root: Option<At<String>>,
}

impl Bundle {
    pub(crate) fn read(document: &Document, sink: &mut Sink) -> Option<Self> {
        let parts = open(&document.cursor(), "Bundle", &TOP, sink)?;
        // Nothing is called in a Bundle's name, so a boundary on it would bind nobody.
        for boundary in &parts.header.boundaries {
            sink.push(e0206::belongs_elsewhere(
                &boundary.at,
                "authority_boundaries",
                "a Bundle's metadata",
                "declare boundaries on the Agents or Tools that they are for",
            ));
        }
        let spec = parts.spec.and_then(|it| it.fields(&SPEC, sink));
        let root = spec.as_ref().and_then(|it| it.required("root", sink));
        if let Some(description) = spec.as_ref().and_then(|it| it.get("description")) {
            description.filled(sink);
        }
        Some(Self {
            root: root.and_then(|it| it.filled(sink)),
            header: parts.header,
        })
    }
}
