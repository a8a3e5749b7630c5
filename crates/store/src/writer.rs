//! The one thread that writes. Whatever has gathered in the queue while a commit was syncing goes
//! into the next one together, and nobody is answered before the commit is on disk under the
//! store's path.
//!
//! Orders do not spoil their neighbours. A refusal comes before the first write. Should SQLite
//! fail an order halfway, the group is rolled back, and each of its orders tried again alone. (A
//! savepoint for each order would do too, and costs a copy of every page that it touches.)

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::checkpoint::Watch;
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

/// How an order went.
pub(crate) enum Verdict {
    Kept(Kind),
    /// It was refused, and has written nothing.
    Refused,
    /// SQLite failed it, perhaps after it had begun to write.
    Broken(Unavailable),
}

/// Something to do within a group. It may be done again if the group was rolled back.
pub(crate) trait Order: Send {
    /// How much it brings.
    fn bytes(&self) -> usize;
    /// Refuses, or writes.
    fn apply(&mut self, connection: &Connection) -> Verdict;
    /// Answers whoever asked, once the group's fate is known.
    fn settle(self: Box<Self>, fate: Result<(), &Unavailable>);
}

/// The order that every caller uses: work, and where its outcome goes.
pub(crate) struct Task<T, E, F> {
    kind: Kind,
    bytes: usize,
    work: F,
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
        Self {
            kind,
            bytes,
            work,
            outcome: None,
            answer,
        }
    }
}

impl<T, E, F> Order for Task<T, E, F>
where
    T: Send,
    E: From<Unavailable> + Send,
    F: Fn(&Connection) -> rusqlite::Result<Result<T, E>> + Send,
{
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn apply(&mut self, connection: &Connection) -> Verdict {
        let before = connection.total_changes();
        let (outcome, verdict) = match (self.work)(connection) {
            Ok(Ok(done)) => (Ok(done), Verdict::Kept(self.kind)),
            // INVARIANT: a refusal writes nothing, or its neighbours would commit it.
            Ok(Err(refused)) if connection.total_changes() == before => {
                (Err(refused), Verdict::Refused)
            }
            Ok(Err(refused)) => (
                Err(refused),
                Verdict::Broken(Unavailable::new("a refusal after a write")),
            ),
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
    /// Looks after the log, if there is one.
    pub(crate) watch: Option<Watch>,
    /// The checkpointer has left a rest.
    pub(crate) rest: Arc<AtomicBool>,
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
            self.serve(group);
        }
    }

    fn serve(&mut self, mut group: Vec<Box<dyn Order>>) {
        let fate = match self.commit(&mut group) {
            Ok(()) => Ok(()),
            Err(Fault::Order) if group.len() > 1 => {
                for order in group {
                    self.serve(vec![order]);
                }
                return;
            }
            // Rolled back, and answered with what went wrong.
            Err(Fault::Order) => Ok(()),
            Err(Fault::Store(why)) => {
                tracing::warn!(why = %why.0, orders = group.len(), "a group was not committed");
                self.lose();
                Err(why)
            }
        };
        for order in group {
            order.settle(fate.as_ref().copied());
        }
        if let (Some(watch), Some(link)) = (&mut self.watch, &self.link) {
            watch.tend(&link.connection, &self.rest);
        }
    }

    /// Commits the group and makes sure that it is where the store is.
    fn commit(&mut self, group: &mut [Box<dyn Order>]) -> Result<(), Fault> {
        let link = self.ready()?;
        let appends = transact(&link.connection, group)?;
        link.check()?;
        if appends > 0 {
            self.counters.commits.fetch_add(1, Ordering::Relaxed);
            self.counters.appends.fetch_add(appends, Ordering::Relaxed);
        }
        Ok(())
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
}

/// Why a group was not committed.
enum Fault {
    /// One of its orders failed, and the others may do better without it.
    Order,
    /// The store failed.
    Store(Unavailable),
}

impl From<Unavailable> for Fault {
    fn from(why: Unavailable) -> Self {
        Fault::Store(why)
    }
}

/// One transaction of the whole group; answers how many appends it carries.
fn transact(connection: &Connection, group: &mut [Box<dyn Order>]) -> Result<u64, Fault> {
    run(connection, "BEGIN IMMEDIATE")?;
    let done = apply(connection, group).and_then(|appends| {
        run(connection, "COMMIT")
            .map(|()| appends)
            .map_err(Fault::Store)
    });
    if done.is_err() && !connection.is_autocommit() {
        run(connection, "ROLLBACK")?;
    }
    done
}

fn apply(connection: &Connection, group: &mut [Box<dyn Order>]) -> Result<u64, Fault> {
    let mut appends = 0_u64;
    for order in group {
        match order.apply(connection) {
            Verdict::Kept(Kind::Append) => appends = appends.saturating_add(1),
            Verdict::Kept(Kind::Other) | Verdict::Refused => {}
            // Some failures, such as a full disk, end the transaction by themselves.
            Verdict::Broken(why) if connection.is_autocommit() => return Err(Fault::Store(why)),
            Verdict::Broken(why) => {
                tracing::warn!(why = %why.0, "an order failed");
                return Err(Fault::Order);
            }
        }
    }
    Ok(appends)
}

fn run(connection: &Connection, sql: &str) -> Result<(), Unavailable> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// How many bytes a value of `count` items of `T` and `bytes` of content weighs in a group.
pub(crate) fn weight<T>(count: usize, bytes: usize) -> usize {
    mem::size_of::<T>()
        .saturating_mul(count)
        .saturating_add(bytes)
}

#[cfg(test)]
mod tests;
