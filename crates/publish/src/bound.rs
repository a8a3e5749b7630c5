//! Bindings resolved: each with the Tool that it pins, and proven not to widen it.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;
use spec::snapshot::{
    Backend, Identity, McpServer, Metadata, OnFailure, Predicate, ProbeArg, Standing,
};
use spec::{Json, SideEffectClass, snapshot};

use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::{e0308, e0501, e0502, e0503, e0505, e0507, e0508, e0509, e0511, e0520};
use crate::document::agent::Agent;
use crate::document::availability::{self, AgentFacts};
use crate::document::binding::Binding;
use crate::document::mcp::McpRef;
use crate::document::probe::Probe;
use crate::document::tool::Tool;
use crate::document::{Header, PolicyRef};
use crate::library::Library;
use crate::narrowing::{self, Contract, Narrowed, Overlay, Side};
use crate::reference::LogicalId;
use crate::schema::{self, Schema};
use crate::sources::Sources;

/// The version of a contract that has none.
const UNVERSIONED: &str = "default";

/// A binding and what it is bound to.
pub(crate) struct Bound<'a> {
    pub(crate) binding: &'a Binding,
    /// The document that declares the contract; `None` where the binding itself does.
    pub(crate) contract: Option<&'a Tool>,
    pub(crate) id: &'a LogicalId,
    /// What the snapshot says.
    pub(crate) tool: snapshot::Tool,
}

impl<'a> Bound<'a> {
    /// The policies that come with the contract.
    pub(crate) fn default_policies(&self) -> &'a [PolicyRef] {
        self.contract.map_or(&[], |it| &it.default_policies)
    }

    /// Who the contract is.
    pub(crate) fn header(&self) -> Option<&'a Header> {
        self.contract.map(|it| &it.header)
    }

    /// Whether nothing in the contract was refused.
    pub(crate) fn is_sound(&self) -> bool {
        self.contract.is_none_or(|it| it.sound)
    }
}

/// Resolves all bindings of an agent, in their order. What cannot be resolved is left out and has
/// been reported.
pub(crate) fn resolve<'a>(
    agent: &'a Agent,
    tools: &'a Library<Tool>,
    unproven: &BTreeSet<String>,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Vec<Bound<'a>> {
    refuse_name_clashes(&agent.bindings, sink);
    refuse_twins(&agent.bindings, sink);
    let mut binder = Binder {
        agent,
        tools,
        unproven,
        sources,
    };
    let one = |binding: &'a Binding| match &binding.mcp {
        Some(mcp) => declare(binding, mcp, &agent.mcp_servers, sink),
        None => {
            let index = tools.find(&binding.reference, sink)?;
            binder.bind(binding, tools.get(index)?, sink)
        }
    };
    agent.bindings.iter().filter_map(one).collect()
}

/// Has every name that is let through unproven be one that needs it.
pub(crate) fn check_unproven(
    at: &Location,
    tools: &[snapshot::Tool],
    unproven: &BTreeSet<String>,
    sink: &mut Sink,
) {
    let known: Vec<&str> = tools.iter().map(|it| it.wire_name.as_str()).collect();
    for name in unproven {
        match tools.iter().find(|it| it.wire_name == *name) {
            None => sink.push(e0520::unknown(at, name, &known)),
            Some(tool) if !is_unproven(tool) => sink.push(e0520::needless(at, name)),
            Some(_) => {}
        }
    }
}

fn is_unproven(tool: &snapshot::Tool) -> bool {
    [&tool.input_standing, &tool.output_standing]
        .into_iter()
        .any(|it| matches!(it, Standing::Unproven { .. }))
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

/// What every binding is bound with.
struct Binder<'a, 's, 'f> {
    agent: &'a Agent,
    tools: &'a Library<Tool>,
    unproven: &'s BTreeSet<String>,
    sources: &'s mut Sources<'f>,
}

