//! Makes an earlier version active again. Knows which one came before; not why it is wanted back.

use rusqlite::{Connection, OptionalExtension as _, params};
use spec::Time;

use super::deploy::{Action, Found, active_version, agent, overlay, record, version};
use super::{CatalogError, Deployed, LifecycleError, Sql};
use crate::Store;
use crate::writer::Kind;

/// A rollback to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRollback {
    /// The agent's namespace.
    pub namespace: String,
    /// The agent's name.
    pub name: String,
    /// The version to go back to, any that is published; without it the one that was active before
    /// the present one.
    pub to: Option<String>,
    /// Who rolls back.
    pub actor: String,
    /// When.
    pub now: Time,
    /// The deployment's id.
    pub deployment_id: String,
}

impl Store {
    /// Makes an earlier version the active one. The version that is active already will do.
    ///
    /// # Errors
    ///
    /// When nothing is deployed, no other version was before, the version may not be deployed, or
    /// the store does not answer.
    pub async fn rollback(&self, new: NewRollback) -> Result<Deployed, LifecycleError> {
        self.write(Kind::Other, 0, move |connection| rollback(connection, &new))
            .await
    }
}

fn rollback(connection: &Connection, new: &NewRollback) -> Sql<Result<Deployed, LifecycleError>> {
    let (namespace, name) = (new.namespace.clone(), new.name.clone());
    let agent = match agent(connection, &namespace, &name)? {
        None => return Ok(Err(CatalogError::AgentNotFound { namespace, name }.into())),
        Some((_, true)) => return Ok(Err(CatalogError::Archived { namespace, name }.into())),
        Some((agent, false)) => agent,
    };
    let Some((active, previous)) = active_version(connection, agent)? else {
        return Ok(Err(CatalogError::NothingDeployed { namespace, name }.into()));
    };
    let target = match &new.to {
        None => match before(connection, agent, active)? {
            None => return Ok(Err(LifecycleError::NothingBefore { namespace, name })),
            Some(found) => found,
        },
        Some(wanted) => match version(connection, agent, wanted)? {
            None => {
                let version = wanted.clone();
                let missing = CatalogError::VersionNotFound {
                    namespace,
                    name,
                    version,
                };
                return Ok(Err(missing.into()));
            }
            Some(found) => found,
        },
    };
    if target.is_retired {
        let version = target.version;
        return Ok(Err(CatalogError::Retired { version }.into()));
    }
    // What is gone back to is how the version was deployed, its overlay included.
    let overlay = overlay(connection, target.key)?;
    let action = Action {
        word: "rollback",
        actor: &new.actor,
        now: new.now,
        id: &new.deployment_id,
        overlay: overlay.as_deref(),
    };
    record(connection, agent, target.key, &action)?;
    Ok(Ok(Deployed {
        version_id: target.id,
        version: target.version,
        previous: Some(previous),
        deployed_at: new.now,
    }))
}

/// The version that was active last before `active` became so. Deploying what is active again adds
/// a row and no change, so such rows are passed over.
fn before(connection: &Connection, agent: i64, active: i64) -> Sql<Option<Found>> {
    connection
        .prepare_cached(
            "SELECT v.key, v.id, v.version, v.retired_at IS NOT NULL
             FROM deployments d JOIN agent_versions v ON v.key = d.version
             WHERE d.agent = ?1 AND d.version <> ?2 ORDER BY d.key DESC LIMIT 1",
        )?
        .query_row(params![agent, active], Found::of_row)
        .optional()
}
