//! `RunSessionInteractive`: streams that show a session, say things to it, and never drive it.

use proto::runtime::v1 as wire;
use proto::runtime::v1::runtime_client::RuntimeClient;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};
pub use wire::run_session_interactive_client_msg::Body as Said;
pub use wire::run_session_interactive_server_msg::Body as Told;

use crate::bed::{Bed, agent, script, serve};
use crate::workers::ByHand;

/// A conversation of two turns, the first with a call.
const TALK: &str = r#"{"turns":[
    [{"type":"text_delta","text":"one moment "},{"type":"tool_call","name":"read","args":{}}],
    [{"type":"text_delta","text":"first"}],
    [{"type":"text_delta","text":"second"},
     {"type":"completed","stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":3}}]]}"#;

pub struct Client {
    say: mpsc::Sender<wire::RunSessionInteractiveClientMsg>,
    hear: Streaming<wire::RunSessionInteractiveServerMsg>,
}

impl Client {
    pub async fn open(bed: &Bed, start: wire::RunSessionInteractiveStart) -> Self {
        let address = format!("http://{}", bed.address);
        let mut client = RuntimeClient::connect(address).await.unwrap();
        let (say, said) = mpsc::channel(16);
        let me = wire::RunSessionInteractiveClientMsg {
            body: Some(Said::Start(start)),
        };
        say.send(me).await.unwrap();
        let hear = client
            .run_session_interactive(ReceiverStream::new(said))
            .await
            .unwrap();
        Self {
            say,
            hear: hear.into_inner(),
        }
    }

    pub async fn start(bed: &Bed) -> Self {
        let start = wire::RunSessionInteractiveStart {
            agent_ref: Some(agent("")),
            input: br#"{"message":"hello"}"#.to_vec(),
            ..Default::default()
        };
        Self::open(bed, start).await
    }

    pub async fn attach(bed: &Bed, session: &str) -> Self {
        let session_id = session.to_owned();
        let start = wire::RunSessionInteractiveStart {
            session_id,
            ..Default::default()
        };
        Self::open(bed, start).await
    }

    pub async fn say(&self, body: Said) {
        let message = wire::RunSessionInteractiveClientMsg { body: Some(body) };
        self.say.send(message).await.unwrap();
    }

    pub async fn text(&self, text: &str) {
        let text = text.to_owned();
        self.say(Said::UserMessage(wire::RunSessionInteractiveUserMessage {
            text,
        }))
        .await;
    }

    pub async fn hear(&mut self) -> Result<Told, Status> {
        let message = self.hear.message().await?;
        Ok(message.expect("the stream ended").body.expect("a body"))
    }

    pub async fn session_started(&mut self) -> wire::RunSessionInteractiveSessionStarted {
        match self.hear().await.unwrap() {
            Told::SessionStarted(started) => started,
            other => panic!("{other:?}"),
        }
    }

    /// Everything up to the first message for which `until` holds, that one included.
    pub async fn until(&mut self, until: impl Fn(&Told) -> bool) -> Vec<Told> {
        let mut heard = Vec::new();
        loop {
            let message = self.hear().await.unwrap();
            let done = until(&message);
            heard.push(message);
            if done {
                return heard;
            }
            assert!(heard.len() < 500);
        }
    }

    pub async fn ended(&mut self) {
        assert!(matches!(self.hear.message().await, Ok(None)));
    }
}

pub fn words(told: &[Told]) -> Vec<&'static str> {
    told.iter()
        .map(|it| match it {
            Told::SessionStarted(_) => "session_started",
            Told::TextDelta(_) => "text_delta",
            Told::AwaitingInput(_) => "awaiting_input",
            Told::Completed(_) => "completed",
            Told::Failed(_) => "failed",
            Told::ToolCall(_) => "tool_call",
            Told::ToolResult(_) => "tool_result",
            Told::ApprovalRequired(_) => "approval_required",
            Told::Cancelled(_) => "cancelled",
        })
        .collect()
}

pub fn awaits(told: &Told) -> bool {
    matches!(told, Told::AwaitingInput(_))
}

