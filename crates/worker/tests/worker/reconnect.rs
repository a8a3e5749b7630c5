//! What survives a stream that breaks: running handlers, held results, and nothing else.

use proto::runtime::v1::WorkRegister;
use serde_json::Value;
use tonic::{Code, Status};
use worker::{Concurrency, Invocation, RunError, ToolError};

use crate::support::{FakeRuntime, Gated, Running};

async fn echo(call: Invocation) -> Result<Value, ToolError> {
    Ok(call.json()?)
}

fn in_flight(register: &WorkRegister) -> Vec<&str> {
    register
        .in_flight
        .iter()
        .map(|it| it.call_id.as_str())
        .collect()
}

#[tokio::test]
async fn an_unacknowledged_result_is_claimed_and_sent_again() {
    let mut runtime = FakeRuntime::start().await;
    let builder = runtime.builder();
    let _worker = Running::start(builder.tool("echo", "1", Concurrency(1), echo));
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("acked", "echo", "1").await;
    assert_eq!(stream.result().await.call_id, "acked");
    stream.ack("acked").await;
    stream.invoke("lost", "echo", "2").await;
    let first = stream.result().await;
    drop(stream);

    let mut stream = runtime.accept().await;
    let register = stream.register().await;
    assert_eq!(in_flight(&register), ["lost"]);
    stream.registered(600_000).await;
    assert_eq!(stream.result().await, first);
    stream.ack("lost").await;
    // The answer to another call shows that the acknowledgement has been taken in.
    stream.invoke("c3", "other", "").await;
    stream.nack().await;
    drop(stream);

    let (_, register) = runtime.accept_registered().await;
    assert!(in_flight(&register).is_empty());
}

#[tokio::test]
async fn an_acknowledgement_may_come_before_the_registration() {
    let mut runtime = FakeRuntime::start().await;
    let builder = runtime.builder();
    let _worker = Running::start(builder.tool("echo", "1", Concurrency(1), echo));
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "echo", "1").await;
    stream.result().await;
    drop(stream);

    let mut stream = runtime.accept().await;
    stream.register().await;
    stream.ack("c1").await;
    stream.registered(600_000).await;
    stream.invoke("c2", "echo", "2").await;
    assert_eq!(stream.result().await.call_id, "c2");
}

#[tokio::test]
async fn a_handler_runs_on_while_the_stream_is_gone() {
    let mut runtime = FakeRuntime::start().await;
    let (builder, mut gated) = Gated::add(1, runtime.builder());
    let _worker = Running::start(builder);
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "gated", "").await;
    gated.started().await;
    drop(stream);

    let (mut stream, register) = runtime.accept_registered().await;
    assert_eq!(in_flight(&register), ["c1"]);
    // The runtime may hand the same call out again; it still runs once.
    stream.invoke("c1", "gated", "").await;
    stream.invoke("c2", "other", "").await;
    stream.nack().await;
    gated.release();
    assert_eq!(stream.result().await.payload, br#""c1""#);
    assert!(gated.no_more_started());
}

#[tokio::test]
async fn a_call_that_had_not_begun_is_claimed_and_refused() {
    let mut runtime = FakeRuntime::start().await;
    let (builder, mut gated) = Gated::add(1, runtime.builder());
    let _worker = Running::start(builder);
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("runs", "gated", "").await;
    stream.invoke("waits", "gated", "").await;
    stream.invoke("other", "other", "").await;
    stream.nack().await;
    drop(stream);

    let (mut stream, register) = runtime.accept_registered().await;
    assert_eq!(in_flight(&register), ["runs", "waits"]);
    let nack = stream.nack().await;
    assert_eq!((&*nack.call_id, &*nack.code), ("waits", "overloaded"));
    gated.release();
    assert_eq!(stream.result().await.call_id, "runs");
    drop(stream);

    let (_stream, register) = runtime.accept_registered().await;
    assert_eq!(in_flight(&register), ["runs"]);
    assert_eq!(gated.started().await, "runs");
    assert!(gated.no_more_started());
}

#[tokio::test]
async fn a_result_that_is_not_wanted_is_let_go() {
    let mut runtime = FakeRuntime::start().await;
    let builder = runtime.builder();
    let _worker = Running::start(builder.tool("echo", "1", Concurrency(1), echo));
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "echo", "").await;
    // Two streams on which the runtime answers the result with a cancel.
    for _ in 0..2 {
        assert_eq!(stream.result().await.call_id, "c1");
        stream.cancel("c1").await;
        stream.invoke("other", "other", "").await;
        stream.nack().await;
        drop(stream);
        (stream, _) = runtime.accept_registered().await;
    }
    drop(stream);
    let (_, register) = runtime.accept_registered().await;
    assert!(in_flight(&register).is_empty());
}

#[tokio::test]
async fn a_first_registration_that_is_refused_ends_the_worker() {
    let mut runtime = FakeRuntime::start().await;
    let builder = runtime.builder();
    let worker = Running::start(builder.tool("echo", "1", Concurrency(1), echo));
    let mut stream = runtime.accept().await;
    stream.register().await;
    stream.fail(Status::permission_denied("not you")).await;
    let RunError::Refused { worker_id, status } = worker.ended().await.unwrap_err();
    assert_eq!(worker_id, "worker-1");
    assert_eq!(status.code(), Code::PermissionDenied);
}

#[tokio::test]
async fn a_worker_that_has_served_keeps_trying() {
    let mut runtime = FakeRuntime::start().await;
    let builder = runtime.builder();
    let _worker = Running::start(builder.tool("echo", "1", Concurrency(1), echo));
    let (stream, _) = runtime.accept_registered().await;
    stream.fail(Status::permission_denied("not now")).await;
    let stream = runtime.accept().await;
    stream.fail(Status::unavailable("starting")).await;
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "echo", "").await;
    assert_eq!(stream.result().await.call_id, "c1");
}
