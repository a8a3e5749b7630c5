//! Publishes versions. Knows that a version is never changed; not what is in one.

use rusqlite::{Connection, OptionalExtension as _, params};
use spec::{Digest, Time, VersionId};

use super::Sql;
use crate::Store;
use crate::rows;
use crate::writer::Kind;

/// A version to be published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVersion {
    /// The agent's namespace.
    pub namespace: String,
    /// The agent's name.
    pub name: String,
    /// The version as its author spells it.
    pub version: String,
    /// The version without build metadata: two versions with the same key are the same.
    pub version_key: String,
    /// Who answers for the agent.
    pub owner: Option<String>,
    /// The digest of the snapshot.
    pub content_hash: Digest,
    /// The resolved snapshot, canonical.
    pub snapshot: Vec<u8>,
    /// The manifest in the reference form.
    pub manifest: Vec<u8>,
    /// Who publishes.
    pub actor: String,
    /// When.
    pub now: Time,
    /// The agent's id, should it be new.
    pub agent_id: String,
    /// The version's id.
    pub version_id: VersionId,
}

/// A version that was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The agent's id, which is the old one if the agent was there.
    pub agent_id: String,
    /// The version's id.
    pub version_id: VersionId,
}

/// Why a version was not published.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// The agent takes no new versions.
    #[error("agent {namespace}.{name} is archived and cannot accept new versions")]
    Archived {
        /// The agent's namespace.
        namespace: String,
        /// The agent's name.
        name: String,
    },
    /// The version was published before.
    #[error("{}", already(*.same, .existing, .offered))]
    AlreadyExists {
        /// Whether the content is the same.
        same: bool,
        /// The digest of what is published.
        existing: Digest,
        /// The digest of what was offered.
        offered: Digest,
    },
    /// The store did not answer: it may or may not have been published.
    #[error("the store is not available: {0}")]
    Unavailable(String),
}

fn already(same: bool, existing: &Digest, offered: &Digest) -> String {
    if same {
        format!("this version is already published, with identical content ({existing})")
    } else {
        format!("this version is already published with other content: {existing}, not {offered}")
    }
}

impl Store {
    /// Publishes a version, and its agent if that is new.
    ///
    /// # Errors
    ///
    /// When the agent is archived, the version is there, or the store does not answer.
    pub async fn publish(&self, new: NewVersion) -> Result<Published, PublishError> {
        let bytes = new.snapshot.len().saturating_add(new.manifest.len());
        self.write(Kind::Other, bytes, move |connection| {
            publish(connection, &new)
        })
        .await
    }
}

fn publish(connection: &Connection, new: &NewVersion) -> Sql<Result<Published, PublishError>> {
    let found = connection
        .prepare_cached(
            "SELECT key, id, archived_at IS NOT NULL FROM agents
             WHERE namespace = ?1 AND name = ?2",
        )?
        .query_row([&new.namespace, &new.name], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, bool>(2)?,
            ))
        })
        .optional()?;
    let (agent, agent_id) = match found {
        Some((_, _, true)) => {
            let (namespace, name) = (new.namespace.clone(), new.name.clone());
            return Ok(Err(PublishError::Archived { namespace, name }));
        }
        Some((agent, id, false)) => {
            if let Some(existing) = published(connection, agent, &new.version_key)? {
                let (same, offered) = (existing == new.content_hash, new.content_hash);
                return Ok(Err(PublishError::AlreadyExists {
                    same,
                    existing,
                    offered,
                }));
            }
            own(connection, agent, new)?;
            (agent, id)
        }
        None => (insert_agent(connection, new)?, new.agent_id.clone()),
    };
    insert_version(connection, agent, new)?;
    Ok(Ok(Published {
        agent_id,
        version_id: new.version_id.clone(),
    }))
}

fn published(connection: &Connection, agent: i64, key: &str) -> Sql<Option<Digest>> {
    connection
        .prepare_cached(
            "SELECT content_hash FROM agent_versions WHERE agent = ?1 AND version_key = ?2",
        )?
        .query_row(params![agent, key], |row| rows::digest(row, 0))
        .optional()
}

// The last version that names an owner says whose the agent is.
fn own(connection: &Connection, agent: i64, new: &NewVersion) -> Sql<()> {
    if let Some(owner) = &new.owner {
        connection
            .prepare_cached("UPDATE agents SET owner = ?2 WHERE key = ?1")?
            .execute(params![agent, owner])?;
    }
    Ok(())
}

fn insert_agent(connection: &Connection, new: &NewVersion) -> Sql<i64> {
    connection
        .prepare_cached(
            "INSERT INTO agents (id, namespace, name, owner, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .insert(params![
            new.agent_id,
            new.namespace,
            new.name,
            new.owner,
            new.now.unix_ms_i64(),
        ])
}

fn insert_version(connection: &Connection, agent: i64, new: &NewVersion) -> Sql<()> {
    connection
        .prepare_cached(
            "INSERT INTO agent_versions (id, agent, version, version_key, content_hash,
                 published_at, published_by, snapshot, manifest)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            new.version_id.as_str(),
            agent,
            new.version,
            new.version_key,
            new.content_hash.as_bytes(),
            new.now.unix_ms_i64(),
            new.actor,
            new.snapshot,
            new.manifest,
        ])?;
    Ok(())
}
