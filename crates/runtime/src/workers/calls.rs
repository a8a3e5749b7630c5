//! Calls on slots: reserved, held by a worker, orphaned by a lost connection.

use std::collections::BTreeSet;

use ::session::{Input, Phase, Slot, State, UnknownCause};
use spec::{CallId, SessionId, Time, WorkerId};

use super::registry::Registry;
use super::{ConnectionId, Frame, HandlerKey, Out, Receipt, Wanted, slot_of};
use crate::{Invocation, Signal};

/// What a nack of our own making says: the slot was gone before anything was sent.
const NOT_SENT: &str = "not_sent";

/// A slot kept free for a call whose dispatch is being recorded.
pub(super) struct Reservation {
    pub(super) wanted: Wanted,
    /// `None` once the connection is gone: then nothing was sent, for certain.
    pub(super) connection: Option<ConnectionId>,
    pub(super) slot: Slot,
}

/// A call that is, or may be, with a worker.
pub(super) struct Held {
    pub(super) session: SessionId,
    pub(super) key: HandlerKey,
    pub(super) invocation: Box<Invocation>,
    /// `None` while its worker is lost.
    pub(super) connection: Option<ConnectionId>,
    /// When a lost worker is given up.
    pub(super) until: Time,
    /// How its outcome comes to be unknown, if it does.
    pub(super) cause: UnknownCause,
    /// Whether the worker was told that nobody waits.
    pub(super) cancelled: bool,
    /// What the worker said about it, until the journal has it: a worker says it once, and the
    /// session may have to be told again after the store was away.
    pub(super) outcome: Option<Signal>,
}

impl Registry {
    /// Keeps a free slot for a call, if there is one. Asking again for a call that has one gives
    /// the same.
    pub fn reserve(&mut self, wanted: Wanted, now: Time) -> Option<Slot> {
        if let Some(reservation) = self.reserved.get(&wanted.call) {
            return reservation
                .connection
                .is_some()
                .then(|| reservation.slot.clone());
        }
        // Those who wait longer come first.
        if self
            .queues
            .get(&wanted.key)
            .is_some_and(|queue| !queue.is_empty())
        {
            return None;
        }
        self.take(wanted, now)
    }

    /// Whether exactly this slot is kept for the call.
    #[must_use]
    pub fn holds(&self, call: &CallId, slot: &Slot) -> bool {
        self.reserved.get(call).is_some_and(|it| it.slot == *slot)
    }

    pub(super) fn take(&mut self, wanted: Wanted, now: Time) -> Option<Slot> {
        let connection = self.pick(&wanted.call, &wanted.key, now)?;
        let slot = slot_of(self.connections.get(&connection)?);
        self.occupy(connection, &wanted.key);
        self.by_session
            .entry(wanted.session.clone())
            .or_default()
            .insert(wanted.call.clone());
        let reservation = Reservation {
            connection: Some(connection),
            slot: slot.clone(),
            wanted,
        };
        self.reserved
            .insert(reservation.wanted.call.clone(), reservation);
        Some(slot)
    }

    /// Gives a reserved slot back.
    pub fn release(&mut self, call: &CallId, now: Time) -> Vec<Out> {
        let mut outs = Vec::new();
        let Some(reservation) = self.reserved.remove(call) else {
            return outs;
        };
        self.forget(&reservation.wanted.session, call);
        let key = reservation.wanted.key;
        if let Some(connection) = reservation.connection {
            self.vacate(connection, &key, now);
            self.serve_queue_at(&key, now, &mut outs);
        }
        outs
    }

    /// Gives back what is reserved for calls of `session` other than `calls`.
    pub fn release_all_but(
        &mut self,
        session: &SessionId,
        calls: &[CallId],
        now: Time,
    ) -> Vec<Out> {
        let leftover: Vec<CallId> = self
            .by_session
            .get(session)
            .into_iter()
            .flatten()
            .filter(|call| self.reserved.contains_key(*call) && !calls.contains(call))
            .cloned()
            .collect();
        leftover
            .iter()
            .flat_map(|call| self.release(call, now))
            .collect()
    }

    /// Sees a dispatched call through: see [`crate::Work::Invoke`].
    pub fn invoke(
        &mut self,
        session: &SessionId,
        invocation: Box<Invocation>,
        now: Time,
    ) -> Vec<Out> {
        let call = invocation.call.clone();
        if let Some(held) = self.held.get(&call)
            && held.invocation.attempt == invocation.attempt
        {
            let again = held.outcome.clone();
            return again
                .map(|it| Out::Signal(session.clone(), it))
                .into_iter()
                .collect();
        }
        let ours = self
            .reserved
            .get(&call)
            .is_some_and(|it| it.slot.connection == invocation.slot.connection);
        if ours && let Some(reservation) = self.reserved.remove(&call) {
            return self.send(reservation, invocation, now);
        }
        self.await_lost(session, invocation, now)
    }

