//! Attached policies compiled for the snapshot, authority boundaries among them, and judged by the
//! policy crate. Knows where each rule was written, so that what is wrong is shown there.

use std::collections::{BTreeMap, BTreeSet};

use spec::snapshot::{Attachment, Condition, DecisionKind, Identity, Leaf, Op, Origin, Tool};
use spec::{Json, Snapshot, snapshot};

use crate::analysis::{self, What};
use crate::attach::Attached;
use crate::bound::Bound;
use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::{
    e0512, e0602, e0603, e0604, e0605, e0606, e0607, e0608, e0609, e0610, e0611, e0612,
};
use crate::document::decision;
use crate::document::policy::Policy;
use crate::library::Library;
use crate::reference::logical_id;

/// Where a compiled policy was written.
enum Source {
    /// In the document at this place in the library.
    Document(usize),
    /// Where a boundary is declared.
    Boundary(Location),
}

/// The compiled policies, and where they come from.
pub(crate) struct Rules {
    pub(crate) policies: Vec<snapshot::Policy>,
    sources: BTreeMap<Identity, Source>,
}

/// Names of properties that an old-form `allow` list may be about.
const ALLOW_PROPERTIES: [&str; 6] = ["queue", "target", "value", "name", "id", "currency"];
/// Namespace of the policies that are compiled from boundaries.
const BOUNDARY_NAMESPACE: &str = "ordain.boundaries";

/// Compiles every attached policy, and every boundary that none of them defines.
pub(crate) fn compile(
    attached: &Attached,
    library: &Library<Policy>,
    bounds: &[Bound<'_>],
    agent: &crate::document::Header,
    sink: &mut Sink,
) -> Rules {
    let mut rules = Rules {
        policies: Vec::new(),
        sources: BTreeMap::new(),
    };
    let tools: Vec<&Tool> = bounds.iter().map(|it| &it.tool).collect();
    for (index, attachments) in attached {
        let document = library
            .get(*index)
            .filter(|it| it.sound && !attachments.is_empty());
        let compiled = document.and_then(|it| one(it, attachments, &tools, sink));
        if let Some(compiled) = compiled {
            rules
                .sources
                .insert(compiled.id.clone(), Source::Document(*index));
            rules.policies.push(compiled);
        }
    }
    warn_undeclared(&rules, library, bounds, agent, sink);
    let all_sound = attached
        .keys()
        .all(|it| library.get(*it).is_some_and(|it| it.sound));
    if all_sound {
        boundaries(&mut rules, bounds, agent, sink);
    }
    rules.policies.sort_by(|a, b| a.id.cmp(&b.id));
    rules
}

/// Adds what an overlay attaches to the policies of a version. A policy that the version has already
/// reaches what the overlay says as well.
pub(crate) fn overlay(
    attached: &Attached,
    library: &Library<Policy>,
    snapshot: &mut Snapshot,
    sink: &mut Sink,
) -> Rules {
    let mut rules = Rules {
        policies: Vec::new(),
        sources: BTreeMap::new(),
    };
    for (index, attachments) in attached {
        let document = library.get(*index);
        let document = document.filter(|it| it.sound && !attachments.is_empty());
        let tools: Vec<&Tool> = snapshot.tools.iter().collect();
        let compiled = document.and_then(|it| one(it, attachments, &tools, sink));
        let Some(mut compiled) = compiled else {
            continue;
        };
        rules
            .sources
            .insert(compiled.id.clone(), Source::Document(*index));
        let known = snapshot.policies.iter_mut().find(|it| it.id == compiled.id);
        let Some(known) = known else {
            snapshot.policies.push(compiled);
            continue;
        };
        let attachments = std::mem::take(&mut compiled.attachments);
        if (&known.condition, &known.decision) != (&compiled.condition, &compiled.decision) {
            let whole = library.get(*index).map(|it| it.document.cursor().at());
            if let Some(at) = whole {
                sink.push(e0512::another_policy(&at, &known.id));
            }
            continue;
        }
        known.attachments.extend(attachments);
        known.attachments.sort();
        known.attachments.dedup();
    }
    snapshot.policies.sort_by(|a, b| a.id.cmp(&b.id));
    rules
}

fn one(
    document: &Policy,
    attachments: &[Attachment],
    tools: &[&Tool],
    sink: &mut Sink,
) -> Option<snapshot::Policy> {
    let condition = match &document.allow {
        Some(allow) => Some(allow_condition(allow, attachments, tools, sink)?),
        None => document.condition.clone(),
    };
    Some(snapshot::Policy {
        id: document.header.recorded(),
        metadata: document.header.metadata.clone(),
        description: document.description.clone(),
        scope: document.scope.as_ref().map(|it| it.value.clone()),
        attachments: attachments.to_vec(),
        condition,
        decision: document.decision.clone()?,
    })
}

/// Turns a bare list of allowed values into a condition on the one property that it can be about.
fn allow_condition(
    allow: &At<Vec<Json>>,
    attachments: &[Attachment],
    tools: &[&Tool],
    sink: &mut Sink,
) -> Option<Condition> {
    let reached = reached(attachments, tools.iter().copied());
    let mut about: BTreeSet<&str> = BTreeSet::new();
    for tool in &reached {
        let declared = tool.contract_schema.get("properties");
        let names = ALLOW_PROPERTIES
            .iter()
            .filter(|it| declared.is_some_and(|all| all.get(it).is_some()));
        let names: Vec<&str> = names.copied().collect();
        let [name] = names.as_slice() else {
            let why = if names.is_empty() {
                format!(
                    "`{}` declares none of {}",
                    tool.wire_name,
                    ALLOW_PROPERTIES.join(", ")
                )
            } else {
                format!("`{}` declares {}", tool.wire_name, names.join(" and "))
            };
            sink.push(e0602::undecided(&allow.at, &why));
            return None;
        };
        about.insert(name);
    }
    let names: Vec<&str> = about.into_iter().collect();
    let [field] = names.as_slice() else {
        let why = if names.is_empty() {
            "the policy reaches no tool".to_owned()
        } else {
            format!("the tools that it reaches declare {}", names.join(" and "))
        };
        sink.push(e0602::undecided(&allow.at, &why));
        return None;
    };
    Some(Condition::Leaf(Leaf {
        field: (*field).to_owned(),
        op: Op::In,
        value: Json::Array(allow.value.clone()),
        absent: None,
        case: snapshot::Case::Sensitive,
    }))
}

/// The tools that any of the attachments reaches.
fn reached<'t>(attachments: &[Attachment], tools: impl Iterator<Item = &'t Tool>) -> Vec<&'t Tool> {
    let reaches = |tool: &&Tool| {
        attachments
            .iter()
            .any(|it| it.tools.contains(&tool.wire_name))
    };
    tools.filter(reaches).collect()
}

