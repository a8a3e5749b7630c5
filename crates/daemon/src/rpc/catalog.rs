//! Agents, versions, deployments.

use proto::runtime::v1 as wire;
use spec::Time;
use store::{Active, Deployed, NewDeployment, VersionRow};
use tonic::Status;

use super::Service;
use crate::clock::rfc3339;
use crate::wire::status::{invalid_field, of_catalog, of_load, precondition};

/// A reference whose namespace and name are given.
pub(super) fn reference(agent: Option<wire::AgentRef>) -> Result<wire::AgentRef, Status> {
    let agent = agent.ok_or_else(|| invalid_field("agent_ref", "agent_ref is missing"))?;
    if agent.namespace.is_empty() || agent.name.is_empty() {
        return Err(invalid_field(
            "agent_ref",
            "agent_ref needs a namespace and a name",
        ));
    }
    Ok(agent)
}

/// A reference to one version.
pub(super) fn versioned(agent: Option<wire::AgentRef>) -> Result<wire::AgentRef, Status> {
    let agent = reference(agent)?;
    if agent.version.is_empty() {
        return Err(invalid_field(
            "agent_ref.version",
            "agent_ref needs a version",
        ));
    }
    Ok(agent)
}

fn label(agent: &wire::AgentRef) -> String {
    format!("{}/{}", agent.namespace, agent.name)
}

pub(super) fn not_found(agent: &wire::AgentRef) -> Status {
    Status::not_found(format!("agent {} not found", label(agent)))
}

pub(super) fn stamp(time: Option<Time>) -> String {
    time.map(rfc3339).unwrap_or_default()
}

impl Service {
    pub(super) async fn deploy_version(
        &self,
        request: wire::DeployRequest,
    ) -> Result<wire::DeployResponse, Status> {
        self.accepting()?;
        let agent = versioned(request.agent_ref)?;
        let deployed = self.make_active(&agent, &request.actor, None).await?;
        Ok(wire::DeployResponse {
            namespace: agent.namespace,
            name: agent.name,
            version: deployed.version,
            previous_version: deployed.previous.unwrap_or_default(),
            deployed_at: rfc3339(deployed.deployed_at),
        })
    }

    /// Makes a version the active one, with the overlay that is laid over it, if there is one.
    /// Running sessions of the version go by it from their next decision on.
    pub(super) async fn make_active(
        &self,
        agent: &wire::AgentRef,
        actor: &str,
        overlay: Option<Vec<u8>>,
    ) -> Result<Deployed, Status> {
        let deployment = NewDeployment {
            namespace: agent.namespace.clone(),
            name: agent.name.clone(),
            version: agent.version.clone(),
            actor: self.actor(actor),
            now: self.core.clock.now(),
            deployment_id: uuid::Uuid::new_v4().to_string(),
            overlay,
        };
        let deployed = self.core.store.deploy(deployment).await;
        let deployed = deployed.map_err(|error| of_catalog(&error))?;
        self.core.plans.forget(&deployed.version_id);
        Ok(deployed)
    }

    /// The deployed version of an agent.
    pub(super) async fn active(&self, agent: &wire::AgentRef) -> Result<Active, Status> {
        let active = self.core.store.active(&agent.namespace, &agent.name).await;
        let active = active.map_err(|error| of_load(&error))?;
        active.ok_or_else(|| {
            precondition(
                "AGENT_VERSION",
                format!("agent {} has no active deployment", label(agent)),
            )
        })
    }

    pub(super) async fn active_version(
        &self,
        request: wire::GetActiveVersionRequest,
    ) -> Result<wire::GetActiveVersionResponse, Status> {
        let active = self.active(&reference(request.agent_ref)?).await?;
        Ok(wire::GetActiveVersionResponse {
            version: active.version,
            deployed_at: rfc3339(active.deployed_at),
            actor: active.actor,
        })
    }

