//! The one thread that writes. Whatever has gathered in the queue while a commit was syncing goes
//! into the next one together; each order has a savepoint of its own, so that one refusal does not
//! spoil its neighbours, and nobody is answered before the commit is on disk under the store's
//! path.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::checkpoint::{self, WAL_BYTES_MAX, WAL_KEPT_BYTES, WAL_STEP_BYTES};
use crate::fault::Unavailable;
use crate::link::{Link, Place, Role};

const GROUP_ORDERS_MAX: usize = 512;
const GROUP_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What the writer has done since it began.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Commits that carried appends.
    pub(crate) commits: AtomicU64,
    /// Appends that were acknowledged.
    pub(crate) appends: AtomicU64,
}

/// What an order is, for the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Append,
    Other,
}

/// Whether what an order wrote stays.
pub(crate) enum Verdict {
    Keep(Kind),
    /// It was refused, and wrote nothing that should stay.
    Undo,
    /// SQLite failed it.
    Broken(Unavailable),
}

/// Something to do within a group.
pub(crate) trait Order: Send {
    /// How much it brings.
    fn bytes(&self) -> usize;
    /// Writes, within a savepoint.
    fn apply(&mut self, connection: &Connection) -> Verdict;
    /// Answers whoever asked, once the group's fate is known.
    fn settle(self: Box<Self>, fate: Result<(), &Unavailable>);
}

/// The order that every caller uses: work, and where its outcome goes.
pub(crate) struct Task<T, E, F> {
    kind: Kind,
    bytes: usize,
    work: Option<F>,
    outcome: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Task<T, E, F> {
    pub(crate) fn new(
        kind: Kind,
        bytes: usize,
        work: F,
        answer: oneshot::Sender<Result<T, E>>,
    ) -> Self {
        Self { kind, bytes, work: Some(work), outcome: None, answer }
    }
}

impl<T, E, F> Order for Task<T, E, F>
where
    T: Send,
    E: From<Unavailable> + Send,
    F: FnOnce(&Connection) -> rusqlite::Result<Result<T, E>> + Send,
{
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn apply(&mut self, connection: &Connection) -> Verdict {
        let Some(work) = self.work.take() else {
            return Verdict::Undo;
        };
        let (outcome, verdict) = match work(connection) {
            Ok(Ok(done)) => (Ok(done), Verdict::Keep(self.kind)),
            Ok(Err(refused)) => (Err(refused), Verdict::Undo),
            Err(error) => {
                let why = Unavailable::from(error);
                (Err(E::from(why.clone())), Verdict::Broken(why))
            }
        };
        self.outcome = Some(outcome);
        verdict
    }

    fn settle(self: Box<Self>, fate: Result<(), &Unavailable>) {
        let answer = match (fate, self.outcome) {
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => Err(E::from(Unavailable::stopped())),
            (Err(why), _) => Err(E::from(why.clone())),
        };
        // Whoever asked may have stopped waiting.
        self.answer.send(answer).ok();
    }
}

/// The writer's own.
pub(crate) struct Writer {
    pub(crate) place: Arc<Place>,
    pub(crate) store: String,
    /// `None` while the store is lost.
    pub(crate) link: Option<Link>,
    pub(crate) counters: Arc<Counters>,
    /// Wakes the checkpointer.
    pub(crate) wake: Option<SyncSender<()>>,
    /// The checkpointer has left a rest.
    pub(crate) rest: Arc<AtomicBool>,
    /// The length of the log at which the checkpointer is woken next.
    pub(crate) wake_at_bytes: u64,
}

impl Writer {
    /// Works until every handle of the store is gone and the queue is empty.
    pub(crate) fn run(mut self, mut queue: mpsc::Receiver<Box<dyn Order>>) {
        while let Some(first) = queue.blocking_recv() {
            let mut bytes = first.bytes();
            let mut group = vec![first];
            while group.len() < GROUP_ORDERS_MAX && bytes < GROUP_BYTES_MAX {
                let Ok(next) = queue.try_recv() else { break };
                bytes = bytes.saturating_add(next.bytes());
                group.push(next);
            }
            let fate = self.commit(&mut group);
            for order in group {
                order.settle(fate.as_ref().map(|_| ()));
            }
            if let Ok(wal_bytes) = fate {
                self.tend(wal_bytes);
            }
        }
    }

