//! The journal: entries, payloads and the lists that follow from them, in one transaction.

use std::sync::Arc;

use runtime::{AppendError, Batch, Epoch, Journal, LoadError, Stored};
use rusqlite::{Connection, OptionalExtension as _, params};
use session::{ApprovalView, SessionView};
use spec::{Digest, SessionId, Time};

use crate::Store;
use crate::rows;
use crate::writer::{Kind, weight};

type Sql<T> = rusqlite::Result<T>;

impl Journal for Store {
    async fn claim(&self) -> Result<Epoch, LoadError> {
        self.write(Kind::Other, 0, |connection| {
            connection
                .prepare_cached("UPDATE meta SET value = value + 1 WHERE name = 'epoch'")?
                .execute([])?;
            Ok(Ok(epoch(connection)?))
        })
        .await
    }

    async fn append(
        &self,
        session: &SessionId,
        expected: u64,
        epoch: Epoch,
        batch: Batch,
    ) -> Result<(), AppendError> {
        let bytes = weigh(&batch);
        let session = session.clone();
        self.write(Kind::Append, bytes, move |connection| {
            append(connection, &session, expected, epoch, &batch)
        })
        .await
    }

    async fn load(&self, session: &SessionId) -> Result<Vec<Stored>, LoadError> {
        let session = session.clone();
        self.read(move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT seq, hash, bytes FROM entries
                 WHERE session = (SELECT key FROM sessions WHERE id = ?1) ORDER BY seq",
            )?;
            let stored = select.query_map([session.as_str()], |row| {
                Ok(Stored {
                    seq: rows::seq(row, 0)?,
                    hash: rows::digest(row, 1)?,
                    bytes: row.get(2)?,
                })
            })?;
            stored.collect()
        })
        .await
    }

    async fn payload(
        &self,
        session: &SessionId,
        digest: Digest,
    ) -> Result<Option<Arc<[u8]>>, LoadError> {
        let session = session.clone();
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT bytes FROM payloads
                     WHERE session = (SELECT key FROM sessions WHERE id = ?1) AND digest = ?2",
                )?
                .query_row(params![session.as_str(), digest.as_bytes()], |row| {
                    row.get(0)
                })
                .optional()
        })
        .await
    }

    async fn runnable(&self) -> Result<Vec<SessionId>, LoadError> {
        self.read(|connection| {
            let mut select =
                connection.prepare_cached("SELECT id FROM sessions WHERE runnable = 1")?;
            let ids = select.query_map([], session_id)?;
            ids.collect()
        })
        .await
    }

    async fn due(&self, now: Time, max: usize) -> Result<Vec<SessionId>, LoadError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT id FROM sessions WHERE wake_at IS NOT NULL AND wake_at <= ?1
                 ORDER BY wake_at LIMIT ?2",
            )?;
            let max = i64::try_from(max).unwrap_or(i64::MAX);
            let ids = select.query_map(params![now.unix_ms_i64(), max], session_id)?;
            ids.collect()
        })
        .await
    }
}

fn session_id(row: &rusqlite::Row<'_>) -> Sql<SessionId> {
    row.get::<_, String>(0).map(SessionId::new)
}

fn weigh(batch: &Batch) -> usize {
    let entries = batch.entries.iter().map(|it| it.bytes.len());
    let payloads = batch.payloads.iter().map(|(_, bytes)| bytes.len());
    let content = entries.chain(payloads).fold(0_usize, usize::saturating_add);
    weight::<Stored>(batch.entries.len(), content)
}

fn epoch(connection: &Connection) -> Sql<Epoch> {
    connection
        .prepare_cached("SELECT value FROM meta WHERE name = 'epoch'")?
        .query_one([], |row| rows::seq(row, 0))
        .map(Epoch)
}

/// What the store knows of a session before an append.
struct Known {
    key: i64,
    head: u64,
    wake_at: Option<Time>,
    runnable: bool,
}

fn known(connection: &Connection, session: &SessionId) -> Sql<Option<Known>> {
    connection
        .prepare_cached("SELECT key, head, wake_at, runnable FROM sessions WHERE id = ?1")?
        .query_row([session.as_str()], |row| {
            Ok(Known {
                key: row.get(0)?,
                head: rows::seq(row, 1)?,
                wake_at: rows::time_maybe(row, 2)?,
                runnable: row.get(3)?,
            })
        })
        .optional()
}

