//! Documents that stand by themselves: Tools and Policies, in versions that never change. Knows that
//! a version is kept for ever and may be marked as deprecated; not what is in one.

use runtime::LoadError;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use spec::{Digest, DocumentKind, Time};

use crate::Store;
use crate::fault::Unavailable;
use crate::rows;
use crate::writer::Kind;

type Sql<T> = rusqlite::Result<T>;

/// The most versions of one document. All are looked at when a reference to it is resolved.
pub const DOCUMENT_VERSIONS_MAX: usize = 1000;
/// The most bytes of all versions of one document together.
pub const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The most documents on a page.
pub const DOCUMENT_PAGE_MAX: usize = 100;

/// Which document, in whatever version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentId {
    /// Its kind.
    pub kind: DocumentKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for DocumentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}.{}", self.kind, self.namespace, self.name)
    }
}

/// A version to be published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDocument {
    /// Which document.
    pub id: DocumentId,
    /// The version.
    pub version: String,
    /// The version without build metadata: two versions with the same key are the same.
    pub version_key: String,
    /// The digest of the text.
    pub digest: Digest,
    /// The text.
    pub document: Vec<u8>,
    /// Who publishes.
    pub actor: String,
    /// When.
    pub now: Time,
}

/// A version that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentVersion {
    /// The version.
    pub version: String,
    /// The digest of its text.
    pub digest: Digest,
    /// When it was published.
    pub published_at: Time,
    /// Who published it.
    pub published_by: String,
    /// When it was deprecated.
    pub deprecated_at: Option<Time>,
    /// Who deprecated it.
    pub deprecated_by: Option<String>,
}

/// A document with all its versions, in the order of their publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRow {
    /// Which document.
    pub id: DocumentId,
    /// Never empty.
    pub versions: Vec<DocumentVersion>,
}

/// Why a document was not published or deprecated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The version was published before.
    #[error("{}", already(.label, .existing, .offered))]
    AlreadyExists {
        /// Kind, id and version.
        label: String,
        /// The digest of what is there.
        existing: Digest,
        /// The digest of what was offered.
        offered: Digest,
        /// What is there.
        document: Vec<u8>,
    },
    /// There would be too much to look through.
    #[error(
        "{label} has {versions} versions of {bytes} bytes together; the catalog takes at most \
         {DOCUMENT_VERSIONS_MAX} and {DOCUMENT_BYTES_MAX} of one document"
    )]
    Full {
        /// Kind and id.
        label: String,
        /// How many there are.
        versions: usize,
        /// How large they are together.
        bytes: usize,
    },
    /// There is no such document, or no such version of it.
    #[error("{label} not found")]
    NotFound {
        /// Kind, id and version.
        label: String,
    },
    /// The version was deprecated before.
    #[error("{label} is already deprecated")]
    AlreadyDeprecated {
        /// Kind, id and version.
        label: String,
    },
    /// The store did not answer: it may or may not have been done.
    #[error("the store is not available: {0}")]
    Unavailable(String),
}

fn already(label: &str, existing: &Digest, offered: &Digest) -> String {
    if existing == offered {
        format!("{label} is already in the catalog, with identical content ({existing})")
    } else {
        format!("{label} is already in the catalog with other content: {existing}, not {offered}")
    }
}

impl From<Unavailable> for DocumentError {
    fn from(Unavailable(why): Unavailable) -> Self {
        DocumentError::Unavailable(why)
    }
}

impl Store {
    /// Publishes a version of a document.
    ///
    /// # Errors
    ///
    /// When the version is there, the document has too many of them, or the store does not answer.
    pub async fn publish_document(&self, new: NewDocument) -> Result<(), DocumentError> {
        let bytes = new.document.len();
        self.write(Kind::Other, bytes, move |connection| {
            publish(connection, &new)
        })
        .await
    }

