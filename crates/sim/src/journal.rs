//! A journal in memory, with the faults that a real one has: refused, committed but unanswered,
//! dead before or after the commit.

use std::collections::BTreeMap;
use std::future::{Future, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runtime::{AppendError, Batch, Epoch, Journal, LoadError, Stored};
use session::{Entry, SessionView, decode};
use spec::{Digest, SessionId, Time};

use crate::chaos::Chaos;

/// How the next append fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is written and the answer is an error.
    Refused,
    /// It is written and the answer is an error all the same.
    CommittedUnanswered,
}

/// A rule of the journal broken on purpose, to see that the invariants notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Acknowledges before anything is on disk: a crash loses the last append of each session.
    AckBeforeDurable,
}

/// The journal; clones share one store.
#[derive(Clone)]
pub struct MemoryJournal {
    inner: Arc<Mutex<Inner>>,
    chaos: Chaos,
}

#[derive(Default)]
struct Inner {
    epoch: u64,
    sessions: BTreeMap<SessionId, Kept>,
    fault: Option<Fault>,
    sabotage: Option<Sabotage>,
    appends: u64,
}

#[derive(Default)]
struct Kept {
    entries: Vec<Stored>,
    /// The same, decoded once: the invariants read them at every step.
    decoded: Vec<Entry>,
    durable: usize,
    payloads: BTreeMap<Digest, Arc<[u8]>>,
    view: Option<SessionView>,
}

impl MemoryJournal {
    /// An empty journal whose process may die as `chaos` says.
    #[must_use]
    pub fn new(chaos: Chaos) -> Self {
        Self {
            inner: Arc::default(),
            chaos,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the next append fail.
    pub fn fail_next(&self, fault: Fault) {
        self.lock().fault = Some(fault);
    }

    /// Breaks a rule from now on.
    pub fn sabotage(&self, sabotage: Sabotage) {
        self.lock().sabotage = Some(sabotage);
    }

    /// Appends that were written.
    #[must_use]
    pub fn appends(&self) -> u64 {
        self.lock().appends
    }

    /// The machine lost power: what was not on disk is gone (nothing, unless sabotaged).
    pub fn lose_power(&self) {
        let mut inner = self.lock();
        for kept in inner.sessions.values_mut() {
            kept.entries.truncate(kept.durable);
            kept.decoded.truncate(kept.durable);
        }
        inner.sessions.retain(|_, kept| !kept.entries.is_empty());
    }

    /// Everything on record, decoded.
    #[must_use]
    pub fn entries(&self, session: &SessionId) -> Vec<Entry> {
        let inner = self.lock();
        inner
            .sessions
            .get(session)
            .map(|it| it.decoded.clone())
            .unwrap_or_default()
    }

    /// Bytes on record.
    #[must_use]
    pub fn bytes(&self, session: &SessionId, digest: Digest) -> Option<Vec<u8>> {
        let inner = self.lock();
        let kept = inner.sessions.get(session)?;
        kept.payloads.get(&digest).map(|it| it.to_vec())
    }

    /// Every session on record.
    #[must_use]
    pub fn sessions(&self) -> Vec<SessionId> {
        self.lock().sessions.keys().cloned().collect()
    }

    fn try_append(
        &self,
        session: &SessionId,
        expected: u64,
        epoch: Epoch,
        batch: Batch,
    ) -> Result<(), AppendError> {
        let unavailable = |why: &str| Err(AppendError::Unavailable(why.to_owned()));
        if self.chaos.point() {
            return unavailable("dead before the commit");
        }
        let mut inner = self.lock();
        if epoch.0 != inner.epoch {
            return Err(AppendError::Fenced);
        }
        let fault = inner.fault.take();
        if fault == Some(Fault::Refused) {
            return unavailable("refused");
        }
        let sabotage = inner.sabotage;
        let kept = inner.sessions.entry(session.clone()).or_default();
        if kept.entries.len() as u64 != expected {
            let conflict = AppendError::Conflict {
                session: session.clone(),
                expected,
            };
            if kept.entries.is_empty() {
                inner.sessions.remove(session);
            }
            return Err(conflict);
        }
        kept.durable = match sabotage {
            Some(Sabotage::AckBeforeDurable) => kept.entries.len(),
            None => kept.entries.len() + batch.entries.len(),
        };
        let decoded = batch.entries.iter().filter_map(|it| decode(&it.bytes).ok());
        kept.decoded.extend(decoded);
        kept.entries.extend(batch.entries);
        kept.payloads.extend(batch.payloads);
        kept.view = Some(batch.session);
        inner.appends += 1;
        drop(inner);
        if fault == Some(Fault::CommittedUnanswered) {
            return unavailable("committed, but the answer was lost");
        }
        if self.chaos.point() {
            return unavailable("dead after the commit");
        }
        Ok(())
    }

    fn views(&self, wanted: impl Fn(&SessionView) -> bool) -> Vec<SessionView> {
        let inner = self.lock();
        inner
            .sessions
            .values()
            .filter_map(|it| it.view.clone())
            .filter(|it| wanted(it))
            .collect()
    }
}

impl Journal for MemoryJournal {
    fn claim(&self) -> impl Future<Output = Result<Epoch, LoadError>> + Send {
        let mut inner = self.lock();
        inner.epoch += 1;
        ready(Ok(Epoch(inner.epoch)))
    }

    fn append(
        &self,
        session: &SessionId,
        expected: u64,
        epoch: Epoch,
        batch: Batch,
    ) -> impl Future<Output = Result<(), AppendError>> + Send {
        ready(self.try_append(session, expected, epoch, batch))
    }

    fn load(
        &self,
        session: &SessionId,
    ) -> impl Future<Output = Result<Vec<Stored>, LoadError>> + Send {
        let inner = self.lock();
        ready(Ok(inner
            .sessions
            .get(session)
            .map(|it| it.entries.clone())
            .unwrap_or_default()))
    }

    fn payload(
        &self,
        session: &SessionId,
        digest: Digest,
    ) -> impl Future<Output = Result<Option<Arc<[u8]>>, LoadError>> + Send {
        let inner = self.lock();
        let kept = inner.sessions.get(session);
        ready(Ok(kept.and_then(|it| it.payloads.get(&digest).cloned())))
    }

    fn runnable(&self) -> impl Future<Output = Result<Vec<SessionId>, LoadError>> + Send {
        ready(Ok(self
            .views(|it| it.runnable)
            .into_iter()
            .map(|it| it.session)
            .collect()))
    }

    fn due(
        &self,
        now: Time,
        max: usize,
    ) -> impl Future<Output = Result<Vec<SessionId>, LoadError>> + Send {
        let mut views = self.views(|it| it.wake_at.is_some_and(|at| at <= now));
        views.sort_by_key(|it| (it.wake_at, it.session.clone()));
        ready(Ok(views
            .into_iter()
            .take(max)
            .map(|it| it.session)
            .collect()))
    }
}
