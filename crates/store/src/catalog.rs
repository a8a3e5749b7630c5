//! The catalog: which agents there are, their published versions, and which of them is deployed.

mod deploy;
mod lifecycle;
mod publish;
mod rollback;

pub use deploy::{CatalogError, Deployed, NewDeployment};
pub use lifecycle::LifecycleError;
pub use publish::{NewVersion, PublishError, Published};
pub use rollback::NewRollback;

use runtime::LoadError;
use rusqlite::{OptionalExtension as _, Row};
use spec::{Digest, Time, VersionId};

use crate::Store;
use crate::lists::LIST_ROWS_MAX;
use crate::rows;

type Sql<T> = rusqlite::Result<T>;

/// The version that is deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active {
    /// Its id.
    pub version_id: VersionId,
    /// The version.
    pub version: String,
    /// The digest of its snapshot.
    pub content_hash: Digest,
    /// Since when.
    pub deployed_at: Time,
    /// Who deployed it.
    pub actor: String,
    /// Whether it has been deprecated.
    pub deprecated: bool,
    /// Whether it has been retired.
    pub retired: bool,
    /// Whether its agent has been archived.
    pub archived: bool,
}

/// A published version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRow {
    /// Its id.
    pub version_id: VersionId,
    /// The version.
    pub version: String,
    /// The digest of its snapshot.
    pub content_hash: Digest,
    /// When it was published.
    pub published_at: Time,
    /// Who published it.
    pub published_by: String,
    /// When it was deprecated.
    pub deprecated_at: Option<Time>,
    /// When it was retired.
    pub retired_at: Option<Time>,
}

/// An agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRow {
    /// Its id.
    pub agent_id: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Who answers for it.
    pub owner: Option<String>,
    /// When its first version was published.
    pub created_at: Time,
    /// When it was archived.
    pub archived_at: Option<Time>,
}

/// A deployment, past or present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeploymentRow {
    /// Its id.
    pub deployment_id: String,
    /// The id of the version.
    pub version_id: VersionId,
    /// The version.
    pub version: String,
    /// What was done: `deploy` or `rollback`.
    pub action: String,
    /// Who did it.
    pub actor: String,
    /// When.
    pub created_at: Time,
    /// Digest of the overlay that it came with, if it did.
    pub overlay: Option<Digest>,
}

