//! Opens a store: makes the folder, locks it, checks and migrates the file, starts the threads.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::{fmt, fs};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::sync::{mpsc, oneshot};

use crate::checkpoint::{self, Watch};
use crate::fault::Unavailable;
use crate::link::{Link, LockError, Place};
use crate::readers::{self, Query};
use crate::schema::{self, Form};
use crate::writer::{Counters, Kind, Order, Task, Writer};

/// How a store is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// How many writes, and how many queries, may wait; whoever comes after waits to be queued.
    pub queue_max: usize,
    /// Threads that read.
    pub readers: usize,
}

impl StoreSettings {
    /// What suits most machines.
    pub const STANDARD: StoreSettings = StoreSettings {
        queue_max: 4096,
        readers: 4,
    };
}

/// Why a store could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Another runtime works in this folder.
    #[error("{} is in use by another runtime", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The path, or a part of it, is not a folder.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// The operating system forbids it.
    #[error("no permission to read and write {}", path.display())]
    NoPermission {
        /// The path.
        path: PathBuf,
    },
    /// There is a file where the store should be, and it is not a store.
    #[error("{} is not an ordain store", path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// The file was a store, and cannot be read.
    #[error("{} is damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A newer binary has written it.
    #[error(
        "{} has schema version {found}, and this binary knows up to {known}: use a newer one",
        path.display()
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: usize,
        /// Ours.
        known: usize,
    },
    /// Anything else that the operating system or SQLite says.
    #[error("cannot open {}: {why}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What it says.
        why: String,
    },
}

/// A store. Clones are handles to the same one; when the last is dropped, what is queued is
/// written, the threads end, and the folder may be opened again.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

// INVARIANT: fields are dropped in this order. The queues close first, which lets the threads end;
// they are waited for; and only then is the lock on the folder given back.
struct Inner {
    writes: mpsc::Sender<Box<dyn Order>>,
    // `None` in memory, where the one connection is the writer's.
    queries: Option<mpsc::Sender<Box<dyn Query>>>,
    counters: Arc<Counters>,
    _threads: Threads,
    place: Arc<Place>,
}

struct Threads(Vec<JoinHandle<()>>);

impl Drop for Threads {
    fn drop(&mut self) {
        for thread in self.0.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a thread of the store has panicked");
            }
        }
    }
}

impl Store {
    /// Opens the store in `dir`, making both if they are not there.
    ///
    /// # Errors
    ///
    /// [`OpenError`] says what is in the way.
    pub fn open(dir: &Path, settings: StoreSettings) -> Result<Store, OpenError> {
        let made = make_dir(dir)?;
        let place = Place::lock(dir).map_err(|error| match error {
            LockError::Taken => OpenError::InUse {
                path: dir.to_owned(),
            },
            LockError::Io(error) => io_error(dir, &error),
        })?;
        let database = place
            .paths()
            .map_or_else(|| dir.to_owned(), |it| it.database.clone());
        let connection = open_database(&database)?;
        sync_dirs(dir, &made);
        start(place, connection, settings, &database)
    }

    /// A store that is gone when its last handle is. For tests.
    ///
    /// # Errors
    ///
    /// When SQLite or the operating system has no memory or no thread to spare.
    pub fn in_memory() -> Result<Store, OpenError> {
        let path = Path::new(":memory:");
        let connection =
            Connection::open_in_memory().map_err(|error| sqlite_error(path, &error))?;
        schema::migrate(&connection, 0).map_err(|error| sqlite_error(path, &error))?;
        let settings = StoreSettings {
            readers: 0,
            ..StoreSettings::STANDARD
        };
        start(Place::memory(), connection, settings, path)
    }

    /// How many commits have carried appends since the store was opened.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.inner.counters.commits.load(Ordering::Relaxed)
    }

    /// How many appends have been acknowledged since the store was opened.
    #[must_use]
    pub fn appends(&self) -> u64 {
        self.inner.counters.appends.load(Ordering::Relaxed)
    }

    /// Has the writer do `work` within its next group. A refusal must come before its first write.
    pub(crate) async fn write<T, E, F>(&self, kind: Kind, bytes: usize, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Unavailable> + Send + 'static,
        F: Fn(&Connection) -> rusqlite::Result<Result<T, E>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let order = Box::new(Task::new(kind, bytes, work, answer));
        if self.inner.writes.send(order).await.is_err() {
            return Err(E::from(Unavailable::stopped()));
        }
        answered
            .await
            .unwrap_or_else(|_| Err(E::from(Unavailable::stopped())))
    }

    /// Has a reader do `work`, which sees everything that was acknowledged before.
    pub(crate) async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Unavailable> + Send + 'static,
        F: Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let Some(queries) = &self.inner.queries else {
            return self
                .write(Kind::Other, 0, move |connection| work(connection).map(Ok))
                .await;
        };
        let (answer, answered) = oneshot::channel();
        if queries
            .send(Box::new(readers::Task { work, answer }))
            .await
            .is_err()
        {
            return Err(E::from(Unavailable::stopped()));
        }
        let rows = answered
            .await
            .unwrap_or_else(|_| Err(Unavailable::stopped()));
        rows.map_err(E::from)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dir = self.inner.place.paths().map(|it| &it.dir);
        f.debug_struct("Store")
            .field("dir", &dir)
            .finish_non_exhaustive()
    }
}

