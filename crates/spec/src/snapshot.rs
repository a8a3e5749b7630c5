//! What publish freezes: one immutable document that holds everything a run needs.
//!
//! Serialised as canonical JSON; the content hash is the SHA-256 of those bytes. The same sources
//! give the same bytes on every machine.

mod policy;
mod tool;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use policy::{
    Absent, Attachment, Case, Condition, Decision, DecisionKind, Leaf, OnReject, Op, Origin,
    Policy, Scope, Timeout, TimeoutDefault,
};
pub use tool::{
    Backend, Delegation, DelegationResult, OnFailure, Predicate, Probe, ProbeArg, Standing,
    Subject, Tool,
};

use crate::{Digest, Json, JsonError};

/// The value of [`Snapshot::format`] that this version writes and reads.
pub const FORMAT: &str = "ordain.dev/snapshot/v1";
/// The annotation that carries the script of the stub model provider.
pub const STUB_SCRIPT: &str = "phrony.com/stub-script";

/// One published version of an agent, with everything that it refers to inlined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Always [`FORMAT`].
    pub format: String,
    /// Which agent, which version.
    pub agent: Identity,
    /// Descriptive metadata; never changes behaviour.
    pub metadata: Metadata,
    /// `spec.purpose`
    pub purpose: String,
    /// The system prompt.
    pub instructions: String,
    /// The model that drives the session.
    pub model: Model,
    /// The tools that the agent may call, in the manifest's order.
    pub tools: Vec<Tool>,
    /// The MCP servers that tools may be served by.
    pub mcp_servers: Vec<McpServer>,
    /// `spec.capabilities`, what the predicates of tools may ask for.
    pub capabilities: Vec<String>,
    /// Every policy that reaches anything, sorted by identity.
    pub policies: Vec<Policy>,
    /// Whether a finished turn ends the session.
    pub session: SessionMode,
    /// Budgets of one run.
    pub limits: Limits,
    /// What the final answer must look like.
    pub output: Output,
    /// Secrets that a run must be given, by name.
    pub secrets: BTreeMap<String, Secret>,
    /// The versions of files that the Agent's document asks for, by the field that refers to the
    /// file, such as `spec.instructions`. Descriptive. A Tool is pinned by its own version, and may
    /// come from where there are no files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub file_versions: BTreeMap<String, String>,
}

/// `namespace.name@version`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Dotted namespace.
    pub namespace: String,
    /// Name, without dots.
    pub name: String,
    /// Semantic version.
    pub version: String,
}

impl Identity {
    /// `namespace.name`
    #[must_use]
    pub fn logical_id(&self) -> String {
        format!("{}.{}", self.namespace, self.name)
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}@{}", self.namespace, self.name, self.version)
    }
}

/// Descriptive fields of `metadata`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// Who answers for the agent.
    pub owner: Option<String>,
    /// Free labels.
    pub labels: BTreeMap<String, String>,
    /// Free annotations.
    pub annotations: BTreeMap<String, String>,
    /// `metadata.governance`
    pub governance: Governance,
}

/// `metadata.governance`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Governance {
    /// Free word.
    pub risk_tier: Option<String>,
    /// Free words.
    pub classifications: Vec<String>,
    /// Names of boundaries; their effect is compiled into the policies.
    pub authority_boundaries: Vec<String>,
    /// Framework packs by name, such as `eu-ai-act/v1`.
    pub frameworks: BTreeMap<String, Framework>,
}

/// One framework pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Framework {
    /// Whether publish knows the pack and has checked it; one that is not known is carried along,
    /// present but unvalidated.
    pub validated: bool,
    /// As written.
    pub content: Json,
}

impl Framework {
    /// What is known about the pack, in one word.
    #[must_use]
    pub fn standing(&self) -> &'static str {
        if self.validated {
            "validated"
        } else {
            "unvalidated"
        }
    }
}

/// `spec.model`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Provider's name.
    pub provider: String,
    /// Model's name.
    pub name: String,
    /// Key of `secrets`.
    pub secret: Option<String>,
    /// Only for `openai-compatible`.
    pub base_url: Option<String>,
    /// Sampling parameters, an object.
    pub parameters: Json,
    /// `low`, `medium` or `high`.
    pub reasoning_effort: Option<String>,
    /// Passed to the provider as it is, an object.
    pub provider_options: Json,
}

