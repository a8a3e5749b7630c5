//! Rolling back, deprecating, retiring, archiving. Knows the messages and codes; the rules are in the
//! store, where each change is one transaction.

use proto::runtime::v1 as wire;
use store::{LifecycleError, NewRollback};
use tonic::Status;

use super::Service;
use super::catalog::{reference, versioned};
use crate::wire::status::of_catalog;

impl Service {
    pub(super) async fn roll_back(
        &self,
        request: wire::RollbackRequest,
    ) -> Result<wire::RollbackResponse, Status> {
        self.accepting()?;
        let agent = reference(request.agent_ref)?;
        let rollback = NewRollback {
            namespace: agent.namespace,
            name: agent.name,
            to: Some(request.to_version).filter(|it| !it.is_empty()),
            actor: self.actor(&request.actor),
            now: self.core.clock.now(),
            deployment_id: uuid::Uuid::new_v4().to_string(),
        };
        let deployed = self.core.store.rollback(rollback).await;
        let deployed = deployed.map_err(|error| status(&error))?;
        self.core.plans.forget(&deployed.version_id);
        Ok(wire::RollbackResponse {
            version: deployed.version,
            previous_version: deployed.previous.unwrap_or_default(),
        })
    }

    pub(super) async fn deprecate(
        &self,
        request: wire::DeprecateAgentVersionRequest,
    ) -> Result<wire::DeprecateAgentVersionResponse, Status> {
        self.accepting()?;
        let agent = versioned(request.agent_ref)?;
        let now = self.core.clock.now();
        let store = &self.core.store;
        let deprecated = store
            .deprecate(&agent.namespace, &agent.name, &agent.version, now)
            .await;
        Ok(wire::DeprecateAgentVersionResponse {
            version_id: deprecated.map_err(|error| status(&error))?.to_string(),
        })
    }

    pub(super) async fn retire(
        &self,
        request: wire::RetireAgentVersionRequest,
    ) -> Result<wire::RetireAgentVersionResponse, Status> {
        self.accepting()?;
        let agent = versioned(request.agent_ref)?;
        let now = self.core.clock.now();
        let store = &self.core.store;
        let retired = store
            .retire(&agent.namespace, &agent.name, &agent.version, now)
            .await;
        Ok(wire::RetireAgentVersionResponse {
            version_id: retired.map_err(|error| status(&error))?.to_string(),
        })
    }

    pub(super) async fn archive(
        &self,
        request: wire::ArchiveAgentRequest,
    ) -> Result<wire::ArchiveAgentResponse, Status> {
        self.accepting()?;
        let agent = reference(request.agent_ref)?;
        let now = self.core.clock.now();
        let store = &self.core.store;
        let archived = store.archive(&agent.namespace, &agent.name, now).await;
        archived.map_err(|error| status(&error))?;
        Ok(wire::ArchiveAgentResponse {})
    }
}

fn status(error: &LifecycleError) -> Status {
    let text = error.to_string();
    match error {
        LifecycleError::Catalog(error) => of_catalog(error),
        // What clients of the format expect: such a version is no more.
        LifecycleError::AlreadyDeprecated { .. } | LifecycleError::AlreadyRetired { .. } => {
            Status::not_found(text)
        }
        LifecycleError::NothingBefore { .. } | LifecycleError::AlreadyArchived { .. } => {
            Status::failed_precondition(text)
        }
    }
}
