//! Who wants to know that a session's journal has grown. They read the journal themselves, so
//! nothing can be lost on the way: a watcher that is slow reads more at once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use spec::SessionId;
use tokio::sync::watch;

/// Sessions on the list before those that nobody watches any more are taken off.
const IDLE_MAX: usize = 1024;

#[derive(Default)]
pub(crate) struct Watchers(Mutex<HashMap<SessionId, watch::Sender<u64>>>);

impl Watchers {
    /// Changes whenever the session's journal grows.
    pub(crate) fn subscribe(&self, session: &SessionId) -> watch::Receiver<u64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= IDLE_MAX {
            all.retain(|_, sender| sender.receiver_count() > 0);
        }
        all.entry(session.clone())
            .or_insert_with(|| watch::channel(0).0)
            .subscribe()
    }

    pub(crate) fn grown(&self, session: &SessionId, seq: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sender) = all.get(session) else {
            return;
        };
        if sender.send(seq).is_err() {
            // The last watcher has left.
            all.remove(session);
        }
    }
}
