//! The tables, and the steps from each older form to the newest. Steps only go forward, and once
//! released a step is never edited.

use rusqlite::Connection;

/// Marks a file as ours: "ORDN".
pub(crate) const APPLICATION_ID: i32 = 0x4f52_444e;

/// One step for each version of the schema; the file's `user_version` counts those taken.
const STEPS: [&str; 2] = [STEP_1, STEP_2];

/// The newest version that this binary knows.
pub(crate) const VERSION: usize = STEPS.len();

// The hot tables are `sessions`, `entries` and `payloads`. The last two grow at their end, so that
// a commit of many sessions fills a few pages; kept in the order of their sessions it would touch a
// page for each (measured: a third of the rate). Their one index is what finds a session's rows.
// `sessions` has, besides its id, two partial indexes that hold only the rows with something to
// do; `updated_at` and `status` change with nearly every append, so they carry none.
const STEP_1: &str = "
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('store', lower(hex(randomblob(16)))), ('epoch', 0);

CREATE TABLE sessions (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    head INTEGER NOT NULL,
    status TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    wake_at INTEGER,
    runnable INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    version_id TEXT NOT NULL,
    agent_namespace TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    agent_version TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_runnable ON sessions (runnable) WHERE runnable = 1;
CREATE INDEX sessions_wake ON sessions (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE entries (
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (session, seq)
) STRICT;

CREATE TABLE payloads (
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    digest BLOB NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (session, digest)
) STRICT;

CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    session INTEGER NOT NULL,
    call TEXT NOT NULL,
    status TEXT NOT NULL,
    route TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_status ON approvals (status, created_at);
CREATE INDEX approvals_session ON approvals (session);

CREATE TABLE agents (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    owner TEXT,
    created_at INTEGER NOT NULL,
    archived_at INTEGER,
    UNIQUE (namespace, name)
) STRICT;

CREATE TABLE agent_versions (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent INTEGER NOT NULL,
    version TEXT NOT NULL,
    version_key TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    published_at INTEGER NOT NULL,
    published_by TEXT NOT NULL,
    deprecated_at INTEGER,
    retired_at INTEGER,
    snapshot BLOB NOT NULL,
    manifest BLOB NOT NULL,
    UNIQUE (agent, version_key)
) STRICT;

CREATE TABLE deployments (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent INTEGER NOT NULL,
    version INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    overlay BLOB
) STRICT;
CREATE INDEX deployments_agent ON deployments (agent);
";

// The unique index also lists documents by name and finds all versions of one.
const STEP_2: &str = "
CREATE TABLE documents (
    key INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    version_key TEXT NOT NULL,
    digest BLOB NOT NULL,
    document BLOB NOT NULL,
    published_at INTEGER NOT NULL,
    published_by TEXT NOT NULL,
    deprecated_at INTEGER,
    deprecated_by TEXT,
    UNIQUE (kind, namespace, name, version_key)
) STRICT;
";

/// How a file compares with what this binary knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Nothing in it yet.
    Empty,
    /// A store of ours, of this version.
    Ours(usize),
    /// A database of somebody else's.
    Foreign,
}

/// What the file is.
pub(crate) fn form(connection: &Connection) -> rusqlite::Result<Form> {
    let id: i32 = connection.query_one("PRAGMA application_id", [], |row| row.get(0))?;
    let version: i64 = connection.query_one("PRAGMA user_version", [], |row| row.get(0))?;
    let tables: i64 =
        connection.query_one("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 && version == 0 {
        return Ok(Form::Empty);
    }
    Ok(match usize::try_from(version) {
        Ok(version) if id == APPLICATION_ID => Form::Ours(version),
        Ok(_) | Err(_) => Form::Foreign,
    })
}

/// Takes every step after the first `taken`, each in a transaction of its own.
pub(crate) fn migrate(connection: &Connection, taken: usize) -> rusqlite::Result<()> {
    for (index, step) in STEPS.iter().enumerate().skip(taken) {
        let version = index.saturating_add(1);
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             {step}
             PRAGMA application_id = {APPLICATION_ID};
             PRAGMA user_version = {version};
             COMMIT;"
        ))?;
    }
    Ok(())
}

/// The name that the file drew when it was made.
pub(crate) fn store_id(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_one("SELECT value FROM meta WHERE name = 'store'", [], |row| {
        row.get(0)
    })
}
