//! `kind: Policy`: when a rule applies and what happens then. Knows the words; not the tools that
//! the rule reaches.

use std::rc::Rc;

use spec::Json;
use spec::snapshot::{Condition, Decision, DecisionKind, Scope};

use super::{Header, IN_SPEC, condition, decision, open};
use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0206, e0207, e0208, e0601};
use crate::reference::{is_namespace, logical_id};
use crate::sources::Document;
use crate::yaml::{Cursor, Shape};

const TOP: Shape = Shape {
    what: "a Policy",
    known: &["apiVersion", "kind", "metadata", "spec"],
    elsewhere: &[
        ("description", IN_SPEC),
        ("scope", IN_SPEC),
        ("conditions", IN_SPEC),
        ("allow", IN_SPEC),
        ("decision", IN_SPEC),
    ],
    unsupported: &[],
};

const SPEC: Shape = Shape {
    what: "a Policy's spec",
    known: &["description", "scope", "conditions", "allow", "decision"],
    elsewhere: &[
        ("reason", "write it in `decision`"),
        ("authority_ref", "write it in `decision`"),
        ("runtime", "write it in `decision`"),
        ("timeout", "write it in `decision`"),
        ("type", "write it in `decision`"),
        ("field", "write it in `conditions`"),
    ],
    unsupported: &[],
};

/// A Policy document.
pub(crate) struct Policy {
    pub(crate) document: Rc<Document>,
    pub(crate) header: Header,
    pub(crate) description: Option<String>,
    pub(crate) scope: Option<At<Scope>>,
    pub(crate) condition: Option<Condition>,
    /// The old form: values of an argument that is still to be guessed.
    pub(crate) allow: Option<At<Vec<Json>>>,
    /// There when the document is sound.
    pub(crate) decision: Option<Decision>,
    pub(crate) sound: bool,
}

impl Policy {
    pub(crate) fn read(document: &Rc<Document>, sink: &mut Sink) -> Option<Self> {
        let before = sink.errors();
        let parts = open(&document.cursor(), "Policy", &TOP, sink)?;
        let spec = parts.spec.and_then(|it| it.fields(&SPEC, sink));
        let get = |key: &str| spec.as_ref().and_then(|it| it.get(key));
        let description = get("description").and_then(|it| it.filled(sink));
        let scope = get("scope").and_then(|it| scope(&it, sink));
        let conditions = get("conditions");
        let condition = conditions.as_ref().and_then(|it| condition::read(it, sink));
        let allow = get("allow").and_then(|it| allow_list(&it, sink));
        let decision = spec.as_ref().and_then(|it| it.required("decision", sink));
        let decision = decision.and_then(|it| decision::read(&it, sink));
        if let (Some(allow), Some(_)) = (&allow, &conditions) {
            sink.push(e0208::at_most_one(&allow.at, &["allow", "conditions"]));
        }
        if let (Some(allow), Some(decision)) = (&allow, &decision)
            && decision.kind != DecisionKind::Allow
        {
            let place = "a bare list of allowed values goes with `decision: {type: allow}`";
            sink.push(e0206::belongs_elsewhere(
                &allow.at,
                "allow",
                "this Policy",
                place,
            ));
        }
        Some(Self {
            document: Rc::clone(document),
            header: parts.header,
            description: description.map(|it| it.value),
            scope,
            condition,
            allow,
            decision,
            sound: sink.errors() == before,
        })
    }
}

fn allow_list(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<At<Vec<Json>>> {
    let items = cursor.items(sink)?;
    let values: Vec<_> = items.iter().map(|item| item.json(sink)).collect();
    let value = values.into_iter().collect::<Option<Vec<_>>>()?;
    Some(At {
        value,
        at: cursor.key_at(),
    })
}

fn scope(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<At<Scope>> {
    let text = cursor.filled(sink)?;
    let value = match text.value.as_str() {
        "agent" => Scope::Agent,
        "limit" => {
            // A limit always halts in this version, so such a policy would never be asked.
            sink.push(e0207::not_yet(&text.at, "`scope: limit`"));
            Scope::Limit
        }
        "dispatch" => Scope::Dispatch,
        other => match other
            .strip_prefix("tool:")
            .map(str::trim)
            .filter(|it| is_tool_pattern(it))
        {
            Some(pattern) => Scope::Tool(pattern.to_owned()),
            None => {
                sink.push(e0601::malformed(&text.at, other));
                return None;
            }
        },
    };
    Some(At { value, at: text.at })
}

/// `namespace.name`, or `*`, or `namespace.*`.
fn is_tool_pattern(pattern: &str) -> bool {
    let prefix = pattern.strip_suffix(".*");
    pattern == "*" || prefix.is_some_and(is_namespace) || logical_id(pattern).is_some()
}
