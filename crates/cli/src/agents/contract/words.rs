//! What a snapshot says of a tool beside its rules, in sentences. Knows the vocabulary of snapshots;
//! not how a page is laid out.

use spec::snapshot::{
    Backend, Delegation, DelegationResult, Limits, McpServer, OnFailure, Predicate, Probe,
    ProbeArg, Tool,
};

use crate::render::text::compact;

/// The class, and the published one where an overlay has moved it.
pub(super) fn class(tool: &Tool, beneath: Option<&Tool>) -> String {
    let class = tool.side_effect_class;
    match beneath.map(|it| it.side_effect_class) {
        Some(published) if published != class => {
            format!("{class}, by the overlay; published as {published}")
        }
        Some(_) | None => class.to_string(),
    }
}

/// Who may run calls of the tool.
pub(super) fn served_by(tool: &Tool, servers: &[McpServer]) -> String {
    match &tool.backend {
        Backend::Worker => format!(
            "any worker that registers {}; no identity is asked for",
            tool.contract
        ),
        Backend::Mcp { server, tool } => {
            let url = servers.iter().find(|it| &it.name == server);
            let url = url.map_or("an unknown address", |it| it.url.as_str());
            format!("the MCP server {server} at {url}, as its tool {tool}")
        }
        Backend::Agent(Delegation {
            agent,
            version,
            result,
        }) => {
            let version = match version {
                Some(version) => format!("@{version}"),
                None => ", whichever version is deployed then".to_owned(),
            };
            let result = match result {
                DelegationResult::Summary => "its final message",
                DelegationResult::Full => "its whole output",
            };
            format!("a session of the agent {agent}{version}; {result} comes back")
        }
    }
}

/// When the tool is offered and may be called.
pub(super) fn offered(predicates: &[Predicate]) -> String {
    if predicates.is_empty() {
        return "always".to_owned();
    }
    let one = |it: &Predicate| {
        let values: Vec<String> = it.any_of.iter().map(compact).collect();
        match values.as_slice() {
            [value] => format!("{} is {value}", it.subject),
            values => format!("{} is one of {}", it.subject, values.join(", ")),
        }
    };
    let all: Vec<String> = predicates.iter().map(one).collect();
    format!("only when {}", all.join(" and "))
}

/// What a call does whose handler says that it failed.
pub(super) fn on_failure(tool: &Tool) -> &'static str {
    match tool.on_failure {
        OnFailure::ReturnToAgent => "the model is told and goes on",
        OnFailure::Retry if tool.side_effect_class.may_rerun() => {
            "it runs again, at most three times"
        }
        OnFailure::Retry => "the model is told and goes on: its class may not run again by itself",
        OnFailure::Escalate => "a person decides whether it runs again",
        OnFailure::Fail => "the session fails",
    }
}

/// What becomes of a call of which nobody knows whether it ran, where no rule says otherwise.
pub(super) fn unknown(tool: &Tool) -> &'static str {
    if tool.side_effect_class.may_rerun() {
        "it runs again, with the same call id"
    } else {
        "a person decides; it never runs twice by itself"
    }
}

/// What a success does.
pub(super) fn terminal(tool: &Tool) -> &'static str {
    if tool.terminal {
        "yes: a successful call ends the run, and its result is the output"
    } else {
        "no"
    }
}

/// How the outcome of a call can be looked up.
pub(super) fn probe(probe: Option<&Probe>) -> String {
    let Some(probe) = probe else {
        return "none".to_owned();
    };
    let args = probe.args.iter().map(|(name, arg)| {
        let value = match arg {
            ProbeArg::Path(path) => format!("args.{path}"),
            ProbeArg::CallId => "the call's id".to_owned(),
            ProbeArg::Value(value) => compact(value),
        };
        format!("{name} = {value}")
    });
    let args: Vec<String> = args.collect();
    let args = args.join(", ");
    let tool = &probe.tool;
    format!("{tool} with {args}; declared, and not run by this version of the runtime")
}

/// The budgets of one run.
pub(super) fn limits(limits: &Limits) -> String {
    let said = [
        (limits.max_tokens_per_run, "tokens"),
        (limits.max_loop_iterations.map(u64::from), "completions"),
        (limits.max_tool_calls.map(u64::from), "tool calls"),
        (limits.max_wall_clock_seconds, "s"),
        (limits.max_hitl_wait_minutes, "min of waiting for people"),
        (
            limits.max_subagent_depth.map(u64::from),
            "levels of delegation",
        ),
    ];
    let said = said
        .iter()
        .filter_map(|(value, unit)| Some(format!("{} {unit}", (*value)?)));
    let said: Vec<String> = said.collect();
    if said.is_empty() {
        "none".to_owned()
    } else {
        format!("{}, for each run", said.join(", "))
    }
}
