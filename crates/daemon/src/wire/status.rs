//! Errors to gRPC statuses. Every status has a message.

use std::time::Duration;

use runtime::{Fault, LoadError};
use session::Refusal;
use store::{CatalogError, DocumentError, PublishError};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::serve::AskError;

/// When a request that found the store away is worth another try.
const RETRY_AFTER: Duration = Duration::from_secs(1);

pub(crate) fn of_ask(error: AskError, session: &str) -> Status {
    match error {
        AskError::Busy => {
            let details = ErrorDetails::with_retry_info(Some(RETRY_AFTER));
            let text = "too many requests wait for sessions; try again";
            Status::with_error_details(Code::ResourceExhausted, text, details)
        }
        AskError::NotFound => session_not_found(session),
        AskError::Fault(fault) => of_fault(&fault),
    }
}

/// A field of the request that cannot be used, said in words and as data.
pub(crate) fn invalid_field(field: &str, text: impl Into<String>) -> Status {
    let text = text.into();
    let details = ErrorDetails::with_bad_request_violation(field, text.clone());
    Status::with_error_details(Code::InvalidArgument, text, details)
}

/// Something that has to be otherwise first: what kind of thing, said in words and as data.
pub(crate) fn precondition(kind: &str, text: impl Into<String>) -> Status {
    let text = text.into();
    let details = ErrorDetails::with_precondition_failure_violation(kind, "", text.clone());
    Status::with_error_details(Code::FailedPrecondition, text, details)
}

/// The store is away for now: worth another try, and when.
fn unavailable(text: String) -> Status {
    let details = ErrorDetails::with_retry_info(Some(RETRY_AFTER));
    Status::with_error_details(Code::Unavailable, text, details)
}

pub(crate) fn session_not_found(session: &str) -> Status {
    Status::not_found(format!("session \"{session}\" not found"))
}

pub(crate) fn of_fault(fault: &Fault) -> Status {
    match fault {
        Fault::Refused(refusal) => of_refusal(refusal),
        Fault::Moved => Status::aborted(fault.to_string()),
        Fault::Fenced => precondition("RUNTIME", fault.to_string()),
        Fault::Unavailable(_) => unavailable(fault.to_string()),
        Fault::Plan(_) => precondition("AGENT_VERSION", fault.to_string()),
        Fault::Damaged { .. } => Status::data_loss(fault.to_string()),
    }
}

pub(crate) fn of_refusal(refusal: &Refusal) -> Status {
    let text = refusal.to_string();
    match refusal {
        Refusal::AlreadyStarted => Status::already_exists(text),
        Refusal::NotStarted | Refusal::UnknownCall(_) | Refusal::UnknownApproval(_) => {
            Status::not_found(text)
        }
        // What clients of the format expect of a session that is over.
        Refusal::Ended { .. } => Status::not_found(text),
        Refusal::Busy
        | Refusal::Stale
        | Refusal::AlreadyFinished
        | Refusal::NotHolder
        | Refusal::SameDecision
        | Refusal::AlreadyDecided { .. }
        | Refusal::AlreadyVoted { .. }
        | Refusal::ArgumentsChanged { .. } => precondition("APPROVAL", text),
        Refusal::ComprehensionRequired => invalid_field("comprehension_acknowledged", text),
        Refusal::EditRefused(_) => invalid_field("args", text),
        Refusal::MissingPayload(_) | Refusal::DamagedPayload(_) => Status::data_loss(text),
    }
}

pub(crate) fn of_load(error: &LoadError) -> Status {
    match error {
        LoadError::Unavailable(_) => unavailable(error.to_string()),
    }
}

pub(crate) fn of_publish(error: &PublishError) -> Status {
    let text = error.to_string();
    match error {
        PublishError::Archived { .. } => precondition("AGENT", text),
        PublishError::AlreadyExists { .. } => Status::already_exists(text),
        PublishError::Unavailable(_) => unavailable(text),
    }
}

pub(crate) fn of_catalog(error: &CatalogError) -> Status {
    let text = error.to_string();
    match error {
        CatalogError::AgentNotFound { .. } | CatalogError::VersionNotFound { .. } => {
            Status::not_found(text)
        }
        CatalogError::Retired { .. }
        | CatalogError::Deprecated { .. }
        | CatalogError::Archived { .. }
        | CatalogError::NothingDeployed { .. } => precondition("AGENT_VERSION", text),
        CatalogError::Unavailable(_) => unavailable(text),
    }
}

pub(crate) fn of_document(error: &DocumentError) -> Status {
    let text = error.to_string();
    match error {
        DocumentError::AlreadyExists { .. } => Status::already_exists(text),
        // Twice is as if it were not there, as it is for agents.
        DocumentError::NotFound { .. } | DocumentError::AlreadyDeprecated { .. } => {
            Status::not_found(text)
        }
        DocumentError::Full { .. } => Status::resource_exhausted(text),
        DocumentError::Unavailable(_) => unavailable(text),
    }
}
