//! The entries of `spec.agents` as tools: each with the agent that it leads to. Knows the contract
//! that all such tools have; not where the agents are found.

use std::collections::BTreeMap;

use spec::snapshot::{self, Backend, Identity};
use spec::{Json, SideEffectClass};

use crate::bound::Bound;
use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0501, e0809};
use crate::document::binding::{Binding, derived_name};
use crate::document::delegation::{Delegation, Target};
use crate::reference::{LogicalId, LogicalRef};

/// The agent that an entry leads to.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    pub(crate) id: LogicalId,
    /// The pinned version; `None` when it is bound late.
    pub(crate) version: Option<String>,
    /// What it is for, as far as that is known here.
    pub(crate) purpose: Option<String>,
}

/// Agents by what an entry says. One that could not be found is missing, and has been reported.
pub(crate) type Callees = BTreeMap<Target, Callee>;

/// The version that a contract has whose agent is bound late.
const LATE: &str = "default";
/// What a child session is given when the entry declares nothing else.
const TASK: &str = "What the agent is to do, with everything that it has to know.";

/// An entry as a binding with a contract of its own.
pub(crate) struct Delegate {
    binding: Binding,
    id: LogicalId,
    tool: snapshot::Tool,
}

/// Resolves all entries of an agent, in their order. What leads nowhere is left out.
pub(crate) fn resolve(
    entries: Vec<Delegation>,
    callees: &Callees,
    bounds: &[Bound<'_>],
    sink: &mut Sink,
) -> Vec<Delegate> {
    let names = bounds
        .iter()
        .map(|it| (it.tool.wire_name.clone(), it.id.to_string()));
    let mut names: BTreeMap<String, String> = names.collect();
    let mut called: BTreeMap<LogicalId, String> = BTreeMap::new();
    let mut delegates = Vec::new();
    for entry in entries {
        let Some(callee) = callees.get(&entry.target.value) else {
            continue;
        };
        let Callee { id, .. } = callee;
        let delegate = delegate(entry, callee);
        let At { value: name, at } = &delegate.binding.wire_name;
        if let Some(other) = names.get(name) {
            sink.push(e0501::name_taken(at, name, &format!("`{other}`")));
        }
        if let Some(other) = called.get(id) {
            let at = &delegate.binding.reference.at;
            sink.push(e0809::called_twice(at, &id.to_string(), other));
        }
        names.entry(name.clone()).or_insert_with(|| id.to_string());
        called.entry(id.clone()).or_insert_with(|| name.clone());
        delegates.push(delegate);
    }
    delegates
}

fn delegate(entry: Delegation, callee: &Callee) -> Delegate {
    let id = callee.id.clone();
    let wire_name = entry.chosen_name.unwrap_or_else(|| At {
        value: derived_name(&id),
        at: entry.target.at.clone(),
    });
    let purpose = || callee.purpose.clone();
    let description = entry.description.or_else(purpose);
    let description = description.unwrap_or_else(|| format!("Hands a task to the agent {id}."));
    let schema = entry.input.map_or_else(task, |it| it.0);
    let tool = snapshot::Tool {
        wire_name: wire_name.value.clone(),
        contract: Identity {
            namespace: id.namespace.clone(),
            name: id.name.clone(),
            version: callee.version.clone().unwrap_or_else(|| LATE.to_owned()),
        },
        metadata: snapshot::Metadata::default(),
        description,
        // Nobody can know whether a child that was begun twice would do everything twice.
        side_effect_class: SideEffectClass::NonIdempotentWrite,
        contract_schema: schema.clone(),
        input_schema: schema,
        contract_output_schema: None,
        output_schema: None,
        input_standing: snapshot::Standing::Same,
        output_standing: snapshot::Standing::Same,
        strict: false,
        available_when: Vec::new(),
        on_failure: snapshot::OnFailure::ReturnToAgent,
        probe: None,
        terminal: false,
        backend: Backend::Agent(snapshot::Delegation {
            agent: id.to_string(),
            version: callee.version.clone(),
            result: entry.result,
        }),
    };
    let binding = Binding {
        reference: At {
            value: LogicalRef {
                id: id.clone(),
                constraint: None,
            },
            at: entry.target.at,
        },
        wire_name,
        description: None,
        input: None,
        output: None,
        class: None,
        policies: entry.policies,
        mcp: None,
    };
    Delegate { binding, id, tool }
}

/// `{task: string}`, required, and nothing else.
fn task() -> Json {
    let task = Json::from_members([
        ("type", Json::from("string")),
        ("description", Json::from(TASK)),
    ]);
    Json::from_members([
        ("type", Json::from("object")),
        ("properties", Json::from_members([("task", task)])),
        ("required", Json::from(vec![Json::from("task")])),
        ("additionalProperties", Json::from(false)),
    ])
}

impl Delegate {
    /// As any other binding.
    pub(crate) fn bound(&self) -> Bound<'_> {
        Bound {
            binding: &self.binding,
            // There is no Tool document: the agent's boundaries and policies bind its own session.
            contract: None,
            id: &self.id,
            tool: self.tool.clone(),
        }
    }
}