fn warn_undeclared(
    rules: &Rules,
    library: &Library<Policy>,
    bounds: &[Bound<'_>],
    agent: &crate::document::Header,
    sink: &mut Sink,
) {
    let on_tools = bounds
        .iter()
        .filter_map(Bound::header)
        .flat_map(|it| &it.boundaries);
    let declared = agent.boundaries.iter().chain(on_tools);
    let declared: BTreeSet<&str> = declared.map(|it| it.value.as_str()).collect();
    for policy in &rules.policies {
        let Some(Source::Document(index)) = rules.sources.get(&policy.id) else {
            continue;
        };
        let Some(document) = library.get(*index) else {
            continue;
        };
        let Some(boundary) = &policy.decision.authority_ref else {
            continue;
        };
        let own = document
            .header
            .boundaries
            .iter()
            .any(|it| it.value == *boundary);
        if !own && !declared.contains(boundary.as_str()) {
            let at = document
                .document
                .cursor()
                .locate("spec.decision.authority_ref");
            let declared: Vec<&str> = declared.iter().copied().collect();
            sink.push(e0606::undeclared(&at, boundary, &declared));
        }
    }
}

/// A boundary, where it is first declared, and whose calls it covers.
struct Boundary<'a> {
    at: &'a Location,
    version: String,
    tools: BTreeSet<String>,
}