    /// Deprecates a version of a document, for good.
    ///
    /// # Errors
    ///
    /// When there is no such version, it is deprecated already, or the store does not answer.
    pub async fn deprecate_document(
        &self,
        id: DocumentId,
        version: &str,
        actor: &str,
        now: Time,
    ) -> Result<(), DocumentError> {
        let (version, actor) = (version.to_owned(), actor.to_owned());
        self.write(Kind::Other, 0, move |connection| {
            deprecate(connection, &id, &version, (&actor, now))
        })
        .await
    }

    /// Every version of a document, in the order of their publication.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn document_versions(
        &self,
        id: DocumentId,
    ) -> Result<Vec<DocumentVersion>, LoadError> {
        self.read(move |connection| versions(connection, &id)).await
    }

    /// Every version of a document with its text: at most [`DOCUMENT_VERSIONS_MAX`], of
    /// [`DOCUMENT_BYTES_MAX`] bytes together.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn documents(
        &self,
        id: DocumentId,
    ) -> Result<Vec<(DocumentVersion, Vec<u8>)>, LoadError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(&format!(
                "SELECT {COLUMNS}, document FROM documents WHERE {ONE} ORDER BY key"
            ))?;
            let rows = select.query_map(key(&id), |row| Ok((version_row(row)?, row.get(6)?)))?;
            rows.collect()
        })
        .await
    }

    /// The text of one version.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn document(
        &self,
        id: DocumentId,
        version: &str,
    ) -> Result<Option<Vec<u8>>, LoadError> {
        let version = version.to_owned();
        self.read(move |connection| {
            let (kind, namespace, name) = key(&id);
            connection
                .prepare_cached(&format!(
                    "SELECT document FROM documents WHERE {ONE} AND version_key = ?4"
                ))?
                .query_row([kind, namespace, name, &version], |row| row.get(0))
                .optional()
        })
        .await
    }

    /// Documents of one kind by namespace and name, of one namespace or all, those that come after
    /// `after`; at most `limit`, and never more than [`DOCUMENT_PAGE_MAX`].
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn document_page(
        &self,
        kind: DocumentKind,
        namespace: Option<&str>,
        after: (&str, &str),
        limit: usize,
    ) -> Result<Vec<DocumentRow>, LoadError> {
        let namespace = namespace.map(str::to_owned);
        let after = (after.0.to_owned(), after.1.to_owned());
        let limit = limit.min(DOCUMENT_PAGE_MAX);
        self.read(move |connection| {
            let after = (after.0.as_str(), after.1.as_str());
            let ids = ids(connection, kind, namespace.as_deref(), after, limit)?;
            let with_versions = |id: DocumentId| {
                let versions = versions(connection, &id)?;
                Ok(DocumentRow { id, versions })
            };
            ids.into_iter().map(with_versions).collect()
        })
        .await
    }

    /// Ids of documents of one kind, by namespace and name; at most `limit`.
    ///
    /// # Errors
    ///
    /// When the store does not answer.
    pub async fn document_ids(
        &self,
        kind: DocumentKind,
        limit: usize,
    ) -> Result<Vec<DocumentId>, LoadError> {
        self.read(move |connection| ids(connection, kind, None, ("", ""), limit))
            .await
    }
}

const COLUMNS: &str = "version, digest, published_at, published_by, deprecated_at, deprecated_by";
const ONE: &str = "kind = ?1 AND namespace = ?2 AND name = ?3";

fn key(id: &DocumentId) -> (&str, &str, &str) {
    (id.kind.as_str(), &id.namespace, &id.name)
}

