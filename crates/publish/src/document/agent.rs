//! `kind: Agent`: what it is for, which model drives it, what it may call, within which limits.

use std::collections::BTreeMap;

use spec::snapshot::{Limits, McpServer, Model, Output, OutputFormat, Secret, SessionMode};

use super::binding::Binding;
use super::delegation::Delegations;
use super::{Header, IN_SPEC, PolicyRef, logical_policies, mcp, model, open, output, texts};
use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0205, e0207, e0704};
use crate::instructions;
use crate::sources::{Document, Sources};
use crate::yaml::{Cursor, Fields, Shape};

const TOP: Shape = Shape {
    what: "an Agent",
    known: &[
        "apiVersion",
        "kind",
        "metadata",
        "spec",
        "secrets",
        "output",
    ],
    elsewhere: &[
        ("purpose", IN_SPEC),
        ("instructions", IN_SPEC),
        ("model", IN_SPEC),
        ("tools", IN_SPEC),
        ("default_policies", IN_SPEC),
        ("session", IN_SPEC),
        ("limits", IN_SPEC),
        ("agents", IN_SPEC),
        ("capabilities", IN_SPEC),
        ("mcp_servers", IN_SPEC),
        ("policies", POLICIES),
        ("hitl", HITL),
    ],
    unsupported: &[],
};

const HITL: &str = "approval and escalation are `decision` blocks of Policy documents in policies/";
const POLICIES: &str = "write rules as `kind: Policy` documents in policies/, and attach them with `default_policies` or on a binding";

const SPEC: Shape = Shape {
    what: "an Agent's spec",
    known: &[
        "purpose",
        "instructions",
        "model",
        "tools",
        "default_policies",
        "capabilities",
        "session",
        "limits",
        "mcp_servers",
        "agents",
    ],
    elsewhere: &[
        ("policies", POLICIES),
        ("hitl", HITL),
        ("secrets", "`secrets` stands beside `spec`"),
        ("output", "`output` stands beside `spec`"),
        ("description", "write it as `purpose`"),
    ],
    unsupported: &[],
};

const LIMITS: Shape = Shape {
    what: "limits",
    known: &[
        "max_tokens_per_run",
        "max_loop_iterations",
        "max_wall_clock_seconds",
        "max_hitl_wait_minutes",
        "max_tool_calls",
        "max_subagent_depth",
        "on_limit",
    ],
    elsewhere: &[],
    unsupported: &["max_cost"],
};

const SECRET: Shape = Shape {
    what: "a secret",
    known: &["fromEnv"],
    elsewhere: &[],
    unsupported: &[],
};

/// An Agent document. What could not be read holds an empty value; there is no snapshot then.
pub(crate) struct Agent {
    pub(crate) header: Header,
    pub(crate) purpose: String,
    pub(crate) instructions: String,
    pub(crate) model: Model,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) delegations: Delegations,
    /// Whether every entry of `spec.tools` and `spec.agents` could be read.
    pub(crate) all_bindings: bool,
    pub(crate) default_policies: Vec<PolicyRef>,
    pub(crate) capabilities: Vec<String>,
    pub(crate) mcp_servers: Vec<McpServer>,
    pub(crate) session: SessionMode,
    pub(crate) limits: Limits,
    pub(crate) output: Output,
    pub(crate) secrets: BTreeMap<String, Secret>,
}

impl Agent {
    pub(crate) fn read(
        document: &Document,
        sources: &mut Sources<'_>,
        sink: &mut Sink,
    ) -> Option<Self> {
        let parts = open(&document.cursor(), "Agent", &TOP, sink)?;
        let secrets = parts
            .top
            .get("secrets")
            .map(|it| secrets(&it, sink))
            .unwrap_or_default();
        let output = parts.top.get("output");
        let output = output.and_then(|it| output::read(&it, sources, sink));
        let output = output.unwrap_or_else(output::unsaid);
        let names: Vec<&str> = secrets.keys().map(String::as_str).collect();
        let spec = parts.spec.and_then(|it| it.fields(&SPEC, sink));
        let get = |key: &str| spec.as_ref().and_then(|it| it.get(key));
        let required =
            |key: &str, sink: &mut Sink| spec.as_ref().and_then(|it| it.required(key, sink));
        let purpose = required("purpose", sink).and_then(|it| it.filled(sink));
        let instructions = required("instructions", sink);
        let instructions = instructions.and_then(|it| instructions::read(&it, sources, sink));
        let model = required("model", sink).and_then(|it| model::read(&it, &names, sink));
        let capabilities = get("capabilities").map(|it| texts(&it, sink));
        let before = sink.errors();
        let tools = get("tools")
            .and_then(|it| it.items(sink))
            .unwrap_or_default();
        let bindings = tools
            .iter()
            .filter_map(|it| Binding::read(it, sources, sink))
            .collect();
        let delegations = get("agents")
            .map(|it| Delegations::read(&it, sources, sink))
            .unwrap_or_default();
        Some(Self {
            purpose: purpose.map(|it| it.value).unwrap_or_default(),
            instructions: instructions.unwrap_or_default(),
            model: model.unwrap_or_else(model::unread),
            bindings,
            delegations,
            all_bindings: spec.is_some() && sink.errors() == before,
            default_policies: logical_policies(get("default_policies"), sink),
            session: session(get("session"), output.format, sink),
            mcp_servers: get("mcp_servers")
                .map(|it| mcp::servers(&it, &names, sink))
                .unwrap_or_default(),
            output,
            limits: get("limits")
                .and_then(|it| limits(&it, sink))
                .unwrap_or_default(),
            capabilities: capabilities
                .unwrap_or_default()
                .into_iter()
                .map(|it| it.value)
                .collect(),
            secrets,
            header: parts.header,
        })
    }
}

