//! `kind: Tool`: the contract of one capability. Knows nothing of who serves or calls it.

use spec::SideEffectClass;

use super::{Header, PolicyRef, logical_policies, open};
use crate::diagnostic::Sink;
use crate::diagnostics::{e0207, e0406};
use crate::schema::{self, Role, Schema};
use crate::sources::{Document, Sources};
use crate::yaml::{Cursor, Fields, Shape};

const WORKER: &str =
    "a Tool is a contract; where and how it runs is known to the worker that serves it";
const CREDENTIALS: &str = "credentials stay with the worker that serves the tool";

/// Fields that people put on a Tool and that stay with its worker.
const ELSEWHERE: &[(&str, &str)] = &[
    ("url", WORKER),
    ("uri", WORKER),
    ("endpoint", WORKER),
    ("host", WORKER),
    ("address", WORKER),
    ("connection", WORKER),
    ("connection_string", WORKER),
    ("execute", WORKER),
    ("handler", WORKER),
    ("command", WORKER),
    ("implementation", WORKER),
    ("implementation_hash", WORKER),
    ("binary_id", WORKER),
    ("worker", WORKER),
    ("auth", CREDENTIALS),
    ("credential", CREDENTIALS),
    ("credentials", CREDENTIALS),
    ("secret", CREDENTIALS),
    ("secrets", CREDENTIALS),
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
    ],
    elsewhere: ELSEWHERE,
    unsupported: &["available_when", "probe"],
};

/// A Tool document.
pub(crate) struct Tool {
    pub(crate) file: String,
    pub(crate) header: Header,
    pub(crate) description: String,
    pub(crate) class: SideEffectClass,
    pub(crate) input: Option<Schema>,
    pub(crate) output: Option<Schema>,
    pub(crate) default_policies: Vec<PolicyRef>,
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
        let class = get("side_effect_class").and_then(|it| class(&it, sink));
        let input = get("input_schema").map(|it| schema::read(&it, Role::Input, sources, sink));
        let output =
            get("output_schema").and_then(|it| schema::read(&it, Role::Output, sources, sink));
        if let (None, Some(spec)) = (&input, &spec) {
            sink.push(e0406::no_contract(&spec.cursor().at()));
        }
        if let Some(spec) = &spec {
            refuse_unenforced(spec, sink);
        }
        Some(Self {
            file: document.file.to_string(),
            header: parts.header,
            description: text.map(|it| it.value).unwrap_or_default(),
            class: class.unwrap_or(SideEffectClass::ReadOnly),
            input: input.flatten(),
            output,
            default_policies: logical_policies(get("default_policies"), sink),
            sound: sink.errors() == before,
        })
    }
}

/// `side_effect_class`, on a Tool or a binding.
pub(super) fn class(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<SideEffectClass> {
    let words = SideEffectClass::ALL.map(|class| (class.as_str(), class));
    Some(cursor.word(&words, sink)?.value)
}

/// Fields of which this version enforces only the default.
fn refuse_unenforced(spec: &Fields<'_>, sink: &mut Sink) {
    for key in ["strict", "terminal"] {
        if let Some(cursor) = spec.get(key)
            && cursor.boolean(sink) == Some(true)
        {
            sink.push(e0207::not_yet(&cursor.at(), &format!("`{key}: true`")));
        }
    }
    if let Some(cursor) = spec.get("on_failure") {
        let words = [
            ("return_to_agent", true),
            ("retry", false),
            ("escalate", false),
            ("fail", false),
        ];
        let word = cursor.word(&words, sink);
        if let Some(word) = word.filter(|it| !it.value) {
            sink.push(e0207::not_yet(
                &word.at,
                "an `on_failure` other than `return_to_agent`",
            ));
        }
    }
}
