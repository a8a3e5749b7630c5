//! The `Work` stream by hand: what good and bad workers say, and what they hear.

use proto::runtime::v1 as wire;
use proto::runtime::v1::runtime_client::RuntimeClient;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};
use wire::work_client_msg::Body as Said;
use wire::work_server_msg::Body as Heard;

use crate::bed::{Bed, script, text};

/// A worker that says exactly what the test says.
pub struct ByHand {
    say: mpsc::Sender<wire::WorkClientMsg>,
    hear: Streaming<wire::WorkServerMsg>,
}

impl ByHand {
    pub async fn dial(address: &str) -> Self {
        let mut client = RuntimeClient::connect(format!("http://{address}"))
            .await
            .unwrap();
        let (say, said) = mpsc::channel(64);
        let hear = client
            .work(ReceiverStream::new(said))
            .await
            .unwrap()
            .into_inner();
        Self { say, hear }
    }

    pub async fn say(&self, body: Said) {
        self.say
            .send(wire::WorkClientMsg { body: Some(body) })
            .await
            .unwrap();
    }

    pub async fn hear(&mut self) -> Result<Heard, Status> {
        let message = self.hear.message().await?;
        Ok(message.expect("the stream ended").body.expect("a body"))
    }

    pub async fn ended(&mut self) -> bool {
        matches!(self.hear.message().await, Ok(None))
    }

    pub async fn register(address: &str, name: &str, in_flight: &[&str]) -> Self {
        Self::registered(address, name, registration(name, in_flight)).await
    }

    /// Registers for tools, each written `namespace.name@version`.
    pub(crate) async fn serving(address: &str, name: &str, tools: &[&str]) -> Self {
        let handlers = tools.iter().map(|tool| {
            let (tool, version) = tool.split_once('@').unwrap();
            handler(tool, version)
        });
        let register = wire::WorkRegister {
            worker_id: name.to_owned(),
            handlers: handlers.collect(),
            ..Default::default()
        };
        Self::registered(address, name, Said::Register(register)).await
    }

    async fn registered(address: &str, name: &str, registration: Said) -> Self {
        let mut worker = Self::dial(address).await;
        worker.say(registration).await;
        let Heard::Registered(registered) = worker.hear().await.unwrap() else {
            panic!("not registered");
        };
        assert_eq!(registered.worker_id, name);
        worker
    }

    pub(crate) async fn invoke(&mut self) -> wire::WorkInvoke {
        match self.hear().await.unwrap() {
            Heard::Invoke(invoke) => invoke,
            other => panic!("expected an invoke: {other:?}"),
        }
    }
}

fn handler(tool: &str, version: &str) -> wire::WorkHandlerAdvertisement {
    wire::WorkHandlerAdvertisement {
        tool: tool.to_owned(),
        version: version.to_owned(),
        max_concurrency: 2,
        ..Default::default()
    }
}

fn registration(name: &str, in_flight: &[&str]) -> Said {
    Said::Register(wire::WorkRegister {
        worker_id: name.to_owned(),
        handlers: vec![handler("test.read", "1.0.0"), handler("test.pay", "1.0.0")],
        in_flight: in_flight
            .iter()
            .map(|call| wire::WorkInFlightCall {
                call_id: (*call).to_owned(),
            })
            .collect(),
        ..Default::default()
    })
}

