//! Listing, showing and deciding approvals.

use std::collections::BTreeMap;
use std::sync::Arc;

use proto::runtime::v1 as wire;
use proto::runtime::v1::ApprovalDecision;
use runtime::{Fault, Journal, Signal};
use session::{ApprovalStatus, BY_TIMEOUT, Decision, Input, Refusal, State, Vote, decode, fold};
use spec::{ApprovalId, Digest, SessionId};
use store::{ApprovalFilter, ApprovalRow, LIST_ROWS_MAX};
use tonic::Status;

use super::Service;
use crate::actors::Mail;
use crate::serve::AskError;
use crate::wire::status::{invalid_field, of_ask, of_load, of_refusal, precondition};
use crate::wire::{approval, int32};

impl Service {
    pub(super) async fn approval(
        &self,
        request: wire::GetApprovalRequest,
    ) -> Result<wire::Approval, Status> {
        let row = self.approval_row(&request.approval_id).await?;
        let mut shown = self.show(&[row]).await?;
        shown.pop().ok_or_else(|| not_found(&request.approval_id))
    }

    async fn approval_row(&self, id: &str) -> Result<ApprovalRow, Status> {
        let row = self.core.store.approval(&ApprovalId::new(id)).await;
        row.map_err(|error| of_load(&error))?
            .ok_or_else(|| not_found(id))
    }

    pub(super) async fn approvals(
        &self,
        request: wire::ListApprovalsRequest,
    ) -> Result<wire::ListApprovalsResponse, Status> {
        let set = |text: String| Some(text).filter(|it| !it.is_empty());
        let filter = ApprovalFilter {
            status: set(request.status),
            route: set(request.route),
            session: set(request.session_id).map(SessionId::new),
            agent_namespace: set(request.agent_namespace),
            agent_name: set(request.agent_name),
            limit: LIST_ROWS_MAX,
        };
        let rows = self
            .core
            .store
            .approvals(filter)
            .await
            .map_err(|error| of_load(&error))?;
        Ok(wire::ListApprovalsResponse {
            approvals: self.show(&rows).await?,
        })
    }

    /// Approvals in full. Each session is read once, however many of its approvals are listed.
    async fn show(&self, rows: &[ApprovalRow]) -> Result<Vec<wire::Approval>, Status> {
        let mut states: BTreeMap<SessionId, State> = BTreeMap::new();
        let mut shown = Vec::with_capacity(rows.len());
        for row in rows {
            let id = &row.view.session;
            if !states.contains_key(id) {
                let state = self.state(id).await?;
                states.insert(id.clone(), state);
            }
            let Some(state) = states.get(id) else {
                continue;
            };
            let Some(it) = state.approvals.get(&row.view.approval) else {
                continue;
            };
            let mut bytes: BTreeMap<Digest, Arc<[u8]>> = BTreeMap::new();
            for digest in approval::digests(it) {
                self.fetch(id, digest, &mut bytes).await?;
            }
            shown.push(approval::message(state, it, &|digest| {
                bytes.get(digest).cloned()
            }));
        }
        Ok(shown)
    }

    async fn state(&self, id: &SessionId) -> Result<State, Status> {
        let stored = self
            .core
            .store
            .load(id)
            .await
            .map_err(|error| of_load(&error))?;
        let mut state = State::new(id.clone());
        for it in stored {
            let entry = decode(&it.bytes).map_err(|error| Status::data_loss(error.to_string()))?;
            state = fold(state, &entry);
        }
        Ok(state)
    }

    pub(super) async fn decide(
        &self,
        request: wire::DecideApprovalRequest,
    ) -> Result<wire::DecideApprovalResponse, Status> {
        let vote = match request.decision() {
            ApprovalDecision::Approve => Vote::Approve,
            ApprovalDecision::Reject => Vote::Reject,
            ApprovalDecision::Unspecified => {
                return Err(invalid_field(
                    "decision",
                    "decision must be approve or reject",
                ));
            }
        };
        if request.approval_id.is_empty() {
            return Err(invalid_field(
                "approval_id",
                "approval_id is missing: a decision names the approval that it is about",
            ));
        }
        let row = self.approval_row(&request.approval_id).await?;
        let id = row.view.approval.clone();
        let decision = Decision {
            approval: id.clone(),
            actor: self.actor(&request.actor),
            vote,
            comment: request.comment,
            comprehension_acknowledged: request.comprehension_acknowledged,
            args: Some(request.args).filter(|it| !it.is_empty()),
            slot: None,
        };
        let session = &row.view.session;
        let signal = Signal::Input(Input::Decide(decision));
        let about = id.clone();
        let look = move |state: &State| match overtaken(state, &about) {
            Some(refusal) => Err(refusal),
            None => Ok(response(state, &about)),
        };
        let asked = self
            .core
            .ask(session, |answer| Mail::Ask(signal, answer), look)
            .await;
        match asked {
            Ok(Ok(response)) => Ok(response),
            // It was too late: the deadline had passed, and what was declared for it happened.
            Ok(Err(refusal)) => Err(of_refusal(&refusal)),
            // The stored outcome is the answer to the same decision said again.
            Err(AskError::Fault(Fault::Refused(Refusal::SameDecision))) => {
                Ok(response(&self.state(session).await?, &id))
            }
            Err(AskError::Fault(Fault::Refused(refusal @ Refusal::Ended { .. }))) => {
                Err(precondition("SESSION", of_refusal(&refusal).message()))
            }
            Err(error @ (AskError::Busy | AskError::NotFound | AskError::Fault(_))) => {
                Err(of_ask(error, session.as_str()))
            }
        }
    }
}

fn response(state: &State, id: &ApprovalId) -> wire::DecideApprovalResponse {
    let approval = state.approvals.get(id);
    wire::DecideApprovalResponse {
        status: approval
            .map(|it| it.status.as_wire().to_owned())
            .unwrap_or_default(),
        approvals_received: approval
            .map(|it| int32(it.received().into()))
            .unwrap_or_default(),
        session_status: state.status().as_str().to_owned(),
    }
}

fn not_found(id: &str) -> Status {
    Status::not_found(format!("approval \"{id}\" not found"))
}

/// Whether an approval was closed by its own deadline and not by who has just decided.
fn overtaken(state: &State, id: &ApprovalId) -> Option<Refusal> {
    let approval = state.approvals.get(id)?;
    match &approval.status {
        ApprovalStatus::Closed {
            outcome, by, at, ..
        } if by == BY_TIMEOUT => Some(Refusal::AlreadyDecided {
            outcome: outcome.as_str(),
            by: by.clone(),
            at: *at,
        }),
        ApprovalStatus::Closed { .. } | ApprovalStatus::Pending => None,
    }
}
