//! Bindings resolved: each with the Tool that it pins, and proven not to widen it.

use std::collections::BTreeMap;

use semver::Version;
use spec::{Json, snapshot};

use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0308, e0501, e0502, e0503, e0504};
use crate::document::binding::Binding;
use crate::document::tool::Tool;
use crate::library::Library;
use crate::reference::LogicalId;

/// A binding and what it is bound to.
pub(crate) struct Bound<'a> {
    pub(crate) binding: &'a Binding,
    pub(crate) contract: &'a Tool,
    pub(crate) id: &'a LogicalId,
    /// What the snapshot says.
    pub(crate) tool: snapshot::Tool,
}

/// Resolves all bindings of an agent, in their order. What cannot be resolved is left out and has
/// been reported.
pub(crate) fn resolve<'a>(
    bindings: &'a [Binding],
    tools: &'a Library<Tool>,
    sink: &mut Sink,
) -> Vec<Bound<'a>> {
    refuse_name_clashes(bindings, sink);
    refuse_twins(bindings, sink);
    let one = |binding: &'a Binding| {
        let index = tools.find(&binding.reference, sink)?;
        bind(binding, tools.get(index)?, sink)
    };
    bindings.iter().filter_map(one).collect()
}

fn refuse_name_clashes(bindings: &[Binding], sink: &mut Sink) {
    let mut taken: BTreeMap<&str, String> = BTreeMap::new();
    for Binding {
        wire_name,
        reference,
        ..
    } in bindings
    {
        if let Some(other) = taken.get(wire_name.value.as_str()) {
            sink.push(e0501::name_taken(&wire_name.at, &wire_name.value, other));
        }
        taken
            .entry(&wire_name.value)
            .or_insert_with(|| format!("`{}`", reference.value.id));
    }
}

fn refuse_twins(bindings: &[Binding], sink: &mut Sink) {
    let mut bound: BTreeMap<&LogicalId, &str> = BTreeMap::new();
    for Binding {
        wire_name,
        reference,
        ..
    } in bindings
    {
        let id = &reference.value.id;
        if let Some(other) = bound.get(id) {
            sink.push(e0502::bound_twice(
                &reference.at,
                &id.to_string(),
                &format!("`{other}`"),
            ));
        }
        bound.entry(id).or_insert(&wire_name.value);
    }
}

fn bind<'a>(binding: &'a Binding, contract: &'a Tool, sink: &mut Sink) -> Option<Bound<'a>> {
    let (id, version) = contract.header.identity.as_ref()?;
    warn_without_constraint(binding, id, version, sink);
    let mut class = contract.class;
    if let Some(chosen) = &binding.class {
        if chosen.value < contract.class {
            sink.push(e0503::widened(&chosen.at, chosen.value, contract.class));
        }
        class = chosen.value.max(contract.class);
    }
    let contract_schema = contract
        .input
        .as_ref()
        .map_or_else(open_object, |it| it.0.clone());
    check_narrowing(binding, id, &contract_schema, contract, sink);
    let description = binding
        .description
        .clone()
        .unwrap_or_else(|| contract.description.clone());
    let tool = snapshot::Tool {
        wire_name: binding.wire_name.value.clone(),
        contract: contract.header.recorded(),
        description,
        side_effect_class: class,
        input_schema: contract_schema.clone(),
        contract_schema,
        output_schema: contract.output.as_ref().map(|it| it.0.clone()),
        metadata: contract.header.metadata.clone(),
        strict: false,
        available_when: Vec::new(),
        on_failure: snapshot::OnFailure::ReturnToAgent,
        probe: None,
        terminal: false,
        backend: snapshot::Backend::Worker,
    };
    Some(Bound {
        binding,
        contract,
        id,
        tool,
    })
}

fn warn_without_constraint(binding: &Binding, id: &LogicalId, version: &Version, sink: &mut Sink) {
    let At { value, at } = &binding.reference;
    if value.constraint.is_none() {
        sink.push(e0308::no_constraint(at, &id.to_string(), version));
    }
}

/// A binding's schema may only be the contract's own, until narrowing can be proven.
fn check_narrowing(
    binding: &Binding,
    id: &LogicalId,
    contract: &Json,
    tool: &Tool,
    sink: &mut Sink,
) {
    if let Some(narrowed) = binding
        .input
        .as_ref()
        .filter(|it| tool.sound && it.value.0 != *contract)
    {
        sink.push(e0504::differs(&narrowed.at, &id.to_string()));
    }
}

/// Any arguments.
fn open_object() -> Json {
    Json::from_members([("type", Json::from("object"))])
}
