//! A session in memory: the fold of its journal and what has been begun for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use ::session::{Effect, Payloads, Plan, State, next_wake, outstanding};
use spec::{CallId, Digest, Time};

/// A loaded session. Dropping it loses nothing.
pub struct Session {
    pub(crate) state: State,
    pub(crate) head: Digest,
    pub(crate) plan: Arc<Plan>,
    pub(crate) payloads: Payloads,
    pub(crate) begun: BTreeSet<Key>,
}

/// The identity of an effect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Complete(u32),
    Reserve(CallId, Time),
    Invoke(CallId, u32),
    Cancel(CallId, u32),
}

impl Key {
    pub(crate) fn of(effect: &Effect) -> Self {
        match effect {
            Effect::Complete { completion } => Key::Complete(*completion),
            Effect::Reserve { call, since, .. } => Key::Reserve(call.clone(), *since),
            Effect::Invoke { call, attempt, .. } => Key::Invoke(call.clone(), *attempt),
            Effect::Cancel { call, attempt, .. } => Key::Cancel(call.clone(), *attempt),
        }
    }
}

impl Session {
    /// What the journal folds to.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// When time alone changes something.
    #[must_use]
    pub fn next_wake(&self, now: Time) -> Option<Time> {
        next_wake(&self.plan, &self.state, now)
    }

    /// Whether nothing is outstanding, so that it may be dropped until something arrives for it.
    #[must_use]
    pub fn is_parked(&self, now: Time) -> bool {
        outstanding(&self.state, now).is_empty()
    }
}
