//! One `Work` stream from dial to end: carries messages both ways and keeps the lease alive. Knows
//! transport and heartbeats; not what the messages are about.

use std::time::Duration;

use proto::runtime::v1::runtime_client::RuntimeClient;
use proto::runtime::v1::work_client_msg::Body as FromWorker;
use proto::runtime::v1::work_server_msg::Body as ToWorker;
use proto::runtime::v1::{WorkClientMsg, WorkHeartbeat, WorkRegister};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Endpoint;

/// Messages under way in each direction. Few, since each may carry a whole result.
const MESSAGES_MAX: usize = 8;
/// Far above what arguments may have, so that the runtime's own limit is the one that is met.
const DECODE_BYTES_MAX: usize = 64 * 1024 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// Wide enough that a large argument does not hold up the cancel behind it.
const WINDOW_BYTES: u32 = 4 * 1024 * 1024;

const LEASE_WHEN_UNSAID: Duration = Duration::from_secs(30);
const HEARTBEAT_MIN: Duration = Duration::from_secs(1);

/// Why a stream is over.
#[derive(Debug, thiserror::Error)]
pub(crate) enum End {
    #[error("the runtime cannot be reached")]
    Unreachable(#[source] tonic::transport::Error),
    #[error("the runtime ended the stream with an error")]
    Failed(#[source] tonic::Status),
    #[error("the runtime closed the stream")]
    Closed,
    #[error("the runtime does not read what it is sent")]
    Stalled,
}

/// What happened on a stream.
#[derive(Debug)]
pub(crate) enum Event {
    Message(ToWorker),
    /// A message can be sent now.
    Writable,
    Ended(End),
}

pub(crate) struct Connection {
    inbound: mpsc::Receiver<Event>,
    outbound: mpsc::Sender<WorkClientMsg>,
    heartbeat: Option<Task>,
    registered_at: Option<Instant>,
    _carrier: Task,
}

impl Connection {
    /// Dials in the background and sends `register` first.
    pub(crate) fn open(endpoint: Endpoint, register: WorkRegister) -> Self {
        let (events, inbound) = mpsc::channel(MESSAGES_MAX);
        let (outbound, messages) = mpsc::channel(MESSAGES_MAX);
        let carrier = tokio::spawn(async move {
            let register = message(FromWorker::Register(register));
            let end = carry(endpoint, register, messages, &events).await;
            // Nobody listens any more: then nobody needs to know.
            events.send(Event::Ended(end)).await.ok();
        });
        Self {
            inbound,
            outbound,
            heartbeat: None,
            registered_at: None,
            _carrier: Task(carrier),
        }
    }

    /// Waits for what happens next. `writes`: there is something to send. Losing the race against
    /// another future loses nothing.
    pub(crate) async fn next(&mut self, writes: bool) -> Event {
        let Self {
            inbound, outbound, ..
        } = self;
        let writable = async {
            // The stream is gone when there is no permit; its end then comes from the other side.
            if !writes || outbound.reserve().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = writable => Event::Writable,
            event = inbound.recv() => event.unwrap_or(Event::Ended(End::Closed)),
        }
    }

    /// Sends unless the stream is full or gone; `false`: it was not sent.
    pub(crate) fn try_send(&self, body: FromWorker) -> bool {
        self.outbound.try_send(message(body)).is_ok()
    }

    /// The runtime has accepted the registration: the lease runs.
    pub(crate) fn registered(&mut self, lease_ttl_ms: i64) {
        let every = heartbeat_interval(lease_ttl_ms);
        self.registered_at.get_or_insert_with(Instant::now);
        // A task of its own: nothing that the worker is busy with can delay a beat.
        let task = tokio::spawn(beat(every, self.outbound.clone()));
        self.heartbeat = Some(Task(task));
    }

    pub(crate) fn is_registered(&self) -> bool {
        self.registered_at.is_some()
    }

    pub(crate) fn registered_for(&self) -> Option<Duration> {
        self.registered_at.map(|it| it.elapsed())
    }

    /// Ends the sending side and waits for the runtime to end its own, so that what was sent last
    /// arrives. A runtime that does not is left at `until`.
    pub(crate) async fn close(self, until: Instant) {
        if !self.is_registered() {
            return;
        }
        let Self {
            mut inbound,
            outbound,
            heartbeat,
            _carrier,
            ..
        } = self;
        drop(heartbeat);
        drop(outbound);
        let ended = async {
            while let Some(event) = inbound.recv().await {
                if matches!(event, Event::Ended(_)) {
                    break;
                }
            }
        };
        if tokio::time::timeout_at(until, ended).await.is_err() {
            tracing::debug!("the runtime did not end the stream in time");
        }
    }
}

/// Ends with its owner.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(crate) fn endpoint(address: String) -> Result<Endpoint, tonic::transport::Error> {
    Ok(Endpoint::from_shared(address)?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(WINDOW_BYTES))
}

async fn carry(
    endpoint: Endpoint,
    register: WorkClientMsg,
    messages: mpsc::Receiver<WorkClientMsg>,
    events: &mpsc::Sender<Event>,
) -> End {
    let channel = match endpoint.connect().await {
        Ok(channel) => channel,
        Err(why) => return End::Unreachable(why),
    };
    let first = tokio_stream::once(register);
    let outgoing = tokio_stream::StreamExt::chain(first, ReceiverStream::new(messages));
    let mut client = RuntimeClient::new(channel).max_decoding_message_size(DECODE_BYTES_MAX);
    let mut stream = match client.work(outgoing).await {
        Ok(response) => response.into_inner(),
        Err(status) => return End::Failed(status),
    };
    loop {
        let body = match stream.message().await {
            Ok(Some(message)) => message.body,
            Ok(None) => return End::Closed,
            Err(status) => return End::Failed(status),
        };
        // An empty body is a kind of message newer than this worker.
        let Some(body) = body else { continue };
        if events.send(Event::Message(body)).await.is_err() {
            return End::Closed;
        }
    }
}

async fn beat(every: Duration, outbound: mpsc::Sender<WorkClientMsg>) {
    let mut ticks = interval_at(Instant::now() + every, every);
    // Beats that could not be sent while the stream was full are not made up for.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let heartbeat = message(FromWorker::Heartbeat(WorkHeartbeat {}));
        if outbound.send(heartbeat).await.is_err() {
            return;
        }
    }
}

