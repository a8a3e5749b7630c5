//! Why a command failed, and the exit code that follows. Knows gRPC codes and chains of causes; not
//! how they are drawn.

use std::error::Error;

use tonic::{Code, Status};

use crate::exit::Exit;

/// A cause behind another has a cause behind it, but not for ever.
const CAUSES_MAX: usize = 16;

/// An error on its way to the user.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    /// From the nearest cause to the first one.
    pub(crate) causes: Vec<String>,
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            causes: Vec::new(),
            hint: None,
        }
    }

    /// A command line that cannot be meant.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub(crate) fn because(mut self, cause: &dyn Error) -> Self {
        let mut next = Some(cause);
        while let Some(cause) = next.filter(|_| self.causes.len() < CAUSES_MAX) {
            self.causes.push(cause.to_string());
            next = cause.source();
        }
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// What was asked of the runtime; the same code means different things for different questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// To take documents.
    Publish,
    /// Anything else.
    Other,
}

/// The exit code of a failed call.
pub(crate) fn exit_of(code: Code, asked: Asked) -> Exit {
    match code {
        Code::Ok => Exit::Done,
        Code::InvalidArgument => match asked {
            Asked::Publish => Exit::Invalid,
            Asked::Other => Exit::Failed,
        },
        Code::NotFound => Exit::NotFound,
        Code::AlreadyExists | Code::FailedPrecondition | Code::Aborted => Exit::Conflict,
        Code::Unavailable => Exit::Unreachable,
        Code::Unauthenticated | Code::PermissionDenied => Exit::Unauthorized,
        Code::DeadlineExceeded | Code::ResourceExhausted => Exit::LimitReached,
        Code::Cancelled
        | Code::Unknown
        | Code::OutOfRange
        | Code::Unimplemented
        | Code::Internal
        | Code::DataLoss => Exit::Failed,
    }
}

/// The code by the name that scripts match.
fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Canceled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "not implemented on this runtime yet",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}

/// `<action>: <message> (<Code>)`, with the exit code of `status`.
pub(crate) fn rpc(action: &str, status: &Status, asked: Asked) -> Failure {
    let message = match root_cause(status) {
        Some(cause) => format!("{}: {cause}", status.message()),
        None => status.message().to_owned(),
    };
    let code = status.code();
    Failure::new(
        exit_of(code, asked),
        format!("{action}: {message} ({})", name(code)),
    )
}

/// Whether the call failed before it got to the runtime, or on the way back.
pub(crate) fn is_transport(status: &Status) -> bool {
    status.code() == Code::Unavailable && status.source().is_some()
}

/// The error at the end of a transport error's chain. A status that a server sent has none.
fn root_cause(status: &Status) -> Option<String> {
    let mut last = status.source()?;
    for _ in 0..CAUSES_MAX {
        match last.source() {
            Some(next) => last = next,
            None => break,
        }
    }
    Some(last.to_string()).filter(|cause| cause != status.message())
}

#[cfg(test)]
mod tests {
    use tonic::{Code, Status};

    use super::{Asked, exit_of, rpc};
    use crate::exit::Exit;

    #[test]
    fn codes_become_exits() {
        let table = [
            (Code::InvalidArgument, Exit::Failed),
            (Code::NotFound, Exit::NotFound),
            (Code::AlreadyExists, Exit::Conflict),
            (Code::FailedPrecondition, Exit::Conflict),
            (Code::Aborted, Exit::Conflict),
            (Code::Unavailable, Exit::Unreachable),
            (Code::Unauthenticated, Exit::Unauthorized),
            (Code::PermissionDenied, Exit::Unauthorized),
            (Code::DeadlineExceeded, Exit::LimitReached),
            (Code::ResourceExhausted, Exit::LimitReached),
            (Code::Internal, Exit::Failed),
            (Code::Unknown, Exit::Failed),
            (Code::Unimplemented, Exit::Failed),
        ];
        for (code, exit) in table {
            assert_eq!(exit_of(code, Asked::Other), exit, "{code:?}");
        }
        assert_eq!(
            exit_of(Code::InvalidArgument, Asked::Publish),
            Exit::Invalid
        );
    }

    #[test]
    fn a_failed_call_is_one_line_with_the_code() {
        let status = Status::already_exists("version 1.0.0 is there, and is the same");
        let failure = rpc("publish", &status, Asked::Publish);
        assert_eq!(
            failure.message,
            "publish: version 1.0.0 is there, and is the same (AlreadyExists)"
        );
        assert_eq!(failure.exit, Exit::Conflict);
    }

    #[test]
    fn what_the_runtime_lacks_is_said_in_words() {
        let failure = rpc("rollback", &Status::unimplemented("no"), Asked::Other);
        assert_eq!(
            failure.message,
            "rollback: no (not implemented on this runtime yet)"
        );
    }
}
