//! What comes back from a model, whoever it was.

/// One completion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// All its text.
    pub text: String,
    /// The calls that it asks for, in its order.
    pub calls: Vec<ToolCall>,
    /// Why it stopped: `end_turn`, `tool_use`, `max_tokens`, or the provider's own word.
    pub stop_reason: String,
    /// Tokens, where they are known.
    pub usage: Usage,
}

/// A call that the model asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The provider's id; empty where it has none.
    pub id: String,
    /// The tool's name on the wire.
    pub name: String,
    /// The arguments exactly as they came: meant to be JSON, never trusted to be.
    pub args: Vec<u8>,
}

/// Tokens of one completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Read.
    pub input_tokens: u64,
    /// Written.
    pub output_tokens: u64,
}
