//! The `Work` stream: one task reads what the worker says and never waits for anything slow.

use std::sync::Arc;
use std::time::Duration;

use proto::runtime::v1 as wire;
use runtime::workers::{ConnectionId, Refused, Registration};
use spec::WorkerId;
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use wire::work_client_msg::Body;

use crate::serve::Core;
use crate::wire::work;
use crate::workers::{FRAMES_MAX, FrameSender};

/// How long a newcomer waits for an older connection of the same name to turn out dead.
const PROBE: Duration = Duration::from_secs(2);
/// How long a stream may stay silent before it registers.
const REGISTER_WITHIN: Duration = Duration::from_secs(30);

type Inbound = Streaming<wire::WorkClientMsg>;

/// Takes a worker's stream.
pub(super) fn accept(
    core: Arc<Core>,
    inbound: Inbound,
) -> ReceiverStream<Result<wire::WorkServerMsg, Status>> {
    let (frames, outbound) = mpsc::channel(FRAMES_MAX);
    tokio::spawn(async move {
        if let Err(status) = converse(&core, inbound, &frames).await {
            // The worker may be gone; then nobody reads why.
            let _gone = frames.send(Err(status)).await;
        }
    });
    ReceiverStream::new(outbound)
}

async fn converse(
    core: &Arc<Core>,
    mut inbound: Inbound,
    frames: &FrameSender,
) -> Result<(), Status> {
    let mut stopped = core.stopped.clone();
    let first = tokio::select! {
        first = tokio::time::timeout(REGISTER_WITHIN, inbound.message()) => first,
        _ = stopped.wait_for(|it| *it) => {
            return Err(Status::unavailable("the runtime is stopping"));
        }
    };
    let Ok(first) = first else {
        return Err(Status::deadline_exceeded("no register message came"));
    };
    let Some(first) = first? else { return Ok(()) };
    let register = match first.body {
        Some(Body::Register(register)) => register,
        Some(Body::Heartbeat(_) | Body::Result(_) | Body::Nack(_)) => {
            return Err(Status::failed_precondition(
                "the first message must be register",
            ));
        }
        None => return Err(Status::invalid_argument("the message has no body")),
    };
    let registration = work::registration(register)?;
    let worker = registration.worker.clone();
    let (connection, closed) = register_when_free(core, registration, frames).await?;
    tracing::info!(%worker, connection = connection.0, "worker connected");
    let ended = listen(core, &mut inbound, connection, &worker, closed).await;
    core.disconnect(connection);
    tracing::info!(%worker, connection = connection.0, "worker disconnected");
    ended
}

/// Registers. An older connection of the same name that turns out dead within the probe is
/// replaced; a living one keeps the name.
async fn register_when_free(
    core: &Arc<Core>,
    registration: Registration,
    frames: &FrameSender,
) -> Result<(ConnectionId, watch::Receiver<bool>), Status> {
    let probe = tokio::time::sleep(PROBE);
    tokio::pin!(probe);
    loop {
        match register(core, registration.clone(), frames) {
            Ok(registered) => return Ok(registered),
            Err(Refused::Duplicate { connection, worker }) => {
                let Some(mut gone) = core.workers.gone(connection) else {
                    // It is on its way out already.
                    core.disconnect(connection);
                    continue;
                };
                tokio::select! {
                    _ = gone.changed() => {}
                    () = &mut probe => {
                        let refused = Refused::Duplicate { connection, worker };
                        return Err(Status::already_exists(refused.to_string()));
                    }
                }
            }
            Err(refused @ (Refused::NoHandlers | Refused::TooManyClaims { .. })) => {
                return Err(Status::invalid_argument(refused.to_string()));
            }
        }
    }
}

fn register(
    core: &Arc<Core>,
    registration: Registration,
    frames: &FrameSender,
) -> Result<(ConnectionId, watch::Receiver<bool>), Refused> {
    let now = core.clock.now();
    let worker = registration.worker.clone();
    // INVARIANT: the way out is open, and `registered` is on it, before the registry's lock is let
    // go; so no call can be sent to the worker before it, and none can be lost.
    let (connection, closed, outs) = core.workers.with(|registry| {
        let lease = registry.settings().lease_ms;
        let (connection, outs) = registry.register(registration, now)?;
        let closed = core.workers.open(connection, frames.clone());
        core.workers
            .send(connection, work::registered(&worker, lease));
        Ok::<_, Refused>((connection, closed, outs))
    })?;
    core.take_in(outs);
    Ok((connection, closed))
}

async fn listen(
    core: &Arc<Core>,
    inbound: &mut Inbound,
    connection: ConnectionId,
    worker: &WorkerId,
    mut closed: watch::Receiver<bool>,
) -> Result<(), Status> {
    loop {
        let message = tokio::select! {
            message = inbound.message() => message,
            _ = closed.changed() => return Ok(()),
        };
        // A broken connection is an end like any other; there is nobody to tell.
        let Ok(Some(message)) = message else {
            return Ok(());
        };
        let now = core.clock.now();
        let outs = core
            .workers
            .with(|registry| registry.heard(connection, now));
        core.take_in(outs);
        let input = match message.body {
            Some(Body::Heartbeat(_)) => {
                core.workers.send(connection, work::heartbeat_ack());
                continue;
            }
            Some(Body::Register(_)) => {
                let lease = core.workers.with(|registry| registry.settings().lease_ms);
                core.workers
                    .send(connection, work::registered(worker, lease));
                continue;
            }
            Some(Body::Result(result)) => work::result(result, worker),
            Some(Body::Nack(nack)) => work::nack(nack, worker),
            None => {
                tracing::debug!(%worker, "a message without a body is passed over");
                continue;
            }
        };
        let outs = core
            .workers
            .with(|registry| registry.outcome(connection, input));
        core.take_in(outs);
    }
}
