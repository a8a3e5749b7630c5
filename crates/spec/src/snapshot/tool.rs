//! One binding, resolved: a tool that the agent may call, under which contract, and what its
//! outcomes lead to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Identity, Metadata};
use crate::{Json, SideEffectClass};

/// One binding, resolved: a tool that the agent may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The name that the model sees; unique in the agent.
    pub wire_name: String,
    /// The pinned contract.
    pub contract: Identity,
    /// Descriptive metadata of the contract; never changes behaviour.
    pub metadata: Metadata,
    /// For the model and for people.
    pub description: String,
    /// The effective class: the binding's, never less strict than the Tool's.
    pub side_effect_class: SideEffectClass,
    /// The Tool's own input schema, which arguments are validated against whatever the binding says.
    pub contract_schema: Json,
    /// What the binding makes of it, which arguments are validated against as well and which the
    /// model is shown; closed already where the Tool is `strict`.
    pub input_schema: Json,
    /// The Tool's own output schema, which results are validated against whatever the binding says.
    pub contract_output_schema: Option<Json>,
    /// What the binding says of results, which are validated against it as well; closed already
    /// where the Tool is `strict`.
    pub output_schema: Option<Json>,
    /// What publish found of the two input schemas.
    pub input_standing: Standing,
    /// What publish found of the two output schemas.
    pub output_standing: Standing,
    /// Whether the author asked for `strict`.
    pub strict: bool,
    /// When the tool is offered and may be called: every one must hold.
    pub available_when: Vec<Predicate>,
    /// What a failed call does.
    pub on_failure: OnFailure,
    /// How the outcome of a call can be looked up.
    pub probe: Option<Probe>,
    /// Whether a successful call ends the loop with its result as the output.
    pub terminal: bool,
    /// Who serves it.
    pub backend: Backend,
}

/// How a binding's schema stands to that of the contract. Calls are validated against both,
/// whatever it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The binding leaves it as it is.
    Same,
    /// It is proven that the binding only narrows it.
    Proved,
    /// It could not be told, and the author published it all the same.
    Unproven {
        /// The keyword that stood in the way.
        keyword: Option<String>,
    },
}

/// Who serves a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// A worker that dials in.
    Worker,
    /// A server that the runtime dials.
    Mcp {
        /// Name in [`super::Snapshot::mcp_servers`].
        server: String,
        /// The tool's name there.
        tool: String,
    },
    /// Another agent, which runs as a child session.
    Agent(Delegation),
}

/// Which agent a delegated call runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delegation {
    /// `namespace.name` of the agent.
    pub agent: String,
    /// The pinned version; `None` when it is bound late.
    pub version: Option<String>,
    /// What the parent is given back.
    pub result: DelegationResult,
}

/// `spec.agents[].result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DelegationResult {
    /// The child's final message.
    Summary,
    /// The child's whole output.
    Full,
}

/// `on_failure`: what a call does whose handler says that it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The model gets a tool error and goes on.
    ReturnToAgent,
    /// It runs again, a few times, where its class permits that.
    Retry,
    /// A person decides whether it runs again.
    Escalate,
    /// The session fails.
    Fail,
}

/// One predicate of `available_when`: some value of the subject is among these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predicate {
    /// What is looked at.
    pub subject: Subject,
    /// Any of them will do; never empty.
    pub any_of: Vec<Json>,
}

/// What a predicate looks at. The first four are decided at publish, the others at session start.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// `agent.capability`: one of the Agent's `spec.capabilities`.
    AgentCapability,
    /// `agent.namespace`
    AgentNamespace,
    /// `agent.name`
    AgentName,
    /// `agent.label.<key>`
    AgentLabel(String),
    /// `session.input.<path>`, dotted.
    SessionInput(String),
    /// `runtime.env.<key>`, of the keys that the operator listed at start.
    RuntimeEnv(String),
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Subject::AgentCapability => f.write_str("agent.capability"),
            Subject::AgentNamespace => f.write_str("agent.namespace"),
            Subject::AgentName => f.write_str("agent.name"),
            Subject::AgentLabel(key) => write!(f, "agent.label.{key}"),
            Subject::SessionInput(path) => write!(f, "session.input.{path}"),
            Subject::RuntimeEnv(key) => write!(f, "runtime.env.{key}"),
        }
    }
}

/// A `read_only` tool that looks up whether a call has run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The pinned contract of the tool that looks.
    pub tool: Identity,
    /// What its arguments are validated against.
    pub input_schema: Json,
    /// Its arguments by name.
    pub args: BTreeMap<String, ProbeArg>,
}

/// One argument of a probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeArg {
    /// What the call's arguments have at this dotted path.
    Path(String),
    /// The call's id, which workers may use as an idempotency key.
    CallId,
    /// As written.
    Value(Json),
}