    pub(super) async fn deployments(
        &self,
        request: wire::ListDeploymentsRequest,
    ) -> Result<wire::ListDeploymentsResponse, Status> {
        let agent = reference(request.agent_ref)?;
        let rows = self
            .core
            .store
            .deployments(&agent.namespace, &agent.name)
            .await;
        let rows = rows.map_err(|error| of_load(&error))?;
        if rows.is_empty() {
            self.known(&agent).await?;
        }
        let entry = |row: store::DeploymentRow| wire::DeploymentEntry {
            version: row.version,
            action: row.action,
            actor: row.actor,
            created_at: rfc3339(row.created_at),
            lock_hash: String::new(),
        };
        Ok(wire::ListDeploymentsResponse {
            deployments: rows.into_iter().map(entry).collect(),
        })
    }

    /// An agent of which nothing is on the list may still be there.
    async fn known(&self, agent: &wire::AgentRef) -> Result<(), Status> {
        let row = self.core.store.agent(&agent.namespace, &agent.name).await;
        match row.map_err(|error| of_load(&error))? {
            Some(_) => Ok(()),
            None => Err(not_found(agent)),
        }
    }

    pub(super) async fn agent_version(
        &self,
        request: wire::GetAgentVersionRequest,
    ) -> Result<wire::GetAgentVersionResponse, Status> {
        let agent = versioned(request.agent_ref)?;
        let row = self.version_row(&agent).await?;
        let manifest = self.core.store.manifest(&row.version_id).await;
        let manifest = manifest
            .map_err(|error| of_load(&error))?
            .unwrap_or_default();
        Ok(wire::GetAgentVersionResponse {
            manifest,
            content_hash: row.content_hash.to_string(),
            version: row.version,
            published_at: rfc3339(row.published_at),
            deprecated_at: stamp(row.deprecated_at),
            retired_at: stamp(row.retired_at),
        })
    }

    pub(super) async fn version_row(&self, agent: &wire::AgentRef) -> Result<VersionRow, Status> {
        let row = self
            .core
            .store
            .version(&agent.namespace, &agent.name, &agent.version)
            .await;
        let row = row.map_err(|error| of_load(&error))?;
        row.ok_or_else(|| {
            let label = label(agent);
            Status::not_found(format!("agent version {label}@{} not found", agent.version))
        })
    }

    pub(super) async fn agents(
        &self,
        request: wire::ListAgentsRequest,
    ) -> Result<wire::ListAgentsResponse, Status> {
        let namespace = Some(request.namespace.as_str()).filter(|it| !it.is_empty());
        let rows = self
            .core
            .store
            .agents(namespace)
            .await
            .map_err(|error| of_load(&error))?;
        let summary = |row: store::AgentRow| wire::AgentSummary {
            id: row.agent_id,
            namespace: row.namespace,
            name: row.name,
            owner: row.owner.unwrap_or_default(),
            archived_at: stamp(row.archived_at),
        };
        Ok(wire::ListAgentsResponse {
            agents: rows.into_iter().map(summary).collect(),
        })
    }

    pub(super) async fn agent_versions(
        &self,
        request: wire::ListAgentVersionsRequest,
    ) -> Result<wire::ListAgentVersionsResponse, Status> {
        let agent = reference(request.agent_ref)?;
        let rows = self
            .core
            .store
            .versions(&agent.namespace, &agent.name)
            .await;
        let rows = rows.map_err(|error| of_load(&error))?;
        if rows.is_empty() {
            return Err(not_found(&agent));
        }
        // The field is named `deployed_at` and carries the time of publication, as clients expect.
        let summary = |row: VersionRow| wire::AgentVersionSummary {
            id: row.version_id.to_string(),
            version: row.version,
            content_hash: row.content_hash.to_string(),
            deployed_at: rfc3339(row.published_at),
            deprecated_at: stamp(row.deprecated_at),
            retired_at: stamp(row.retired_at),
        };
        Ok(wire::ListAgentVersionsResponse {
            versions: rows.into_iter().map(summary).collect(),
        })
    }
}
