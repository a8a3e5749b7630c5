//! Connections that know which file they are connected to.
//!
//! SQLite goes on writing to a database whose file has been deleted, moved or replaced, and what
//! it then commits is lost. So a link remembers the identity (device, inode and birth) of the database
//! and of its write-ahead log, and can say whether the paths still name them. A lost link is
//! dropped; a new one is made only to a file that carries the same store id, so that a store that
//! comes back is taken up again, and a strange one, or an empty one, never.
//!
//! A log that is deleted while its database stays takes acknowledged commits with it, which only
//! the connection that has it open can still read. It copies them into the database as it is
//! dropped, and the store stays unavailable until it is opened anew.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{self, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::checkpoint::LOG_BYTES_MAX;
use crate::fault::Unavailable;
use crate::schema::{self, Form};

const DATABASE: &str = "ordain.db";
const WAL: &str = "ordain.db-wal";
const LOCK: &str = "ordain.lock";

const BUSY_WAIT: Duration = Duration::from_secs(5);
const WRITER_CACHE_KIB: i64 = 32 * 1024;
const STATEMENTS_CACHED_MAX: usize = 64;

/// Where a store lies. Holds the lock on it for as long as it lives.
pub(crate) struct Place {
    paths: Option<Paths>,
    lock: Mutex<Option<Lock>>,
    // The files of the link that was made last.
    seen: Mutex<Option<Seen>>,
}

#[derive(Clone, Copy)]
struct Seen {
    database: FileId,
    wal: FileId,
}

pub(crate) struct Paths {
    pub(crate) dir: PathBuf,
    pub(crate) database: PathBuf,
    wal: PathBuf,
    lock: PathBuf,
}

impl Paths {
    // Absolute, so that a change of the working directory loses nothing.
    pub(crate) fn of(dir: &Path) -> Self {
        let dir = path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
        Self {
            database: dir.join(DATABASE),
            wal: dir.join(WAL),
            lock: dir.join(LOCK),
            dir,
        }
    }
}

struct Lock {
    // Held, not read: closing the file gives the lock back.
    _file: File,
    id: FileId,
}

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Writer,
    Reader,
    Checkpointer,
}

/// Which file a path names. The number of a file that is gone is soon given to another, so the
/// moment of its birth, where the file system keeps that, is a part of its identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
    born: Option<SystemTime>,
}

impl FileId {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let born = metadata.created().ok();
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            born,
        }
    }

    // Where an open file cannot be deleted, its birth is enough.
    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: 0,
            inode: 0,
            born: metadata.created().ok(),
        }
    }
}

/// Why the folder could not be locked.
#[derive(Debug)]
pub(crate) enum LockError {
    Taken,
    Io(io::Error),
}

impl Place {
    /// A store that lives only as long as its process.
    pub(crate) fn memory() -> Self {
        Self {
            paths: None,
            lock: Mutex::new(None),
            seen: Mutex::new(None),
        }
    }

    /// The folder, locked against every other runtime.
    pub(crate) fn lock(dir: &Path) -> Result<Self, LockError> {
        let paths = Paths::of(dir);
        let lock = take_lock(&paths.lock)?;
        Ok(Self {
            paths: Some(paths),
            lock: Mutex::new(Some(lock)),
            seen: Mutex::new(None),
        })
    }

    pub(crate) fn paths(&self) -> Option<&Paths> {
        self.paths.as_ref()
    }

    /// Whether the store is a file, so that a lost link can be made again.
    pub(crate) fn is_file(&self) -> bool {
        self.paths.is_some()
    }

    fn see(&self, files: &Files) {
        let seen = Seen {
            database: files.database.1,
            wal: files.wal.1,
        };
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
    }

    // INVARIANT: no link of ours deletes the log before the last is closed, so a known database
    // without its log has lost commits.
    fn keeps_its_log(&self, paths: &Paths, database: FileId) -> Result<(), Unavailable> {
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match seen {
            Some(seen) if seen.database == database => {
                let wal = fs::metadata(&paths.wal).ok().map(|it| FileId::of(&it));
                if wal == Some(seen.wal) {
                    Ok(())
                } else {
                    Err(log_lost(&paths.wal))
                }
            }
            Some(_) | None => Ok(()),
        }
    }

    // The lock file goes with the folder. Whoever comes back to the folder must hold the lock
    // that is there now, or a second runtime could be in it already.
    fn relock(&self, paths: &Paths) -> Result<(), Unavailable> {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let there = fs::metadata(&paths.lock).ok().map(|it| FileId::of(&it));
        if held.as_ref().is_some_and(|lock| Some(lock.id) == there) {
            return Ok(());
        }
        let lock = take_lock(&paths.lock).map_err(|error| match error {
            LockError::Taken => Unavailable::new("another runtime has taken the folder"),
            LockError::Io(error) => gone(&paths.lock, &error),
        })?;
        *held = Some(lock);
        Ok(())
    }
}

fn take_lock(path: &Path) -> Result<Lock, LockError> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(LockError::Io)?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => LockError::Taken,
        TryLockError::Error(error) => LockError::Io(error),
    })?;
    let id = FileId::of(&file.metadata().map_err(LockError::Io)?);
    Ok(Lock { _file: file, id })
}

