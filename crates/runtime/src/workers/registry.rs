//! Connections: who is there, what they can do, until when.

use std::collections::{BTreeMap, BTreeSet};

use ::session::UnknownCause;
use spec::{CallId, SessionId, Time, WorkerId};

use super::calls::{Held, Reservation};
use super::queue::Waiting;
use super::{ConnectionId, HandlerKey, Out, Registration, Settings};

/// The registry of workers.
pub struct Registry {
    pub(super) settings: Settings,
    /// Makes connection names unique across restarts.
    incarnation: String,
    next: u64,
    pub(super) connections: BTreeMap<ConnectionId, Connection>,
    pub(super) reserved: BTreeMap<CallId, Reservation>,
    pub(super) held: BTreeMap<CallId, Held>,
    pub(super) by_session: BTreeMap<SessionId, BTreeSet<CallId>>,
    pub(super) queues: BTreeMap<HandlerKey, Vec<Waiting>>,
    /// Calls that connected workers say they hold and nothing here waits for yet.
    pub(super) claims: BTreeMap<CallId, ConnectionId>,
    /// Who refused a call before; others are asked first.
    pub(super) refused_by: BTreeMap<CallId, BTreeSet<WorkerId>>,
}

pub(super) struct Connection {
    pub(super) worker: WorkerId,
    pub(super) name: String,
    pub(super) identity: String,
    pub(super) image: String,
    pub(super) handlers: BTreeMap<HandlerKey, Capacity>,
    pub(super) last_word: Time,
    pub(super) idle_since: Time,
}

pub(super) struct Capacity {
    pub(super) max: u32,
    pub(super) used: u32,
}

/// Why a registration is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Another connection has that name.
    #[error("worker_id \"{worker}\" is connected already; give each worker its own id")]
    Duplicate {
        /// The name.
        worker: WorkerId,
        /// The connection that has it.
        connection: ConnectionId,
    },
    /// Nothing to route to it.
    #[error("a worker must register at least one handler")]
    NoHandlers,
    /// More claims than the runtime keeps.
    #[error("in_flight lists {claims} calls; at most {max} are taken")]
    TooManyClaims {
        /// How many.
        claims: usize,
        /// The bound.
        max: usize,
    },
}

impl Registry {
    /// An empty registry. `incarnation` differs for every start of the runtime.
    #[must_use]
    pub fn new(incarnation: String, settings: Settings) -> Self {
        Self {
            settings,
            incarnation,
            next: 0,
            connections: BTreeMap::new(),
            reserved: BTreeMap::new(),
            held: BTreeMap::new(),
            by_session: BTreeMap::new(),
            queues: BTreeMap::new(),
            claims: BTreeMap::new(),
            refused_by: BTreeMap::new(),
        }
    }

    /// The spans and bounds in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A worker dials in.
    ///
    /// # Errors
    /// Why it may not.
    pub fn register(
        &mut self,
        registration: Registration,
        now: Time,
    ) -> Result<(ConnectionId, Vec<Out>), Refused> {
        if registration.handlers.is_empty() {
            return Err(Refused::NoHandlers);
        }
        let claims = registration.in_flight.len();
        let max = self.settings.claims_max;
        if claims > max {
            return Err(Refused::TooManyClaims { claims, max });
        }
        let taken = self
            .connections
            .iter()
            .find(|(_, it)| it.worker == registration.worker);
        if let Some((connection, it)) = taken {
            return Err(Refused::Duplicate {
                worker: it.worker.clone(),
                connection: *connection,
            });
        }
        self.next = self.next.saturating_add(1);
        let id = ConnectionId(self.next);
        let mut handlers = BTreeMap::new();
        for (key, max) in registration.handlers {
            handlers.insert(
                key,
                Capacity {
                    max: max.max(1),
                    used: 0,
                },
            );
        }
        let connection = Connection {
            worker: registration.worker,
            name: format!("{}-{}", self.incarnation, id.0),
            identity: registration.identity,
            image: registration.image,
            handlers,
            last_word: now,
            idle_since: now,
        };
        let keys: Vec<HandlerKey> = connection.handlers.keys().cloned().collect();
        self.connections.insert(id, connection);
        let mut outs = Vec::new();
        for call in registration.in_flight {
            self.claim(id, call, &mut outs);
        }
        for key in keys {
            self.seen(&key);
            self.serve_queue(&key, &mut outs);
        }
        Ok((id, outs))
    }