    /// Commits the group and makes sure that it is where the store is; answers the log's length.
    fn commit(&mut self, group: &mut [Box<dyn Order>]) -> Result<u64, Unavailable> {
        let link = self.ready()?;
        let done = transact(&link.connection, group);
        let fate = match done {
            Ok(appends) => link.check().map(|wal_bytes| (appends, wal_bytes)),
            Err(why) => Err(why),
        };
        match fate {
            Ok((appends, wal_bytes)) => {
                if appends > 0 {
                    self.counters.commits.fetch_add(1, Ordering::Relaxed);
                    self.counters.appends.fetch_add(appends, Ordering::Relaxed);
                }
                Ok(wal_bytes)
            }
            Err(why) => {
                tracing::warn!(why = %why.0, orders = group.len(), "a group was not committed");
                self.lose();
                Err(why)
            }
        }
    }

    /// A link to the store where it is now, made again if the last one was lost.
    fn ready(&mut self) -> Result<&mut Link, Unavailable> {
        if self.link.as_ref().is_some_and(|link| link.check().is_err()) {
            self.lose();
        }
        match &mut self.link {
            Some(link) => Ok(link),
            lost @ None => {
                let link = Link::connect(&self.place, &self.store, Role::Writer)?;
                tracing::info!("the store is connected again");
                Ok(lost.insert(link))
            }
        }
    }

    // A store in memory is its connection, and keeps it.
    fn lose(&mut self) {
        if self.place.is_file()
            && let Some(link) = self.link.take()
        {
            link.abandon();
        }
    }

    /// Keeps the log from growing without end.
    fn tend(&mut self, wal_bytes: u64) {
        let Some(link) = &self.link else { return };
        let mut finish = self.rest.swap(false, Ordering::Acquire);
        if wal_bytes <= WAL_KEPT_BYTES {
            self.wake_at_bytes = WAL_KEPT_BYTES;
        } else if wal_bytes > self.wake_at_bytes {
            self.wake_at_bytes = wal_bytes.saturating_add(WAL_STEP_BYTES);
            finish |= wal_bytes > WAL_BYTES_MAX;
            if let Some(wake) = &self.wake {
                // A full channel means that it is awake already.
                wake.try_send(()).ok();
            }
        }
        if finish && let Err(error) = checkpoint::pass(&link.connection) {
            tracing::warn!(%error, "the rest of the write-ahead log could not be copied back");
        }
    }
}

/// One transaction of the whole group; answers how many appends stayed.
fn transact(connection: &Connection, group: &mut [Box<dyn Order>]) -> Result<u64, Unavailable> {
    let done = (|| {
        run(connection, "BEGIN IMMEDIATE")?;
        let mut appends = 0_u64;
        for order in group {
            appends = appends.saturating_add(one(connection, order.as_mut())?);
        }
        run(connection, "COMMIT")?;
        Ok(appends)
    })();
    if done.is_err() && !connection.is_autocommit() {
        run(connection, "ROLLBACK").unwrap_or_else(|why: Unavailable| {
            tracing::warn!(why = %why.0, "a group could not be rolled back");
        });
    }
    done
}

fn one(connection: &Connection, order: &mut dyn Order) -> Result<u64, Unavailable> {
    run(connection, "SAVEPOINT one")?;
    let appends = match order.apply(connection) {
        Verdict::Keep(Kind::Append) => 1,
        Verdict::Keep(Kind::Other) => 0,
        Verdict::Undo => {
            run(connection, "ROLLBACK TO one")?;
            0
        }
        Verdict::Broken(why) => {
            // Some failures, such as a full disk, end the whole transaction.
            if connection.is_autocommit() {
                return Err(why);
            }
            run(connection, "ROLLBACK TO one")?;
            0
        }
    };
    run(connection, "RELEASE one")?;
    Ok(appends)
}

fn run(connection: &Connection, sql: &str) -> Result<(), Unavailable> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// How many bytes a value of `count` items of `T` and `bytes` of content weighs in a group.
pub(crate) fn weight<T>(count: usize, bytes: usize) -> usize {
    mem::size_of::<T>().saturating_mul(count).saturating_add(bytes)
}
