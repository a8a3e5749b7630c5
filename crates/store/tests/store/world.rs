//! What the tests write, and where.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use runtime::{AppendError, Batch, Epoch, Journal as _, Stored, block_on, chain};
use session::{SessionView, Status};
use spec::snapshot::Identity;
use spec::{Digest, SessionId, Time, VersionId};
use store::{Store, StoreSettings};
use tempfile::TempDir;

pub(crate) fn folder() -> TempDir {
    TempDir::new().expect("a folder can be made")
}

pub(crate) fn open(dir: &Path) -> Store {
    Store::open(dir, StoreSettings::STANDARD).expect("the store opens")
}

pub(crate) fn ask<T, E: std::fmt::Debug>(future: impl Future<Output = Result<T, E>>) -> T {
    block_on(future).expect("the store answers")
}

pub(crate) fn claim(store: &Store) -> Epoch {
    ask(store.claim())
}

pub(crate) fn at(ms: u64) -> Time {
    Time::from_unix_ms(ms)
}

pub(crate) fn id(text: &str) -> SessionId {
    SessionId::new(text)
}

pub(crate) fn identity(name: &str, version: &str) -> Identity {
    Identity {
        namespace: "acme".to_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
    }
}

/// The entry after `last`.
pub(crate) fn entry(last: Option<&Stored>, text: &str) -> Stored {
    let (seq, hash) = last.map_or((0, Digest::ZERO), |it| (it.seq, it.hash));
    let bytes = text.as_bytes().to_vec();
    Stored {
        seq: seq + 1,
        hash: chain(&hash, seq + 1, &bytes),
        bytes,
    }
}

/// One entry and its payload, of a session that has done nothing yet but run.
pub(crate) fn batch(id: &SessionId, entry: Stored) -> Batch {
    let payload: Arc<[u8]> = Arc::from(entry.bytes.as_slice());
    Batch {
        entries: vec![entry],
        payloads: vec![(Digest::of(&payload), payload)],
        session: SessionView {
            session: id.clone(),
            version: VersionId::new("v-1"),
            status: Status::Running,
            created_at: at(1_000),
            updated_at: at(1_000),
            wake_at: None,
            runnable: true,
        },
        agent: identity("clerk", "1.0.0"),
        approvals: Vec::new(),
    }
}

/// A session that is written to one entry at a time.
pub(crate) struct Writing {
    pub(crate) id: SessionId,
    pub(crate) epoch: Epoch,
    /// What was acknowledged.
    pub(crate) written: Vec<Stored>,
}

impl Writing {
    pub(crate) fn new(store: &Store, name: &str) -> Self {
        Self {
            id: id(name),
            epoch: claim(store),
            written: Vec::new(),
        }
    }

    pub(crate) fn append(&mut self, store: &Store, text: &str) -> Result<(), AppendError> {
        let next = entry(self.written.last(), text);
        let expected = self.written.last().map_or(0, |it| it.seq);
        let batch = batch(&self.id, next.clone());
        block_on(store.append(&self.id, expected, self.epoch, batch))?;
        self.written.push(next);
        Ok(())
    }

    /// Every entry that was acknowledged is there, with its payload, and no other.
    pub(crate) fn check(&self, store: &Store) {
        assert_eq!(ask(store.load(&self.id)), self.written);
        for entry in &self.written {
            let found = ask(store.payload(&self.id, Digest::of(&entry.bytes)));
            assert_eq!(found.as_deref(), Some(entry.bytes.as_slice()));
        }
    }
}
