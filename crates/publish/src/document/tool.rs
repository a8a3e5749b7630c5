//! `kind: Tool`: the contract of one capability. Knows nothing of who serves or calls it.

use spec::SideEffectClass;
use spec::snapshot::{OnFailure, Predicate};

use super::probe::Probe;
use super::{Header, PolicyRef, availability, logical_policies, open};
use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::{e0406, e0414, e0507};
use crate::schema::{self, Openness, Role, Schema};
use crate::sources::{Document, Sources};
use crate::yaml::{Cursor, Shape};

const WORKER: &str =
    "a Tool is a contract; where and how it runs is known to the worker that serves it";
const CREDENTIALS: &str = "credentials stay with the worker that serves the tool";

/// Fields that people put on a Tool and that stay with its worker.
const ELSEWHERE: &[(&str, &str)] = &[
    ("url", WORKER),
    ("urls", WORKER),
    ("base_url", WORKER),
    ("uri", WORKER),
    ("endpoint", WORKER),
    ("endpoints", WORKER),
    ("host", WORKER),
    ("port", WORKER),
    ("address", WORKER),
    ("server", WORKER),
    ("http", WORKER),
    ("grpc", WORKER),
    ("transport", WORKER),
    ("connection", WORKER),
    ("connection_string", WORKER),
    ("database_url", WORKER),
    ("dsn", WORKER),
    ("execute", WORKER),
    ("exec", WORKER),
    ("execute_hook", WORKER),
    ("execution", WORKER),
    ("hook", WORKER),
    ("hooks", WORKER),
    ("run", WORKER),
    ("script", WORKER),
    ("code", WORKER),
    ("image", WORKER),
    ("handler", WORKER),
    ("command", WORKER),
    ("implementation", WORKER),
    ("implementation_hash", WORKER),
    ("hash", WORKER),
    ("digest", WORKER),
    ("binary_id", WORKER),
    ("worker", WORKER),
    ("auth", CREDENTIALS),
    ("authentication", CREDENTIALS),
    ("headers", CREDENTIALS),
    ("credential", CREDENTIALS),
    ("credential_ref", CREDENTIALS),
    ("credentials", CREDENTIALS),
    ("credentials_ref", CREDENTIALS),
    ("secret", CREDENTIALS),
    ("secret_ref", CREDENTIALS),
    ("secrets", CREDENTIALS),
    ("from_env", CREDENTIALS),
    ("env", CREDENTIALS),
    ("password", CREDENTIALS),
    ("api_key", CREDENTIALS),
    ("token", CREDENTIALS),
    (
        "agent",
        "a Tool may be bound by any agent; bindings are on the Agent",
    ),
    ("policies", "on a Tool the list is `default_policies`"),
    ("parameters", "write the arguments under `input_schema`"),
    (
        "as",
        "the name that the model sees is chosen on the Agent's binding",
    ),
    ("mcp", "an MCP server is named on the Agent's binding"),
];

const TOP: Shape = Shape {
    what: "a Tool",
    known: &["apiVersion", "kind", "metadata", "spec"],
    elsewhere: ELSEWHERE,
    unsupported: &[],
};

const SPEC: Shape = Shape {
    what: "a Tool's spec",
    known: &[
        "description",
        "side_effect_class",
        "input_schema",
        "output_schema",
        "default_policies",
        "strict",
        "on_failure",
        "terminal",
        "available_when",
        "probe",
    ],
    elsewhere: ELSEWHERE,
    unsupported: &[],
};

/// A Tool document.
pub(crate) struct Tool {
    pub(crate) file: String,
    pub(crate) header: Header,
    pub(crate) description: String,
    pub(crate) class: SideEffectClass,
    /// Where it says so.
    pub(crate) class_at: Option<Location>,
    pub(crate) input: Option<Schema>,
    pub(crate) output: Option<Schema>,
    pub(crate) default_policies: Vec<PolicyRef>,
    pub(crate) available_when: Vec<At<Predicate>>,
    pub(crate) strict: bool,
    pub(crate) on_failure: OnFailure,
    pub(crate) probe: Option<Probe>,
    pub(crate) terminal: bool,
    /// Whether nothing in the document was refused.
    pub(crate) sound: bool,
}

impl Tool {
    pub(crate) fn read(
        document: &Document,
        sources: &mut Sources<'_>,
        sink: &mut Sink,
    ) -> Option<Self> {
        let before = sink.errors();
        let parts = open(&document.cursor(), "Tool", &TOP, sink)?;
        let spec = parts.spec.and_then(|it| it.fields(&SPEC, sink));
        let get = |key: &str| spec.as_ref().and_then(|it| it.get(key));
        let text = get("description").and_then(|it| it.filled(sink));
        let class_at = get("side_effect_class").map(|it| it.at());
        let class = get("side_effect_class").and_then(|it| class(&it, sink));
        let flag = |key: &str, sink: &mut Sink| {
            let cursor = get(key)?;
            (cursor.boolean(sink) == Some(true)).then(|| cursor.key_at())
        };
        let strict = flag("strict", sink);
        let openness = Openness::of(strict.is_some());
        let input = get("input_schema")
            .map(|it| schema::read_as(&it, Role::Input, openness, sources, sink));
        let output = get("output_schema")
            .and_then(|it| schema::read_as(&it, Role::Output, openness, sources, sink));
        if let (None, Some(spec)) = (&input, &spec) {
            sink.push(e0406::no_contract(&spec.cursor().at()));
        }
        if let (None, Some(strict)) = (&input, &strict) {
            sink.push(e0414::nothing_to_close(strict));
        }
        let class = class.unwrap_or(SideEffectClass::ReadOnly);
        let on_failure = on_failure(get("on_failure"), class, sink);
        Some(Self {
            file: document.file.to_string(),
            header: parts.header,
            description: text.map(|it| it.value).unwrap_or_default(),
            class,
            class_at,
            input: input.flatten(),
            output,
            default_policies: logical_policies(get("default_policies"), sink),
            available_when: get("available_when")
                .map(|it| availability::read(&it, sink))
                .unwrap_or_default(),
            strict: strict.is_some(),
            on_failure,
            probe: get("probe").and_then(|it| Probe::read(&it, sink)),
            terminal: flag("terminal", sink).is_some(),
            sound: sink.errors() == before,
        })
    }
}

/// `side_effect_class`, on a Tool or a binding.
pub(crate) fn class(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<SideEffectClass> {
    let words = SideEffectClass::ALL.map(|class| (class.as_str(), class));
    Some(cursor.word(&words, sink)?.value)
}

/// What a failed call does.
fn on_failure(cursor: Option<Cursor<'_>>, class: SideEffectClass, sink: &mut Sink) -> OnFailure {
    let words = [
        ("return_to_agent", OnFailure::ReturnToAgent),
        ("retry", OnFailure::Retry),
        ("escalate", OnFailure::Escalate),
        ("fail", OnFailure::Fail),
    ];
    let Some(word) = cursor.and_then(|it| it.word(&words, sink)) else {
        return OnFailure::ReturnToAgent;
    };
    if word.value == OnFailure::Retry && !class.may_rerun() {
        sink.push(e0507::never_retried(&word.at, class));
    }
    word.value
}
