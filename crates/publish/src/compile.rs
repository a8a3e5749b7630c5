//! The way from files to a snapshot, step by step. Each step goes on with what the one before could
//! read, so that one run finds every independent mistake.

use std::collections::BTreeSet;
use std::rc::Rc;

use spec::Snapshot;
use spec::snapshot::{FORMAT, STUB_SCRIPT};

use crate::attach;
use crate::bound::{self, Bound};
use crate::catalog::{Catalog, Wanted};
use crate::delegate::{self, Callees, Delegate};
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::diagnostics::{e0101, e0801};
use crate::document::agent::Agent;
use crate::document::delegation::Delegations;
use crate::document::policy::Policy;
use crate::document::tool::Tool;
use crate::files::Files;
use crate::library::Library;
use crate::rules;
use crate::sources::{Document, Sources};
use crate::stub_script;

/// What became of a bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// There exactly when no diagnostic is an error.
    pub snapshot: Option<Snapshot>,
    /// Everything that was found: the manifest's first, then file by file, top to bottom.
    pub diagnostics: Vec<Diagnostic>,
    /// What the catalog was asked for and has not answered yet.
    pub wanted: Vec<Wanted>,
}

/// The provider whose script is carried along.
const STUB: &str = "stub";

/// Compiles the bundle whose Agent is the file `manifest`, with nothing behind it.
#[must_use]
pub fn compile(files: &dyn Files, manifest: &str) -> Compiled {
    compile_with(files, &Catalog::default(), manifest)
}

/// Compiles the bundle whose Agent is the file `manifest`, with what has been looked up in the
/// catalog so far. Whoever asks looks up what is [wanted](Compiled::wanted) and compiles again,
/// until nothing new is.
#[must_use]
pub fn compile_with(files: &dyn Files, catalog: &Catalog, manifest: &str) -> Compiled {
    compile_allowing(files, catalog, manifest, &BTreeSet::new())
}

/// As [`compile_with`], where the bindings of the names in `unproven`, as the model calls them, are
/// let through if it cannot be told whether they only narrow.
#[must_use]
pub fn compile_allowing(
    files: &dyn Files,
    catalog: &Catalog,
    manifest: &str,
    unproven: &BTreeSet<String>,
) -> Compiled {
    compile_as(Sources::with(files, catalog), manifest, None, unproven)
}

/// Compiles an Agent that is a member of a Bundle. What its entries of `spec.agents` lead to is in
/// `callees`; for those that are not there no tool is made.
pub(crate) fn compile_member(sources: Sources<'_>, manifest: &str, callees: &Callees) -> Compiled {
    compile_as(sources, manifest, Some(callees), &BTreeSet::new())
}

fn compile_as(
    mut sources: Sources<'_>,
    manifest: &str,
    callees: Option<&Callees>,
    unproven: &BTreeSet<String>,
) -> Compiled {
    let mut sink = Sink::default();
    let snapshot = build(manifest, (callees, unproven), &mut sources, &mut sink);
    let sound = sink.errors() == 0;
    Compiled {
        snapshot: snapshot.filter(|_| sound),
        diagnostics: sink.into_sorted(manifest),
        wanted: sources.lookups().wanted(),
    }
}

fn build(
    manifest: &str,
    (callees, unproven): (Option<&Callees>, &BTreeSet<String>),
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<Snapshot> {
    let document = open(manifest, sources, sink)?;
    let tools = Library::<Tool>::load(sources, sink);
    let mut policies = Library::<Policy>::load(sources, sink);
    let mut agent = Agent::read(&document, sources, sink)?;
    let before = sink.errors();
    let delegations = std::mem::take(&mut agent.delegations);
    let delegations_written = delegations.entries.len();
    let mut bounds = bound::resolve(&agent, &tools, unproven, sources, sink);
    let delegates = delegates(delegations, callees, &bounds, sink);
    bounds.extend(delegates.iter().map(Delegate::bound));
    let all_bound = agent.all_bindings
        && sink.errors() == before
        && delegates.len() == delegations_written
        && bounds.iter().all(Bound::is_sound);
    let attached = attach::attach(
        &bounds,
        &agent.default_policies,
        &mut policies,
        sources,
        sink,
    );
    let rules = rules::compile(&attached, &policies, &bounds, &agent.header, sink);
    let mut metadata = agent.header.metadata.clone();
    if agent.model.provider == STUB
        && let Some(script) = stub_script::read(&document, sources, sink)
    {
        metadata.annotations.insert(STUB_SCRIPT.to_owned(), script);
    }
    let tools: Vec<_> = bounds.into_iter().map(|it| it.tool).collect();
    bound::check_unproven(&Location::file(&document.file), &tools, unproven, sink);
    let snapshot = Snapshot {
        format: FORMAT.to_owned(),
        agent: agent.header.recorded(),
        metadata,
        purpose: agent.purpose,
        instructions: agent.instructions,
        model: agent.model,
        mcp_servers: agent.mcp_servers,
        capabilities: agent.capabilities,
        tools,
        policies: rules.policies.clone(),
        session: agent.session,
        limits: agent.limits,
        output: agent.output,
        secrets: agent.secrets,
        file_versions: sources.versions_in(manifest),
    };
    // Against tools that are missing or wrong, every rule would look wrong too.
    if all_bound {
        rules.judge(&snapshot, &policies, sink);
    }
    Some(snapshot)
}

/// The entries of `spec.agents` as tools; outside a Bundle there is nobody that they could lead to.
fn delegates(
    written: Delegations,
    callees: Option<&Callees>,
    bounds: &[Bound<'_>],
    sink: &mut Sink,
) -> Vec<Delegate> {
    if let Some(callees) = callees {
        return delegate::resolve(written.entries, callees, bounds, sink);
    }
    if let Some(at) = &written.at {
        sink.push(e0801::alone(at));
    }
    Vec::new()
}

/// Reads the manifest. Without it there is nothing to say about the rest.
pub(crate) fn open(
    manifest: &str,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<Rc<Document>> {
    let before = sink.errors();
    if sources.bytes(manifest, sink).is_none() {
        if sink.errors() == before {
            sink.push(e0101::no_manifest(&Location::file(&Rc::from(manifest))));
        }
        return None;
    }
    sources.document(manifest, sink)
}
