//! The one loop of a worker: takes what happens, one thing at a time, and acts on it. Knows the order
//! of the protocol; handlers and streams are pumped by tasks of their own.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::Arc;

use proto::runtime::v1::work_client_msg::Body as FromWorker;
use proto::runtime::v1::work_server_msg::Body as ToWorker;
use proto::runtime::v1::{
    WorkHandlerAdvertisement, WorkInFlightCall, WorkInvoke, WorkRegister, WorkRegistered,
    WorkToolNack, WorkToolResult,
};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;
use tonic::Code;
use tracing::Instrument;

use crate::backoff::Attempts;
use crate::builder::Settings;
use crate::calls::{Accepted, Calls, Known, Place};
use crate::connection::{self, Connection, End};
use crate::drain::{Drained, Phase};
use crate::handler::{INTERNAL, INVALID_ARGS, ToolError, failure};
use crate::invocation::{Invocation, checked_args};

const UNKNOWN_HANDLER: &str = "unknown_handler";
const OVERLOADED: &str = "overloaded";
const DRAINING: &str = "draining";

/// Refusals that may wait to be sent, beside the results that are held anyway. A runtime that goes on
/// sending calls but reads no answers is as good as gone; to stop reading instead could leave both
/// sides waiting for each other.
const REFUSALS_MAX: usize = 256;

/// Why a worker gave up.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No repetition would help. Only the first registration fails so: a worker that has served before
    /// may hold results, and keeps trying.
    #[error("the runtime refuses the worker {worker_id}")]
    Refused {
        worker_id: String,
        #[source]
        status: tonic::Status,
    },
}

/// What is to be sent. Results are looked up when it is their turn, so that each exists once.
enum Outgoing {
    Nack(WorkToolNack),
    Result(String),
}

enum Link {
    Down { retry_at: Instant },
    Up(Box<Connection>),
}

enum Event {
    Retry,
    Link(connection::Event),
    Finished(Result<(Id, WorkToolResult), JoinError>),
    Shutdown,
    PhaseOver,
}

pub(crate) struct Driver {
    settings: Settings,
    calls: Calls,
    link: Link,
    outbox: VecDeque<Outgoing>,
    handlers: JoinSet<WorkToolResult>,
    /// Which call a task runs: a task that panicked cannot tell.
    tasks: HashMap<Id, String>,
    attempts: Attempts,
    phase: Phase,
    has_served: bool,
    drained: Drained,
}

