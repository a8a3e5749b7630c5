//! Makes versions active. Knows which may become so; not whether one may run.

use rusqlite::{Connection, OptionalExtension as _, params};
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
    let found = connection
        .prepare_cached(
            "SELECT key, id, retired_at IS NOT NULL FROM agent_versions
             WHERE agent = ?1 AND version = ?2",
        )?
        .query_row(params![agent, version], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, bool>(2)?,
            ))
        })
        .optional()?;
    let (key, id) = match found {
        None => {
            return Ok(Err(CatalogError::VersionNotFound {
                namespace,
                name,
                version,
            }));
        }
        Some((_, _, true)) => return Ok(Err(CatalogError::Retired { version })),
        Some((key, id, false)) => (key, id),
    };
    let previous = active_version(connection, agent)?;
    connection
        .prepare_cached(
            "INSERT INTO deployments (id, agent, version, action, actor, created_at)
             VALUES (?1, ?2, ?3, 'deploy', ?4, ?5)",
        )?
        .execute(params![
            new.deployment_id,
            agent,
            key,
            new.actor,
            new.now.unix_ms_i64()
        ])?;
    Ok(Ok(Deployed {
        version_id: VersionId::new(id),
        version,
        previous,
        deployed_at: new.now,
    }))
}

/// The agent's key, and whether it is archived.
fn agent(connection: &Connection, namespace: &str, name: &str) -> Sql<Option<(i64, bool)>> {
    connection
        .prepare_cached(
            "SELECT key, archived_at IS NOT NULL FROM agents WHERE namespace = ?1 AND name = ?2",
        )?
        .query_row([namespace, name], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

fn active_version(connection: &Connection, agent: i64) -> Sql<Option<String>> {
    connection
        .prepare_cached(
            "SELECT v.version FROM deployments d JOIN agent_versions v ON v.key = d.version
             WHERE d.agent = ?1 ORDER BY d.key DESC LIMIT 1",
        )?
        .query_row([agent], |row| row.get(0))
        .optional()
}
