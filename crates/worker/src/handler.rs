//! Handlers and what comes of running one. Knows tools, results and their sizes; not connections.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use proto::runtime::v1::{WorkToolError, WorkToolResult};
use serde_json::Value;

use crate::invocation::Invocation;

/// The code of a failure that the handler did not choose.
pub(crate) const INTERNAL: &str = "internal";
/// The code of arguments that are not what the handler takes.
pub(crate) const INVALID_ARGS: &str = "invalid_args";
/// The code of a call that was cancelled before it began.
pub(crate) const CANCELLED: &str = "cancelled";
pub(crate) const RESULT_TOO_LARGE: &str = "result_too_large";

/// Longer error texts are cut: a model reads them, and they share the stream with results.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// How many calls of a tool this worker runs at once; 0 means 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Concurrency(pub u32);

/// A handler's own failure, which the agent gets to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ToolError {
    /// A short stable word, such as `card_declined`.
    pub code: String,
    /// A sentence for the reader.
    pub message: String,
}

impl ToolError {
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
        }
    }
}

/// Lets a handler write `call.parse()?`.
impl From<serde_json::Error> for ToolError {
    fn from(error: serde_json::Error) -> Self {
        Self::new(INVALID_ARGS, error.to_string())
    }
}

pub(crate) type Outcome = Result<Value, ToolError>;

/// JSON text, as it goes to the runtime.
pub(crate) type Payload = Vec<u8>;

type Running = Pin<Box<dyn Future<Output = Result<Payload, ToolError>> + Send>>;

pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) concurrency: u32,
    run: Box<dyn Fn(Invocation) -> Running + Send + Sync>,
}

impl Tool {
    pub(crate) fn new<F, R>(
        name: String,
        version: String,
        concurrency: Concurrency,
        handler: F,
    ) -> Self
    where
        F: Fn(Invocation) -> R + Send + Sync + 'static,
        R: Future<Output = Outcome> + Send + 'static,
    {
        // The handler is called only when the future is polled, so that a panic of the call itself
        // stays in the task too.
        let handler = Arc::new(handler);
        Self::of_text(name, version, concurrency, move |call| {
            let handler = Arc::clone(&handler);
            async move { encode(&handler(call).await?) }
        })
    }

    /// A tool whose handler writes its JSON itself, so that it arrives byte for byte.
    pub(crate) fn of_text<F, R>(
        name: String,
        version: String,
        Concurrency(calls): Concurrency,
        handler: F,
    ) -> Self
    where
        F: Fn(Invocation) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Payload, ToolError>> + Send + 'static,
    {
        Self {
            name,
            version,
            concurrency: calls.max(1),
            run: Box::new(move |call| Box::pin(handler(call))),
        }
    }

    /// Runs the handler and turns what it returns into a message. The handler is called only when the
    /// future is polled, so that a panic of the call itself stays in the task too.
    pub(crate) async fn run(self: Arc<Self>, call: Invocation, bytes_max: usize) -> WorkToolResult {
        let call_id = call.call_id.clone();
        match (self.run)(call).await {
            Ok(payload) => success(call_id, payload, bytes_max),
            Err(error) => failure(call_id, error),
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

fn encode(value: &Value) -> Result<Payload, ToolError> {
    serde_json::to_vec(value).map_err(|why| ToolError::new(INTERNAL, why.to_string()))
}

fn success(call_id: String, payload: Payload, bytes_max: usize) -> WorkToolResult {
    if payload.len() > bytes_max {
        let text = format!(
            "the result has {} bytes; at most {bytes_max} are allowed",
            payload.len()
        );
        return failure(call_id, ToolError::new(RESULT_TOO_LARGE, text));
    }
    WorkToolResult {
        call_id,
        payload,
        error: None,
    }
}

pub(crate) fn failure(call_id: String, error: ToolError) -> WorkToolResult {
    WorkToolResult {
        call_id,
        payload: Vec::new(),
        error: Some(WorkToolError {
            code: cut(error.code),
            message: cut(error.message),
        }),
    }
}

fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(ERROR_BYTES_MAX));
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn success(call_id: String, value: &Value, bytes_max: usize) -> WorkToolResult {
        super::success(call_id, encode(value).unwrap(), bytes_max)
    }

    #[test]
    fn a_value_becomes_compact_json() {
        let result = success("c".into(), &json!({ "a": [1, null] }), 100);
        assert_eq!(result.payload, br#"{"a":[1,null]}"#);
        assert_eq!(result.error, None);
    }

    #[test]
    fn a_result_may_just_reach_the_limit() {
        assert_eq!(success("c".into(), &json!("four"), 6).error, None);
    }

    #[test]
    fn a_larger_result_becomes_an_error_that_names_both_sizes() {
        let result = success("c".into(), &json!("four"), 5);
        let error = result.error.unwrap();
        assert!(result.payload.is_empty());
        assert_eq!(error.code, "result_too_large");
        assert!(error.message.contains('6') && error.message.contains('5'));
    }

    #[test]
    fn a_long_error_is_cut_between_characters() {
        let text = "é".repeat(ERROR_BYTES_MAX);
        let result = failure("c".into(), ToolError::new("long", format!("x{text}")));
        assert_eq!(result.error.unwrap().message.len(), ERROR_BYTES_MAX - 1);
    }
}
