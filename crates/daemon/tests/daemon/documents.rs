//! What documents say, published as sources and run: strict schemas, failures, terminal tools,
//! availability and the output's contract.

use proto::ordain::v1 as ordain;
use proto::runtime::v1::ApprovalDecision;
use serde_json::{Value as Json, json};

use crate::bed::{Bed, Serving, errors, of, payload, script, serve_tools, text};

/// The agent's own lines are `more`, at the level of `spec`.
fn agent(more: &str) -> String {
    format!(
        "apiVersion: phrony.com/v1
kind: Agent
metadata: {{name: agent, namespace: test, version: 1.0.0}}
spec:
  purpose: Be tested.
  instructions: {{text: Do.}}
  model: {{provider: stub, name: scripted}}
  session: single_turn
{more}"
    )
}

const USES: &str = "  tools: [{ref: test.act@1.0.0, as: act}]\n";

/// A Tool with these lines in its `spec`.
fn tool(class: &str, lines: &str) -> String {
    format!(
        "apiVersion: phrony.com/v1
kind: Tool
metadata: {{name: act, namespace: test, version: 1.0.0}}
spec:
  description: Do something.
  side_effect_class: {class}
{lines}"
    )
}

const ANY: &str = "  input_schema: {inline: {type: object, properties: {n: {type: integer}}}}\n";

/// Publishes and deploys the agent with one Tool.
async fn deploy(bed: &mut Bed, tool: &str, script: &str) {
    let agent = agent(USES);
    let files = [
        ("agent.yaml", agent.as_str()),
        ("tools/act.yaml", tool),
        ("stub-script.json", script),
    ];
    bed.deploy(&files).await;
}

/// Fails so often, then does what it should.
fn serve(bed: &Bed, failures: usize) -> Serving {
    serve_tools(&bed.address, &["test.act@1.0.0"], move |_, before| {
        if before < failures {
            Err(worker::ToolError::new("E42", "the printer is on fire"))
        } else {
            Ok(json!({"done": true}))
        }
    })
}

fn codes(events: &[ordain::WatchEvent]) -> Vec<String> {
    errors(events).into_iter().map(|it| it.0).collect()
}

/// Spans between tries that no test has to wait for.
async fn impatient() -> Bed {
    let mut bed = Bed::new().await;
    bed.restart_with(|it| it.sessions.retry_ms = [1, 1]).await;
    bed
}

const NESTED: &str = "  input_schema:
    inline:
      type: object
      properties:
        n: {type: integer}
        to: {type: object, properties: {street: {type: string}}}
        items:
          type: array
          items: {type: object, properties: {sku: {type: string}}}
";

/// Without a property that is not declared, and with one at each level.
const LEVELS: [&str; 4] = [
    r#"{"items":[{"sku":"a"}],"n":1,"to":{"street":"b"}}"#,
    r#"{"cc":1}"#,
    r#"{"to":{"cc":1,"street":"b"}}"#,
    r#"{"items":[{"sku":"a"},{"cc":1}]}"#,
];

