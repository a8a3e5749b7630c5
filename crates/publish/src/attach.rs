//! Which policies reach which tools, from where. Knows nothing of what the policies say.

use std::collections::BTreeMap;

use spec::snapshot::{Attachment, Origin, Scope, Tool};

use crate::bound::Bound;
use crate::diagnostic::Sink;
use crate::diagnostics::e0601;
use crate::document::PolicyRef;
use crate::document::policy::Policy;
use crate::library::Library;
use crate::sources::{DOCUMENT_EXTENSIONS, Sources};

/// Policies by their place in the library, each with the places that it is attached from.
pub(crate) type Attached = BTreeMap<usize, Vec<Attachment>>;

/// A list of policies, somewhere in the bundle.
struct List<'a> {
    origin: Origin,
    /// Whose calls it may reach.
    tools: Vec<&'a Tool>,
    /// Whether whoever wrote it chose the tool: its policies reach that one, whatever their scope.
    chosen: bool,
    /// Indices into the library.
    policies: Vec<usize>,
    /// The list in words.
    name: String,
}

/// Resolves every list of policies and says what each policy reaches.
pub(crate) fn attach(
    bounds: &[Bound<'_>],
    agent_wide: &[PolicyRef],
    library: &mut Library<Policy>,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Attached {
    let mut lists = Vec::new();
    for bound in bounds {
        lists.push(List {
            origin: Origin::ToolDefault,
            tools: vec![&bound.tool],
            chosen: false,
            policies: indices(bound.default_policies(), library, sources, sink),
            name: format!("the Tool {}", bound.id),
        });
        lists.push(List {
            origin: Origin::Binding,
            tools: vec![&bound.tool],
            chosen: true,
            policies: indices(&bound.binding.policies, library, sources, sink),
            name: format!("the binding {}", bound.tool.wire_name),
        });
    }
    lists.push(List {
        origin: Origin::AgentDefault,
        tools: bounds.iter().map(|it| &it.tool).collect(),
        chosen: false,
        policies: indices(agent_wide, library, sources, sink),
        name: "the Agent".to_owned(),
    });
    reached(&lists, library, sink)
}

/// The same for an overlay, which has a list for all tools and one for each that it names.
pub(crate) fn attach_overlay(
    tools: &[Tool],
    (everywhere, named): (&[PolicyRef], &[(&Tool, Vec<PolicyRef>)]),
    library: &mut Library<Policy>,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Attached {
    let mut lists = vec![List {
        origin: Origin::Overlay,
        tools: tools.iter().collect(),
        chosen: false,
        policies: indices(everywhere, library, sources, sink),
        name: "the overlay".to_owned(),
    }];
    for (tool, policies) in named {
        lists.push(List {
            origin: Origin::Overlay,
            tools: vec![tool],
            chosen: true,
            policies: indices(policies, library, sources, sink),
            name: format!("the overlay of {}", tool.wire_name),
        });
    }
    reached(&lists, library, sink)
}

fn reached(lists: &[List<'_>], library: &Library<Policy>, sink: &mut Sink) -> Attached {
    let mut attached = Attached::new();
    let mut named: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for list in lists {
        for index in &list.policies {
            let scope = library.get(*index).and_then(|it| it.scope.as_ref());
            named.entry(*index).or_default().push(&list.name);
            let places = attached.entry(*index).or_default();
            places.extend(reach(list, scope.map(|it| &it.value)));
        }
    }
    for (index, places) in &mut attached {
        places.sort();
        places.dedup();
        let scope = library.get(*index).and_then(|it| it.scope.as_ref());
        if let (true, Some(scope)) = (places.is_empty(), scope) {
            let names = named.get(index).map(|it| it.join(", ")).unwrap_or_default();
            sink.push(e0601::reaches_nothing(
                &scope.at,
                &written(&scope.value),
                &names,
            ));
        }
    }
    attached
}

fn indices(
    list: &[PolicyRef],
    library: &mut Library<Policy>,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Vec<usize> {
    let one = |reference: &PolicyRef| match reference {
        PolicyRef::Logical(reference) => library.find(reference, sink),
        PolicyRef::File(reference) => {
            let path = sources.find(reference, DOCUMENT_EXTENSIONS, sink)?;
            library.in_file(&path, sources, sink)
        }
    };
    list.iter().filter_map(one).collect()
}

/// What a policy with this scope reaches from a list; `None` when nothing.
fn reach(list: &List<'_>, scope: Option<&Scope>) -> Option<Attachment> {
    let agent_wide = match list.origin {
        Origin::AgentDefault => true,
        Origin::Overlay => !list.chosen,
        Origin::ToolDefault | Origin::Binding | Origin::AuthorityBoundary => false,
    };
    let limits = agent_wide
        && match scope {
            None | Some(Scope::Agent | Scope::Limit) => true,
            Some(Scope::Tool(_) | Scope::Dispatch) => false,
        };
    let reached = |tool: &&&Tool| match scope {
        // A binding's policy is for that binding, whatever its scope says.
        _ if list.chosen => true,
        None | Some(Scope::Agent | Scope::Dispatch) => true,
        Some(Scope::Limit) => false,
        Some(Scope::Tool(pattern)) => covers(pattern, &tool.contract.logical_id()),
    };
    let names = list
        .tools
        .iter()
        .filter(reached)
        .map(|it| it.wire_name.clone());
    let mut tools: Vec<_> = names.collect();
    tools.sort();
    (limits || !tools.is_empty()).then_some(Attachment {
        origin: list.origin,
        tools,
        limits,
    })
}

/// Whether a pattern such as `payments.*` covers a Tool.
fn covers(pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => id.starts_with(prefix),
        None => id == pattern,
    }
}

/// A scope as authors write it.
fn written(scope: &Scope) -> String {
    match scope {
        Scope::Tool(pattern) => format!("tool:{pattern}"),
        Scope::Agent => "agent".to_owned(),
        Scope::Limit => "limit".to_owned(),
        Scope::Dispatch => "dispatch".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::covers;
    #[test]
    fn patterns() {
        let id = "shop.payments.issue-refund";
        for pattern in [
            "shop.payments.issue-refund",
            "shop.payments.*",
            "shop.*",
            "*",
        ] {
            assert!(covers(pattern, id), "{pattern}");
        }
        for pattern in [
            "shop.payments.issue",
            "shop.pay",
            "payments.*",
            "shop.payments",
        ] {
            assert!(!covers(pattern, id), "{pattern}");
        }
    }
}