/// A connection, and the files that it is connected to.
pub(crate) struct Link {
    pub(crate) connection: Connection,
    files: Option<Files>,
}

struct Files {
    database: (PathBuf, FileId),
    wal: (PathBuf, FileId),
}

impl Link {
    /// Takes over the first connection to a store, which has been migrated by now.
    pub(crate) fn adopt(place: &Place, connection: Connection) -> Result<Self, Unavailable> {
        configure(&connection, Role::Writer, place.is_file())?;
        let files = place.paths().map(Files::of).transpose()?;
        if let Some(files) = &files {
            place.see(files);
        }
        Ok(Self { connection, files })
    }

    /// Connects to a store that is known to have been there, never making a new one.
    pub(crate) fn connect(place: &Place, store: &str, role: Role) -> Result<Self, Unavailable> {
        let Some(paths) = place.paths() else {
            return Err(Unavailable::new(
                "a store in memory has only one connection",
            ));
        };
        let before = file_id(&paths.database)?;
        place.keeps_its_log(paths, before)?;
        match role {
            Role::Writer => place.relock(paths)?,
            Role::Reader | Role::Checkpointer => {}
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&paths.database, flags)?;
        configure(&connection, role, true)?;
        let form = schema::form(&connection)?;
        if form != Form::Ours(schema::VERSION) || schema::store_id(&connection)? != store {
            return Err(Unavailable::new(format!(
                "{} is not the database that was opened",
                paths.database.display()
            )));
        }
        let files = Files::of(paths)?;
        if files.database.1 != before {
            return Err(replaced(&paths.database));
        }
        place.see(&files);
        Ok(Self {
            connection,
            files: Some(files),
        })
    }

    /// Whether the paths still name the files that this link writes to.
    pub(crate) fn check(&self) -> Result<(), Unavailable> {
        match &self.files {
            Some(files) => named(&files.database).and_then(|()| named(&files.wal)),
            None => Ok(()),
        }
    }

    /// Lets go of files that are no longer the store's. They are not tidied up, since the same
    /// paths may belong to somebody else by now.
    pub(crate) fn abandon(self) {
        if let Some(files) = &self.files
            && named(&files.database).is_ok()
            && named(&files.wal).is_err()
        {
            self.rescue();
        }
        let kept = self
            .connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        if let Err(error) = kept {
            tracing::warn!(%error, "a lost connection is closed as if it were not");
        }
    }

    fn rescue(&self) {
        let copied = self
            .connection
            .query_one("PRAGMA wal_checkpoint(FULL)", [], |row| {
                Ok(row.get::<_, i64>(0)? == 0)
            });
        match copied {
            Ok(true) => tracing::warn!("the deleted write-ahead log is saved in the database"),
            Ok(false) => tracing::error!("the deleted write-ahead log could not be saved"),
            Err(error) => {
                tracing::error!(%error, "the deleted write-ahead log could not be saved");
            }
        }
    }
}

impl Files {
    fn of(paths: &Paths) -> Result<Self, Unavailable> {
        Ok(Self {
            database: (paths.database.clone(), file_id(&paths.database)?),
            wal: (paths.wal.clone(), file_id(&paths.wal)?),
        })
    }
}

fn file_id(path: &Path) -> Result<FileId, Unavailable> {
    fs::metadata(path)
        .map(|it| FileId::of(&it))
        .map_err(|error| gone(path, &error))
}

fn named((path, id): &(PathBuf, FileId)) -> Result<(), Unavailable> {
    if file_id(path)? == *id {
        Ok(())
    } else {
        Err(replaced(path))
    }
}

fn gone(path: &Path, error: &io::Error) -> Unavailable {
    Unavailable::new(format!("{}: {error}", path.display()))
}

fn log_lost(path: &Path) -> Unavailable {
    let path = path.display();
    Unavailable::new(format!(
        "{path} was deleted while it was in use: restart the runtime"
    ))
}

fn replaced(path: &Path) -> Unavailable {
    Unavailable::new(format!(
        "{} has been replaced by another file",
        path.display()
    ))
}

fn configure(connection: &Connection, role: Role, in_file: bool) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_WAIT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED_MAX);
    // A list that is sorted is sorted in memory, not in a temporary file.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    if in_file {
        connection.pragma_update(None, "synchronous", "FULL")?;
        // Where a plain sync does not reach the disk, as on macOS; nothing elsewhere.
        connection.pragma_update(None, "fullfsync", true)?;
        connection.pragma_update(None, "checkpoint_fullfsync", true)?;
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        connection.pragma_update(None, "journal_size_limit", LOG_BYTES_MAX)?;
        // The first read makes the write-ahead log, whose identity the link then records.
        connection.query_one("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    }
    match role {
        // A negative size counts KiB, a positive one pages.
        Role::Writer => connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB),
        Role::Reader => connection.pragma_update(None, "query_only", true),
        Role::Checkpointer => Ok(()),
    }
}