    fn send(
        &mut self,
        reservation: Reservation,
        invocation: Box<Invocation>,
        now: Time,
    ) -> Vec<Out> {
        let Wanted { session, call, key } = reservation.wanted;
        let Some(connection) = reservation.connection else {
            self.forget(&session, &call);
            return vec![not_sent(session, &invocation)];
        };
        let frame = Frame::Invoke(invocation.clone(), session.clone());
        self.held.insert(
            call,
            Held {
                session,
                key,
                invocation,
                connection: Some(connection),
                until: now,
                cause: UnknownCause::Indeterminate,
                cancelled: false,
                outcome: None,
            },
        );
        vec![Out::Send(connection, frame)]
    }

    /// A dispatch of an earlier incarnation, or on a connection that is long gone: whether it was
    /// sent is not known.
    fn await_lost(
        &mut self,
        session: &SessionId,
        invocation: Box<Invocation>,
        now: Time,
    ) -> Vec<Out> {
        let call = invocation.call.clone();
        let key = HandlerKey {
            tool: invocation.tool.clone(),
            version: invocation.version.clone(),
        };
        let claimed = self.claims.get(&call).copied().filter(|connection| {
            self.worker(*connection)
                .is_some_and(|worker| *worker == invocation.slot.worker)
        });
        if claimed.is_none() && invocation.class.may_rerun() {
            return vec![unknown(
                session.clone(),
                &invocation,
                UnknownCause::Indeterminate,
            )];
        }
        if let Some(connection) = claimed {
            self.claims.remove(&call);
            self.occupy(connection, &key);
        }
        self.by_session
            .entry(session.clone())
            .or_default()
            .insert(call.clone());
        let until = now.plus_ms(self.settings.resync_ms);
        let session = session.clone();
        self.held.insert(
            call,
            Held {
                session,
                key,
                invocation,
                connection: claimed,
                until,
                cause: UnknownCause::Indeterminate,
                cancelled: false,
                outcome: None,
            },
        );
        Vec::new()
    }

    /// A newly connected worker says that it holds `call`.
    pub(super) fn claim(&mut self, connection: ConnectionId, call: CallId, outs: &mut Vec<Out>) {
        let worker = self.worker(connection).cloned();
        let awaited = self.held.get_mut(&call).filter(|it| {
            it.connection.is_none() && worker.as_ref() == Some(&it.invocation.slot.worker)
        });
        if let Some(held) = awaited {
            held.connection = Some(connection);
            let key = held.key.clone();
            let cancelled = held.cancelled;
            self.occupy(connection, &key);
            if cancelled {
                outs.push(Out::Send(connection, Frame::Cancel(call)));
            }
            return;
        }
        if !self.held.contains_key(&call) {
            self.claims.insert(call.clone(), connection);
            outs.push(Out::Claimed(connection, call));
        }
    }

    /// A worker says how a call ended, or that it will not run it. The session judges whether it
    /// may say so.
    pub fn outcome(&mut self, connection: ConnectionId, input: Input) -> Vec<Out> {
        let (call, nacked) = match &input {
            Input::Result { call, .. } => (call.clone(), false),
            Input::Nacked { call, .. } => (call.clone(), true),
            Input::Start(_)
            | Input::Say { .. }
            | Input::Completed { .. }
            | Input::CompletionFailed { .. }
            | Input::SlotReady { .. }
            | Input::NoSlot { .. }
            | Input::Unknown { .. }
            | Input::Decide(_)
            | Input::Tick
            | Input::Cancel { .. }
            | Input::Complete { .. } => return Vec::new(),
        };
        let Some(session) = call.session() else {
            // Not an id of ours: nothing to look up, and nothing that the worker should keep.
            return vec![Out::Send(connection, Frame::Ack(call))];
        };
        let worker = self.worker(connection).cloned();
        if let Some(held) = self.held.get_mut(&call)
            && held.connection == Some(connection)
        {
            held.outcome = Some(Signal::Input(input.clone()));
            if nacked && let Some(worker) = worker {
                self.refused_by.entry(call).or_default().insert(worker);
            }
        }
        vec![Out::Signal(session, Signal::Input(input))]
    }