/// `spec.mcp_servers[]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpServer {
    /// Unique in the agent.
    pub name: String,
    /// Where it listens: https, or plain http on a loopback host.
    pub url: String,
    /// How a request proves who sends it.
    pub auth: Option<McpAuth>,
    /// What a tool's changed definition does; `None` leaves it to the tool's class.
    pub on_drift: Option<OnDrift>,
}

/// `spec.mcp_servers[].auth`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpAuth {
    /// The header that carries the secret; `None` for `Authorization: Bearer`.
    pub header: Option<String>,
    /// Key of `secrets`.
    pub secret: String,
}

/// `spec.mcp_servers[].on_drift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDrift {
    /// The tool is not called any more.
    Refuse,
    /// It is recorded and called.
    Warn,
}

/// `spec.session`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionMode {
    /// After a turn the session waits for the next user message.
    Conversation,
    /// The first final answer completes the session.
    SingleTurn,
}

/// `spec.limits`. Absent means no limit of that kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Input and output tokens of the whole run.
    pub max_tokens_per_run: Option<u64>,
    /// Model completions of the whole run.
    pub max_loop_iterations: Option<u32>,
    /// Seconds, not counting waits for people or for user input.
    pub max_wall_clock_seconds: Option<u64>,
    /// Minutes of waiting for people.
    pub max_hitl_wait_minutes: Option<u64>,
    /// Tool calls of the whole run.
    pub max_tool_calls: Option<u32>,
    /// How deep delegation may go.
    pub max_subagent_depth: Option<u32>,
}

/// `output`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Text or JSON.
    pub format: OutputFormat,
    /// What a JSON answer must look like; closed already where the author asked for `strict`.
    pub schema: Option<Json>,
    /// Whether the author asked for `strict`.
    pub strict: bool,
    /// What an answer that is not so does.
    pub on_invalid: OnInvalid,
}

/// `output.on_invalid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnInvalid {
    /// The model is told what is wrong and answers again, a few times.
    Retry,
    /// What can be mended mechanically is; then as `retry`.
    Repair,
    /// The session fails.
    Fail,
}

/// `output.format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// Free text.
    Text,
    /// One JSON value.
    Json,
}

/// `secrets.<name>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secret {
    /// Environment variable that a client reads the value from.
    pub from_env: String,
}

/// Why bytes are not a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// Not JSON, or a number beyond what we keep.
    #[error("the snapshot is not JSON")]
    Json(#[from] JsonError),
    /// JSON of another shape.
    #[error("the snapshot has another shape: {0}")]
    Shape(String),
    /// Written by a version that this one does not know.
    #[error("unknown snapshot format `{0}` (this version reads {FORMAT})")]
    Format(String),
}

impl Snapshot {
    /// The canonical bytes and their digest, the content hash.
    ///
    /// # Errors
    /// Never for a snapshot built by publish; a value that JSON cannot hold is reported, not lost.
    pub fn to_canonical(&self) -> Result<(Vec<u8>, Digest), SnapshotError> {
        let text = serde_json::to_string(self).map_err(|e| SnapshotError::Shape(e.to_string()))?;
        let bytes = Json::parse(text.as_bytes())?.to_canonical().into_bytes();
        let digest = Digest::of(&bytes);
        Ok((bytes, digest))
    }

    /// Reads what [`Snapshot::to_canonical`] wrote.
    ///
    /// # Errors
    /// The bytes are not a snapshot of the known format.
    pub fn from_canonical(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let snapshot: Snapshot =
            serde_json::from_slice(bytes).map_err(|e| SnapshotError::Shape(e.to_string()))?;
        if snapshot.format == FORMAT {
            Ok(snapshot)
        } else {
            Err(SnapshotError::Format(snapshot.format))
        }
    }

    /// The tool that the model calls by `wire_name`.
    #[must_use]
    pub fn tool(&self, wire_name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.wire_name == wire_name)
    }
}
