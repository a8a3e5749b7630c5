//! A runtime that serves only `Work` and does exactly what the test tells it. Knows the messages; not
//! what a runtime would do with them.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use proto::runtime::v1::work_client_msg::Body as FromWorker;
use proto::runtime::v1::work_server_msg::Body as ToWorker;
use proto::runtime::v1::{
    WorkClientMsg, WorkHeartbeat, WorkHeartbeatAck, WorkInvoke, WorkRegister, WorkRegistered,
    WorkResultAck, WorkServerMsg, WorkToolCancel, WorkToolNack, WorkToolResult,
};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, NamedService, StreamingService};
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};
use worker::{Backoff, Builder, Concurrency, Drained, Invocation, RunError, Worker};

/// Only ever reached by a test that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(it) => it,
        Err(_) => panic!("{what} never came"),
    }
}

pub(crate) struct FakeRuntime {
    pub(crate) address: String,
    streams: mpsc::Receiver<Stream>,
}

impl FakeRuntime {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (sender, streams) = mpsc::channel(4);
        tokio::spawn(
            Server::builder()
                .add_service(Work(sender))
                .serve_with_incoming(TcpListenerStream::new(listener)),
        );
        Self { address, streams }
    }

    /// The next stream that the worker opens.
    pub(crate) async fn accept(&mut self) -> Stream {
        soon("a stream", self.streams.recv()).await.unwrap()
    }

    /// The next stream, registered with a lease that needs no heartbeat during a test.
    pub(crate) async fn accept_registered(&mut self) -> (Stream, WorkRegister) {
        let mut stream = self.accept().await;
        let register = stream.register().await;
        stream.registered(600_000).await;
        (stream, register)
    }

    /// A builder of workers that come to this runtime without much waiting.
    pub(crate) fn builder(&self) -> Builder {
        Worker::builder("worker-1")
            .runtime(&self.address)
            .backoff(Backoff {
                first: Duration::from_millis(1),
                max: Duration::from_millis(1),
                settled_after: Duration::ZERO,
            })
            .drain_grace(PATIENCE)
            .ack_wait(PATIENCE)
    }
}

/// One stream as the runtime sees it. Dropping it ends it.
pub(crate) struct Stream {
    from_worker: Streaming<WorkClientMsg>,
    to_worker: mpsc::Sender<Result<WorkServerMsg, Status>>,
}

impl Stream {
    /// The next message that is not a heartbeat; `None` when the worker has ended its side.
    pub(crate) async fn next(&mut self) -> Option<FromWorker> {
        loop {
            let message = soon("a message", self.from_worker.message()).await;
            let body = message.unwrap()?.body.unwrap();
            if !matches!(body, FromWorker::Heartbeat(_)) {
                return Some(body);
            }
        }
    }

    pub(crate) async fn heartbeat(&mut self) {
        let message = soon("a heartbeat", self.from_worker.message()).await;
        let body = message.unwrap().unwrap().body.unwrap();
        assert_eq!(body, FromWorker::Heartbeat(WorkHeartbeat {}));
        self.send(ToWorker::HeartbeatAck(WorkHeartbeatAck {})).await;
    }

    pub(crate) async fn register(&mut self) -> WorkRegister {
        match self.next().await {
            Some(FromWorker::Register(it)) => it,
            other => panic!("{other:?} is no register"),
        }
    }

    pub(crate) async fn result(&mut self) -> WorkToolResult {
        match self.next().await {
            Some(FromWorker::Result(it)) => it,
            other => panic!("{other:?} is no result"),
        }
    }

    pub(crate) async fn nack(&mut self) -> WorkToolNack {
        match self.next().await {
            Some(FromWorker::Nack(it)) => it,
            other => panic!("{other:?} is no nack"),
        }
    }

    pub(crate) async fn registered(&mut self, lease_ttl_ms: i64) {
        self.send(ToWorker::Registered(WorkRegistered {
            worker_id: "worker-1".to_owned(),
            lease_ttl_ms,
        }))
        .await;
    }

    /// Sends a call of version 1 of `tool`.
    pub(crate) async fn invoke(&mut self, call_id: &str, tool: &str, args: &str) {
        self.send(ToWorker::Invoke(WorkInvoke {
            call_id: call_id.to_owned(),
            tool: tool.to_owned(),
            version: "1".to_owned(),
            args: args.as_bytes().to_vec(),
            ..WorkInvoke::default()
        }))
        .await;
    }