fn session(cursor: Option<Cursor<'_>>, format: OutputFormat, sink: &mut Sink) -> SessionMode {
    let words = [
        ("conversation", SessionMode::Conversation),
        ("single_turn", SessionMode::SingleTurn),
    ];
    let chosen = cursor.and_then(|it| it.word(&words, sink));
    chosen.map_or(
        match format {
            OutputFormat::Text => SessionMode::Conversation,
            OutputFormat::Json => SessionMode::SingleTurn,
        },
        |it| it.value,
    )
}

fn limits(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Limits> {
    let fields = cursor.fields(&LIMITS, sink)?;
    on_limit(&fields, sink);
    let count =
        |key: &str, max: u64, sink: &mut Sink| fields.get(key).and_then(|it| it.count(max, sink));
    let small = |key: &str, sink: &mut Sink| {
        let count = count(key, u64::from(u32::MAX), sink)?;
        u32::try_from(count).ok()
    };
    // Seconds and minutes are bounded too, so that no sum of them in milliseconds overflows.
    let time_max = u64::from(u32::MAX);
    Some(Limits {
        max_tokens_per_run: count("max_tokens_per_run", u64::MAX, sink),
        max_loop_iterations: small("max_loop_iterations", sink),
        max_wall_clock_seconds: count("max_wall_clock_seconds", time_max, sink),
        max_hitl_wait_minutes: count("max_hitl_wait_minutes", time_max, sink),
        max_tool_calls: small("max_tool_calls", sink),
        max_subagent_depth: small("max_subagent_depth", sink),
    })
}

fn on_limit(fields: &Fields<'_>, sink: &mut Sink) {
    let words = [("halt", true), ("escalate", false)];
    let word = fields.get("on_limit").and_then(|it| it.word(&words, sink));
    if let Some(word) = word.filter(|it| !it.value) {
        sink.push(e0207::not_yet(&word.at, "`on_limit: escalate`"));
    }
}

fn secrets(cursor: &Cursor<'_>, sink: &mut Sink) -> BTreeMap<String, Secret> {
    let entries = cursor.entries(sink).unwrap_or_default();
    let read = |(name, value): &(At<String>, Cursor<'_>)| {
        check_secret_name(name, sink);
        // Named in the map even when broken, so that `model.secret` still finds it.
        let from_env = secret(value, sink).unwrap_or_default();
        (name.value.clone(), Secret { from_env })
    };
    entries.iter().map(read).collect()
}

fn check_secret_name(name: &At<String>, sink: &mut Sink) {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    let starts = name.value.starts_with(|c: char| c.is_ascii_lowercase());
    if !starts || !name.value.chars().all(inner) {
        let rule =
            "begin with a lower-case letter and go on with such letters, digits, `_` and `-`";
        sink.push(e0205::malformed(
            &name.at,
            "the name of a secret",
            &name.value,
            rule,
        ));
    }
}

fn secret(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<String> {
    let written_out = ["value", "plaintext"]
        .iter()
        .find_map(|key| Some((key, cursor.child(key)?)));
    if let Some((key, value)) = written_out {
        sink.push(e0704::written_out(&value.key_at(), key));
        return None;
    }
    let fields = cursor.fields(&SECRET, sink)?;
    let variable = fields.required("fromEnv", sink)?.filled(sink)?;
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if variable.value.starts_with(|c: char| c.is_ascii_digit())
        || !variable.value.chars().all(inner)
    {
        let rule = "write letters, digits and `_`, not beginning with a digit";
        sink.push(e0205::malformed(
            &variable.at,
            "the name of an environment variable",
            &variable.value,
            rule,
        ));
        return None;
    }
    Some(variable.value)
}
