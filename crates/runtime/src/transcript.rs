//! What the model is shown: the transcript with its bytes. One result for each call, in the
//! model's order, whatever order they came in.

use std::sync::Arc;

use ::session::{Answer, Call, Message, State};
use spec::{CallId, Digest};

/// The conversation so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// In order.
    pub lines: Vec<Line>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A person's words, or the runtime's about an answer that it does not take, UTF-8.
    User(Arc<[u8]>),
    /// The model's words and calls.
    Assistant {
        /// UTF-8, maybe empty.
        text: Arc<[u8]>,
        /// In its order.
        calls: Vec<LineCall>,
    },
    /// The outcome of every call of the message before.
    Results(Vec<LineResult>),
}

/// A call as the model made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCall {
    /// Our id.
    pub call: CallId,
    /// The provider's.
    pub provider_id: String,
    /// The tool's name on the wire.
    pub wire_name: String,
    /// Arguments, JSON.
    pub args: Arc<[u8]>,
}

/// The outcome of a call as the model is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineResult {
    /// Our id.
    pub call: CallId,
    /// JSON.
    pub content: Arc<[u8]>,
    /// Whether it is a tool error.
    pub is_error: bool,
}

/// Digests of the payloads that the transcript of `state` is made of.
pub(crate) fn digests(state: &State) -> Vec<Digest> {
    let mut digests = Vec::new();
    for message in &state.messages {
        match message {
            Message::User { text, .. } | Message::Correction { text, .. } => {
                digests.push(text.digest);
            }
            Message::Assistant { text, calls, .. } => {
                digests.push(text.digest);
                for call in state.calls.get(calls.clone()).unwrap_or_default() {
                    digests.push(call.args.digest);
                    if let Some(Answer::Result(payload)) = &call.answer {
                        digests.push(payload.digest);
                    }
                }
            }
        }
    }
    digests
}

/// The transcript, from bytes that are all at hand.
pub(crate) fn build(state: &State, bytes: impl Fn(&Digest) -> Option<Arc<[u8]>>) -> Transcript {
    let get = |digest: &Digest| bytes(digest).unwrap_or_else(|| Arc::from([].as_slice()));
    let mut lines = Vec::new();
    for message in &state.messages {
        match message {
            Message::User { text, .. } | Message::Correction { text, .. } => {
                lines.push(Line::User(get(&text.digest)));
            }
            Message::Assistant { text, calls, .. } => {
                let calls = state.calls.get(calls.clone()).unwrap_or_default();
                lines.push(Line::Assistant {
                    text: get(&text.digest),
                    calls: calls.iter().map(|call| line_call(call, &get)).collect(),
                });
                if !calls.is_empty() {
                    let results = calls.iter().map(|call| line_result(call, &get)).collect();
                    lines.push(Line::Results(results));
                }
            }
        }
    }
    Transcript { lines }
}

fn line_call(call: &Call, get: &impl Fn(&Digest) -> Arc<[u8]>) -> LineCall {
    LineCall {
        call: call.id.clone(),
        provider_id: call.provider_id.clone(),
        wire_name: call.wire_name.clone(),
        args: get(&call.args.digest),
    }
}

fn line_result(call: &Call, get: &impl Fn(&Digest) -> Arc<[u8]>) -> LineResult {
    let (content, is_error) = match &call.answer {
        Some(Answer::Result(payload)) if payload.len == 0 => (Arc::from(b"{}".as_slice()), false),
        Some(Answer::Result(payload)) => (get(&payload.digest), false),
        Some(Answer::Error {
            code,
            handler_code,
            message,
        }) => {
            let object = Answer::error_object(code, handler_code.as_deref(), message);
            (Arc::from(object.to_canonical().into_bytes()), true)
        }
        // Never asked for: the model is called only when every call has an outcome.
        None => (Arc::from(b"{}".as_slice()), true),
    };
    LineResult {
        call: call.id.clone(),
        content,
        is_error,
    }
}