impl<'a> Binder<'a, '_, '_> {
    fn bind(
        &mut self,
        binding: &'a Binding,
        contract: &'a Tool,
        sink: &mut Sink,
    ) -> Option<Bound<'a>> {
        let (id, version) = contract.header.identity.as_ref()?;
        warn_without_constraint(binding, id, version, sink);
        let class = effective_class(binding, contract, sink);
        let schema = |schema: &Option<Schema>| schema.as_ref().map(|it| it.0.clone());
        let contract_schema = schema(&contract.input).unwrap_or_else(open_object);
        let contract_output_schema = schema(&contract.output);
        let name = format!("{id}@{version}");
        let (input_schema, input_standing) = match &binding.input {
            Some(stated) => {
                let written = contract.input.as_ref().map(|it| &it.2);
                let over = (&contract_schema, written);
                self.narrowed(
                    (binding, stated, Side::Input),
                    contract,
                    (over, &name),
                    sink,
                )
            }
            None => (contract_schema.clone(), Standing::Same),
        };
        let (output_schema, output_standing) = match &binding.output {
            Some(stated) => {
                let anything = Json::Bool(true);
                let written = contract.output.as_ref().map(|it| &it.2);
                let over = (
                    contract_output_schema.as_ref().unwrap_or(&anything),
                    written,
                );
                let side = (binding, stated, Side::Output);
                let (schema, standing) = self.narrowed(side, contract, (over, &name), sink);
                (Some(schema), standing)
            }
            None => (contract_output_schema.clone(), Standing::Same),
        };
        check_availability(binding, id, contract, self.agent, sink);
        let own = binding.description.as_ref();
        let description = own.unwrap_or(&contract.description).clone();
        let tool = snapshot::Tool {
            wire_name: binding.wire_name.value.clone(),
            contract: contract.header.recorded(),
            metadata: contract.header.metadata.clone(),
            description,
            side_effect_class: class,
            input_schema,
            contract_schema,
            contract_output_schema,
            output_schema,
            input_standing,
            output_standing,
            strict: contract.strict,
            available_when: contract
                .available_when
                .iter()
                .map(|it| it.value.clone())
                .collect(),
            on_failure: contract.on_failure,
            probe: contract
                .probe
                .as_ref()
                .and_then(|it| probe(it, contract, self.tools, sink)),
            terminal: contract.terminal,
            backend: Backend::Worker,
        };
        Some(Bound {
            binding,
            contract: Some(contract),
            id,
            tool,
        })
    }

    /// What the binding makes of the contract's schema. What was refused stays as the contract has
    /// it, so that the rest can be checked.
    fn narrowed(
        &mut self,
        (binding, stated, side): (&Binding, &At<Schema>, Side),
        tool: &Tool,
        ((schema, written), name): ((&Json, Option<&Location>), &str),
        sink: &mut Sink,
    ) -> (Json, Standing) {
        let as_it_is = || (schema.clone(), Standing::Same);
        // Beside a contract that was refused nothing can be told.
        if !tool.sound {
            return as_it_is();
        }
        let contract = Contract {
            schema,
            written,
            name,
            strict: tool.strict,
        };
        let wire_name = &binding.wire_name.value;
        let overlay = Overlay {
            schema: &stated.value,
            at: &stated.at,
            wire_name,
            side,
            unproven: self.unproven.contains(wire_name),
        };
        match narrowing::narrow(&contract, &overlay, self.sources, sink) {
            Some(Narrowed { schema, standing }) => (schema, standing),
            None => as_it_is(),
        }
    }
}

/// The stricter of the binding's class and the Tool's.
fn effective_class(binding: &Binding, contract: &Tool, sink: &mut Sink) -> SideEffectClass {
    let Some(chosen) = &binding.class else {
        return contract.class;
    };
    if chosen.value < contract.class {
        let there = (contract.class, contract.class_at.as_ref());
        sink.push(e0503::widened(&chosen.at, chosen.value, there));
    }
    let class = chosen.value.max(contract.class);
    if contract.on_failure == OnFailure::Retry && contract.class.may_rerun() && !class.may_rerun() {
        sink.push(e0507::retried_no_more(&chosen.at, class));
    }
    class
}

