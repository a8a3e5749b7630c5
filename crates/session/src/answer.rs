//! What the model is told about a call.

use std::fmt;

use spec::Json;

use crate::Payload;

/// The result that stands in the transcript for one call; set once, never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The worker's bytes.
    Result(Payload),
    /// A tool error.
    Error {
        /// One of [`ErrorCode`]'s words.
        code: String,
        /// The handler's own code.
        handler_code: Option<String>,
        /// For the model and for people.
        message: String,
    },
}

impl Answer {
    /// The JSON object that the model gets for an error.
    #[must_use]
    pub fn error_object(code: &str, handler_code: Option<&str>, message: &str) -> Json {
        let mut members = vec![("code", Json::from(code)), ("message", Json::from(message))];
        if let Some(handler_code) = handler_code {
            members.push(("handler_code", Json::from(handler_code)));
        }
        Json::from_members([("error", Json::from_members(members))])
    }
}

/// Model-facing error codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words are the specification's")]
pub enum ErrorCode {
    InvalidArgs,
    UnavailableTool,
    PolicyDenied,
    ApprovalRejected,
    ApprovalExpired,
    NoHandler,
    CapacityExhausted,
    HandlerError,
    InvalidResult,
    Indeterminate,
    LimitExceeded,
}

impl ErrorCode {
    /// The word on the wire and on record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorCode::InvalidArgs => "invalid_args",
            ErrorCode::UnavailableTool => "unavailable_tool",
            ErrorCode::PolicyDenied => "policy_denied",
            ErrorCode::ApprovalRejected => "approval_rejected",
            ErrorCode::ApprovalExpired => "approval_expired",
            ErrorCode::NoHandler => "no_handler",
            ErrorCode::CapacityExhausted => "capacity_exhausted",
            ErrorCode::HandlerError => "handler_error",
            ErrorCode::InvalidResult => "invalid_result",
            ErrorCode::Indeterminate => "indeterminate",
            ErrorCode::LimitExceeded => "limit_exceeded",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