    /// A worker said something, whatever it was.
    pub fn heard(&mut self, connection: ConnectionId, now: Time) -> Vec<Out> {
        let mut outs = Vec::new();
        let Some(it) = self.connections.get_mut(&connection) else {
            return outs;
        };
        let was_expired = now.ms_since(it.last_word) > self.settings.lease_ms;
        it.last_word = it.last_word.max(now);
        if was_expired {
            let keys: Vec<HandlerKey> = it.handlers.keys().cloned().collect();
            for key in keys {
                self.serve_queue(&key, &mut outs);
            }
        }
        outs
    }

    /// A connection is gone. Safe to say twice.
    pub fn disconnected(&mut self, connection: ConnectionId, now: Time) -> Vec<Out> {
        self.lose(connection, UnknownCause::Indeterminate, now)
    }

    fn lose(&mut self, connection: ConnectionId, cause: UnknownCause, now: Time) -> Vec<Out> {
        let mut outs = Vec::new();
        if self.connections.remove(&connection).is_none() {
            return outs;
        }
        self.claims.retain(|_, it| *it != connection);
        self.lose_calls(connection, cause, now, &mut outs);
        outs
    }

    /// Time passed: leases, graces and waits that are over.
    pub fn tick(&mut self, now: Time) -> Vec<Out> {
        let mut outs = Vec::new();
        let span = self
            .settings
            .lease_ms
            .saturating_add(self.settings.silence_ms);
        let silent: Vec<ConnectionId> = self
            .connections
            .iter()
            .filter(|(_, it)| now.ms_since(it.last_word) > span)
            .map(|(id, _)| *id)
            .collect();
        for connection in silent {
            outs.push(Out::Close(connection));
            outs.extend(self.lose(connection, UnknownCause::LeaseExpired, now));
        }
        self.expire_orphans(now, &mut outs);
        self.expire_waits(now, &mut outs);
        outs
    }

    /// The name of a connection's worker.
    #[must_use]
    pub fn worker(&self, connection: ConnectionId) -> Option<&WorkerId> {
        self.connections.get(&connection).map(|it| &it.worker)
    }

    /// The best connection with a free handler: least loaded, longest idle. One that refused this
    /// call gets it again only where no other worker has the handler.
    pub(super) fn pick(&self, call: &CallId, key: &HandlerKey, now: Time) -> Option<ConnectionId> {
        let refused = self.refused_by.get(call);
        let refuses = |it: &Connection| refused.is_some_and(|names| names.contains(&it.worker));
        let able = |it: &Connection| {
            it.handlers.contains_key(key) && now.ms_since(it.last_word) <= self.settings.lease_ms
        };
        let others = self.connections.values().any(|it| able(it) && !refuses(it));
        self.connections
            .iter()
            .filter(|(_, it)| able(it) && !(others && refuses(it)))
            .filter_map(|(id, it)| {
                let capacity = it.handlers.get(key).filter(|c| c.used < c.max)?;
                Some((capacity.used, it.idle_since, *id))
            })
            .min()
            .map(|(_, _, id)| id)
    }

    /// Whether the books are right: every slot in use is reserved or held, and no other.
    ///
    /// # Errors
    /// The connection and handler whose counter is wrong.
    pub fn audit(&self) -> Result<(), String> {
        for (id, connection) in &self.connections {
            for (key, capacity) in &connection.handlers {
                let reserved = self.reserved.values();
                let reserved = reserved.filter(|it| it.connection == Some(*id));
                let reserved = reserved.filter(|it| it.wanted.key == *key).count();
                let held = self.held.values().filter(|it| it.connection == Some(*id));
                let held = held.filter(|it| it.key == *key).count();
                if usize::try_from(capacity.used) != Ok(reserved.saturating_add(held)) {
                    return Err(format!(
                        "{} {}@{}: {} in use, {reserved} reserved, {held} held",
                        connection.name, key.tool, key.version, capacity.used
                    ));
                }
            }
        }
        Ok(())
    }

    pub(super) fn occupy(&mut self, connection: ConnectionId, key: &HandlerKey) {
        if let Some(it) = self.connections.get_mut(&connection)
            && let Some(capacity) = it.handlers.get_mut(key)
        {
            capacity.used = capacity.used.saturating_add(1);
        }
    }

    pub(super) fn vacate(&mut self, connection: ConnectionId, key: &HandlerKey, now: Time) {
        if let Some(it) = self.connections.get_mut(&connection)
            && let Some(capacity) = it.handlers.get_mut(key)
        {
            capacity.used = capacity.used.saturating_sub(1);
            it.idle_since = now;
        }
    }
}