    pub(crate) async fn cancel(&mut self, call_id: &str) {
        let call_id = call_id.to_owned();
        self.send(ToWorker::Cancel(WorkToolCancel { call_id }))
            .await;
    }

    pub(crate) async fn ack(&mut self, call_id: &str) {
        let call_id = call_id.to_owned();
        self.send(ToWorker::ResultAck(WorkResultAck { call_id }))
            .await;
    }

    pub(crate) async fn send(&mut self, body: ToWorker) {
        let message = WorkServerMsg { body: Some(body) };
        self.to_worker.send(Ok(message)).await.unwrap();
    }

    /// Ends the stream with an error.
    pub(crate) async fn fail(self, status: Status) {
        self.to_worker.send(Err(status)).await.unwrap();
    }
}

/// A worker that runs beside the test.
pub(crate) struct Running {
    shutdown: oneshot::Sender<()>,
    task: JoinHandle<Result<Drained, RunError>>,
}

impl Running {
    pub(crate) fn start(builder: Builder) -> Self {
        let worker = builder.build().unwrap();
        let (shutdown, told) = oneshot::channel();
        let task = tokio::spawn(worker.run(async { told.await.unwrap() }));
        Self { shutdown, task }
    }

    /// Tells the worker to end and gives back what tells how it ended.
    pub(crate) fn shut_down(self) -> JoinHandle<Result<Drained, RunError>> {
        self.shutdown.send(()).unwrap();
        self.task
    }

    /// Waits for a worker that ends by itself.
    pub(crate) async fn ended(self) -> Result<Drained, RunError> {
        soon("the end", self.task).await.unwrap()
    }
}

/// Hands each `Work` stream to the test.
#[derive(Clone)]
struct Work(mpsc::Sender<Stream>);

impl NamedService for Work {
    const NAME: &'static str = "phrony.runtime.v1.Runtime";
}

impl Service<http::Request<Body>> for Work {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        assert_eq!(request.uri().path(), "/phrony.runtime.v1.Runtime/Work");
        let work = self.clone();
        Box::pin(async move {
            let mut grpc = Grpc::new(tonic_prost::ProstCodec::default());
            Ok(grpc.streaming(work, request).await)
        })
    }
}

impl StreamingService<WorkClientMsg> for Work {
    type Response = WorkServerMsg;
    type ResponseStream = ReceiverStream<Result<WorkServerMsg, Status>>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<Streaming<WorkClientMsg>>) -> Self::Future {
        let streams = self.0.clone();
        Box::pin(async move {
            let (to_worker, messages) = mpsc::channel(16);
            let stream = Stream {
                from_worker: request.into_inner(),
                to_worker,
            };
            // A test that has ended takes no more streams.
            streams
                .send(stream)
                .await
                .map_err(|_| Status::unavailable("the test is over"))?;
            Ok(Response::new(ReceiverStream::new(messages)))
        })
    }
}

/// A tool named `gated` that says when it starts and ends when the test lets it.
pub(crate) struct Gated {
    gate: Arc<Semaphore>,
    starts: mpsc::Receiver<String>,
}

impl Gated {
    pub(crate) fn add(concurrency: u32, builder: Builder) -> (Builder, Self) {
        let gate = Arc::new(Semaphore::new(0));
        let (started, starts) = mpsc::channel(16);
        let shared = Arc::clone(&gate);
        let tool = move |call: Invocation| {
            let (gate, started) = (Arc::clone(&shared), started.clone());
            async move {
                started.send(call.call_id.clone()).await.unwrap();
                gate.acquire().await.unwrap().forget();
                Ok(json!(call.call_id))
            }
        };
        let builder = builder.tool("gated", "1", Concurrency(concurrency), tool);
        (builder, Self { gate, starts })
    }

    /// Waits for the next start and gives its call id.
    pub(crate) async fn started(&mut self) -> String {
        soon("a start", self.starts.recv()).await.unwrap()
    }

    pub(crate) fn no_more_started(&mut self) -> bool {
        self.starts.try_recv().is_err()
    }

    /// Lets one call end.
    pub(crate) fn release(&self) {
        self.gate.add_permits(1);
    }
}