/// Makes the folder; answers those that were not there.
fn make_dir(dir: &Path) -> Result<Vec<PathBuf>, OpenError> {
    let missing = dir
        .ancestors()
        .take_while(|it| !it.exists())
        .map(Path::to_owned)
        .collect();
    fs::create_dir_all(dir).map_err(|error| io_error(dir, &error))?;
    if dir.is_dir() {
        Ok(missing)
    } else {
        Err(OpenError::NotADirectory {
            path: dir.to_owned(),
        })
    }
}

fn open_database(path: &Path) -> Result<Connection, OpenError> {
    // Asked of the operating system first, since SQLite says "unable to open" to everything.
    fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|error| {
            if error.kind() == ErrorKind::IsADirectory {
                OpenError::NotAStore {
                    path: path.to_owned(),
                }
            } else {
                io_error(path, &error)
            }
        })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| sqlite_error(path, &error))?;
    let taken = match schema::form(&connection).map_err(|error| sqlite_error(path, &error))? {
        Form::Empty => 0,
        Form::Ours(version) if version > schema::VERSION => {
            return Err(OpenError::TooNew {
                path: path.to_owned(),
                found: version,
                known: schema::VERSION,
            });
        }
        Form::Ours(version) => version,
        Form::Foreign => {
            return Err(OpenError::NotAStore {
                path: path.to_owned(),
            });
        }
    };
    prepare(&connection, taken).map_err(|error| sqlite_error(path, &error))?;
    Ok(connection)
}

fn prepare(connection: &Connection, taken: usize) -> rusqlite::Result<()> {
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR),
            Some("this file system has no shared memory for a write-ahead log".to_owned()),
        ));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    schema::migrate(connection, taken)
}

// A new file is there after a power cut only if the folders that name it are on disk. Not every
// file system lets a folder be synced; where it does not, there is nothing more to be done.
fn sync_dirs(dir: &Path, made: &[PathBuf]) {
    for folder in made.iter().filter_map(|it| it.parent()).chain([dir]) {
        if let Err(error) = fs::File::open(folder).and_then(|it| it.sync_all()) {
            tracing::debug!(%error, folder = %folder.display(), "a folder could not be synced");
        }
    }
}

fn start(
    place: Place,
    connection: Connection,
    settings: StoreSettings,
    path: &Path,
) -> Result<Store, OpenError> {
    let place = Arc::new(place);
    let counters = Arc::new(Counters::default());
    let store: Arc<str> = schema::store_id(&connection)
        .map_err(|error| sqlite_error(path, &error))?
        .into();
    let link = Link::adopt(&place, connection).map_err(|Unavailable(why)| OpenError::Io {
        path: path.to_owned(),
        why,
    })?;
    let failed = |error: io::Error| io_error(path, &error);
    let mut threads = Threads(Vec::new());

    let rest = Arc::new(AtomicBool::new(false));
    let mut watch = None;
    if place.is_file() {
        let (waker, wakes) = sync_channel(1);
        watch = Some(Watch::new(waker));
        let (place, store, rest) = (Arc::clone(&place), Arc::clone(&store), Arc::clone(&rest));
        let copy = move || checkpoint::run(&place, &store, &wakes, &rest);
        threads
            .0
            .push(spawn("store-checkpoint", copy).map_err(failed)?);
    }

    let writer = Writer {
        place: Arc::clone(&place),
        store: store.to_string(),
        link: Some(link),
        counters: Arc::clone(&counters),
        watch,
        rest,
    };
    let (writes, queue) = mpsc::channel(settings.queue_max.max(1));
    threads
        .0
        .push(spawn("store-writer", move || writer.run(queue)).map_err(failed)?);

    let mut queries = None;
    if place.is_file() {
        let (sender, queue) = mpsc::channel(settings.queue_max.max(1));
        queries = Some(sender);
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..settings.readers.max(1) {
            let (place, store, queue) =
                (Arc::clone(&place), Arc::clone(&store), Arc::clone(&queue));
            let read = move || readers::run(&place, &store, &queue);
            threads.0.push(spawn("store-reader", read).map_err(failed)?);
        }
    }
    Ok(Store {
        inner: Arc::new(Inner {
            writes,
            queries,
            counters,
            _threads: threads,
            place,
        }),
    })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}

fn io_error(path: &Path, error: &io::Error) -> OpenError {
    let path = path.to_owned();
    let kind = error.kind();
    if kind == ErrorKind::PermissionDenied || kind == ErrorKind::ReadOnlyFilesystem {
        OpenError::NoPermission { path }
    } else if kind == ErrorKind::NotADirectory || kind == ErrorKind::AlreadyExists {
        OpenError::NotADirectory { path }
    } else {
        OpenError::Io {
            path,
            why: error.to_string(),
        }
    }
}

fn sqlite_error(path: &Path, error: &rusqlite::Error) -> OpenError {
    let path = path.to_owned();
    let code = error.sqlite_error_code();
    if code == Some(ErrorCode::NotADatabase) {
        OpenError::NotAStore { path }
    } else if code == Some(ErrorCode::DatabaseCorrupt) {
        OpenError::Damaged {
            path,
            why: error.to_string(),
        }
    } else if code == Some(ErrorCode::ReadOnly) || code == Some(ErrorCode::PermissionDenied) {
        OpenError::NoPermission { path }
    } else {
        OpenError::Io {
            path,
            why: error.to_string(),
        }
    }
}