fn heartbeat_interval(lease_ttl_ms: i64) -> Duration {
    let lease = match u64::try_from(lease_ttl_ms) {
        Ok(0) | Err(_) => LEASE_WHEN_UNSAID,
        Ok(ms) => Duration::from_millis(ms),
    };
    (lease / 2).max(HEARTBEAT_MIN)
}

fn message(body: FromWorker) -> WorkClientMsg {
    WorkClientMsg { body: Some(body) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbeats_come_at_half_the_lease_but_not_faster_than_a_second() {
        let seconds = |ttl| heartbeat_interval(ttl).as_secs_f64();
        assert_eq!(seconds(30_000), 15.0);
        assert_eq!(seconds(5_000), 2.5);
        assert_eq!(seconds(1_000), 1.0);
        assert_eq!(seconds(0), 15.0);
        assert_eq!(seconds(-1), 15.0);
    }

    #[tokio::test]
    async fn beats_go_on_until_the_stream_is_gone() {
        let (outbound, mut messages) = mpsc::channel(1);
        let beating = tokio::spawn(beat(Duration::from_millis(1), outbound));
        for _ in 0..3 {
            let body = messages.recv().await.unwrap().body;
            assert_eq!(body, Some(FromWorker::Heartbeat(WorkHeartbeat {})));
        }
        drop(messages);
        beating.await.unwrap();
    }
}