    /// What the worker is told after the session has taken its result in.
    pub fn answer(&self, call: &CallId, worker: &WorkerId, receipt: Receipt) -> Vec<Out> {
        let frame = match receipt {
            Receipt::Ack => Frame::Ack(call.clone()),
            Receipt::Cancel => Frame::Cancel(call.clone()),
            Receipt::Keep => return Vec::new(),
        };
        self.connections
            .iter()
            .find(|(_, it)| it.worker == *worker)
            .map(|(connection, _)| Out::Send(*connection, frame))
            .into_iter()
            .collect()
    }

    /// Tells the worker that nobody waits for the call.
    pub fn cancel(&mut self, call: &CallId) -> Vec<Out> {
        let Some(held) = self.held.get_mut(call) else {
            return Vec::new();
        };
        if std::mem::replace(&mut held.cancelled, true) {
            return Vec::new();
        }
        held.connection
            .map(|connection| Out::Send(connection, Frame::Cancel(call.clone())))
            .into_iter()
            .collect()
    }

    /// The journal says where the session's calls stand: slots of calls that are no longer
    /// dispatched become free, and calls that no longer wait leave their queue.
    pub fn settle(&mut self, state: &State, now: Time) -> Vec<Out> {
        let mut outs = Vec::new();
        let Some(calls) = self.by_session.get(&state.session).cloned() else {
            return outs;
        };
        let mut freed = BTreeSet::new();
        for call in calls {
            let known = state.call(&call);
            let phase = known.map(|it| &it.phase);
            if let Some(held) = self.held.get(&call)
                && !is_current(phase, held)
                && let Some(held) = self.held.remove(&call)
            {
                if let Some(connection) = held.connection {
                    self.vacate(connection, &held.key, now);
                }
                freed.insert(held.key);
            }
            let waits = matches!(phase, Some(Phase::Queued { .. })) && state.ended.is_none();
            if !waits && let Some(known) = known {
                let key = HandlerKey {
                    tool: known.tool.clone(),
                    version: known.version.clone(),
                };
                self.unqueue(&key, &call);
            }
            if !waits && !self.held.contains_key(&call) && !self.reserved.contains_key(&call) {
                self.forget(&state.session, &call);
                self.refused_by.remove(&call);
            }
        }
        for key in freed {
            self.serve_queue_at(&key, now, &mut outs);
        }
        outs
    }

    /// What a lost connection had: reservations were certainly not sent, held calls are in doubt.
    pub(super) fn lose_calls(
        &mut self,
        connection: ConnectionId,
        cause: UnknownCause,
        now: Time,
        outs: &mut Vec<Out>,
    ) {
        for reservation in self.reserved.values_mut() {
            if reservation.connection == Some(connection) {
                reservation.connection = None;
            }
        }
        let until = now.plus_ms(self.settings.resync_ms);
        for held in self.held.values_mut() {
            if held.connection != Some(connection) {
                continue;
            }
            held.connection = None;
            held.cause = cause;
            held.until = until;
            if held.invocation.class.may_rerun() {
                outs.push(unknown(held.session.clone(), &held.invocation, held.cause));
            }
        }
    }

    pub(super) fn expire_orphans(&mut self, now: Time, outs: &mut Vec<Out>) {
        for held in self.held.values_mut() {
            if held.connection.is_none() && held.until <= now {
                outs.push(unknown(held.session.clone(), &held.invocation, held.cause));
                // Said again if the session could not take it in, but not at every tick.
                held.until = now.plus_ms(self.settings.resync_ms);
            }
        }
    }

    pub(super) fn forget(&mut self, session: &SessionId, call: &CallId) {
        if let Some(calls) = self.by_session.get_mut(session) {
            calls.remove(call);
            if calls.is_empty() {
                self.by_session.remove(session);
            }
        }
    }
}

/// Whether the journal still has the call with this very dispatch.
fn is_current(phase: Option<&Phase>, held: &Held) -> bool {
    matches!(phase, Some(Phase::Dispatched { attempt, .. }) if *attempt == held.invocation.attempt)
}

fn unknown(session: SessionId, invocation: &Invocation, cause: UnknownCause) -> Out {
    let input = Input::Unknown {
        call: invocation.call.clone(),
        attempt: invocation.attempt,
        cause,
    };
    Out::Signal(session, Signal::Input(input))
}

fn not_sent(session: SessionId, invocation: &Invocation) -> Out {
    let input = Input::Nacked {
        call: invocation.call.clone(),
        worker: invocation.slot.worker.clone(),
        code: NOT_SENT.to_owned(),
        message: "the worker's connection closed before the call was sent".to_owned(),
    };
    Out::Signal(session, Signal::Input(input))
}
