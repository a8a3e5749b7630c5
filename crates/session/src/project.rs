//! What lists show: projections of a state, written in the same transaction as the events.

use spec::{ApprovalId, CallId, SessionId, Time, VersionId};

use crate::outstanding::{next_wake, outstanding};
use crate::state::{ApprovalStatus, State, Status};
use crate::{ApprovalOutcome, Plan};

/// A session as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionView {
    /// Which session.
    pub session: SessionId,
    /// Which version drives it.
    pub version: VersionId,
    /// Its status.
    pub status: Status,
    /// When it started.
    pub created_at: Time,
    /// When something last happened.
    pub updated_at: Time,
    /// When time alone changes something.
    pub wake_at: Option<Time>,
    /// Whether something is outstanding, so that it must be loaded at start-up.
    pub runnable: bool,
}

/// An approval as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalView {
    /// Which approval.
    pub approval: ApprovalId,
    /// In which session.
    pub session: SessionId,
    /// About which call.
    pub call: CallId,
    /// One of the four words on the wire: pending, approved, denied, escalated.
    pub status: &'static str,
    /// Who is asked, by role.
    pub route: String,
    /// When it was opened.
    pub created_at: Time,
}

/// The session's line; `None` before it has started.
#[must_use]
pub fn session_view(plan: &Plan, state: &State, now: Time) -> Option<SessionView> {
    let started = state.started.as_ref()?;
    Some(SessionView {
        session: state.session.clone(),
        version: started.version.clone(),
        status: state.status(),
        created_at: started.at,
        updated_at: state.clock.last,
        wake_at: next_wake(plan, state, now),
        runnable: !outstanding(state, now).is_empty(),
    })
}

/// The approval's line.
#[must_use]
pub fn approval_view(state: &State, id: &ApprovalId) -> Option<ApprovalView> {
    let approval = state.approvals.get(id)?;
    Some(ApprovalView {
        approval: approval.id.clone(),
        session: state.session.clone(),
        call: approval.call.clone(),
        status: approval.status.as_wire(),
        route: approval.route.clone(),
        created_at: approval.created_at,
    })
}

impl ApprovalStatus {
    /// The word on the wire, which has only four.
    #[must_use]
    pub fn as_wire(&self) -> &'static str {
        match self {
            ApprovalStatus::Pending => "pending",
            ApprovalStatus::Closed { outcome, .. } => match outcome {
                ApprovalOutcome::Approved => "approved",
                ApprovalOutcome::Rejected
                | ApprovalOutcome::Expired
                | ApprovalOutcome::Cancelled
                | ApprovalOutcome::Settled => "denied",
                ApprovalOutcome::Escalated | ApprovalOutcome::Superseded => "escalated",
            },
        }
    }
}