impl Driver {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            calls: Calls::new(settings.limits),
            link: Link::Down {
                retry_at: Instant::now(),
            },
            outbox: VecDeque::new(),
            handlers: JoinSet::new(),
            tasks: HashMap::new(),
            attempts: Attempts::new(settings.backoff),
            phase: Phase::Serving,
            has_served: false,
            drained: Drained::default(),
            settings,
        }
    }

    pub(crate) async fn run(
        mut self,
        shutdown: impl Future<Output = ()>,
    ) -> Result<Drained, RunError> {
        let mut shutdown = std::pin::pin!(shutdown);
        while !self.is_done() {
            let event = tokio::select! {
                event = next_of_link(&mut self.link, &self.outbox) => event,
                Some(finished) = self.handlers.join_next_with_id() => Event::Finished(finished),
                () = &mut shutdown, if !self.phase.is_draining() => Event::Shutdown,
                () = self.phase.over() => Event::PhaseOver,
            };
            self.take(event)?;
        }
        Ok(self.leave().await)
    }

    fn take(&mut self, event: Event) -> Result<(), RunError> {
        match event {
            Event::Retry => self.dial(),
            Event::Link(connection::Event::Writable) => self.send_next(),
            Event::Link(connection::Event::Message(message)) => {
                self.receive(message);
                if self.outbox.len() > self.settings.limits.held_max + REFUSALS_MAX {
                    self.disconnected(End::Stalled)?;
                }
            }
            Event::Link(connection::Event::Ended(end)) => self.disconnected(end)?,
            Event::Finished(finished) => self.finished(finished),
            Event::Shutdown => self.drain(),
            Event::PhaseOver => self.phase_over(),
        }
        self.move_phase();
        Ok(())
    }

    // ---- connecting ----

    fn dial(&mut self) {
        let identity = &self.settings.identity;
        let handlers = self
            .settings
            .tools
            .values()
            .map(|it| WorkHandlerAdvertisement {
                tool: it.name.clone(),
                version: it.version.clone(),
                contract_version: identity.contract_version.clone(),
                max_concurrency: it.concurrency,
                descriptor_hash: String::new(),
            });
        let in_flight = self.calls.in_flight().into_iter();
        let register = WorkRegister {
            worker_id: identity.worker_id.clone(),
            workload_identity: identity.workload_identity.clone(),
            image_digest: identity.image_digest.clone(),
            handlers: handlers.collect(),
            in_flight: in_flight
                .map(|call_id| WorkInFlightCall { call_id })
                .collect(),
        };
        tracing::debug!(in_flight = register.in_flight.len(), "dialling the runtime");
        let endpoint = self.settings.endpoint.clone();
        self.link = Link::Up(Box::new(Connection::open(endpoint, register)));
    }

    fn registered(&mut self, registered: &WorkRegistered) {
        let Link::Up(connection) = &mut self.link else {
            return;
        };
        let again = connection.is_registered();
        connection.registered(registered.lease_ttl_ms);
        if again {
            return;
        }
        self.has_served = true;
        let held = self.calls.held();
        tracing::info!(
            worker_id = registered.worker_id,
            lease_ttl_ms = registered.lease_ttl_ms,
            held = held.len(),
            "registered"
        );
        self.outbox.extend(held.into_iter().map(Outgoing::Result));
        for call_id in self.calls.take_stranded() {
            self.nack(
                call_id,
                OVERLOADED,
                "the connection broke before the call began",
            );
        }
    }

    fn disconnected(&mut self, end: End) -> Result<(), RunError> {
        let end = match end {
            End::Failed(status) if !self.has_served && is_final(&status) => {
                let worker_id = self.settings.identity.worker_id.clone();
                return Err(RunError::Refused { worker_id, status });
            }
            end @ (End::Unreachable(_) | End::Failed(_) | End::Closed | End::Stalled) => end,
        };
        let registered_for = match &self.link {
            Link::Up(connection) => connection.registered_for(),
            Link::Down { .. } => None,
        };
        let wait = self.attempts.next_wait(registered_for, fastrand::f64());
        let error: &(dyn std::error::Error + 'static) = &end;
        tracing::warn!(error, ?wait, "disconnected");
        // The next connection says anew what it holds and refuses.
        self.outbox.clear();
        self.calls.disconnected();
        self.link = Link::Down {
            retry_at: Instant::now() + wait,
        };
        Ok(())
    }

    // ---- receiving ----

    fn receive(&mut self, message: ToWorker) {
        match message {
            ToWorker::Registered(registered) => self.registered(&registered),
            ToWorker::Invoke(invoke) => self.invoke(invoke),
            ToWorker::Cancel(cancel) => {
                tracing::debug!(cancel.call_id, "cancelled");
                if self.calls.cancel(&cancel.call_id) {
                    self.deliver(cancel.call_id);
                }
            }
            ToWorker::ResultAck(ack) => self.calls.acknowledged(&ack.call_id),
            ToWorker::HeartbeatAck(_) => {}
        }
    }

    fn invoke(&mut self, invoke: WorkInvoke) {
        match self.calls.resent(&invoke.call_id) {
            Known::Underway => tracing::debug!(invoke.call_id, "sent again while underway"),
            Known::Held => self.deliver(invoke.call_id),
            Known::No => match self.admit(invoke) {
                Ok(accepted) => self.place(accepted),
                Err((call_id, code, text)) => self.nack(call_id, code, &text),
            },
        }
    }

    /// Checks what can be checked before anything runs.
    fn admit(&self, mut invoke: WorkInvoke) -> Result<Accepted, (String, &'static str, String)> {
        let key = (invoke.tool.clone(), invoke.version.clone());
        let Some(tool) = self.settings.tools.get(&key) else {
            let text = format!("no handler for {}@{}", invoke.tool, invoke.version);
            return Err((invoke.call_id, UNKNOWN_HANDLER, text));
        };
        if self.phase.is_draining() {
            let text = "the worker is shutting down".to_owned();
            return Err((invoke.call_id, DRAINING, text));
        }
        match checked_args(invoke.args) {
            Ok(args) => invoke.args = args,
            Err(why) => return Err((invoke.call_id, INVALID_ARGS, why)),
        }
        let tool = Arc::clone(tool);
        Ok(Accepted { tool, invoke })
    }

    fn place(&mut self, accepted: Accepted) {
        let call_id = accepted.invoke.call_id.clone();
        match self.calls.place(accepted) {
            Place::Free(accepted) => self.begin(accepted),
            Place::Queued => tracing::debug!(call_id, "waits for a slot"),
            Place::Full(why) => self.nack(call_id, OVERLOADED, why),
        }
    }

    // ---- running ----

    fn begin(&mut self, accepted: Accepted) {
        let Accepted { tool, invoke } = accepted;
        let call_id = invoke.call_id.clone();
        let span = tracing::info_span!("call", call_id, ?tool, session_id = invoke.session_id);
        let call = Invocation::new(invoke, self.calls.begin(&call_id, &tool));
        let running = tool.run(call, self.settings.result_bytes_max);
        let task = self.handlers.spawn(running.instrument(span));
        self.tasks.insert(task.id(), call_id);
    }

    fn finished(&mut self, finished: Result<(Id, WorkToolResult), JoinError>) {
        let result = match finished {
            Ok((id, result)) => self.tasks.remove(&id).map(|_| result),
            Err(error) => {
                let call_id = self.tasks.remove(&error.id());
                // The text of a panic may hold anything, so it stays in the worker's own log, where
                // the panic hook has put it.
                call_id.filter(|_| error.is_panic()).map(|call_id| {
                    tracing::error!(call_id, "the handler panicked");
                    failure(call_id, ToolError::new(INTERNAL, "the handler panicked"))
                })
            }
        };
        if let Some(result) = result {
            let call_id = result.call_id.clone();
            if self.calls.finish(result) {
                self.deliver(call_id);
            }
        }
        while let Some(accepted) = self.calls.next_queued() {
            self.begin(accepted);
        }
    }

    // ---- sending ----

    /// Sends a held result, now or, with everything else that is held, after the next registration.
    fn deliver(&mut self, call_id: String) {
        if matches!(&self.link, Link::Up(connection) if connection.is_registered()) {
            self.outbox.push_back(Outgoing::Result(call_id));
        }
    }

    fn nack(&mut self, call_id: String, code: &str, message: &str) {
        tracing::warn!(call_id, code, message, "refused a call");
        self.outbox.push_back(Outgoing::Nack(WorkToolNack {
            call_id,
            code: code.to_owned(),
            message: message.to_owned(),
        }));
    }

    fn send_next(&mut self) {
        let body = match self.outbox.front() {
            Some(Outgoing::Nack(nack)) => Some(FromWorker::Nack(nack.clone())),
            // No result: it was acknowledged or dropped since.
            Some(Outgoing::Result(call_id)) => {
                self.calls.result(call_id).cloned().map(FromWorker::Result)
            }
            None => return,
        };
        let sent = match (body, &self.link) {
            (None, _) => true,
            (Some(body), Link::Up(connection)) => connection.try_send(body),
            (Some(_), Link::Down { .. }) => false,
        };
        if sent {
            self.outbox.pop_front();
        }
    }

    // ---- ending ----

    fn drain(&mut self) {
        tracing::info!(in_flight = self.calls.in_flight().len(), "draining");
        self.phase = Phase::Handlers(Instant::now() + self.settings.grace.handlers);
        for call_id in self.calls.take_queued() {
            self.nack(call_id, DRAINING, "the worker is shutting down");
        }
    }

    fn phase_over(&mut self) {
        let abandoned = self.calls.abandon_running();
        if !abandoned.is_empty() {
            tracing::warn!(?abandoned, "gave up on handlers that did not finish");
        }
        self.drained.abandoned.extend(abandoned);
        self.tasks.clear();
        self.handlers.abort_all();
    }

    fn move_phase(&mut self) {
        if matches!(self.phase, Phase::Handlers(_)) && !self.calls.any_running() {
            self.phase = Phase::Acks(Instant::now() + self.settings.grace.acks);
        }
    }

    fn is_done(&self) -> bool {
        match self.phase {
            Phase::Serving | Phase::Handlers(_) => false,
            Phase::Acks(until) => {
                (self.calls.settled() && self.outbox.is_empty()) || Instant::now() >= until
            }
        }
    }

    async fn leave(mut self) -> Drained {
        self.drained.unacknowledged = self.calls.unacknowledged();
        match (self.link, self.phase) {
            (Link::Up(connection), Phase::Acks(until)) => connection.close(until).await,
            (Link::Up(_) | Link::Down { .. }, _) => {}
        }
        tracing::info!(drained = ?self.drained, "ended");
        self.drained
    }
}

async fn next_of_link(link: &mut Link, outbox: &VecDeque<Outgoing>) -> Event {
    match link {
        Link::Down { retry_at } => {
            tokio::time::sleep_until(*retry_at).await;
            Event::Retry
        }
        Link::Up(connection) => Event::Link(connection.next(!outbox.is_empty()).await),
    }
}

fn is_final(status: &tonic::Status) -> bool {
    matches!(
        status.code(),
        Code::InvalidArgument
            | Code::Unauthenticated
            | Code::PermissionDenied
            | Code::Unimplemented
    )
}