fn ends(told: &Told) -> bool {
    matches!(
        told,
        Told::Completed(_) | Told::Failed(_) | Told::Cancelled(_)
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_from_start_to_end() {
    let mut bed = Bed::new().await;
    let _served = serve(&bed.address, "w-1");
    bed.deploy_conversation(TALK).await;
    let mut client = Client::start(&bed).await;
    let started = client.session_started().await;
    assert!(started.history.is_empty());
    assert_eq!(started.model_provider, "stub");
    let told = client.until(awaits).await;
    assert_eq!(
        words(&told),
        [
            "text_delta",
            "tool_call",
            "tool_result",
            "text_delta",
            "awaiting_input"
        ]
    );
    client.text("go on").await;
    let told = client.until(awaits).await;
    assert_eq!(words(&told), ["text_delta", "awaiting_input"]);
    let Told::AwaitingInput(parked) = &told[1] else {
        panic!()
    };
    assert_eq!(parked.input_blocked_reason, "");
    let stats = parked.stats.unwrap();
    assert_eq!(
        (stats.turn, stats.turn_usage.unwrap().total_tokens),
        (3, 10)
    );
    // Ended from elsewhere: the stream says so, and ends.
    let request = wire::CompleteSessionRequest {
        session_id: started.session_id,
    };
    bed.client.complete_session(request).await.unwrap();
    let told = client.until(ends).await;
    let [Told::Completed(completed)] = told.as_slice() else {
        panic!("{told:?}")
    };
    let output = String::from_utf8(completed.output.clone()).unwrap();
    assert!(output.contains(r#""message":"second""#), "{output}");
    client.ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_sent_during_a_turn_waits_for_its_turn() {
    let mut bed = Bed::new().await;
    bed.deploy_conversation(TALK).await;
    let mut client = Client::start(&bed).await;
    client.text("early").await;
    client.session_started().await;
    // The call of the first turn is waiting for a worker meanwhile.
    client.until(|it| matches!(it, Told::ToolCall(_))).await;
    let _served = serve(&bed.address, "w-1");
    client
        .until(|it| matches!(it, Told::TextDelta(it) if it.delta == "first"))
        .await;
    client
        .until(|it| matches!(it, Told::TextDelta(it) if it.delta == "second"))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_messages_are_refused_and_the_session_lives() {
    let mut bed = Bed::new().await;
    let _served = serve(&bed.address, "w-1");
    bed.deploy_conversation(TALK).await;
    let mut client = Client::start(&bed).await;
    client.session_started().await;
    client.until(awaits).await;
    let nothing = wire::RunSessionInteractiveToolApproval {
        approval_id: "none".to_owned(),
        approved: true,
        ..Default::default()
    };
    let again = wire::RunSessionInteractiveStart::default();
    let empty = wire::RunSessionInteractiveUserMessage {
        text: "  ".to_owned(),
    };
    for (body, why) in [
        (Said::ToolApproval(nothing), "not found"),
        (Said::Start(again), "already"),
        (Said::UserMessage(empty), "empty"),
    ] {
        client.say(body).await;
        let Told::AwaitingInput(refused) = client.hear().await.unwrap() else {
            panic!()
        };
        assert!(refused.input_blocked_reason.contains(why), "{refused:?}");
        // And input is open again.
        let Told::AwaitingInput(open) = client.hear().await.unwrap() else {
            panic!()
        };
        assert_eq!(open.input_blocked_reason, "");
    }
    client.text("go on").await;
    client
        .until(|it| matches!(it, Told::TextDelta(it) if it.delta == "second"))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_decided_on_the_stream_with_other_arguments() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    bed.deploy(&crate::bed::bundle(&script(&[&[(
        "pay",
        r#"{"amount":450}"#,
    )]])))
    .await;
    let mut client = Client::start(&bed).await;
    let session = client.session_started().await.session_id;
    let told = client
        .until(|it| matches!(it, Told::ApprovalRequired(_)))
        .await;
    assert_eq!(words(&told), ["tool_call", "approval_required"]);
    let Told::ApprovalRequired(asked) = &told[1] else {
        panic!()
    };
    assert_eq!(
        (asked.route.as_str(), asked.args.as_slice()),
        ("lead", br#"{"amount":450}"#.as_slice())
    );

    // Who attaches meanwhile sees the open question, and that input is blocked.
    let mut other = Client::attach(&bed, &session).await;
    other.session_started().await;
    let seen = other.until(awaits).await;
    assert_eq!(
        words(&seen),
        ["tool_call", "approval_required", "awaiting_input"]
    );
    let Told::AwaitingInput(blocked) = &seen[2] else {
        panic!()
    };
    assert_eq!(blocked.input_blocked_reason, "awaiting_approval");

    client
        .say(Said::ToolApproval(
            wire::RunSessionInteractiveToolApproval {
                approval_id: asked.approval_id.clone(),
                approved: true,
                args: br#"{"amount":40}"#.to_vec(),
                ..Default::default()
            },
        ))
        .await;
    for client in [&mut client, &mut other] {
        let told = client.until(ends).await;
        assert_eq!(words(&told), ["tool_result", "text_delta", "completed"]);
        client.ended().await;
    }
    assert_eq!(
        served.witness.lock().unwrap()["test.pay"],
        [r#"{"amount":40}"#]
    );
    let votes = bed.inspect(&session).await.timeline;
    assert!(
        votes
            .iter()
            .any(|it| it.event.as_ref().unwrap().actor == "interactive")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_clients_see_the_same_whatever_one_of_them_does() {
    let mut bed = Bed::new().await;
    let turn = [("read", "{}")];
    let turns = vec![turn.as_slice(); 40];
    bed.deploy(&crate::bed::bundle(&script(&turns))).await;
    let mut first = Client::start(&bed).await;
    let session = first.session_started().await.session_id;
    first.until(|it| matches!(it, Told::ToolCall(_))).await;
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = Client::attach(&bed, &session).await;
        client.session_started().await;
        clients.push(client);
    }
    // One does not read until the end, one leaves in the middle.
    let mut lazy = clients.pop().unwrap();
    let mut leaver = clients.pop().unwrap();
    let _served = serve(&bed.address, "w-1");
    leaver.until(|it| matches!(it, Told::ToolResult(_))).await;
    drop(leaver);
    let mut seen = Vec::new();
    for client in &mut clients {
        let told = client.until(ends).await;
        client.ended().await;
        seen.push(told);
    }
    assert!(seen.iter().all(|it| *it == seen[0]));
    let calls = words(&seen[0])
        .iter()
        .filter(|it| **it == "tool_result")
        .count();
    assert_eq!(calls, 40);
    // The one that did not read has lost nothing.
    assert_eq!(lazy.until(ends).await, seen[0]);
    lazy.ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_cancels_nothing_and_an_ended_session_can_be_seen_again() {
    let mut bed = Bed::new().await;
    bed.deploy_conversation(TALK).await;
    let mut client = Client::start(&bed).await;
    let session = client.session_started().await.session_id;
    client.until(|it| matches!(it, Told::ToolCall(_))).await;
    drop(client);
    let _served = serve(&bed.address, "w-1");
    bed.follow(&session, |it| {
        it.r#type == "message.assistant" && it.turn == 2
    })
    .await;

    let mut client = Client::attach(&bed, &session).await;
    let started = client.session_started().await;
    let said: Vec<(&str, &str)> = started
        .history
        .iter()
        .map(|it| (it.role.as_str(), it.content.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("user", "hello"),
            ("assistant", "one moment "),
            ("assistant", "first")
        ]
    );
    assert_eq!(
        words(&client.until(awaits).await),
        ["tool_call", "tool_result", "awaiting_input"]
    );
    let cancel = wire::CancelSessionRequest {
        session_id: session.clone(),
    };
    bed.client.cancel_session(cancel).await.unwrap();
    assert_eq!(words(&client.until(ends).await), ["cancelled"]);
    client.ended().await;

    let mut client = Client::attach(&bed, &session).await;
    assert!(client.session_started().await.session_ended_at_unix_ms > 0);
    let told = client.until(ends).await;
    assert_eq!(words(&told), ["tool_call", "tool_result", "cancelled"]);
    client.ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_inside_a_turn_ends_every_stream_and_tells_the_worker() {
    let mut bed = Bed::new().await;
    let mut worker = ByHand::register(&bed.address, "w-1", &[]).await;
    bed.deploy_conversation(TALK).await;
    let mut client = Client::start(&bed).await;
    let session = client.session_started().await.session_id;
    client.until(|it| matches!(it, Told::ToolCall(_))).await;
    let cancel = wire::CancelSessionRequest {
        session_id: session,
    };
    bed.client.cancel_session(cancel).await.unwrap();
    assert_eq!(words(&client.until(ends).await), ["cancelled"]);
    client.ended().await;
    use wire::work_server_msg::Body as Heard;
    assert!(matches!(worker.hear().await.unwrap(), Heard::Invoke(_)));
    assert!(matches!(worker.hear().await.unwrap(), Heard::Cancel(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_before_there_is_a_session_are_statuses() {
    let mut bed = Bed::new().await;
    bed.deploy_conversation(TALK).await;
    let start = |agent_ref, session_id: &str, input: &[u8]| wire::RunSessionInteractiveStart {
        agent_ref,
        session_id: session_id.to_owned(),
        input: input.to_vec(),
        ..Default::default()
    };
    let mut unknown = agent("");
    unknown.name = "nobody".to_owned();
    let cases = [
        (start(Some(unknown), "", b"{}"), Code::NotFound),
        (
            start(Some(agent("9.0.0")), "", b"{}"),
            Code::FailedPrecondition,
        ),
        (start(Some(agent("")), "", b"[]"), Code::InvalidArgument),
        (start(None, "", b""), Code::InvalidArgument),
        (start(None, "run_none", b""), Code::NotFound),
        (
            start(Some(agent("")), "run_none", b""),
            Code::InvalidArgument,
        ),
    ];
    for (start, code) in cases {
        let mut client = Client::open(&bed, start.clone()).await;
        let status = client.hear().await.unwrap_err();
        assert_eq!(status.code(), code, "{start:?}: {status:?}");
        assert!(!status.message().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_by_somebody_else_is_asked_about_again() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let script = script(&[&[("pay", r#"{"amount":450}"#)]]);
    let mut files = crate::bed::bundle(&script);
    let policy = files[3]
        .1
        .replace("reason:", "approvals_required: 2\n    reason:");
    files[3].1 = &policy;
    bed.deploy(&files).await;
    let mut client = Client::start(&bed).await;
    let session = client.session_started().await.session_id;
    let told = client
        .until(|it| matches!(it, Told::ApprovalRequired(_)))
        .await;
    let Some(Told::ApprovalRequired(asked)) = told.last().cloned() else {
        panic!()
    };
    let edit = wire::DecideApprovalRequest {
        approval_id: asked.approval_id.clone(),
        decision: wire::ApprovalDecision::Approve.into(),
        args: br#"{"amount":300}"#.to_vec(),
        actor: "ana".to_owned(),
        ..Default::default()
    };
    bed.client.decide_approval(edit).await.unwrap();
    // Live, and to one who attaches: the question as it stands.
    let mut other = Client::attach(&bed, &session).await;
    other.session_started().await;
    let mut seen = Vec::new();
    for client in [&mut client, &mut other] {
        let told = client
            .until(|it| matches!(it, Told::ApprovalRequired(_)))
            .await;
        let Some(Told::ApprovalRequired(asked)) = told.last().cloned() else {
            panic!()
        };
        assert_eq!(asked.args, br#"{"amount":300}"#);
        assert_eq!((asked.approvals_received, asked.approvals_required), (1, 2));
        seen.push(asked);
    }
    // A vote about what was asked first is a vote for other arguments.
    let vote = |args: &[u8]| {
        Said::ToolApproval(wire::RunSessionInteractiveToolApproval {
            approval_id: asked.approval_id.clone(),
            approved: true,
            args: args.to_vec(),
            ..Default::default()
        })
    };
    client.say(vote(b"")).await;
    let Told::AwaitingInput(refused) = client.hear().await.unwrap() else {
        panic!()
    };
    assert!(refused.input_blocked_reason.contains("changed by ana"));
    client.say(vote(&seen[0].args)).await;
    client.until(ends).await;
    assert_eq!(
        served.witness.lock().unwrap()["test.pay"],
        [r#"{"amount":300}"#]
    );
}
