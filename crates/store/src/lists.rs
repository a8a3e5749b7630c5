//! What lists of sessions and of approvals show. Every list is bounded, whatever is asked for.

use runtime::LoadError;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params_from_iter};
use session::{ApprovalView, SessionView, Status};
use spec::snapshot::Identity;
use spec::{ApprovalId, CallId, SessionId, VersionId};

use crate::Store;
use crate::rows;

/// The most rows that any list answers.
pub const LIST_ROWS_MAX: usize = 1000;

/// Which agent's sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFilter {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// One version of it; every version if `None`.
    pub version: Option<String>,
}

/// Which sessions; `None` means all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFilter {
    /// Those of one agent.
    pub agent: Option<AgentFilter>,
    /// Those with one status.
    pub status: Option<Status>,
    /// At most so many, and never more than [`LIST_ROWS_MAX`].
    pub limit: usize,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its line.
    pub view: SessionView,
    /// Whose session it is.
    pub agent: Identity,
}

/// Which approvals; `None` means all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalFilter {
    /// Those with one of the four words: pending, approved, denied, escalated.
    pub status: Option<String>,
    /// Those that ask one role.
    pub route: Option<String>,
    /// Those of one session.
    pub session: Option<SessionId>,
    /// Those of agents in one namespace.
    pub agent_namespace: Option<String>,
    /// Those of agents with one name.
    pub agent_name: Option<String>,
    /// At most so many, and never more than [`LIST_ROWS_MAX`].
    pub limit: usize,
}

/// An approval in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRow {
    /// Its line.
    pub view: ApprovalView,
    /// Whose session it was opened in.
    pub agent: Identity,
}

const SESSIONS: &str = "SELECT s.id, s.version_id, s.status, s.created_at, s.updated_at, \
     s.wake_at, s.runnable, s.agent_namespace, s.agent_name, s.agent_version FROM sessions s";

const APPROVALS: &str = "SELECT a.id, s.id, a.call, a.status, a.route, a.created_at, \
     s.agent_namespace, s.agent_name, s.agent_version \
     FROM approvals a JOIN sessions s ON s.key = a.session";

impl Store {
    /// Sessions, the last changed first.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn sessions(&self, filter: SessionFilter) -> Result<Vec<SessionRow>, LoadError> {
        let mut wanted = Wanted::default();
        if let Some(agent) = filter.agent {
            wanted.equal("s.agent_namespace", Some(agent.namespace));
            wanted.equal("s.agent_name", Some(agent.name));
            wanted.equal("s.agent_version", agent.version);
        }
        wanted.equal("s.status", filter.status.map(|it| it.as_str().to_owned()));
        let sql = wanted.sql(SESSIONS, "s.updated_at DESC, s.id", filter.limit);
        self.read(move |connection| list(connection, &sql, &wanted.values, session_row))
            .await
    }

    /// One session.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn session(&self, id: &SessionId) -> Result<Option<SessionRow>, LoadError> {
        let id = id.clone();
        self.read(move |connection| {
            connection
                .prepare_cached(&format!("{SESSIONS} WHERE s.id = ?1"))?
                .query_row([id.as_str()], session_row)
                .optional()
        })
        .await
    }

    /// Approvals, the oldest first.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn approvals(&self, filter: ApprovalFilter) -> Result<Vec<ApprovalRow>, LoadError> {
        let mut wanted = Wanted::default();
        wanted.equal("a.status", filter.status);
        wanted.equal("a.route", filter.route);
        wanted.equal("s.id", filter.session.map(|it| it.as_str().to_owned()));
        wanted.equal("s.agent_namespace", filter.agent_namespace);
        wanted.equal("s.agent_name", filter.agent_name);
        let sql = wanted.sql(APPROVALS, "a.created_at, a.id", filter.limit);
        self.read(move |connection| list(connection, &sql, &wanted.values, approval_row))
            .await
    }

    /// One approval.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn approval(&self, id: &ApprovalId) -> Result<Option<ApprovalRow>, LoadError> {
        let id = id.clone();
        self.read(move |connection| {
            connection
                .prepare_cached(&format!("{APPROVALS} WHERE a.id = ?1"))?
                .query_row([id.as_str()], approval_row)
                .optional()
        })
        .await
    }
}

/// The conditions of a list, and the values that they compare with.
#[derive(Default)]
struct Wanted {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Wanted {
    fn equal(&mut self, column: &str, value: Option<String>) {
        if let Some(value) = value {
            self.values.push(Value::Text(value));
            self.conditions
                .push(format!("{column} = ?{}", self.values.len()));
        }
    }

    fn sql(&self, select: &str, order: &str, limit: usize) -> String {
        let limit = limit.min(LIST_ROWS_MAX);
        let conditions = self.conditions.join(" AND ");
        let filter = if conditions.is_empty() { "" } else { " WHERE " };
        format!("{select}{filter}{conditions} ORDER BY {order} LIMIT {limit}")
    }
}

fn list<T>(
    connection: &Connection,
    sql: &str,
    values: &[Value],
    row: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map(params_from_iter(values), row)?;
    rows.collect()
}

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        view: SessionView {
            session: SessionId::new(row.get::<_, String>(0)?),
            version: VersionId::new(row.get::<_, String>(1)?),
            status: rows::status(row, 2)?,
            created_at: rows::time(row, 3)?,
            updated_at: rows::time(row, 4)?,
            wake_at: rows::time_maybe(row, 5)?,
            runnable: row.get(6)?,
        },
        agent: Identity {
            namespace: row.get(7)?,
            name: row.get(8)?,
            version: row.get(9)?,
        },
    })
}

fn approval_row(row: &Row<'_>) -> rusqlite::Result<ApprovalRow> {
    Ok(ApprovalRow {
        view: ApprovalView {
            approval: ApprovalId::new(row.get::<_, String>(0)?),
            session: SessionId::new(row.get::<_, String>(1)?),
            call: CallId::new(row.get::<_, String>(2)?),
            status: rows::approval_word(row, 3)?,
            route: row.get(4)?,
            created_at: rows::time(row, 5)?,
        },
        agent: Identity {
            namespace: row.get(6)?,
            name: row.get(7)?,
            version: row.get(8)?,
        },
    })
}