#[tokio::test(flavor = "multi_thread")]
async fn strict_refuses_what_is_not_declared_at_every_level() {
    let calls = LEVELS.map(|args| ("act", args));
    for (strict, runs) in [("", 4), ("  strict: false\n", 4), ("  strict: true\n", 1)] {
        let mut bed = Bed::new().await;
        let served = serve(&bed, 0);
        let tool = tool("read_only", &format!("{strict}{NESTED}"));
        deploy(&mut bed, &tool, &script(&[&calls])).await;
        let session = bed.start().await;
        let events = bed.until(&session, "session.completed").await;
        assert_eq!(served.calls().len(), runs, "{strict}");
        let told = errors(&events);
        assert_eq!(told.len(), LEVELS.len() - runs, "{strict}");
        for (code, message) in told {
            assert_eq!(code, "invalid_args");
            assert!(message.contains("cc"), "{message}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_converted_strict_or_not() {
    let calls = [
        r#"{"n":"1"}"#,
        r#"{"n":true}"#,
        r#"{"n":1.5}"#,
        r#"{"n":1.0}"#,
    ];
    for strict in ["", "  strict: true\n"] {
        let mut bed = Bed::new().await;
        let served = serve(&bed, 0);
        let tool = tool("read_only", &format!("{strict}{ANY}"));
        let calls = calls.map(|args| ("act", args));
        deploy(&mut bed, &tool, &script(&[&calls])).await;
        let session = bed.start().await;
        let events = bed.until(&session, "session.completed").await;
        assert_eq!(codes(&events), ["invalid_args"; 3], "{strict}");
        assert_eq!(served.calls().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_look_is_tried_three_times_under_one_id() {
    for (failures, told) in [(2, None), (3, Some("handler_error"))] {
        let mut bed = impatient().await;
        let served = serve(&bed, failures);
        let tool = tool("read_only", &format!("  on_failure: retry\n{ANY}"));
        let call = [("act", r#"{"n":7}"#)];
        deploy(&mut bed, &tool, &script(&[&call])).await;
        let session = bed.start().await;
        let events = bed.until(&session, "session.completed").await;
        let sent = served.sent();
        assert_eq!(sent.len(), 3);
        assert!(sent.iter().all(|it| *it == sent[0]), "{sent:?}");
        let dispatched = of(&events, "tool.dispatched");
        let attempts: Vec<String> = dispatched.iter().map(|it| text(it, "attempt")).collect();
        assert_eq!(attempts, ["1", "2", "3"]);
        assert_eq!(codes(&events), Vec::from_iter(told));
        let completed = payload(of(&events, "tool.completed")[0]);
        let result = json!({"done": true});
        assert_eq!(completed["result"] == result, told.is_none(), "{completed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_write_of_another_class_is_never_tried_again_by_itself() {
    let mut bed = impatient().await;
    let served = serve(&bed, 1);
    let tool = tool("non_idempotent_write", ANY);
    deploy(&mut bed, &tool, &script(&[&[("act", "{}")]])).await;
    let session = bed.start().await;
    let events = bed.until(&session, "session.completed").await;
    assert_eq!(codes(&events), ["handler_error"]);
    assert_eq!(served.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_that_escalates_waits_for_a_person() {
    let cases = [
        (ApprovalDecision::Approve, 2, None),
        (ApprovalDecision::Reject, 1, Some("handler_error")),
    ];
    for (decision, runs, told) in cases {
        let mut bed = Bed::new().await;
        let served = serve(&bed, 1);
        let tool = tool(
            "irreversible_action",
            &format!("  on_failure: escalate\n{ANY}"),
        );
        deploy(&mut bed, &tool, &script(&[&[("act", r#"{"n":7}"#)]])).await;
        let session = bed.start().await;
        let events = bed.until(&session, "approval.required").await;
        let asked = events.last().unwrap();
        assert_eq!(text(asked, "subject"), "handler_failed");
        assert!(text(asked, "reason").contains("E42: the printer is on fire"));
        let approval = text(asked, "approval_id");
        bed.decide(&approval, decision, "ana").await.unwrap();
        let events = bed.until(&session, "session.completed").await;
        assert_eq!(codes(&events), Vec::from_iter(told));
        let sent = served.sent();
        assert_eq!(sent.len(), runs);
        assert!(sent.iter().all(|it| *it == sent[0]), "{sent:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_can_end_the_session() {
    let mut bed = Bed::new().await;
    let served = serve(&bed, 1);
    let tool = tool("read_only", &format!("  on_failure: fail\n{ANY}"));
    deploy(&mut bed, &tool, &script(&[&[("act", "{}")]])).await;
    let session = bed.start().await;
    let events = bed.until(&session, "session.failed").await;
    assert_eq!(
        text(events.last().unwrap(), "reason"),
        "act failed (on_failure=fail): E42: the printer is on fire"
    );
    assert_eq!(served.calls().len(), 1);
    assert_eq!(of(&events, "message.assistant").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_result_of_a_terminal_tool_is_the_output_and_a_failure_is_not() {
    let mut bed = Bed::new().await;
    let served = serve(&bed, 1);
    let tool = tool("read_only", &format!("  terminal: true\n{ANY}"));
    let call: &[(&str, &str)] = &[("act", "{}")];
    deploy(&mut bed, &tool, &script(&[call, call])).await;
    let session = bed.start().await;
    let events = bed.until(&session, "session.completed").await;
    // Asked again after the failure, not after the success.
    assert_eq!(of(&events, "message.assistant").len(), 2);
    assert_eq!(served.calls().len(), 2);
    let inspected = bed.inspect(&session).await.session.unwrap();
    assert_eq!(inspected.output.unwrap().message, r#"{"done":true}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_there_where_the_sessions_input_says_so() {
    let mut bed = Bed::new().await;
    let served = serve(&bed, 0);
    let when = "  available_when:\n    - session.input.customer.tier: [gold, 1]\n";
    let tool = tool("read_only", &format!("{when}{ANY}"));
    deploy(&mut bed, &tool, &script(&[&[("act", "{}")]])).await;
    let cases = [
        (r#"{"customer":{"tier":"gold"}}"#, true),
        (r#"{"customer":{"tier":1.0}}"#, true),
        (r#"{"customer":{"tier":"1"}}"#, false),
        (r#"{"customer":{"tier":"GOLD"}}"#, false),
        (r#"{"customer":{}}"#, false),
        (r#"{"customer":"gold"}"#, false),
        ("{}", false),
    ];
    let mut runs = 0;
    for (input, there) in cases {
        let session = bed.start_with(input).await;
        let events = bed.until(&session, "session.completed").await;
        runs += usize::from(there);
        assert_eq!(served.calls().len(), runs, "{input}");
        if there {
            assert_eq!(codes(&events), [""; 0], "{input}");
        } else {
            let [(code, message)] = &errors(&events)[..] else {
                panic!("{input}: {events:?}");
            };
            assert_eq!(code, "unavailable_tool", "{input}");
            assert!(message.contains("session.input.customer.tier"), "{message}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_there_where_the_operator_says_so() {
    let listed = ("ORDAIN_EXPOSE_ENV", "REGION");
    let cases: [(&[(&str, &str)], bool); 4] = [
        (&[listed, ("REGION", "eu")], true),
        (&[listed, ("REGION", "us")], false),
        (&[listed], false),
        // Set, and not listed.
        (&[("REGION", "eu")], false),
    ];
    for (vars, there) in cases {
        let mut bed = Bed::with(vars).await;
        let served = serve(&bed, 0);
        let when = "  available_when: [\"runtime.env.REGION: eu\"]\n";
        let tool = tool("read_only", &format!("{when}{ANY}"));
        deploy(&mut bed, &tool, &script(&[&[("act", "{}")]])).await;
        let session = bed.start().await;
        let events = bed.until(&session, "session.completed").await;
        let told: &[&str] = if there { &[] } else { &["unavailable_tool"] };
        assert_eq!(codes(&events), told, "{vars:?}");
        assert_eq!(served.calls().len(), usize::from(there), "{vars:?}");
        let evidence = payload(of(&events, "evidence.recorded")[0]);
        let decided = evidence["availability"].to_string();
        assert!(decided.contains("runtime.env.REGION"), "{decided}");
    }
}

/// Turns of nothing but words.
fn answers(all: &[&str]) -> String {
    let turns = all
        .iter()
        .map(|it| json!([{"type": "text_delta", "text": it}]));
    json!({"turns": turns.collect::<Vec<_>>()}).to_string()
}

/// What a session with this `output` comes to when the model answers so.
async fn answered(output: &str, all: &[&str]) -> (Vec<ordain::WatchEvent>, Json) {
    let mut bed = Bed::new().await;
    let agent = format!(
        "{}output:
  format: json
  schema:
    inline: {{type: object, properties: {{total: {{type: integer}}}}, required: [total]}}
{output}",
        agent("").replace("  session: single_turn\n", "")
    );
    let script = answers(all);
    bed.deploy(&[("agent.yaml", &agent), ("stub-script.json", &script)])
        .await;
    let session = bed.start().await;
    let over = |it: &ordain::WatchEvent| {
        matches!(it.r#type.as_str(), "session.completed" | "session.failed")
    };
    let events = bed.follow(&session, over).await;
    let ended = payload(events.last().unwrap());
    (events, ended)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_the_outputs_schema_is_sent_back_mended_or_final() {
    let (words, fits, fenced) = ("Twelve.", r#"{"total":12}"#, "```json\n{\"total\":12}\n```");
    let late = r#"{"total":"12"}"#;
    let open = r#"{"total":12,"note":"a"}"#;
    // What the author says, what the model says, how often it is sent back, whether it is taken.
    let cases: [(&str, &[&str], usize, bool); 11] = [
        ("", &[fits], 0, true),
        ("", &[words, late, fits], 2, true),
        ("", &[words, words, words, fits], 3, true),
        ("", &[words, words, words, words, fits], 3, false),
        ("  on_invalid: retry\n", &[fenced, fits], 1, true),
        ("  on_invalid: repair\n", &[fenced], 0, true),
        ("  on_invalid: repair\n", &[late, fenced], 1, true),
        ("  on_invalid: fail\n", &[fenced, fits], 0, false),
        ("  on_invalid: fail\n", &[fits], 0, true),
        ("  on_invalid: fail\n", &[open], 0, true),
        ("  strict: true\n  on_invalid: fail\n", &[open], 0, false),
    ];
    for (output, says, sent_back, taken) in cases {
        let (events, ended) = answered(output, says).await;
        let case = format!("{output:?} {says:?}: {ended}");
        assert_eq!(of(&events, "output.rejected").len(), sent_back, "{case}");
        assert_eq!(
            of(&events, "output.accepted").len(),
            usize::from(taken),
            "{case}"
        );
        let kind = events.last().unwrap().r#type.as_str();
        assert_eq!(kind == "session.completed", taken, "{case}");
    }
}
