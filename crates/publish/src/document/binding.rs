//! `spec.tools[]` of an Agent: which Tool it may call, under which name, how much narrower.

use spec::SideEffectClass;

use super::mcp::McpRef;
use super::tool::class;
use super::{PolicyRef, binding_policies};
use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0205, e0509};
use crate::reference::{self, LogicalId, LogicalRef};
use crate::schema::{self, Role, Schema};
use crate::sources::Sources;
use crate::yaml::{Cursor, Fields, Shape};

/// The longest name that providers accept for a tool.
const WIRE_NAME_CHARS_MAX: usize = 64;

const ON_TOOL: &str = "the Tool declares it, for every agent that binds it";

const BINDING: Shape = Shape {
    what: "a binding",
    known: &[
        "ref",
        "as",
        "description",
        "input_schema",
        "output_schema",
        "policies",
        "side_effect_class",
        "mcp",
    ],
    elsewhere: &[
        (
            "name",
            "`ref` names the Tool, and `as` the name that the model sees",
        ),
        ("version", "write it in `ref`: namespace.name@^1.0"),
        (
            "parameters",
            "the Tool declares its arguments under `input_schema`",
        ),
        ("policy", "list policies under `policies`"),
        ("default_policies", "on a binding the list is `policies`"),
        ("agent", "other agents go under `spec.agents`, in a Bundle"),
        (
            "hitl",
            "approval and escalation are `decision` blocks of Policy documents, listed under `policies`",
        ),
        ("strict", ON_TOOL),
        ("terminal", ON_TOOL),
        ("on_failure", ON_TOOL),
        ("available_when", ON_TOOL),
        ("probe", ON_TOOL),
    ],
    unsupported: &[],
};

/// One entry of `spec.tools`.
pub(crate) struct Binding {
    pub(crate) reference: At<LogicalRef>,
    pub(crate) wire_name: At<String>,
    pub(crate) description: Option<String>,
    pub(crate) input: Option<At<Schema>>,
    pub(crate) output: Option<At<Schema>>,
    pub(crate) class: Option<At<SideEffectClass>>,
    pub(crate) policies: Vec<PolicyRef>,
    pub(crate) mcp: Option<McpRef>,
}

impl Binding {
    /// `None` when it cannot be told which Tool is meant.
    pub(super) fn read(
        cursor: &Cursor<'_>,
        sources: &mut Sources<'_>,
        sink: &mut Sink,
    ) -> Option<Self> {
        let fields = cursor.fields(&BINDING, sink)?;
        let reference = fields.required("ref", sink);
        let reference = reference.and_then(|it| reference::logical(it.filled(sink)?, sink));
        let chosen = fields.get("as").map(|it| chosen_name(&it, sink));
        let description = fields.get("description").and_then(|it| it.filled(sink));
        let mut schema = |key: &str, role: Role, sink: &mut Sink| {
            let it = fields.get(key)?;
            let value = schema::read(&it, role, sources, sink)?;
            Some(At {
                value,
                at: it.key_at(),
            })
        };
        // Behind a server of MCP there is no Tool to inherit from.
        let role = if fields.get("mcp").is_some() {
            Role::Input
        } else {
            Role::Overlay
        };
        let input = schema("input_schema", role, sink);
        let output = schema("output_schema", Role::Output, sink);
        let class = fields.get("side_effect_class").and_then(|it| {
            Some(At {
                value: class(&it, sink)?,
                at: it.at(),
            })
        });
        let policies = binding_policies(fields.get("policies"), sink);
        let mcp = fields.get("mcp");
        let mcp = match &mcp {
            Some(written) => {
                require_contract(&fields, reference.as_ref(), sink);
                // What cannot be told apart from a worker's binding is not bound at all.
                Some(McpRef::read(written, sink)?)
            }
            None => None,
        };
        let reference = reference?;
        let wire_name = match chosen {
            Some(chosen) => chosen?,
            None => At {
                value: derived_name(&reference.value.id),
                at: reference.at.clone(),
            },
        };
        Some(Self {
            reference,
            wire_name,
            description: description.map(|it| it.value),
            input,
            output,
            class,
            policies,
            mcp,
        })
    }
}

/// Behind an MCP binding stands no Tool document: what is enforced, it declares itself.
fn require_contract(fields: &Fields<'_>, reference: Option<&At<LogicalRef>>, sink: &mut Sink) {
    for key in ["input_schema", "side_effect_class"] {
        if fields.get(key).is_none() {
            sink.push(e0509::undeclared(&fields.cursor().at(), key));
        }
    }
    if let Some(reference) = reference.filter(|it| it.value.constraint.is_some()) {
        let id = reference.value.id.to_string();
        sink.push(e0509::versioned(&reference.at, &id));
    }
}

fn is_wire_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// `as`: a name of the author's choice.
pub(super) fn chosen_name(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<At<String>> {
    let name = cursor.filled(sink)?;
    if name.value.len() <= WIRE_NAME_CHARS_MAX && name.value.chars().all(is_wire_char) {
        return Some(name);
    }
    let rule = "write letters, digits, `_` and `-`, at most 64 of them";
    sink.push(e0205::malformed(
        &name.at,
        "a name for the model",
        &name.value,
        rule,
    ));
    None
}

/// An id as a name, with `_` for what a name may not have.
pub(crate) fn derived_name(id: &LogicalId) -> String {
    let id = id.to_string();
    let plain = id.chars().map(|c| if is_wire_char(c) { c } else { '_' });
    plain.take(WIRE_NAME_CHARS_MAX).collect()
}
