//! What a published version froze, whole. Knows which version a question without one means.

use proto::ordain::v1 as wire;
use proto::runtime::v1::AgentRef;
use spec::Digest;
use store::{Active, VersionRow};
use tonic::Status;

use super::Service;
use super::catalog::{not_found, reference, stamp};
use crate::clock::rfc3339;
use crate::wire::status::of_load;

impl Service {
    pub(super) async fn snapshot(
        &self,
        request: wire::GetSnapshotRequest,
    ) -> Result<wire::GetSnapshotResponse, Status> {
        let agent = reference(Some(AgentRef {
            namespace: request.namespace,
            name: request.name,
            version: request.version,
        }))?;
        let active = self.core.store.active(&agent.namespace, &agent.name).await;
        let active = active.map_err(|error| of_load(&error))?;
        let row = self.meant(&agent, active.as_ref()).await?;
        let stored = self.core.store.snapshot(&row.version_id).await;
        let stored = stored.map_err(|error| of_load(&error))?;
        let intact = stored.filter(|(_, bytes)| Digest::of(bytes) == row.content_hash);
        let damaged = || Status::internal("the version's snapshot cannot be read");
        let (_, snapshot) = intact.ok_or_else(damaged)?;
        let overlaid = self.core.store.overlaid(&row.version_id).await;
        let overlaid = overlaid.map_err(|error| of_load(&error))?;
        let overlay_digest = overlaid.as_ref().map(|it| Digest::of(it).to_string());
        let deployed = active.filter(|it| it.version_id == row.version_id);
        let (deployed_at, deployed_by) =
            deployed.map_or_else(Default::default, |it| (rfc3339(it.deployed_at), it.actor));
        Ok(wire::GetSnapshotResponse {
            namespace: agent.namespace,
            name: agent.name,
            version: row.version,
            version_id: row.version_id.to_string(),
            content_hash: row.content_hash.to_string(),
            snapshot,
            published_at: rfc3339(row.published_at),
            published_by: row.published_by,
            deprecated_at: stamp(row.deprecated_at),
            retired_at: stamp(row.retired_at),
            deployed_at,
            deployed_by,
            overlay_digest: overlay_digest.unwrap_or_default(),
            overlaid: overlaid.unwrap_or_default(),
        })
    }

    /// The version that a reference means: its own, else the deployed one, else the newest.
    async fn meant(&self, agent: &AgentRef, active: Option<&Active>) -> Result<VersionRow, Status> {
        let of = |version: &str| AgentRef {
            version: version.to_owned(),
            ..agent.clone()
        };
        if !agent.version.is_empty() {
            return self.version_row(agent).await;
        }
        if let Some(active) = active {
            return self.version_row(&of(&active.version)).await;
        }
        let rows = self
            .core
            .store
            .versions(&agent.namespace, &agent.name)
            .await;
        let rows = rows.map_err(|error| of_load(&error))?;
        let versions: Vec<(&str, bool)> = rows
            .iter()
            .map(|it| {
                let passed_over = it.deprecated_at.is_some() || it.retired_at.is_some();
                (it.version.as_str(), passed_over)
            })
            .collect();
        let newest = publish::choose(None, &versions).ok().flatten();
        let newest = newest.and_then(|index| rows.into_iter().nth(index));
        newest.ok_or_else(|| not_found(agent))
    }
}