fn publish(connection: &Connection, new: &NewDocument) -> Sql<Result<(), DocumentError>> {
    let (kind, namespace, name) = key(&new.id);
    let existing = connection
        .prepare_cached(&format!(
            "SELECT digest, document FROM documents WHERE {ONE} AND version_key = ?4"
        ))?
        .query_row([kind, namespace, name, &new.version_key], |row| {
            Ok((rows::digest(row, 0)?, row.get(1)?))
        })
        .optional()?;
    if let Some((existing, document)) = existing {
        return Ok(Err(DocumentError::AlreadyExists {
            label: format!("{}@{}", new.id, new.version_key),
            existing,
            offered: new.digest,
            document,
        }));
    }
    let (versions, bytes) = connection
        .prepare_cached(&format!(
            "SELECT count(*), coalesce(sum(length(document)), 0) FROM documents WHERE {ONE}"
        ))?
        .query_row(key(&new.id), |row| Ok((count(row, 0)?, count(row, 1)?)))?;
    let together = bytes.saturating_add(new.document.len());
    if versions >= DOCUMENT_VERSIONS_MAX || together > DOCUMENT_BYTES_MAX {
        let label = new.id.to_string();
        return Ok(Err(DocumentError::Full {
            label,
            versions,
            bytes,
        }));
    }
    connection
        .prepare_cached(
            "INSERT INTO documents (kind, namespace, name, version, version_key, digest, document,
                 published_at, published_by)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            kind,
            namespace,
            name,
            new.version,
            new.version_key,
            new.digest.as_bytes(),
            new.document,
            new.now.unix_ms_i64(),
            new.actor,
        ])?;
    Ok(Ok(()))
}

fn count(row: &Row<'_>, column: usize) -> Sql<usize> {
    rows::seq(row, column).map(|it| usize::try_from(it).unwrap_or(usize::MAX))
}

fn deprecate(
    connection: &Connection,
    id: &DocumentId,
    version: &str,
    (actor, now): (&str, Time),
) -> Sql<Result<(), DocumentError>> {
    let (kind, namespace, name) = key(id);
    let label = format!("{id}@{version}");
    let found = connection
        .prepare_cached(&format!(
            "SELECT key, deprecated_at IS NOT NULL FROM documents
             WHERE {ONE} AND version_key = ?4"
        ))?
        .query_row([kind, namespace, name, version], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?))
        })
        .optional()?;
    Ok(match found {
        None => Err(DocumentError::NotFound { label }),
        Some((_, true)) => Err(DocumentError::AlreadyDeprecated { label }),
        Some((key, false)) => {
            connection
                .prepare_cached(
                    "UPDATE documents SET deprecated_at = ?2, deprecated_by = ?3 WHERE key = ?1",
                )?
                .execute(params![key, now.unix_ms_i64(), actor])?;
            Ok(())
        }
    })
}

fn ids(
    connection: &Connection,
    kind: DocumentKind,
    namespace: Option<&str>,
    after: (&str, &str),
    limit: usize,
) -> Sql<Vec<DocumentId>> {
    let mut select = connection.prepare_cached(
        "SELECT DISTINCT namespace, name FROM documents
         WHERE kind = ?1 AND (?2 IS NULL OR namespace = ?2) AND (namespace, name) > (?3, ?4)
         ORDER BY namespace, name LIMIT ?5",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let wanted = params![kind.as_str(), namespace, after.0, after.1, limit];
    let rows = select.query_map(wanted, |row| {
        Ok(DocumentId {
            kind,
            namespace: row.get(0)?,
            name: row.get(1)?,
        })
    })?;
    rows.collect()
}

fn versions(connection: &Connection, id: &DocumentId) -> Sql<Vec<DocumentVersion>> {
    let mut select = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM documents WHERE {ONE} ORDER BY key"
    ))?;
    let rows = select.query_map(key(id), version_row)?;
    rows.collect()
}

fn version_row(row: &Row<'_>) -> Sql<DocumentVersion> {
    Ok(DocumentVersion {
        version: row.get(0)?,
        digest: rows::digest(row, 1)?,
        published_at: rows::time(row, 2)?,
        published_by: row.get(3)?,
        deprecated_at: rows::time_maybe(row, 4)?,
        deprecated_by: row.get(5)?,
    })
}
