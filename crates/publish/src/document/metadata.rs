//! `metadata`: who a document is and what is said about it. Everything but the identity and the
//! authority boundaries is descriptive and changes nothing.

use std::collections::BTreeMap;

use semver::{BuildMetadata, Version};
use spec::snapshot::{Framework, Governance, Identity, Metadata};

use super::{frameworks, texts};
use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::{e0202, e0205, e0210, e0211};
use crate::reference::{LogicalId, is_name, is_namespace};
use crate::yaml::{Cursor, Fields, Shape};

const METADATA: Shape = Shape {
    what: "metadata",
    known: &[
        "name",
        "namespace",
        "version",
        "owner",
        "labels",
        "annotations",
        "governance",
    ],
    elsewhere: &[
        ("description", "write it in `spec`"),
        ("risk_tier", "write it in `metadata.governance`"),
        ("authority_boundaries", "write it in `metadata.governance`"),
        ("classifications", "write it in `metadata.governance`"),
        ("frameworks", "write it in `metadata.governance`"),
    ],
    unsupported: &[],
};

const GOVERNANCE: Shape = Shape {
    what: "governance",
    known: &[
        "risk_tier",
        "authority_boundaries",
        "classifications",
        "frameworks",
    ],
    elsewhere: &[],
    unsupported: &[],
};

const NAME_RULE: &str = "write lower-case letters, digits and `-`, at most 63, beginning and ending with a letter or digit";

/// A document's metadata, as far as it can be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    /// There when name, namespace and version are.
    pub(crate) identity: Option<(LogicalId, Version)>,
    pub(crate) metadata: Metadata,
    pub(crate) boundaries: Vec<At<String>>,
    /// Where the name stands.
    pub(crate) at: Option<Location>,
}

impl Header {
    pub(crate) fn read(cursor: Option<&Cursor<'_>>, kind: &str, sink: &mut Sink) -> Self {
        let Some(fields) = cursor.and_then(|it| it.fields(&METADATA, sink)) else {
            return Self::default();
        };
        let name = required(&fields, "name", kind, sink).and_then(|it| name(&it, sink));
        let namespace =
            required(&fields, "namespace", kind, sink).and_then(|it| namespace(&it, sink));
        let version = required(&fields, "version", kind, sink).and_then(|it| version(&it, sink));
        let at = name.as_ref().map(|it| it.at.clone());
        let identity = match (name, namespace, version) {
            (Some(name), Some(namespace), Some(version)) => Some((
                LogicalId {
                    namespace,
                    name: name.value,
                },
                version,
            )),
            _ => None,
        };
        let (governance, boundaries) = governance(fields.get("governance"), sink);
        let metadata = Metadata {
            owner: fields
                .get("owner")
                .and_then(|it| it.filled(sink))
                .map(|it| it.value),
            labels: string_map(fields.get("labels"), sink),
            annotations: string_map(fields.get("annotations"), sink),
            governance,
        };
        Self {
            identity,
            metadata,
            boundaries,
            at,
        }
    }

    /// The identity as it is recorded; empty when it could not be read.
    pub(crate) fn recorded(&self) -> Identity {
        let (namespace, name, version) = match &self.identity {
            Some((id, version)) => (id.namespace.clone(), id.name.clone(), version.to_string()),
            None => Default::default(),
        };
        Identity {
            namespace,
            name,
            version,
        }
    }
}

fn required<'a>(fields: &Fields<'a>, key: &str, kind: &str, sink: &mut Sink) -> Option<Cursor<'a>> {
    let found = fields.get(key);
    if found.is_none() {
        let what = format!("the {kind}'s metadata");
        sink.push(e0202::missing(&fields.cursor().at(), key, &what));
    }
    found
}

fn name(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<At<String>> {
    let text = cursor.text(sink)?;
    if is_name(&text.value) {
        return Some(text);
    }
    sink.push(e0205::malformed(&text.at, "a name", &text.value, NAME_RULE));
    None
}

fn namespace(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<String> {
    let text = cursor.text(sink)?;
    if is_namespace(&text.value) {
        return Some(text.value);
    }
    let rule = format!("{NAME_RULE}; dots may stand between such parts");
    sink.push(e0205::malformed(
        &text.at,
        "a namespace",
        &text.value,
        &rule,
    ));
    None
}

/// A semantic version. A leading `v` and build metadata are no part of it.
fn version(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Version> {
    let text = cursor.text(sink)?;
    let bare = text.value.strip_prefix(['v', 'V']).unwrap_or(&text.value);
    let Ok(mut version) = Version::parse(bare) else {
        sink.push(e0210::not_semver(&text.at, &text.value));
        return None;
    };
    version.build = BuildMetadata::EMPTY;
    let plain = version.to_string();
    if plain != text.value {
        sink.push(e0211::normalised(&text.at, &text.value, &plain));
    }
    Some(version)
}

fn string_map(cursor: Option<Cursor<'_>>, sink: &mut Sink) -> BTreeMap<String, String> {
    let entries = cursor.and_then(|it| it.entries(sink)).unwrap_or_default();
    let read = |(key, value): (At<String>, Cursor<'_>)| Some((key.value, value.text(sink)?.value));
    entries.into_iter().filter_map(read).collect()
}

fn governance(cursor: Option<Cursor<'_>>, sink: &mut Sink) -> (Governance, Vec<At<String>>) {
    let Some(fields) = cursor.and_then(|it| it.fields(&GOVERNANCE, sink)) else {
        return Default::default();
    };
    let list = |key: &str, sink: &mut Sink| {
        fields
            .get(key)
            .map(|it| texts(&it, sink))
            .unwrap_or_default()
    };
    let mut boundaries = list("authority_boundaries", sink);
    boundaries.retain(|boundary| {
        let sound = is_namespace(&boundary.value);
        if !sound {
            sink.push(e0205::malformed(
                &boundary.at,
                "the name of a boundary",
                &boundary.value,
                NAME_RULE,
            ));
        }
        sound
    });
    let plain = |list: &[At<String>]| list.iter().map(|it| it.value.clone()).collect();
    let frameworks = fields
        .get("frameworks")
        .and_then(|it| it.entries(sink))
        .unwrap_or_default();
    let pack = |(key, value): (At<String>, Cursor<'_>)| {
        let pack = frameworks::read(&key, &value, sink)?;
        Some((key.value, pack))
    };
    let frameworks: BTreeMap<String, Framework> = frameworks.into_iter().filter_map(pack).collect();
    let governance = Governance {
        risk_tier: fields
            .get("risk_tier")
            .and_then(|it| it.filled(sink))
            .map(|it| it.value),
        classifications: plain(&list("classifications", sink)),
        authority_boundaries: plain(&boundaries),
        frameworks,
    };
    (governance, boundaries)
}
