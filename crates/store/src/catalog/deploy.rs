//! Makes versions active. Knows which may become so; not whether one may run.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use spec::{Time, VersionId};

use super::Sql;
use crate::Store;
use crate::writer::Kind;

/// A version to be deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeployment {
    /// The agent's namespace.
    pub namespace: String,
    /// The agent's name.
    pub name: String,
    /// The version as it was published.
    pub version: String,
    /// Who deploys.
    pub actor: String,
    /// When.
    pub now: Time,
    /// The deployment's id.
    pub deployment_id: String,
    /// The snapshot of the version with the overlay laid over it, canonical JSON, if there is one.
    pub overlay: Option<Vec<u8>>,
}

/// A version that was deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    /// Its id.
    pub version_id: VersionId,
    /// The version.
    pub version: String,
    /// The version that was active until now.
    pub previous: Option<String>,
    /// When.
    pub deployed_at: Time,
}

/// Why the catalog did not do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// There is no such agent.
    #[error("there is no agent {namespace}.{name}")]
    AgentNotFound {
        /// The namespace that was asked for.
        namespace: String,
        /// The name that was asked for.
        name: String,
    },
    /// The agent has no such version.
    #[error("agent {namespace}.{name} has no version {version}")]
    VersionNotFound {
        /// The agent's namespace.
        namespace: String,
        /// The agent's name.
        name: String,
        /// The version that was asked for.
        version: String,
    },
    /// The version is retired.
    #[error("version {version} is retired and cannot be deployed")]
    Retired {
        /// The version.
        version: String,
    },
    /// The version is deprecated.
    #[error("version {version} is deprecated")]
    Deprecated {
        /// The version.
        version: String,
    },
    /// The agent is archived.
    #[error("agent {namespace}.{name} is archived")]
    Archived {
        /// The agent's namespace.
        namespace: String,
        /// The agent's name.
        name: String,
    },
    /// No version of the agent is deployed.
    #[error("no version of agent {namespace}.{name} is deployed")]
    NothingDeployed {
        /// The agent's namespace.
        namespace: String,
        /// The agent's name.
        name: String,
    },
    /// The store did not answer: it may or may not have been done.
    #[error("the store is not available: {0}")]
    Unavailable(String),
}

impl Store {
    /// Makes a version the active one.
    ///
    /// # Errors
    ///
    /// When there is no such version, it may not be deployed, or the store does not answer.
    pub async fn deploy(&self, new: NewDeployment) -> Result<Deployed, CatalogError> {
        self.write(Kind::Other, 0, move |connection| deploy(connection, &new))
            .await
    }
}

fn deploy(connection: &Connection, new: &NewDeployment) -> Sql<Result<Deployed, CatalogError>> {
    let (namespace, name, version) = (new.namespace.clone(), new.name.clone(), new.version.clone());
    let agent = match agent(connection, &namespace, &name)? {
        None => return Ok(Err(CatalogError::AgentNotFound { namespace, name })),
        Some((_, true)) => return Ok(Err(CatalogError::Archived { namespace, name })),
        Some((agent, false)) => agent,
    };
    let found = match self::version(connection, agent, &version)? {
        None => {
            return Ok(Err(CatalogError::VersionNotFound {
                namespace,
                name,
                version,
            }));
        }
        Some(found) if found.is_retired => return Ok(Err(CatalogError::Retired { version })),
        Some(found) => found,
    };
    let previous = active_version(connection, agent)?.map(|(_, version)| version);
    let action = Action {
        word: "deploy",
        actor: &new.actor,
        now: new.now,
        id: &new.deployment_id,
        overlay: new.overlay.as_deref(),
    };
    record(connection, agent, found.key, &action)?;
    Ok(Ok(Deployed {
        version_id: found.id,
        version,
        previous,
        deployed_at: new.now,
    }))
}

/// A version that is there.
pub(super) struct Found {
    pub(super) key: i64,
    pub(super) id: VersionId,
    pub(super) version: String,
    pub(super) is_retired: bool,
}

impl Found {
    /// From the columns `key`, `id`, `version` and whether it is retired.
    pub(super) fn of_row(row: &Row<'_>) -> Sql<Self> {
        Ok(Self {
            key: row.get(0)?,
            id: VersionId::new(row.get::<_, String>(1)?),
            version: row.get(2)?,
            is_retired: row.get(3)?,
        })
    }
}

/// What makes a version active, as the history tells it.
pub(super) struct Action<'a> {
    pub(super) word: &'a str,
    pub(super) actor: &'a str,
    pub(super) now: Time,
    pub(super) id: &'a str,
    pub(super) overlay: Option<&'a [u8]>,
}

/// Makes the version active: the agent's last deployment says which one is.
pub(super) fn record(
    connection: &Connection,
    agent: i64,
    version: i64,
    action: &Action<'_>,
) -> Sql<()> {
    connection
        .prepare_cached(
            "INSERT INTO deployments (id, agent, version, action, actor, created_at, overlay)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            action.id,
            agent,
            version,
            action.word,
            action.actor,
            action.now.unix_ms_i64(),
            action.overlay
        ])?;
    Ok(())
}

/// The overlay that the version was deployed with last.
pub(super) fn overlay(connection: &Connection, version: i64) -> Sql<Option<Vec<u8>>> {
    let found = connection
        .prepare_cached(
            "SELECT overlay FROM deployments WHERE version = ?1 ORDER BY key DESC LIMIT 1",
        )?
        .query_row([version], |row| row.get::<_, Option<Vec<u8>>>(0))
        .optional()?;
    Ok(found.flatten())
}

/// The agent's version as it was published.
pub(super) fn version(connection: &Connection, agent: i64, version: &str) -> Sql<Option<Found>> {
    connection
        .prepare_cached(
            "SELECT key, id, version, retired_at IS NOT NULL FROM agent_versions
             WHERE agent = ?1 AND version = ?2",
        )?
        .query_row(params![agent, version], Found::of_row)
        .optional()
}

/// The agent's key, and whether it is archived.
pub(super) fn agent(
    connection: &Connection,
    namespace: &str,
    name: &str,
) -> Sql<Option<(i64, bool)>> {
    connection
        .prepare_cached(
            "SELECT key, archived_at IS NOT NULL FROM agents WHERE namespace = ?1 AND name = ?2",
        )?
        .query_row([namespace, name], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

/// The active version's key, and the version.
pub(super) fn active_version(connection: &Connection, agent: i64) -> Sql<Option<(i64, String)>> {
    connection
        .prepare_cached(
            "SELECT v.key, v.version FROM deployments d JOIN agent_versions v ON v.key = d.version
             WHERE d.agent = ?1 ORDER BY d.key DESC LIMIT 1",
        )?
        .query_row([agent], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}