pub(crate) fn result(call: &str, payload: &[u8]) -> Said {
    Said::Result(wire::WorkToolResult {
        call_id: call.to_owned(),
        payload: payload.to_vec(),
        error: None,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_message_must_be_a_registration() {
    let bed = Bed::new().await;
    let cases = [
        (
            Some(Said::Heartbeat(wire::WorkHeartbeat {})),
            Code::FailedPrecondition,
        ),
        (Some(result("x", b"{}")), Code::FailedPrecondition),
        (None, Code::InvalidArgument),
        (Some(registration("", &[])), Code::InvalidArgument),
        (
            Some(Said::Register(wire::WorkRegister {
                worker_id: "w".to_owned(),
                ..Default::default()
            })),
            Code::InvalidArgument,
        ),
    ];
    for (body, code) in cases {
        let mut worker = ByHand::dial(&bed.address).await;
        worker
            .say
            .send(wire::WorkClientMsg { body: body.clone() })
            .await
            .unwrap();
        let status = worker.hear().await.unwrap_err();
        assert_eq!(status.code(), code, "{body:?}: {status:?}");
        assert!(!status.message().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_worker_of_the_same_id_is_refused_and_the_first_lives() {
    let mut bed = Bed::new().await;
    let mut first = ByHand::register(&bed.address, "w-1", &[]).await;
    let mut second = ByHand::dial(&bed.address).await;
    second.say(registration("w-1", &[])).await;
    let status = second.hear().await.unwrap_err();
    assert_eq!(status.code(), Code::AlreadyExists);
    assert!(status.message().contains("w-1"), "{status:?}");
    // The first still gets work.
    bed.run(&script(&[&[("read", "{}")]])).await;
    assert_eq!(first.invoke().await.tool, "test.read");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_is_free_again_once_the_first_has_gone() {
    let bed = Bed::new().await;
    let first = ByHand::register(&bed.address, "w-1", &[]).await;
    drop(first);
    ByHand::register(&bed.address, "w-1", &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_that_nobody_waits_for_are_settled_and_the_stream_lives() {
    let mut bed = Bed::new().await;
    let mut worker = ByHand::register(&bed.address, "w-1", &[]).await;
    for unknown in ["nonsense", "run_none:v:1:0", "日本:v:1:0"] {
        worker.say(result(unknown, b"{}")).await;
        let Heard::ResultAck(ack) = worker.hear().await.unwrap() else {
            panic!("no ack")
        };
        assert_eq!(ack.call_id, unknown);
    }
    let session = bed.run(&script(&[&[("read", "{}")]])).await;
    let invoke = worker.invoke().await;
    assert_eq!(invoke.side_effect_class, "read_only");
    assert_eq!(
        (invoke.session_id.as_str(), invoke.turn),
        (session.as_str(), 1)
    );

    // Another worker cannot answer for it.
    let mut other = ByHand::register(&bed.address, "w-2", &[]).await;
    other
        .say(result(&invoke.call_id, br#"{"stolen":true}"#))
        .await;
    let Heard::Cancel(cancel) = other.hear().await.unwrap() else {
        panic!("no cancel")
    };
    assert_eq!(cancel.call_id, invoke.call_id);

    worker.say(result(&invoke.call_id, br#"{"n":1}"#)).await;
    assert!(matches!(worker.hear().await.unwrap(), Heard::ResultAck(_)));
    // The same again is acknowledged; another one too, and recorded.
    worker.say(result(&invoke.call_id, br#"{"n":1}"#)).await;
    assert!(matches!(worker.hear().await.unwrap(), Heard::ResultAck(_)));
    worker.say(result(&invoke.call_id, br#"{"n":2}"#)).await;
    assert!(matches!(worker.hear().await.unwrap(), Heard::ResultAck(_)));
    let timeline = bed.inspect(&session).await.timeline;
    assert!(timeline.iter().any(|it| it.kind == "tool.result_conflict"));
    let completed = timeline
        .iter()
        .filter(|it| it.kind == "tool.completed")
        .count();
    assert_eq!(completed, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_results_say_that_the_tool_did_run() {
    let mut bed = Bed::new().await;
    let mut worker = ByHand::register(&bed.address, "w-1", &[]).await;
    let large = vec![b'x'; 16 * 1024 * 1024 + 1];
    let cases: [(&[u8], &str); 4] = [
        (br#"{"paid":NaN}"#, "not JSON"),
        (br#"{"paid":"yes"}"#, "breaks its contract"),
        (b"{", "not JSON"),
        (&large, "too large: 16777217 > 16777216 bytes"),
    ];
    let calls = [("pay", r#"{"amount":1}"#)].as_slice();
    let session = bed.run(&script(&[calls, calls, calls, calls])).await;
    for (payload, why) in cases {
        let invoke = worker.invoke().await;
        worker.say(result(&invoke.call_id, payload)).await;
        assert!(matches!(worker.hear().await.unwrap(), Heard::ResultAck(_)));
        let events = bed
            .follow(&session, |it| {
                it.r#type == "tool.completed" && it.call_id == invoke.call_id
            })
            .await;
        let failed = events.last().unwrap();
        assert_eq!(text(failed, "error_code"), "invalid_result");
        let message = text(failed, "error_message");
        assert!(
            message.contains("did run") && message.contains(why),
            "{message}"
        );
    }
    bed.until(&session, "session.completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nack_goes_to_another_worker() {
    let mut bed = Bed::new().await;
    let mut first = ByHand::register(&bed.address, "w-1", &[]).await;
    let session = bed.run(&script(&[&[("pay", r#"{"amount":1}"#)]])).await;
    let invoke = first.invoke().await;
    let mut second = ByHand::register(&bed.address, "w-2", &[]).await;
    let nack = wire::WorkToolNack {
        call_id: invoke.call_id.clone(),
        code: "busy".to_owned(),
        message: "try somebody else".to_owned(),
    };
    first.say(Said::Nack(nack)).await;
    let again = second.invoke().await;
    assert_eq!(again.call_id, invoke.call_id);
    second
        .say(result(&again.call_id, br#"{"paid":true}"#))
        .await;
    bed.until(&session, "session.completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_worker_is_asked_about_by_class() {
    let mut bed = Bed::with(&[("ORDAIN_RESYNC_GRACE", "1ms")]).await;
    let mut worker = ByHand::register(&bed.address, "w-1", &[]).await;
    let session = bed
        .run(&script(&[&[("read", "{}"), ("pay", r#"{"amount":1}"#)]]))
        .await;
    let calls = [worker.invoke().await, worker.invoke().await];
    let pay = calls.iter().find(|it| it.tool == "test.pay").unwrap();
    drop(worker);
    // The read is run again by itself; about the payment a person is asked.
    let events = bed
        .follow(&session, |it| {
            it.r#type == "approval.required" && it.call_id == pay.call_id
        })
        .await;
    assert_eq!(text(events.last().unwrap(), "subject"), "indeterminate");
    let mut worker = ByHand::register(&bed.address, "w-2", &[]).await;
    let read = worker.invoke().await;
    assert_eq!(read.tool, "test.read");
    worker.say(result(&read.call_id, b"{}")).await;
    assert!(matches!(worker.hear().await.unwrap(), Heard::ResultAck(_)));
    // Let it run again: same id.
    let approval = text(events.last().unwrap(), "approval_id");
    bed.decide(&approval, wire::ApprovalDecision::Approve, "ana")
        .await
        .unwrap();
    let again = worker.invoke().await;
    assert_eq!(again.call_id, pay.call_id);
    worker
        .say(result(&again.call_id, br#"{"paid":true}"#))
        .await;
    bed.until(&session, "session.completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_comes_back_brings_its_result() {
    let mut bed = Bed::with(&[("ORDAIN_RESYNC_GRACE", "10m")]).await;
    let mut worker = ByHand::register(&bed.address, "w-1", &[]).await;
    let session = bed.run(&script(&[&[("pay", r#"{"amount":1}"#)]])).await;
    let invoke = worker.invoke().await;
    drop(worker);
    bed.restart().await;
    let mut worker = ByHand::register(&bed.address, "w-1", &[&invoke.call_id]).await;
    worker
        .say(result(&invoke.call_id, br#"{"paid":true}"#))
        .await;
    assert!(matches!(worker.hear().await.unwrap(), Heard::ResultAck(_)));
    let events = bed.until(&session, "session.completed").await;
    assert_eq!(
        events
            .iter()
            .filter(|it| it.r#type == "tool.dispatched")
            .count(),
        1
    );
    // And after the end, a claim of a finished call is acknowledged.
    drop(worker);
    let mut worker = ByHand::register(&bed.address, "w-1", &[&invoke.call_id]).await;
    assert!(matches!(worker.hear().await.unwrap(), Heard::ResultAck(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrency_is_never_exceeded() {
    let mut bed = Bed::new().await;
    let mut worker = ByHand::register(&bed.address, "w-1", &[]).await;
    let calls = [("read", "{}"); 5];
    let session = bed.run(&script(&[&calls])).await;
    let (mut held, mut answered, mut acked) = (Vec::new(), 0, 0);
    while acked < calls.len() {
        match worker.hear().await.unwrap() {
            Heard::Invoke(invoke) => held.push(invoke.call_id),
            Heard::ResultAck(_) => acked += 1,
            other => panic!("{other:?}"),
        }
        assert!(held.len() <= 2, "{held:?}");
        // Answers only when it has as much as it may have.
        if held.len() == 2 || (answered + held.len() == calls.len() && !held.is_empty()) {
            worker.say(result(&held.remove(0), b"{}")).await;
            answered += 1;
        }
    }
    bed.until(&session, "session.completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn heartbeats_are_answered_and_a_half_close_ends_the_stream() {
    let bed = Bed::new().await;
    let mut worker = ByHand::register(&bed.address, "w-1", &[]).await;
    worker.say(Said::Heartbeat(wire::WorkHeartbeat {})).await;
    assert!(matches!(
        worker.hear().await.unwrap(),
        Heard::HeartbeatAck(_)
    ));
    worker.say(registration("w-1", &[])).await;
    assert!(matches!(worker.hear().await.unwrap(), Heard::Registered(_)));
    let (other, _) = mpsc::channel(1);
    worker.say = other;
    assert!(worker.ended().await);
}

impl Bed {
    /// Waits until a worker of that name is registered: its name is taken then.
    pub async fn connected(&self, name: &str) {
        for _ in 0..1000 {
            let mut probe = ByHand::dial(&self.address).await;
            probe.say(registration(name, &[])).await;
            match probe.hear().await {
                Err(status) if status.code() == Code::AlreadyExists => return,
                Err(status) => panic!("{status:?}"),
                // The probe was first; it leaves, and the worker tries again.
                Ok(_) => drop(probe),
            }
        }
        panic!("worker {name} never came");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_fits_what_clients_receive() {
    let mut bed = Bed::new().await;
    let mut worker = ByHand::register(&bed.address, "w-1", &[]).await;
    let calls = [("read", "{}")];
    let turns = vec![calls.as_slice(); 4];
    let session = bed.run(&script(&turns)).await;
    // Two bytes each as JSON, eleven each on the wire.
    let numbers = format!("[{}1]", "1,".repeat(1024 * 1024));
    for _ in 0..4 {
        let invoke = worker.invoke().await;
        worker
            .say(result(&invoke.call_id, numbers.as_bytes()))
            .await;
        assert!(matches!(worker.hear().await.unwrap(), Heard::ResultAck(_)));
    }
    // Both with the limits that clients have by default.
    bed.until(&session, "session.completed").await;
    let address = format!("http://{}", bed.address);
    let mut client = RuntimeClient::connect(address).await.unwrap();
    let request = wire::InspectSessionRequest {
        session_id: session,
    };
    let inspected = client.inspect_session(request).await.unwrap().into_inner();
    assert_eq!(inspected.session.unwrap().status, "completed");
}
