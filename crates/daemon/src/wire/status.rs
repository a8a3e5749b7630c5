//! Errors to gRPC statuses. Every status has a message.

use std::time::Duration;

use runtime::{Fault, LoadError};
use session::Refusal;
use store::{CatalogError, PublishError};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::serve::AskError;

/// When a request that found the store away is worth another try.
const RETRY_AFTER: Duration = Duration::from_secs(1);

pub(crate) fn of_ask(error: AskError, session: &str) -> Status {
    match error {
        AskError::Busy => {
            Status::resource_exhausted("too many requests wait for sessions; try again")
        }
        AskError::NotFound => session_not_found(session),
        AskError::Fault(fault) => of_fault(&fault),
    }
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
        Fault::Fenced => Status::failed_precondition(fault.to_string()),
        Fault::Unavailable(_) => unavailable(fault.to_string()),
        Fault::Plan(_) => Status::failed_precondition(fault.to_string()),
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
        | Refusal::ArgumentsChanged { .. } => Status::failed_precondition(text),
        Refusal::ComprehensionRequired | Refusal::EditRefused(_) => Status::invalid_argument(text),
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
        PublishError::Archived { .. } => Status::failed_precondition(text),
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
        | CatalogError::NothingDeployed { .. } => Status::failed_precondition(text),
        CatalogError::Unavailable(_) => unavailable(text),
    }
}
