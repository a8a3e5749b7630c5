//! What a tool's document and the agent's output promise, through a whole runtime and a worker.

use proto::ordain::v1 as ordain;
use proto::runtime::v1::ApprovalDecision;
use spec::Json;
use spec::snapshot::{
    Backend, OnFailure, OnInvalid, OutputFormat, Predicate, SessionMode, Subject,
};

use crate::bed::{Bed, errors, kinds, of, script, serve, serve_failing, text};
use crate::interactive::{Client, Told, awaits, words};

/// The output of a session that completed.
async fn output(bed: &Bed, session: &str) -> Json {
    let mut client = Client::attach(bed, session).await;
    client.session_started().await;
    let told = client.until(|it| matches!(it, Told::Completed(_))).await;
    let Some(Told::Completed(completed)) = told.last() else {
        panic!("{told:?}");
    };
    Json::parse(&completed.output).unwrap()
}

fn said(text: &str) -> String {
    let text = Json::from(text).to_canonical();
    format!(r#"[{{"type":"text_delta","text":{text}}}]"#)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_that_waits_survives_a_restart() {
    let mut bed = Bed::new().await;
    let one = script(&[&[("read", r#"{"id":"a"}"#)]]);
    let retry = |it: &mut spec::Snapshot| it.tools[0].on_failure = OnFailure::Retry;
    bed.deploy_changed(&one, retry).await;
    let served = serve_failing(&bed.address, "w-1", 1);
    let session = bed.start().await;
    let events = bed.until(&session, "tool.handler_failed").await;
    let failed = events.last().unwrap();
    assert_eq!(text(failed, "handler_code"), "E42");
    assert!(text(failed, "retry_at").ends_with('Z'));
    bed.restart().await;
    let events = bed.until(&session, "session.completed").await;
    let sent = of(&events, "tool.dispatched");
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0].call_id, sent[1].call_id);
    assert_eq!(text(sent[1], "attempt"), "2");
    assert_eq!(served.witness.lock().unwrap()["test.read"].len(), 2);
    assert_eq!(of(&events, "tool.completed").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_lets_a_failed_payment_run_again() {
    let mut bed = Bed::new().await;
    let one = script(&[&[("pay", r#"{"amount":40}"#)]]);
    let escalate = |it: &mut spec::Snapshot| it.tools[1].on_failure = OnFailure::Escalate;
    bed.deploy_changed(&one, escalate).await;
    let served = serve_failing(&bed.address, "w-1", 1);
    let session = bed.start().await;
    let events = bed.until(&session, "approval.required").await;
    let asked = events.last().unwrap();
    assert_eq!(text(asked, "subject"), "handler_failed");
    assert!(text(asked, "reason").contains("E42: the printer is on fire"));
    bed.restart().await;
    let approval = text(asked, "approval_id");
    let decided = bed
        .decide(&approval, ApprovalDecision::Approve, "ana")
        .await;
    decided.unwrap();
    let events = bed.until(&session, "session.completed").await;
    let sent = of(&events, "tool.dispatched");
    assert_eq!(sent.len(), 2);
    let digest = |it: &ordain::WatchEvent| text(it, "args_digest");
    assert_eq!(digest(sent[0]), digest(sent[1]));
    let paid = served.witness.lock().unwrap()["test.pay"].clone();
    assert_eq!(paid, [r#"{"amount":40}"#, r#"{"amount":40}"#]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_can_fail_the_session() {
    let mut bed = Bed::new().await;
    let one = script(&[&[("read", "{}")]]);
    let fail = |it: &mut spec::Snapshot| it.tools[0].on_failure = OnFailure::Fail;
    bed.deploy_changed(&one, fail).await;
    let _served = serve_failing(&bed.address, "w-1", 1);
    let session = bed.start().await;
    let events = bed.until(&session, "session.failed").await;
    assert_eq!(
        text(events.last().unwrap(), "reason"),
        "read failed (on_failure=fail): E42: the printer is on fire"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_tools_result_is_the_output() {
    let mut bed = Bed::new().await;
    let two = script(&[&[("read", "{}"), ("pay", r#"{"amount":1}"#)]]);
    let terminal = |it: &mut spec::Snapshot| it.tools[1].terminal = true;
    bed.deploy_changed(&two, terminal).await;
    let _served = serve(&bed.address, "w-1");
    let session = bed.start().await;
    let events = bed.until(&session, "session.completed").await;
    assert_eq!(of(&events, "message.assistant").len(), 1);
    let output = output(&bed, &session).await;
    assert_eq!(output.get("message"), Some(&Json::from(r#"{"paid":true}"#)));
    assert_eq!(
        output.get("output"),
        Some(&Json::from_members([("paid", Json::from(true))]))
    );
    assert_eq!(
        output.get("stop_reason"),
        Some(&Json::from("terminal_tool"))
    );
    let inspected = bed.inspect(&session).await.session.unwrap();
    assert_eq!(inspected.output.unwrap().message, r#"{"paid":true}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_waits_after_a_terminal_tool() {
    let mut bed = Bed::new().await;
    let one = script(&[&[("read", "{}")]]);
    let terminal = |it: &mut spec::Snapshot| {
        it.session = SessionMode::Conversation;
        it.tools[0].terminal = true;
    };
    bed.deploy_changed(&one, terminal).await;
    let _served = serve(&bed.address, "w-1");
    let mut client = Client::start(&bed).await;
    client.session_started().await;
    let told = client.until(awaits).await;
    assert_eq!(words(&told), ["tool_call", "tool_result", "awaiting_input"]);
    let Some(Told::AwaitingInput(parked)) = told.last() else {
        panic!()
    };
    assert_eq!(parked.stop_reason, "terminal_tool");
    client.text("go on").await;
    let told = client.until(awaits).await;
    assert_eq!(words(&told), ["text_delta", "awaiting_input"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_sent_back_then_mended_and_shown_as_what_it_is() {
    let mut bed = Bed::new().await;
    let turns = [
        said("I would say twelve."),
        said("```json\n{\"total\": 12,}\n```"),
    ];
    let turns = format!(r#"{{"turns":[{}]}}"#, turns.join(","));
    let json = |it: &mut spec::Snapshot| {
        it.output.format = OutputFormat::Json;
        it.output.on_invalid = OnInvalid::Repair;
    };
    bed.deploy_changed(&turns, json).await;
    let session = bed.start().await;
    let events = bed.until(&session, "session.completed").await;
    assert_eq!(
        kinds(&events),
        [
            "session.started",
            "evidence.recorded",
            "message.user",
            "message.assistant",
            "output.rejected",
            "message.assistant",
            "output.accepted",
            "session.completed"
        ]
    );
    let accepted = of(&events, "output.accepted")[0];
    assert_eq!(text(accepted, "repaired"), "Some(BoolValue(true))");
    let output = output(&bed, &session).await;
    let total = Json::from_members([("total", Json::from(12_u64))]);
    assert_eq!(output.get("output"), Some(&total));
    assert!(
        output
            .get("message")
            .and_then(Json::as_str)
            .is_some_and(|it| it.starts_with("```json")),
        "what the model said stays what it said"
    );
    let mut client = Client::attach(&bed, &session).await;
    let roles: Vec<String> = client
        .session_started()
        .await
        .history
        .into_iter()
        .map(|it| it.role)
        .collect();
    assert_eq!(roles, ["user", "assistant", "system", "assistant"]);
    let inspected = bed.inspect(&session).await;
    let summaries: Vec<_> = inspected.timeline.iter().map(|it| &it.summary).collect();
    assert!(
        summaries
            .iter()
            .any(|it| it.starts_with("output.rejected: The answer")),
        "{summaries:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_a_conversation_parks_it_once_it_is_taken() {
    let mut bed = Bed::new().await;
    let turns = format!(r#"{{"turns":[{},{}]}}"#, said("no"), said("[1]"));
    let json = |it: &mut spec::Snapshot| {
        it.session = SessionMode::Conversation;
        it.output.format = OutputFormat::Json;
    };
    bed.deploy_changed(&turns, json).await;
    let mut client = Client::start(&bed).await;
    client.session_started().await;
    let told = client.until(awaits).await;
    assert_eq!(words(&told), ["text_delta", "text_delta", "awaiting_input"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_session_has_is_decided_once() {
    let exposed = |region: &'static str| {
        move |config: &mut daemon::Config| {
            let region = ("REGION".to_owned(), region.to_owned());
            config.exposed_env = [region].into();
        }
    };
    let mut bed = Bed::new().await;
    let call = r#"[{"type":"tool_call","name":"read","args":{}}]"#;
    let done = said("done");
    let turns = format!(r#"{{"turns":[{call},{done},{call},{done}]}}"#);
    let only_eu = |it: &mut spec::Snapshot| {
        it.session = SessionMode::Conversation;
        it.tools[0].available_when = vec![Predicate {
            subject: Subject::RuntimeEnv("REGION".to_owned()),
            any_of: vec![Json::from("eu")],
        }];
    };
    bed.deploy_changed(&turns, only_eu).await;
    let served = serve(&bed.address, "w-1");
    bed.restart_with(exposed("us")).await;
    let session = bed.start().await;
    let finished =
        |it: &ordain::WatchEvent| it.r#type == "message.assistant" && text(it, "text") == "done";
    bed.follow(&session, finished).await;
    bed.restart_with(exposed("eu")).await;
    let client = Client::attach(&bed, &session).await;
    client.text("and now?").await;
    let fourth = |it: &ordain::WatchEvent| it.r#type == "message.assistant" && it.turn == 4;
    let events = bed.follow(&session, fourth).await;
    let unavailable = (
        "unavailable_tool".to_owned(),
        "the tool \"read\" is not available in this session: runtime.env.REGION is not \"eu\""
            .to_owned(),
    );
    assert_eq!(errors(&events), [unavailable.clone(), unavailable]);
    assert!(served.witness.lock().unwrap().is_empty());
    // A session that starts now has it.
    let session = bed.start().await;
    let events = bed.follow(&session, finished).await;
    assert_eq!(of(&events, "tool.dispatched").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_of_the_same_name_never_gets_what_is_not_a_workers() {
    let mut bed = Bed::new().await;
    let one = script(&[&[("read", "{}")]]);
    let mcp = |it: &mut spec::Snapshot| {
        it.tools[0].backend = Backend::Mcp {
            server: "crm".to_owned(),
            tool: "read".to_owned(),
        };
    };
    bed.deploy_changed(&one, mcp).await;
    let served = serve(&bed.address, "w-1");
    bed.connected("w-1").await;
    let session = bed.start().await;
    let events = bed.until(&session, "session.completed").await;
    let told = errors(&events);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, "no_handler");
    assert!(told[0].1.contains("does not dial MCP servers"), "{told:?}");
    assert!(of(&events, "tool.queued").is_empty());
    assert!(served.witness.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn evidence_is_on_record_and_shown() {
    let mut bed = Bed::new().await;
    let owned = |it: &mut spec::Snapshot| it.metadata.owner = Some("team-a".to_owned());
    bed.deploy_changed(&script(&[]), owned).await;
    let session = bed.start().await;
    let events = bed.until(&session, "session.completed").await;
    let evidence = of(&events, "evidence.recorded")[0];
    assert_eq!(text(evidence, "owner"), "team-a");
    assert_eq!(text(evidence, "workers"), "unattested");
    assert_eq!(text(evidence, "content_hash").len(), 64);
    let inspected = bed.inspect(&session).await;
    assert_eq!(inspected.timeline[1].kind, "evidence.recorded");
}
