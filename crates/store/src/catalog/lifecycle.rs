//! Takes versions and agents out of use, for good. Knows the marks; not what they mean to a run.

use rusqlite::{Connection, params};
use spec::{Time, VersionId};

use super::deploy::{agent, version};
use super::{CatalogError, Sql};
use crate::Store;
use crate::fault::Unavailable;
use crate::writer::Kind;

/// Why the life of an agent or a version did not change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LifecycleError {
    /// What keeps a version from being deployed, too.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// No other version was active before the present one.
    #[error("agent {namespace}.{name} has no previous deployment to roll back to")]
    NothingBefore {
        /// The agent's namespace.
        namespace: String,
        /// The agent's name.
        name: String,
    },
    /// The version was deprecated before.
    #[error("version {version} is already deprecated")]
    AlreadyDeprecated {
        /// The version.
        version: String,
    },
    /// The version was retired before.
    #[error("version {version} is already retired")]
    AlreadyRetired {
        /// The version.
        version: String,
    },
    /// The agent was archived before.
    #[error("agent {namespace}.{name} is already archived")]
    AlreadyArchived {
        /// The agent's namespace.
        namespace: String,
        /// The agent's name.
        name: String,
    },
}

impl From<Unavailable> for LifecycleError {
    fn from(why: Unavailable) -> Self {
        LifecycleError::Catalog(why.into())
    }
}

impl Store {
    /// Deprecates a version: it can be deployed, and cannot run. Whatever is active stays so.
    ///
    /// # Errors
    ///
    /// When there is no such version, it is deprecated already, or the store does not answer.
    pub async fn deprecate(
        &self,
        namespace: &str,
        name: &str,
        version: &str,
        now: Time,
    ) -> Result<VersionId, LifecycleError> {
        let wanted = Wanted::new(namespace, name, version);
        self.write(Kind::Other, 0, move |connection| {
            mark(connection, &wanted, Mark::Deprecated, now)
        })
        .await
    }

    /// Retires a version: it can be neither deployed nor run. Whatever is active stays so.
    ///
    /// # Errors
    ///
    /// When there is no such version, it is retired already, or the store does not answer.
    pub async fn retire(
        &self,
        namespace: &str,
        name: &str,
        version: &str,
        now: Time,
    ) -> Result<VersionId, LifecycleError> {
        let wanted = Wanted::new(namespace, name, version);
        self.write(Kind::Other, 0, move |connection| {
            mark(connection, &wanted, Mark::Retired, now)
        })
        .await
    }

    /// Archives an agent and deprecates all its versions: nothing of it can be published, deployed or
    /// run any more. It stays listed.
    ///
    /// # Errors
    ///
    /// When there is no such agent, it is archived already, or the store does not answer.
    pub async fn archive(
        &self,
        namespace: &str,
        name: &str,
        now: Time,
    ) -> Result<(), LifecycleError> {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        self.write(Kind::Other, 0, move |connection| {
            archive(connection, &namespace, &name, now)
        })
        .await
    }
}

struct Wanted {
    namespace: String,
    name: String,
    version: String,
}

impl Wanted {
    fn new(namespace: &str, name: &str, version: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
        }
    }
}

#[derive(Clone, Copy)]
enum Mark {
    Deprecated,
    Retired,
}

fn mark(
    connection: &Connection,
    wanted: &Wanted,
    mark: Mark,
    now: Time,
) -> Sql<Result<VersionId, LifecycleError>> {
    let (namespace, name) = (wanted.namespace.clone(), wanted.name.clone());
    let version_text = wanted.version.clone();
    let Some((agent, _)) = agent(connection, &namespace, &name)? else {
        return Ok(Err(CatalogError::AgentNotFound { namespace, name }.into()));
    };
    let Some(found) = version(connection, agent, &wanted.version)? else {
        let missing = CatalogError::VersionNotFound {
            namespace,
            name,
            version: version_text,
        };
        return Ok(Err(missing.into()));
    };
    let (update, already) = match mark {
        Mark::Deprecated => (
            "UPDATE agent_versions SET deprecated_at = ?2
             WHERE key = ?1 AND deprecated_at IS NULL",
            LifecycleError::AlreadyDeprecated {
                version: version_text,
            },
        ),
        Mark::Retired => (
            "UPDATE agent_versions SET retired_at = ?2 WHERE key = ?1 AND retired_at IS NULL",
            LifecycleError::AlreadyRetired {
                version: version_text,
            },
        ),
    };
    let changed = connection
        .prepare_cached(update)?
        .execute(params![found.key, now.unix_ms_i64()])?;
    Ok(if changed == 0 {
        Err(already)
    } else {
        Ok(found.id)
    })
}

fn archive(
    connection: &Connection,
    namespace: &str,
    name: &str,
    now: Time,
) -> Sql<Result<(), LifecycleError>> {
    let owned = || (namespace.to_owned(), name.to_owned());
    let agent = match agent(connection, namespace, name)? {
        None => {
            let (namespace, name) = owned();
            return Ok(Err(CatalogError::AgentNotFound { namespace, name }.into()));
        }
        Some((_, true)) => {
            let (namespace, name) = owned();
            return Ok(Err(LifecycleError::AlreadyArchived { namespace, name }));
        }
        Some((agent, false)) => agent,
    };
    let now = now.unix_ms_i64();
    connection
        .prepare_cached("UPDATE agents SET archived_at = ?2 WHERE key = ?1")?
        .execute(params![agent, now])?;
    // Those that were deprecated before keep their time.
    connection
        .prepare_cached(
            "UPDATE agent_versions SET deprecated_at = ?2
             WHERE agent = ?1 AND deprecated_at IS NULL",
        )?
        .execute(params![agent, now])?;
    Ok(Ok(()))
}
