//! `spec.agents[]` of an Agent: to whom it hands work, and how that looks to the model. Knows how the
//! entries are written; not whom they lead to.

use semver::{BuildMetadata, Version};
use spec::snapshot::DelegationResult;

use super::binding::chosen_name;
use super::{PolicyRef, binding_policies};
use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::e0802;
use crate::reference::{LogicalId, logical_id};
use crate::schema::{self, Role, Schema};
use crate::sources::{Document, Sources};
use crate::yaml::{Cursor, Shape};

const DELEGATION: Shape = Shape {
    what: "an entry of agents",
    known: &[
        "ref",
        "as",
        "description",
        "input_schema",
        "result",
        "late_bound",
        "policies",
    ],
    elsewhere: &[
        (
            "name",
            "`ref` names the agent, and `as` the name that the model sees",
        ),
        ("agent", "name the agent under `ref`"),
        ("version", "write it in `ref`: namespace.name@1.2.3"),
        ("policy", "list policies under `policies`"),
        ("default_policies", "here the list is `policies`"),
        (
            "side_effect_class",
            "handing work to an agent is always `non_idempotent_write`",
        ),
        (
            "output_schema",
            "what an agent answers is decided by its own `output`",
        ),
    ],
    unsupported: &[],
};

/// Whom an entry means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// An Agent's file in the Bundle, as written: `./refunds.yaml`.
    File(String),
    /// One published version.
    Pinned(LogicalId, Version),
    /// Whatever version is deployed when the call is made.
    Late(LogicalId),
}

/// One entry.
pub(crate) struct Delegation {
    pub(crate) target: At<Target>,
    pub(crate) chosen_name: Option<At<String>>,
    pub(crate) description: Option<String>,
    pub(crate) input: Option<Schema>,
    pub(crate) result: DelegationResult,
    pub(crate) policies: Vec<PolicyRef>,
}

/// All entries of an Agent.
#[derive(Default)]
pub(crate) struct Delegations {
    /// Where they stand; `None` when there are none.
    pub(crate) at: Option<Location>,
    pub(crate) entries: Vec<Delegation>,
}

impl Delegations {
    pub(super) fn read(cursor: &Cursor<'_>, sources: &mut Sources<'_>, sink: &mut Sink) -> Self {
        let items = cursor.items(sink).unwrap_or_default();
        Self {
            at: (!items.is_empty()).then(|| cursor.key_at()),
            entries: items
                .iter()
                .filter_map(|it| Delegation::read(it, sources, sink))
                .collect(),
        }
    }
}

impl Delegation {
    /// `None` when it cannot be told who is meant, or by which name.
    fn read(cursor: &Cursor<'_>, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<Self> {
        let fields = cursor.fields(&DELEGATION, sink)?;
        fields.required("ref", sink);
        let target = target(cursor, sink);
        let chosen = fields.get("as").map(|it| chosen_name(&it, sink));
        let description = fields.get("description").and_then(|it| it.filled(sink));
        let input = fields
            .get("input_schema")
            .and_then(|it| schema::read(&it, Role::Input, sources, sink));
        let words = [
            ("summary", DelegationResult::Summary),
            ("full", DelegationResult::Full),
        ];
        let result = fields.get("result").and_then(|it| it.word(&words, sink));
        let policies = binding_policies(fields.get("policies"), sink);
        let chosen_name = match chosen {
            Some(chosen) => Some(chosen?),
            None => None,
        };
        Some(Self {
            target: target?,
            chosen_name,
            description: description.map(|it| it.value),
            input,
            result: result.map_or(DelegationResult::Summary, |it| it.value),
            policies,
        })
    }
}

/// Whom the entries of an Agent's document mean, in their order. What cannot be told is left out; it
/// is reported where the Agent is read.
pub(crate) fn targets(document: &Document) -> Vec<At<Target>> {
    let quiet = &mut Sink::default();
    let spec = document.cursor().child("spec");
    let agents = spec.and_then(|it| it.child("agents"));
    let items = agents.and_then(|it| it.items(quiet)).unwrap_or_default();
    items.iter().filter_map(|it| target(it, quiet)).collect()
}

fn target(entry: &Cursor<'_>, sink: &mut Sink) -> Option<At<Target>> {
    let late = entry.child("late_bound");
    let is_late = match late {
        Some(late) => late.boolean(sink)?,
        None => false,
    };
    let reference = entry.child("ref")?.filled(sink)?;
    let read = if is_late {
        late_bound(&reference.value)
    } else {
        bound(&reference.value)
    };
    match read {
        Ok(value) => Some(At {
            value,
            at: reference.at,
        }),
        Err(Unclear { why, help }) => {
            sink.push(e0802::unclear(&reference.at, &reference.value, why, &help));
            None
        }
    }
}

/// Why a reference says nobody in particular, and what to write instead.
struct Unclear {
    why: &'static str,
    help: String,
}

fn unclear<T>(why: &'static str, help: impl Into<String>) -> Result<T, Unclear> {
    let help = help.into();
    Err(Unclear { why, help })
}

const FORMS: &str = "write `./path.yaml` for an Agent's file of the Bundle, or `namespace.name@1.2.3` for a published version";

fn bound(text: &str) -> Result<Target, Unclear> {
    if is_path(text) {
        return Ok(Target::File(text.to_owned()));
    }
    let Some((id, version)) = text.split_once('@') else {
        return if text.contains('/') || text.ends_with(".yaml") || text.ends_with(".yml") {
            let help = format!("write `./{text}` if a file of the Bundle is meant");
            unclear("is no agent", help)
        } else if logical_id(text).is_some() {
            let help = format!(
                "pin one, `{text}@1.2.3` say, or write `late_bound: true` to leave it open"
            );
            unclear("has no version", help)
        } else {
            unclear("is no agent", FORMS)
        };
    };
    let Some(id) = logical_id(id) else {
        return unclear("is no agent", FORMS);
    };
    match exact(version) {
        Some(version) => Ok(Target::Pinned(id, version)),
        None => unclear(
            "does not pin one version",
            format!("write one exact version, `{id}@1.2.3` say"),
        ),
    }
}

fn late_bound(text: &str) -> Result<Target, Unclear> {
    if is_path(text) {
        let help = "take `late_bound` out, or name a published agent as namespace.name";
        return unclear("is a file, which cannot be bound late", help);
    }
    if let Some((id, _)) = text.split_once('@') {
        let help = format!("write `{id}`, or take `late_bound` out");
        return unclear("has a version, and `late_bound: true` leaves it open", help);
    }
    match logical_id(text) {
        Some(id) => Ok(Target::Late(id)),
        None => unclear("is no agent", "write namespace.name"),
    }
}

fn is_path(text: &str) -> bool {
    text.starts_with("./") || text.starts_with("../") || text.starts_with('/')
}

/// Exactly one version: `1.2.3` or `=1.2.3`, as in references to Tools.
fn exact(text: &str) -> Option<Version> {
    let bare = text.trim();
    let bare = bare.strip_prefix('=').map_or(bare, str::trim_start);
    let bare = bare.strip_prefix(['v', 'V']).unwrap_or(bare);
    let mut version = Version::parse(bare).ok()?;
    version.build = BuildMetadata::EMPTY;
    Some(version)
}
