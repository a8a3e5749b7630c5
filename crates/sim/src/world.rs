//! The world of a simulated runtime: the real worker registry, a model that is a table, a clock
//! that moves when told. All of it is volatile but the clock.

use std::collections::BTreeSet;
use std::future::{Future, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runtime::workers::{ConnectionId, Frame, HandlerKey, Out, Registry, Settings, Wanted};
use runtime::{PlanUnavailable, Signal, Transcript, Work, World};
use session::{Plan, Reply, Slot, State};
use spec::{CallId, Digest, SessionId, Time, VersionId};

use crate::chaos::Chaos;

/// The world; clones share it.
#[derive(Clone)]
pub(crate) struct SimWorld {
    inner: Arc<Mutex<Inner>>,
    pub(crate) chaos: Chaos,
}

pub(crate) struct Inner {
    pub(crate) now: Time,
    pub(crate) registry: Registry,
    pub(crate) plan: Arc<Plan>,
    pub(crate) replies: Vec<Reply>,
    /// Outcomes on their way to sessions.
    pub(crate) signals: Vec<(SessionId, Signal)>,
    /// Frames on their way to workers.
    pub(crate) frames: Vec<(ConnectionId, Frame)>,
    pub(crate) closed: Vec<ConnectionId>,
    pub(crate) claimed: Vec<(ConnectionId, CallId)>,
    /// What the model was shown, for the invariants.
    pub(crate) shown: Vec<(SessionId, u32, Transcript)>,
    /// Which tools it was offered.
    pub(crate) offered: Vec<(SessionId, Vec<String>)>,
    completing: BTreeSet<(SessionId, u32)>,
}

impl SimWorld {
    pub(crate) fn new(chaos: Chaos, plan: Arc<Plan>, replies: Vec<Reply>) -> Self {
        let inner = Inner {
            now: Time::from_unix_ms(1_000_000),
            registry: Registry::new("life-0".to_owned(), Settings::STANDARD),
            plan,
            replies,
            signals: Vec::new(),
            frames: Vec::new(),
            closed: Vec::new(),
            claimed: Vec::new(),
            shown: Vec::new(),
            offered: Vec::new(),
            completing: BTreeSet::new(),
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
            chaos,
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new process: everything but the clock is gone.
    pub(crate) fn reborn(&self, life: u32) {
        let mut inner = self.lock();
        inner.registry = Registry::new(format!("life-{life}"), Settings::STANDARD);
        inner.signals.clear();
        inner.frames.clear();
        inner.closed.clear();
        inner.claimed.clear();
        inner.completing.clear();
    }
}

impl Inner {
    pub(crate) fn take_in(&mut self, outs: Vec<Out>) {
        for out in outs {
            match out {
                Out::Send(connection, frame) => self.frames.push((connection, frame)),
                Out::Close(connection) => self.closed.push(connection),
                Out::Signal(session, signal) => self.signals.push((session, signal)),
                Out::Claimed(connection, call) => self.claimed.push((connection, call)),
            }
        }
    }

    /// A signal is being delivered: the completion behind it is no longer running.
    pub(crate) fn delivered(&mut self, session: &SessionId, signal: &Signal) {
        if let Signal::Replied { completion, .. } = signal {
            self.completing.remove(&(session.clone(), *completion));
        }
    }

    fn begin(&mut self, session: &SessionId, work: Work) {
        let now = self.now;
        let outs = match work {
            Work::Complete {
                completion,
                transcript,
                version: _,
                snapshot: _,
                tools,
            } => {
                if self.completing.insert((session.clone(), completion)) {
                    self.shown.push((session.clone(), completion, transcript));
                    self.offered.push((session.clone(), tools));
                    let place = usize::try_from(completion).unwrap_or(usize::MAX);
                    let reply = self
                        .replies
                        .get(place.saturating_sub(1))
                        .cloned()
                        .unwrap_or_default();
                    self.signals
                        .push((session.clone(), Signal::Replied { completion, reply }));
                }
                Vec::new()
            }
            Work::Reserve {
                call,
                tool,
                version,
                since: _,
            } => {
                let key = HandlerKey { tool, version };
                self.registry.queue(
                    Wanted {
                        session: session.clone(),
                        call,
                        key,
                    },
                    now,
                )
            }
            Work::Invoke(invocation) => self.registry.invoke(session, invocation, now),
            Work::Cancel { call, slot: _ } => self.registry.cancel(&call),
        };
        self.take_in(outs);
    }
}

impl World for SimWorld {
    fn now(&self) -> Time {
        self.lock().now
    }

    fn plan(
        &self,
        _version: &VersionId,
        _snapshot: Digest,
    ) -> impl Future<Output = Result<Arc<Plan>, PlanUnavailable>> + Send {
        ready(Ok(Arc::clone(&self.lock().plan)))
    }

    fn reserve(&self, call: &CallId, tool: &str, version: &str) -> Option<Slot> {
        if self.chaos.is_dead() {
            return None;
        }
        let session = call.session()?;
        let key = HandlerKey {
            tool: tool.to_owned(),
            version: version.to_owned(),
        };
        let mut inner = self.lock();
        let now = inner.now;
        inner.registry.reserve(
            Wanted {
                session,
                call: call.clone(),
                key,
            },
            now,
        )
    }

    fn holds(&self, call: &CallId, slot: &Slot) -> bool {
        self.lock().registry.holds(call, slot)
    }

    fn release(&self, call: &CallId) {
        if !self.chaos.is_dead() {
            let mut inner = self.lock();
            let now = inner.now;
            let outs = inner.registry.release(call, now);
            inner.take_in(outs);
        }
    }

    fn release_all_but(&self, session: &SessionId, calls: &[CallId]) {
        if !self.chaos.is_dead() {
            let mut inner = self.lock();
            let now = inner.now;
            let outs = inner.registry.release_all_but(session, calls, now);
            inner.take_in(outs);
        }
    }

    fn perform(&self, session: &SessionId, work: Work) {
        if self.chaos.point() {
            return;
        }
        self.lock().begin(session, work);
        // Whether the process dies right after is asked by whoever acts next.
        let _dead = self.chaos.point();
    }

    fn recorded(&self, state: &State) {
        if !self.chaos.is_dead() {
            let mut inner = self.lock();
            let now = inner.now;
            let outs = inner.registry.settle(state, now);
            inner.take_in(outs);
        }
    }
}
