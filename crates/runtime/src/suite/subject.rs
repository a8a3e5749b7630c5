//! The journal under test, and what is written to it.

use std::future::Future;
use std::sync::Arc;

use ::session::{SessionView, Status};
use spec::snapshot::Identity;
use spec::{Digest, SessionId, Time, VersionId};

use crate::{AppendError, Batch, Epoch, Journal, Stored, block_on, chain};

/// A journal under test, claimed once.
pub(super) struct Subject<J> {
    pub(super) journal: J,
    pub(super) epoch: Epoch,
}

impl<J: Journal> Subject<J> {
    pub(super) fn new(journal: J) -> Self {
        let epoch = ask(journal.claim());
        Self { journal, epoch }
    }

    pub(super) fn append(
        &self,
        id: &SessionId,
        expected: u64,
        batch: Batch,
    ) -> Result<(), AppendError> {
        block_on(self.journal.append(id, expected, self.epoch, batch))
    }

    pub(super) fn load(&self, id: &SessionId) -> Vec<Stored> {
        ask(self.journal.load(id))
    }

    pub(super) fn payload(&self, id: &SessionId, digest: Digest) -> Option<Arc<[u8]>> {
        ask(self.journal.payload(id, digest))
    }

    pub(super) fn due(&self, now: u64, max: usize) -> Vec<SessionId> {
        ask(self.journal.due(Time::from_unix_ms(now), max))
    }

    pub(super) fn runnable(&self) -> Vec<SessionId> {
        let mut ids = ask(self.journal.runnable());
        ids.sort();
        ids
    }
}

pub(super) fn ask<T, E: std::fmt::Debug>(future: impl Future<Output = Result<T, E>>) -> T {
    block_on(future).expect("a journal under test must answer")
}

pub(super) fn id(text: &str) -> SessionId {
    SessionId::new(text)
}

/// Entries that go on from `previous`, saying `texts`.
pub(super) fn entries(previous: &[Stored], texts: &[&[u8]]) -> Vec<Stored> {
    let mut last = previous
        .last()
        .map_or((0, Digest::ZERO), |it| (it.seq, it.hash));
    let mut stored = Vec::new();
    for bytes in texts {
        let seq = last.0.saturating_add(1);
        let hash = chain(&last.1, seq, bytes);
        stored.push(Stored {
            seq,
            hash,
            bytes: bytes.to_vec(),
        });
        last = (seq, hash);
    }
    stored
}

pub(super) fn batch(id: &SessionId, entries: Vec<Stored>) -> Batch {
    let at = Time::from_unix_ms(1_000);
    Batch {
        entries,
        payloads: Vec::new(),
        session: SessionView {
            session: id.clone(),
            version: VersionId::new("v-1"),
            status: Status::Running,
            created_at: at,
            updated_at: at,
            wake_at: None,
            runnable: false,
        },
        agent: Identity {
            namespace: "acme".to_owned(),
            name: "clerk".to_owned(),
            version: "1.0.0".to_owned(),
        },
        approvals: Vec::new(),
    }
}

pub(super) fn waking(id: &SessionId, entries: Vec<Stored>, wake_at: Option<u64>) -> Batch {
    let mut batch = batch(id, entries);
    batch.session.wake_at = wake_at.map(Time::from_unix_ms);
    batch
}

pub(super) fn running(id: &SessionId, entries: Vec<Stored>, runnable: bool) -> Batch {
    let mut batch = batch(id, entries);
    batch.session.runnable = runnable;
    batch
}