fn append(
    connection: &Connection,
    session: &SessionId,
    expected: u64,
    current: Epoch,
    batch: &Batch,
) -> Sql<Result<(), AppendError>> {
    if epoch(connection)? != current {
        return Ok(Err(AppendError::Fenced));
    }
    let known = known(connection, session)?;
    if known.as_ref().map_or(0, |it| it.head) != expected {
        return Ok(Err(AppendError::Conflict {
            session: session.clone(),
            expected,
        }));
    }
    let Some(head) = head_after(expected, &batch.entries) else {
        let why = format!("the batch for session {session} does not go on from entry {expected}");
        return Ok(Err(AppendError::Unavailable(why)));
    };
    let key = match known {
        None => insert_session(connection, session, head, batch)?,
        Some(known) => update_session(connection, &known, head, &batch.session)?,
    };
    write_entries(connection, key, &batch.entries)?;
    write_payloads(connection, key, &batch.payloads)?;
    write_approvals(connection, key, &batch.approvals)?;
    Ok(Ok(()))
}

/// The last sequence number, when the entries are numbered on from `expected` without gaps.
fn head_after(expected: u64, entries: &[Stored]) -> Option<u64> {
    entries.iter().try_fold(expected, |head, entry| {
        let next = head.checked_add(1)?;
        (entry.seq == next).then_some(next)
    })
}

fn insert_session(
    connection: &Connection,
    session: &SessionId,
    head: u64,
    batch: &Batch,
) -> Sql<i64> {
    let view = &batch.session;
    let mut insert = connection.prepare_cached(
        "INSERT INTO sessions (id, head, status, updated_at, wake_at, runnable, created_at,
             version_id, agent_namespace, agent_name, agent_version)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    insert.insert(params![
        session.as_str(),
        rows::seq_in(head)?,
        view.status.as_str(),
        view.updated_at.unix_ms_i64(),
        view.wake_at.map(Time::unix_ms_i64),
        view.runnable,
        view.created_at.unix_ms_i64(),
        view.version.as_str(),
        batch.agent.namespace,
        batch.agent.name,
        batch.agent.version,
    ])
}

// When a session started and which version drives it never change. The two columns with an index
// are only named when they change, since naming them is what costs.
fn update_session(
    connection: &Connection,
    known: &Known,
    head: u64,
    view: &SessionView,
) -> Sql<i64> {
    let head = rows::seq_in(head)?;
    let (status, updated_at) = (view.status.as_str(), view.updated_at.unix_ms_i64());
    let wake_at = view.wake_at.map(Time::unix_ms_i64);
    if wake_at == known.wake_at.map(Time::unix_ms_i64) && view.runnable == known.runnable {
        connection
            .prepare_cached(
                "UPDATE sessions SET head = ?2, status = ?3, updated_at = ?4 WHERE key = ?1",
            )?
            .execute(params![known.key, head, status, updated_at])?;
    } else {
        connection
            .prepare_cached(
                "UPDATE sessions SET head = ?2, status = ?3, updated_at = ?4, wake_at = ?5,
                     runnable = ?6
                 WHERE key = ?1",
            )?
            .execute(params![
                known.key,
                head,
                status,
                updated_at,
                wake_at,
                view.runnable
            ])?;
    }
    Ok(known.key)
}

fn write_entries(connection: &Connection, key: i64, entries: &[Stored]) -> Sql<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO entries (session, seq, hash, bytes) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for entry in entries {
        let seq = rows::seq_in(entry.seq)?;
        insert.execute(params![key, seq, entry.hash.as_bytes(), entry.bytes])?;
    }
    Ok(())
}

// A payload's digest is its name, so writing it again changes nothing.
fn write_payloads(connection: &Connection, key: i64, payloads: &[(Digest, Arc<[u8]>)]) -> Sql<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO payloads (session, digest, bytes) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
    )?;
    for (digest, bytes) in payloads {
        insert.execute(params![key, digest.as_bytes(), bytes.as_ref()])?;
    }
    Ok(())
}

fn write_approvals(connection: &Connection, key: i64, approvals: &[ApprovalView]) -> Sql<()> {
    let mut upsert = connection.prepare_cached(
        "INSERT INTO approvals (id, session, call, status, route, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, route = excluded.route",
    )?;
    for approval in approvals {
        upsert.execute(params![
            approval.approval.as_str(),
            key,
            approval.call.as_str(),
            approval.status,
            approval.route,
            approval.created_at.unix_ms_i64(),
        ])?;
    }
    Ok(())
}