/// A binding that declares its own contract, since a server that is dialled has none to enforce.
fn declare<'a>(
    binding: &'a Binding,
    mcp: &McpRef,
    servers: &[McpServer],
    sink: &mut Sink,
) -> Option<Bound<'a>> {
    let known: Vec<&str> = servers.iter().map(|it| it.name.as_str()).collect();
    if !known.contains(&mcp.server.value.as_str()) {
        let server = &mcp.server;
        sink.push(e0509::unknown_server(&server.at, &server.value, &known));
    }
    sink.push(e0511::not_dialled(&mcp.at));
    // Without one of these the binding has been refused where it was read.
    let (input, class) = (binding.input.as_ref()?, binding.class.as_ref()?);
    let id = &binding.reference.value.id;
    let wire_name = binding.wire_name.value.clone();
    let tool = snapshot::Tool {
        contract: Identity {
            namespace: id.namespace.clone(),
            name: id.name.clone(),
            version: UNVERSIONED.to_owned(),
        },
        metadata: Metadata::default(),
        description: binding.description.clone().unwrap_or_default(),
        side_effect_class: class.value,
        contract_schema: input.value.0.clone(),
        input_schema: input.value.0.clone(),
        contract_output_schema: None,
        output_schema: binding.output.as_ref().map(|it| it.value.0.clone()),
        input_standing: Standing::Same,
        output_standing: Standing::Same,
        strict: false,
        available_when: Vec::new(),
        on_failure: OnFailure::ReturnToAgent,
        probe: None,
        terminal: false,
        backend: Backend::Mcp {
            server: mcp.server.value.clone(),
            tool: mcp.tool.clone().unwrap_or_else(|| wire_name.clone()),
        },
        wire_name,
    };
    Some(Bound {
        binding,
        contract: None,
        id,
        tool,
    })
}

/// A binding of a Tool that no session of this agent could ever use is a mistake.
fn check_availability(
    binding: &Binding,
    id: &LogicalId,
    contract: &Tool,
    agent: &Agent,
    sink: &mut Sink,
) {
    let Some((own, _)) = &agent.header.identity else {
        return;
    };
    let facts = AgentFacts {
        namespace: &own.namespace,
        name: &own.name,
        labels: &agent.header.metadata.labels,
        capabilities: &agent.capabilities,
    };
    if let Some(never) = availability::never(&contract.available_when, &facts) {
        let predicate = written(&never.predicate.value);
        let at = &binding.reference.at;
        sink.push(e0505::never(at, &id.to_string(), &predicate, &never.mend));
    }
}

/// A predicate as authors write it.
fn written(predicate: &Predicate) -> String {
    let values: Vec<String> = predicate
        .any_of
        .iter()
        .map(|it| match it.as_str() {
            Some(text) => text.to_owned(),
            None => it.to_canonical(),
        })
        .collect();
    match values.as_slice() {
        [one] => format!("`{}: {one}`", predicate.subject),
        several => format!("`{}: [{}]`", predicate.subject, several.join(", ")),
    }
}

/// Pins the tool that looks outcomes up, and makes sure that it can.
fn probe(
    probe: &Probe,
    contract: &Tool,
    tools: &Library<Tool>,
    sink: &mut Sink,
) -> Option<snapshot::Probe> {
    let found = tools.get(tools.find(&probe.tool, sink)?)?;
    let id = probe.tool.value.id.to_string();
    if found.class != SideEffectClass::ReadOnly {
        sink.push(e0508::not_read_only(&probe.tool.at, &id, found.class));
    }
    let (Some(input), Some(own)) = (&found.input, &contract.input) else {
        // A schema that was refused has been reported; without one there is nothing to compare.
        return found.input.is_none().then(|| snapshot::Probe {
            tool: found.header.recorded(),
            input_schema: open_object(),
            args: probe_args(probe),
        });
    };
    for (name, arg) in &probe.args {
        if !schema::may_have(&input.0, &name.value) {
            sink.push(e0508::undeclared(&name.at, &id, &name.value));
        }
        if let ProbeArg::Path(path) = arg
            && !schema::may_have(&own.0, path)
        {
            let (own_id, _) = contract.header.identity.as_ref()?;
            sink.push(e0508::undeclared(&name.at, &own_id.to_string(), path));
        }
    }
    for name in schema::required(&input.0) {
        if !probe.args.iter().any(|(given, _)| given.value == name) {
            sink.push(e0508::not_given(&probe.tool.at, &id, name));
        }
    }
    Some(snapshot::Probe {
        tool: found.header.recorded(),
        input_schema: input.0.clone(),
        args: probe_args(probe),
    })
}

fn probe_args(probe: &Probe) -> BTreeMap<String, ProbeArg> {
    let own = |(name, arg): &(At<String>, ProbeArg)| (name.value.clone(), arg.clone());
    probe.args.iter().map(own).collect()
}

fn warn_without_constraint(binding: &Binding, id: &LogicalId, version: &Version, sink: &mut Sink) {
    let At { value, at } = &binding.reference;
    if value.constraint.is_none() {
        sink.push(e0308::no_constraint(at, &id.to_string(), version));
    }
}

/// Any arguments.
fn open_object() -> Json {
    Json::from_members([("type", Json::from("object"))])
}
