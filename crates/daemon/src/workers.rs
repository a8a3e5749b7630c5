//! Worker connections: the registry behind a lock, and the way out to each stream.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use proto::runtime::v1 as wire;
use runtime::workers::{ConnectionId, Frame, Out, Registry, Wanted};
use session::{Phase, Slot};
use spec::{CallId, Time};
use tokio::sync::{mpsc, watch};
use tonic::Status;

use crate::serve::Core;
use crate::wire::work;

/// Frames that wait for a worker to read them. One that does not read is let go, so that it delays
/// nobody else.
pub(crate) const FRAMES_MAX: usize = 4096;

/// The stream to a worker.
pub(crate) type FrameSender = mpsc::Sender<Result<wire::WorkServerMsg, Status>>;

pub(crate) struct Workers {
    registry: Mutex<Registry>,
    outlets: Mutex<HashMap<ConnectionId, Outlet>>,
}

struct Outlet {
    frames: FrameSender,
    /// Dropped, or true, when the connection is to end.
    close: watch::Sender<bool>,
}

impl Workers {
    pub(crate) fn new(registry: Registry) -> Self {
        Self {
            registry: Mutex::new(registry),
            outlets: Mutex::default(),
        }
    }

    /// A step of the registry.
    pub(crate) fn with<T>(&self, step: impl FnOnce(&mut Registry) -> T) -> T {
        step(&mut self.registry.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn reserve(&self, wanted: Wanted, now: Time) -> Option<Slot> {
        self.with(|registry| registry.reserve(wanted, now))
    }

    fn outlets<T>(&self, body: impl FnOnce(&mut HashMap<ConnectionId, Outlet>) -> T) -> T {
        body(&mut self.outlets.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens the way to a connection; the receiver turns true when it is to end.
    pub(crate) fn open(
        &self,
        connection: ConnectionId,
        frames: FrameSender,
    ) -> watch::Receiver<bool> {
        let (close, closed) = watch::channel(false);
        self.outlets(|all| all.insert(connection, Outlet { frames, close }));
        closed
    }

    /// Closes the way to a connection.
    pub(crate) fn close(&self, connection: ConnectionId) {
        if let Some(outlet) = self.outlets(|all| all.remove(&connection)) {
            outlet.close.send_replace(true);
        }
    }

    /// Resolves when the connection is gone, at once if it is already.
    pub(crate) fn gone(&self, connection: ConnectionId) -> Option<watch::Receiver<bool>> {
        self.outlets(|all| all.get(&connection).map(|it| it.close.subscribe()))
    }

    /// Ends every connection.
    pub(crate) fn close_all(&self) {
        let all: Vec<Outlet> = self.outlets(|all| all.drain().map(|(_, it)| it).collect());
        for outlet in all {
            outlet.close.send_replace(true);
        }
    }

    /// Queues a frame; false when the worker does not read.
    pub(crate) fn send(&self, connection: ConnectionId, message: wire::WorkServerMsg) -> bool {
        let frames = self.outlets(|all| all.get(&connection).map(|it| it.frames.clone()));
        // A connection that is gone already is dealt with where it was found gone.
        frames.is_none_or(|frames| frames.try_send(Ok(message)).is_ok())
    }
}

impl Core {
    /// Does what the registry asks for.
    pub(crate) fn take_in(self: &Arc<Self>, outs: Vec<Out>) {
        for out in outs {
            match out {
                Out::Send(connection, frame) => self.send_frame(connection, frame),
                Out::Close(connection) => self.workers.close(connection),
                Out::Signal(session, signal) => self.signal(&session, signal),
                Out::Claimed(connection, call) => self.look_up(connection, call),
            }
        }
    }

    fn send_frame(self: &Arc<Self>, connection: ConnectionId, frame: Frame) {
        let message = match frame {
            Frame::Invoke(invocation, session) => work::invoke(&invocation, &session),
            Frame::Cancel(call) => work::cancel(&call),
            Frame::Ack(call) => work::ack(&call),
        };
        if !self.workers.send(connection, message) {
            tracing::warn!(
                connection = connection.0,
                "a worker does not read; it is let go"
            );
            self.disconnect(connection);
        }
    }

    /// A connection is over, whoever ended it.
    pub(crate) fn disconnect(self: &Arc<Self>, connection: ConnectionId) {
        self.workers.close(connection);
        let now = self.clock.now();
        let outs = self
            .workers
            .with(|registry| registry.disconnected(connection, now));
        self.take_in(outs);
    }

    /// A worker claims a call that nothing here waits for: if it is finished, or not one of ours,
    /// the worker may forget it. The result of one that nobody knows the outcome of is wanted.
    fn look_up(self: &Arc<Self>, connection: ConnectionId, call: CallId) {
        let core = Arc::clone(self);
        tokio::spawn(async move {
            let finished = match call.session() {
                None => true,
                Some(id) => match core.driver.load(&id).await {
                    Ok(Some(session)) => session
                        .state()
                        .call(&call)
                        .is_none_or(|it| !it.phase.is_open() && it.phase != Phase::Indeterminate),
                    Ok(None) => true,
                    // Kept by the worker, and asked again when it connects again.
                    Err(_) => false,
                },
            };
            if finished {
                core.send_frame(connection, Frame::Ack(call));
            }
        });
    }
}
