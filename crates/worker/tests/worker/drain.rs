//! What a worker still does after it is told to end.

use std::time::Duration;

use worker::Drained;

use crate::support::{FakeRuntime, Gated, Running, soon};

#[tokio::test]
async fn running_calls_finish_and_others_are_refused() {
    let mut runtime = FakeRuntime::start().await;
    let (builder, mut gated) = Gated::add(1, runtime.builder());
    let worker = Running::start(builder);
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("runs", "gated", "").await;
    stream.invoke("waits", "gated", "").await;
    stream.invoke("other", "other", "").await;
    stream.nack().await;
    gated.started().await;

    let ended = worker.shut_down();
    let nack = stream.nack().await;
    assert_eq!(
        (nack.call_id.as_str(), nack.code.as_str()),
        ("waits", "draining")
    );
    stream.invoke("late", "gated", "").await;
    let nack = stream.nack().await;
    assert_eq!(
        (nack.call_id.as_str(), nack.code.as_str()),
        ("late", "draining")
    );
    gated.release();
    assert_eq!(stream.result().await.call_id, "runs");
    assert!(!ended.is_finished());
    stream.ack("runs").await;
    assert_eq!(stream.next().await, None);
    drop(stream);
    let drained = soon("the end", ended).await.unwrap().unwrap();
    assert_eq!(drained, Drained::default());
}

#[tokio::test]
async fn a_result_is_delivered_even_if_the_stream_breaks_meanwhile() {
    let mut runtime = FakeRuntime::start().await;
    let (builder, mut gated) = Gated::add(1, runtime.builder());
    let worker = Running::start(builder);
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "gated", "").await;
    gated.started().await;
    let ended = worker.shut_down();
    drop(stream);
    let (mut stream, register) = runtime.accept_registered().await;
    assert_eq!(register.in_flight.len(), 1);
    gated.release();
    assert_eq!(stream.result().await.call_id, "c1");
    stream.ack("c1").await;
    assert_eq!(stream.next().await, None);
    drop(stream);
    let drained = soon("the end", ended).await.unwrap().unwrap();
    assert_eq!(drained, Drained::default());
}

#[tokio::test]
async fn a_handler_that_does_not_end_is_abandoned_without_a_report() {
    let mut runtime = FakeRuntime::start().await;
    let (builder, mut gated) = Gated::add(1, runtime.builder().drain_grace(Duration::ZERO));
    let worker = Running::start(builder);
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "gated", "").await;
    gated.started().await;
    let ended = worker.shut_down();
    assert_eq!(stream.next().await, None);
    drop(stream);
    let drained = soon("the end", ended).await.unwrap().unwrap();
    assert_eq!(drained.abandoned, ["c1"]);
    assert!(drained.unacknowledged.is_empty());
}

#[tokio::test]
async fn a_result_without_an_acknowledgement_is_named() {
    let mut runtime = FakeRuntime::start().await;
    let (builder, mut gated) = Gated::add(1, runtime.builder().ack_wait(Duration::ZERO));
    let worker = Running::start(builder);
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "gated", "").await;
    gated.started().await;
    gated.release();
    stream.result().await;
    let ended = worker.shut_down();
    let drained = soon("the end", ended).await.unwrap().unwrap();
    assert_eq!(drained.unacknowledged, ["c1"]);
}

#[tokio::test]
async fn an_idle_worker_ends_even_without_a_runtime() {
    let runtime = FakeRuntime::start().await;
    let (builder, _gated) = Gated::add(1, runtime.builder().runtime("127.0.0.1:1"));
    let ended = Running::start(builder).shut_down();
    let drained = soon("the end", ended).await.unwrap().unwrap();
    assert_eq!(drained, Drained::default());
}