/// Compiles an approval for each boundary that no attached policy defines.
fn boundaries(
    rules: &mut Rules,
    bounds: &[Bound<'_>],
    agent: &crate::document::Header,
    sink: &mut Sink,
) {
    let mut declared: BTreeMap<&str, Boundary<'_>> = BTreeMap::new();
    let mut declare = |boundary, header: &crate::document::Header, tools: Vec<String>| {
        let At { value, at }: &At<String> = boundary;
        let version = header.recorded().version;
        let fresh = || Boundary {
            at,
            version,
            tools: BTreeSet::new(),
        };
        declared
            .entry(value.as_str())
            .or_insert_with(fresh)
            .tools
            .extend(tools);
    };
    for boundary in &agent.boundaries {
        let all = bounds.iter().map(|it| it.tool.wire_name.clone()).collect();
        declare(boundary, agent, all);
    }
    for bound in bounds {
        let Some(header) = bound.header() else {
            continue;
        };
        for boundary in &header.boundaries {
            declare(boundary, header, vec![bound.tool.wire_name.clone()]);
        }
    }
    let defined: BTreeSet<String> = rules
        .policies
        .iter()
        .filter_map(|it| it.decision.authority_ref.clone())
        .collect();
    for (name, boundary) in declared {
        if defined.contains(name) || boundary.tools.is_empty() {
            continue;
        }
        sink.push(e0605::undefined(boundary.at, name));
        let compiled = approval(name, &boundary);
        rules
            .sources
            .insert(compiled.id.clone(), Source::Boundary(boundary.at.clone()));
        rules.policies.push(compiled);
    }
}

fn approval(name: &str, boundary: &Boundary<'_>) -> snapshot::Policy {
    let (namespace, own) = match logical_id(name) {
        Some(id) => (format!("{BOUNDARY_NAMESPACE}.{}", id.namespace), id.name),
        None => (BOUNDARY_NAMESPACE.to_owned(), name.to_owned()),
    };
    let reason = format!("No attached policy defines the authority boundary {name}.");
    snapshot::Policy {
        id: Identity {
            namespace,
            name: own,
            version: boundary.version.clone(),
        },
        metadata: snapshot::Metadata::default(),
        description: None,
        scope: None,
        attachments: vec![Attachment {
            origin: Origin::AuthorityBoundary,
            tools: boundary.tools.iter().cloned().collect(),
            limits: false,
        }],
        condition: None,
        decision: snapshot::Decision {
            authority_ref: Some(name.to_owned()),
            reason: Some(reason),
            ..decision::plain(DecisionKind::RequireApproval)
        },
    }
}

impl Rules {
    /// Has the policy crate look at every rule.
    pub(crate) fn judge(&self, snapshot: &Snapshot, library: &Library<Policy>, sink: &mut Sink) {
        let before = sink.errors();
        let mut said: BTreeSet<(Identity, String, String)> = BTreeSet::new();
        for policy in &snapshot.policies {
            let tools = reached(&policy.attachments, snapshot.tools.iter());
            for finding in policy::check(policy, &tools) {
                let at = self.locate(&policy.id, &finding.field, library);
                let found = match finding.severity {
                    policy::Severity::Error => e0603::refused(&at, &finding.message),
                    policy::Severity::Warning => e0604::doubtful(&at, &finding.message),
                };
                said.insert((policy.id.clone(), finding.field, finding.message));
                sink.push(helped(found, finding.help));
            }
        }
        let errors = policy::RuleSet::compile(snapshot).err().unwrap_or_default();
        for error in errors {
            let at = self.locate(&error.policy, &error.field, library);
            if said.insert((error.policy, error.field, error.message.clone())) {
                sink.push(helped(e0603::refused(&at, &error.message), error.help));
            }
        }
        if sink.errors() == before {
            self.analyse(snapshot, library, sink);
        }
    }

    /// What the rules amount to together; said only of rules that mean something each.
    fn analyse(&self, snapshot: &Snapshot, library: &Library<Policy>, sink: &mut Sink) {
        for found in analysis::analyse(snapshot) {
            let at = self.locate(&found.policy, &found.field, library);
            sink.push(match &found.what {
                What::Never { kind, tools } => e0607::never(&at, *kind, tools),
                What::Shadowed { by, tools } => e0608::shadowed(&at, by, tools),
                What::Disjoint { other, tool } => e0609::disjoint(&at, other, tool),
                What::Overlap {
                    asks,
                    tool,
                    example,
                } => e0610::overlap(&at, asks, tool, example),
                What::LetterCase {
                    value,
                    tool,
                    example,
                } => e0611::letter_case(&at, value, tool, example),
                What::Impossible {
                    constant,
                    tools,
                    listed,
                    alone,
                } => e0612::impossible(
                    &at,
                    (&constant.field, &constant.value),
                    tools,
                    (listed.as_deref(), *alone),
                ),
            });
        }
    }

    /// The place that a path into a policy's `spec` leads to.
    fn locate(&self, id: &Identity, field: &str, library: &Library<Policy>) -> Location {
        match self.sources.get(id) {
            Some(Source::Boundary(at)) => at.clone(),
            Some(Source::Document(index)) => match library.get(*index) {
                Some(Policy {
                    allow: Some(allow), ..
                }) if field.starts_with("conditions") => allow.at.clone(),
                Some(it) => {
                    let field = format!("spec.{field}");
                    it.document.cursor().locate(field.trim_end_matches('.'))
                }
                None => Location::file(&std::rc::Rc::from("")),
            },
            // Of a version that an overlay is laid over, what is published is not to be mended.
            None => Location::file(&std::rc::Rc::from("")),
        }
    }
}

fn helped(
    diagnostic: crate::diagnostic::Diagnostic,
    help: String,
) -> crate::diagnostic::Diagnostic {
    diagnostic.with_help(if help.is_empty() {
        "say it in another way, or take the rule out".to_owned()
    } else {
        help
    })
}