impl Store {
    /// The active version; `None` as well when there is no such agent.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn active(&self, namespace: &str, name: &str) -> Result<Option<Active>, LoadError> {
        let agent = (namespace.to_owned(), name.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT v.id, v.version, v.content_hash, d.created_at, d.actor,
                         v.deprecated_at IS NOT NULL, v.retired_at IS NOT NULL,
                         a.archived_at IS NOT NULL
                     FROM agents a
                     JOIN deployments d ON d.agent = a.key
                     JOIN agent_versions v ON v.key = d.version
                     WHERE a.namespace = ?1 AND a.name = ?2 ORDER BY d.key DESC LIMIT 1",
                )?
                .query_row([&agent.0, &agent.1], active_row)
                .optional()
        })
        .await
    }

    /// The snapshot of a version with the overlay of its last deployment laid over it, canonical JSON;
    /// `None` where it has none, or was never deployed.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn overlaid(&self, version: &VersionId) -> Result<Option<Vec<u8>>, LoadError> {
        let version = version.to_string();
        self.read(move |connection| {
            let found = connection
                .prepare_cached(
                    "SELECT d.overlay FROM deployments d
                     JOIN agent_versions v ON v.key = d.version
                     WHERE v.id = ?1 ORDER BY d.key DESC LIMIT 1",
                )?
                .query_row([&version], |row| row.get::<_, Option<Vec<u8>>>(0))
                .optional()?;
            Ok(found.flatten())
        })
        .await
    }

    /// The agent's versions, the last published first; at most [`LIST_ROWS_MAX`].
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn versions(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Vec<VersionRow>, LoadError> {
        let agent = (namespace.to_owned(), name.to_owned());
        self.read(move |connection| {
            let mut select = connection.prepare_cached(&format!(
                "{VERSIONS} WHERE a.namespace = ?1 AND a.name = ?2
                 ORDER BY v.key DESC LIMIT {LIST_ROWS_MAX}"
            ))?;
            let rows = select.query_map([&agent.0, &agent.1], version_row)?;
            rows.collect()
        })
        .await
    }

    /// One version.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn version(
        &self,
        namespace: &str,
        name: &str,
        version: &str,
    ) -> Result<Option<VersionRow>, LoadError> {
        let wanted = (namespace.to_owned(), name.to_owned(), version.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(&format!(
                    "{VERSIONS} WHERE a.namespace = ?1 AND a.name = ?2 AND v.version = ?3"
                ))?
                .query_row([&wanted.0, &wanted.1, &wanted.2], version_row)
                .optional()
        })
        .await
    }

    /// The snapshot of a version, and its digest.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn snapshot(
        &self,
        version: &VersionId,
    ) -> Result<Option<(Digest, Vec<u8>)>, LoadError> {
        let version = version.clone();
        self.read(move |connection| {
            connection
                .prepare_cached("SELECT content_hash, snapshot FROM agent_versions WHERE id = ?1")?
                .query_row([version.as_str()], |row| {
                    Ok((rows::digest(row, 0)?, row.get(1)?))
                })
                .optional()
        })
        .await
    }

    /// The manifest of a version, in the reference form.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn manifest(&self, version: &VersionId) -> Result<Option<Vec<u8>>, LoadError> {
        let version = version.clone();
        self.read(move |connection| {
            connection
                .prepare_cached("SELECT manifest FROM agent_versions WHERE id = ?1")?
                .query_row([version.as_str()], |row| row.get(0))
                .optional()
        })
        .await
    }

    /// Agents by name, archived ones too; of one namespace, or all. At most [`LIST_ROWS_MAX`].
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn agents(&self, namespace: Option<&str>) -> Result<Vec<AgentRow>, LoadError> {
        let namespace = namespace.map(str::to_owned);
        self.read(move |connection| {
            let mut select = connection.prepare_cached(&format!(
                "SELECT id, namespace, name, owner, created_at, archived_at FROM agents
                 WHERE ?1 IS NULL OR namespace = ?1
                 ORDER BY namespace, name LIMIT {LIST_ROWS_MAX}"
            ))?;
            let rows = select.query_map([&namespace], agent_row)?;
            rows.collect()
        })
        .await
    }

    /// One agent.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn agent(&self, namespace: &str, name: &str) -> Result<Option<AgentRow>, LoadError> {
        let agent = (namespace.to_owned(), name.to_owned());
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT id, namespace, name, owner, created_at, archived_at FROM agents
                     WHERE namespace = ?1 AND name = ?2",
                )?
                .query_row([&agent.0, &agent.1], agent_row)
                .optional()
        })
        .await
    }

    /// The agent's deployments, the newest first; at most [`LIST_ROWS_MAX`].
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn deployments(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Vec<DeploymentRow>, LoadError> {
        let agent = (namespace.to_owned(), name.to_owned());
        self.read(move |connection| {
            let mut select = connection.prepare_cached(&format!(
                "SELECT d.id, v.id, v.version, d.action, d.actor, d.created_at, d.overlay
                 FROM agents a
                 JOIN deployments d ON d.agent = a.key
                 JOIN agent_versions v ON v.key = d.version
                 WHERE a.namespace = ?1 AND a.name = ?2
                 ORDER BY d.key DESC LIMIT {LIST_ROWS_MAX}"
            ))?;
            let rows = select.query_map([&agent.0, &agent.1], deployment_row)?;
            rows.collect()
        })
        .await
    }
}

const VERSIONS: &str = "SELECT v.id, v.version, v.content_hash, v.published_at, v.published_by, \
     v.deprecated_at, v.retired_at FROM agents a JOIN agent_versions v ON v.agent = a.key";

fn active_row(row: &Row<'_>) -> Sql<Active> {
    Ok(Active {
        version_id: VersionId::new(row.get::<_, String>(0)?),
        version: row.get(1)?,
        content_hash: rows::digest(row, 2)?,
        deployed_at: rows::time(row, 3)?,
        actor: row.get(4)?,
        deprecated: row.get(5)?,
        retired: row.get(6)?,
        archived: row.get(7)?,
    })
}

fn version_row(row: &Row<'_>) -> Sql<VersionRow> {
    Ok(VersionRow {
        version_id: VersionId::new(row.get::<_, String>(0)?),
        version: row.get(1)?,
        content_hash: rows::digest(row, 2)?,
        published_at: rows::time(row, 3)?,
        published_by: row.get(4)?,
        deprecated_at: rows::time_maybe(row, 5)?,
        retired_at: rows::time_maybe(row, 6)?,
    })
}

fn agent_row(row: &Row<'_>) -> Sql<AgentRow> {
    Ok(AgentRow {
        agent_id: row.get(0)?,
        namespace: row.get(1)?,
        name: row.get(2)?,
        owner: row.get(3)?,
        created_at: rows::time(row, 4)?,
        archived_at: rows::time_maybe(row, 5)?,
    })
}

fn deployment_row(row: &Row<'_>) -> Sql<DeploymentRow> {
    Ok(DeploymentRow {
        deployment_id: row.get(0)?,
        version_id: VersionId::new(row.get::<_, String>(1)?),
        version: row.get(2)?,
        action: row.get(3)?,
        actor: row.get(4)?,
        created_at: rows::time(row, 5)?,
        overlay: row
            .get::<_, Option<Vec<u8>>>(6)?
            .map(|bytes| Digest::of(&bytes)),
    })
}
