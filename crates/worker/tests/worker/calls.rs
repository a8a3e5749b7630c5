//! Calls on one healthy stream: what is run, what is refused, what comes back.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use proto::runtime::v1::work_server_msg::Body as ToWorker;
use proto::runtime::v1::{WorkInvoke, WorkToolError};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use worker::{Concurrency, Invocation, SideEffectClass, ToolError};

use crate::support::{FakeRuntime, Gated, Running, soon};

async fn echo(call: Invocation) -> Result<Value, ToolError> {
    Ok(call.json()?)
}

#[tokio::test]
async fn a_registered_worker_runs_a_call_and_returns_its_result() {
    let mut runtime = FakeRuntime::start().await;
    let worker = Running::start(
        runtime
            .builder()
            .tool("echo", "1", Concurrency(3), echo)
            .workload_identity("spiffe://test/worker")
            .image_digest("sha256:abc")
            .contract_version("7"),
    );
    let (mut stream, register) = runtime.accept_registered().await;
    assert_eq!(register.worker_id, "worker-1");
    assert_eq!(register.workload_identity, "spiffe://test/worker");
    assert_eq!(register.image_digest, "sha256:abc");
    assert_eq!(register.in_flight, []);
    let handler = register.handlers.first().unwrap();
    assert_eq!(
        (handler.tool.as_str(), handler.version.as_str()),
        ("echo", "1")
    );
    assert_eq!(handler.max_concurrency, 3);
    assert_eq!(handler.contract_version, "7");

    stream.invoke("c1", "echo", r#"{ "a": 1 }"#).await;
    let result = stream.result().await;
    assert_eq!(result.call_id, "c1");
    assert_eq!(result.payload, br#"{"a":1}"#);
    assert_eq!(result.error, None);
    stream.ack("c1").await;

    let ended = worker.shut_down();
    assert_eq!(stream.next().await, None);
    drop(stream);
    let drained = soon("the end", ended).await.unwrap().unwrap();
    assert_eq!(drained, worker::Drained::default());
}

#[tokio::test]
async fn a_handler_sees_the_whole_call() {
    let mut runtime = FakeRuntime::start().await;
    let (seen, mut calls) = mpsc::channel(1);
    let _worker = Running::start(runtime.builder().tool(
        "look",
        "2",
        Concurrency(0),
        move |call: Invocation| {
            let seen = seen.clone();
            async move {
                seen.send(call).await.unwrap();
                Ok(Value::Null)
            }
        },
    ));
    let (mut stream, register) = runtime.accept_registered().await;
    assert_eq!(register.handlers.first().unwrap().max_concurrency, 1);
    stream
        .send(ToWorker::Invoke(WorkInvoke {
            call_id: "c1".to_owned(),
            session_id: "run_1".to_owned(),
            agent_version_id: "v1".to_owned(),
            turn: 3,
            tool: "look".to_owned(),
            version: "2".to_owned(),
            args: Vec::new(),
            side_effect_class: "idempotent_write".to_owned(),
            deadline_unix_ms: 1_000,
        }))
        .await;
    let call = soon("the call", calls.recv()).await.unwrap();
    assert_eq!(call.call_id, "c1");
    assert_eq!(call.session_id, "run_1");
    assert_eq!(call.agent_version_id, "v1");
    assert_eq!(call.turn, 3);
    assert_eq!(call.args, b"{}");
    assert_eq!(
        call.side_effect_class,
        Some(SideEffectClass::IdempotentWrite)
    );
    let deadline = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    assert_eq!(call.deadline, Some(deadline));
    assert_eq!(stream.result().await.payload, b"null");
}

#[tokio::test]
async fn a_call_before_the_registration_is_answered_after_it() {
    let mut runtime = FakeRuntime::start().await;
    let (done, ran) = oneshot::channel();
    let done = Mutex::new(Some(done));
    let tool = move |_| {
        let done = done.lock().unwrap().take();
        async move {
            done.unwrap().send(()).unwrap();
            Ok(json!(1))
        }
    };
    let _worker = Running::start(runtime.builder().tool("once", "1", Concurrency(1), tool));
    let mut stream = runtime.accept().await;
    stream.register().await;
    stream.invoke("c1", "once", "").await;
    soon("the handler", ran).await.unwrap();
    stream.registered(600_000).await;
    assert_eq!(stream.result().await.call_id, "c1");
}

#[tokio::test]
async fn an_unknown_tool_or_version_is_refused() {
    let mut runtime = FakeRuntime::start().await;
    let builder = runtime.builder();
    let _worker = Running::start(builder.tool("echo", "2", Concurrency(1), echo));
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "other", "").await;
    stream.invoke("c2", "echo", "").await;
    for call_id in ["c1", "c2"] {
        let nack = stream.nack().await;
        assert_eq!(nack.call_id, call_id);
        assert_eq!(nack.code, "unknown_handler");
    }
}

#[tokio::test]
async fn arguments_that_are_no_json_are_refused() {
    let mut runtime = FakeRuntime::start().await;
    let builder = runtime.builder();
    let _worker = Running::start(builder.tool("echo", "1", Concurrency(1), echo));
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "echo", "{").await;
    assert_eq!(stream.nack().await.code, "invalid_args");
    // A refused call may come again.
    stream.invoke("c1", "echo", "{}").await;
    assert_eq!(stream.result().await.call_id, "c1");
}

#[tokio::test]
async fn a_handlers_error_is_the_result() {
    let mut runtime = FakeRuntime::start().await;
    let _worker = Running::start(
        runtime
            .builder()
            .tool("fail", "1", Concurrency(1), |_| async {
                Err(ToolError::new("card_declined", "try another card"))
            }),
    );
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "fail", "").await;
    let result = stream.result().await;
    assert!(result.payload.is_empty());
    assert_eq!(
        result.error,
        Some(WorkToolError {
            code: "card_declined".to_owned(),
            message: "try another card".to_owned()
        })
    );
}

#[tokio::test]
async fn a_panic_is_an_error_and_the_worker_lives() {
    let mut runtime = FakeRuntime::start().await;
    let _worker = Running::start(
        runtime
            .builder()
            .tool("echo", "1", Concurrency(1), echo)
            .tool("panic", "1", Concurrency(1), |call: Invocation| {
                // One panics when it is called, the other when it is polled.
                assert!(call.args != b"1", "on call");
                async { panic!("on poll") }
            }),
    );
    let (mut stream, _) = runtime.accept_registered().await;
    for args in ["1", "2"] {
        stream.invoke(args, "panic", args).await;
        let result = stream.result().await;
        assert_eq!(result.call_id, args);
        assert_eq!(result.error.unwrap().code, "internal");
        stream.ack(args).await;
    }
    stream.invoke("c1", "echo", "").await;
    assert_eq!(stream.result().await.error, None);
}

#[tokio::test]
async fn a_result_that_is_too_large_becomes_an_error() {
    let mut runtime = FakeRuntime::start().await;
    let _worker = Running::start(runtime.builder().result_bytes_max(10).tool(
        "echo",
        "1",
        Concurrency(1),
        echo,
    ));
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "echo", r#""more than ten""#).await;
    let error = stream.result().await.error.unwrap();
    assert_eq!(error.code, "result_too_large");
    assert!(error.message.contains("15") && error.message.contains("10"));
}

#[tokio::test]
async fn a_call_that_comes_twice_is_started_once() {
    let mut runtime = FakeRuntime::start().await;
    let (builder, mut gated) = Gated::add(4, runtime.builder());
    let _worker = Running::start(builder);
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "gated", "").await;
    stream.invoke("c1", "gated", "").await;
    // The refusal of the next call shows that both have been taken in.
    stream.invoke("c2", "other", "").await;
    stream.nack().await;
    gated.started().await;
    gated.release();
    assert_eq!(stream.result().await.call_id, "c1");
    // Held and sent again: answered without running.
    stream.invoke("c1", "gated", "").await;
    assert_eq!(stream.result().await.call_id, "c1");
    assert!(gated.no_more_started());
}

#[tokio::test]
async fn excess_calls_wait_for_a_slot_and_then_are_refused() {
    let mut runtime = FakeRuntime::start().await;
    let (builder, mut gated) = Gated::add(1, runtime.builder().queue_max(1));
    let _worker = Running::start(builder);
    let (mut stream, _) = runtime.accept_registered().await;
    for call_id in ["c1", "c2", "c3"] {
        stream.invoke(call_id, "gated", "").await;
    }
    let nack = stream.nack().await;
    assert_eq!((&*nack.call_id, &*nack.code), ("c3", "overloaded"));
    for call_id in ["c1", "c2"] {
        assert_eq!(gated.started().await, call_id);
        assert!(gated.no_more_started());
        gated.release();
        assert_eq!(stream.result().await.call_id, call_id);
        stream.ack(call_id).await;
    }
}

#[tokio::test]
async fn results_that_are_not_acknowledged_refuse_new_calls() {
    let mut runtime = FakeRuntime::start().await;
    let builder = runtime.builder().held_max(1);
    let _worker = Running::start(builder.tool("echo", "1", Concurrency(4), echo));
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "echo", "").await;
    stream.result().await;
    stream.invoke("c2", "echo", "").await;
    assert_eq!(stream.nack().await.code, "overloaded");
    stream.ack("c1").await;
    stream.invoke("c2", "echo", "").await;
    assert_eq!(stream.result().await.call_id, "c2");
}

#[tokio::test]
async fn a_cancel_reaches_the_handler_and_its_outcome_the_runtime() {
    let mut runtime = FakeRuntime::start().await;
    let _worker = Running::start(runtime.builder().tool(
        "wait",
        "1",
        Concurrency(2),
        |call: Invocation| async move {
            call.cancelled().await;
            assert!(call.is_cancelled());
            Ok(json!("half done"))
        },
    ));
    let (mut stream, _) = runtime.accept_registered().await;
    stream.invoke("c1", "wait", "").await;
    stream.invoke("c2", "wait", "").await;
    stream.cancel("unknown").await;
    stream.cancel("c2").await;
    let result = stream.result().await;
    assert_eq!(result.call_id, "c2");
    assert_eq!(result.payload, br#""half done""#);
    stream.cancel("c1").await;
    assert_eq!(stream.result().await.call_id, "c1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_blocks_its_thread_does_not_stop_heartbeats() {
    let mut runtime = FakeRuntime::start().await;
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = Arc::new(Mutex::new(blocked));
    let tool = move |_| {
        let blocked = Arc::clone(&blocked);
        async move {
            blocked.lock().unwrap().recv().unwrap();
            Ok(Value::Null)
        }
    };
    let _worker = Running::start(runtime.builder().tool("block", "1", Concurrency(1), tool));
    let mut stream = runtime.accept().await;
    stream.register().await;
    stream.registered(1).await;
    stream.invoke("c1", "block", "").await;
    stream.heartbeat().await;
    stream.heartbeat().await;
    release.send(()).unwrap();
    assert_eq!(stream.result().await.call_id, "c1");
}
