//! `sessions attach` and `run --attach` against a real runtime process, over pipes: what is read and
//! typed, how the view ends, and that leaving it ends nothing else.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use expect_test::{Expect, expect};
use proto::ordain::v1 as ordain;
use proto::ordain::v1::publishing_client::PublishingClient;
use proto::ordain::v1::sessions_client::SessionsClient;
use proto::runtime::v1 as wire;
use proto::runtime::v1::runtime_client::RuntimeClient;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader,
};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;
use tonic::transport::Channel;

/// Far more than anything here takes; a test that hangs fails instead.
const PATIENCE: Duration = Duration::from_secs(60);

const PAY: &str = "apiVersion: phrony.com/v1
kind: Tool
metadata: {name: pay, namespace: test, version: 1.0.0}
spec:
  description: Pay.
  side_effect_class: non_idempotent_write
  input_schema:
    inline: {type: object, properties: {amount: {type: number}}, required: [amount], additionalProperties: false}
";
const POLICY: &str = "apiVersion: phrony.com/v1
kind: Policy
metadata: {name: ask, namespace: test, version: 1.0.0}
spec:
  conditions: {field: amount, op: gt, value: 100}
  decision: {type: require_approval, reason: a large amount}
";
/// Says something that would repaint the terminal, then JSON.
const TALK: &str = r#"{"turns":[
  [{"type":"text_delta","text":"Hello."}],
  [{"type":"text_delta","text":"red\u001b[31m \u202etxet"}],
  [{"type":"text_delta","text":"{\"answer\":[1,2]}"}]]}"#;
const PAYMENT: &str = r#"{"turns":[
  [{"type":"tool_call","name":"pay","args":{"amount":500}}],
  [{"type":"text_delta","text":"Paid."}]]}"#;
const BROKEN: &str = r#"{"turns":[
  [{"type":"tool_call","name":"pay","args":{"amount":1}}],
  [{"type":"text_delta","text":"Never said."}]]}"#;

/// A runtime process in a folder of its own.
struct Bed {
    address: String,
    _process: Child,
    _dir: tempfile::TempDir,
}

impl Bed {
    async fn new(agent: &str, script: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(dir.path().join("data"))
            .arg("--address-file")
            .arg(dir.path().join("address"))
            .env("RUNTIME_ENABLE_STUB_PROVIDER", "1")
            .env("ORDAIN_LOG", "error")
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let address = tokio::select! {
            address = address(dir.path()) => address,
            status = process.wait() => panic!("the runtime ended: {status:?}"),
        };
        let bed = Self {
            address,
            _process: process,
            _dir: dir,
        };
        bed.deploy(agent, script).await;
        bed
    }

    async fn conversation() -> Self {
        Self::new("session: conversation", TALK).await
    }

    async fn payment() -> Self {
        Self::new("session: single_turn", PAYMENT).await
    }

    async fn api(&self) -> RuntimeClient<Channel> {
        let address = format!("http://{}", self.address);
        RuntimeClient::connect(address).await.unwrap()
    }

    async fn deploy(&self, agent: &str, script: &str) {
        let manifest = format!(
            "apiVersion: phrony.com/v1
kind: Agent
metadata: {{name: agent, namespace: test, version: 1.0.0}}
spec:
  purpose: Be watched.
  instructions: {{text: Do.}}
  model: {{provider: stub, name: scripted}}
  tools:
    - {{ref: test.pay@1.0.0, as: pay, policies: [test.ask]}}
  {agent}
"
        );
        let file = |path: &str, text: &str| ordain::SourceFile {
            path: path.to_owned(),
            content: text.as_bytes().to_vec(),
        };
        let request = ordain::PublishSourcesRequest {
            files: vec![
                file("agent.yaml", &manifest),
                file("policies/ask.yaml", POLICY),
                file("tools/pay.yaml", PAY),
                file("stub-script.json", script),
            ],
            manifest: "agent.yaml".to_owned(),
            ..Default::default()
        };
        let mut publishing = PublishingClient::connect(format!("http://{}", self.address))
            .await
            .unwrap();
        publishing.publish_sources(request).await.unwrap();
        let request = wire::DeployRequest {
            agent_ref: Some(agent_ref("1.0.0")),
            actor: String::new(),
        };
        self.api().await.deploy(request).await.unwrap();
    }

    async fn run(&self) -> String {
        let request = wire::RunSessionRequest {
            agent_ref: Some(agent_ref("")),
            input: br#"{"message":"Hi\u0007 there"}"#.to_vec(),
            ..Default::default()
        };
        let started = self.api().await.run_session(request).await.unwrap();
        started.into_inner().session_id
    }

    /// Runs a session, and waits until an entry of this type is on record.
    async fn run_until(&self, r#type: &str) -> String {
        let session = self.run().await;
        self.reach(&session, r#type).await;
        session
    }

    async fn reach(&self, session: &str, r#type: &str) {
        let mut client = SessionsClient::connect(format!("http://{}", self.address))
            .await
            .unwrap();
        let request = ordain::WatchRequest {
            session_id: session.to_owned(),
            after_seq: 0,
        };
        let mut stream = client.watch(request).await.unwrap().into_inner();
        let found = async {
            while let Some(event) = stream.message().await.unwrap() {
                if event.r#type == r#type {
                    return;
                }
            }
            panic!("the session ended before {type}");
        };
        tokio::time::timeout(PATIENCE, found).await.unwrap();
    }

    async fn complete(&self, session: &str) {
        let session_id = session.to_owned();
        let request = wire::CompleteSessionRequest { session_id };
        self.api().await.complete_session(request).await.unwrap();
    }

    async fn status(&self, session: &str) -> String {
        let session_id = session.to_owned();
        let request = wire::InspectSessionRequest { session_id };
        let answer = self.api().await.inspect_session(request).await.unwrap();
        answer.into_inner().session.unwrap().status
    }

    async fn decide(&self, session: &str, decision: wire::ApprovalDecision) {
        let request = wire::ListApprovalsRequest {
            session_id: session.to_owned(),
            status: "pending".to_owned(),
            ..Default::default()
        };
        let mut api = self.api().await;
        let found = api.list_approvals(request).await.unwrap().into_inner();
        let request = wire::DecideApprovalRequest {
            approval_id: found.approvals[0].id.clone(),
            decision: decision.into(),
            actor: "ana".to_owned(),
            ..Default::default()
        };
        api.decide_approval(request).await.unwrap();
    }

    fn worker(&self) -> oneshot::Sender<()> {
        let pay = |_: worker::Invocation| async { Ok(serde_json::json!({"receipt": "r-1"})) };
        let worker = worker::Worker::builder("w-1")
            .runtime(&self.address)
            .tool("test.pay", "1.0.0", worker::Concurrency(1), pay)
            .build()
            .unwrap();
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(worker.run(async {
            let _ = stopped.await;
        }));
        stop
    }

    /// Starts a command with pipes.
    fn open(&self, arguments: &[&str]) -> Terminal {
        let mut process = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .args(arguments)
            .env("PHRONY_RUNTIME_ADDR", &self.address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Terminal {
            stdin: process.stdin.take(),
            stdout: BufReader::new(process.stdout.take().unwrap()),
            stderr: BufReader::new(process.stderr.take().unwrap()),
            seen: String::new(),
            process,
        }
    }

    fn attach(&self, session: &str) -> Terminal {
        self.open(&["sessions", "attach", session, "--no-tui"])
    }
}

/// The address of a runtime that is starting.
async fn address(dir: &Path) -> String {
    let mut tick = tokio::time::interval(Duration::from_millis(10));
    let found = async {
        loop {
            tick.tick().await;
            let text = std::fs::read_to_string(dir.join("address")).unwrap_or_default();
            if text.ends_with('\n') || text.trim().parse::<std::net::SocketAddr>().is_ok() {
                return text.trim().to_owned();
            }
        }
    };
    tokio::time::timeout(PATIENCE, found).await.unwrap()
}

fn agent_ref(version: &str) -> wire::AgentRef {
    wire::AgentRef {
        namespace: "test".to_owned(),
        name: "agent".to_owned(),
        version: version.to_owned(),
    }
}

/// A command at work.
struct Terminal {
    process: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
    /// What was read of stderr so far.
    seen: String,
}

impl Terminal {
    /// Types a line.
    async fn line(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin
            .write_all(format!("{text}\n").as_bytes())
            .await
            .unwrap();
        stdin.flush().await.unwrap();
    }

    /// Reads stderr until it holds `text`.
    async fn until(&mut self, text: &str) {
        let read = async {
            while !self.seen.contains(text) {
                let some = self.stderr.fill_buf().await.unwrap();
                assert!(!some.is_empty(), "the command ended: {}", self.seen);
                self.seen.push_str(std::str::from_utf8(some).unwrap());
                let length = some.len();
                self.stderr.consume(length);
            }
        };
        tokio::time::timeout(PATIENCE, read).await.unwrap();
    }

    /// Ends the input, and waits until the command is over.
    async fn end(mut self) -> Ended {
        self.stdin = None;
        self.ended().await
    }

    async fn ended(mut self) -> Ended {
        let all = async {
            let (out, err) = tokio::join!(rest(&mut self.stdout), rest(&mut self.stderr));
            let status = self.process.wait().await.unwrap();
            Ended {
                code: status.code(),
                out,
                err: self.seen + &err,
            }
        };
        tokio::time::timeout(PATIENCE, all).await.unwrap()
    }
}

async fn rest(from: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = String::new();
    from.read_to_string(&mut text).await.unwrap();
    text
}

/// What a command left behind.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn check(&self, session: &str, expected: &Expect) {
        let mut text = format!("exit {}\n", self.code.unwrap());
        for (name, stream) in [("stdout", &self.out), ("stderr", &self.err)] {
            writeln!(text, "=== {name}").unwrap();
            text.push_str(&stable(stream, session));
            // Where no line break ends the stream, the snapshot says so.
            if !stream.is_empty() && !stream.ends_with('\n') {
                text.push_str("⏎\n");
            }
        }
        expected.assert_eq(&text);
    }
}

/// Without what differs from run to run.
fn stable(text: &str, session: &str) -> String {
    let text = text.replace(session, "SESSION");
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let words: Vec<&str> = line.split(' ').collect();
        let mut kept: Vec<&str> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |it| words[it]);
            let seconds = word.strip_suffix('s').is_some_and(|it| {
                it.contains('.') && it.chars().all(|c| c == '.' || c.is_ascii_digit())
            });
            match before {
                "version" if line.starts_with("agent version") => kept.push("VERSION"),
                "approve" => kept.push("APPROVAL,"),
                "reject" => kept.push("APPROVAL;"),
                _ if seconds && line.starts_with("  turn") => kept.push("TIME"),
                _ => kept.push(word),
            }
        }
        out.push_str(&kept.join(" "));
    }
    // A completion may take no time at all.
    out.replace(" · TIME", "")
}

#[tokio::test(flavor = "multi_thread")]
async fn two_turns_by_piped_lines() {
    let bed = Bed::conversation().await;
    let session = bed.run_until("message.assistant").await;
    let mut terminal = bed.attach(&session);
    terminal.line("go on").await;
    terminal.line("and in JSON").await;
    let ended = terminal.end().await;
    assert_eq!(bed.status(&session).await, "awaiting_input");
    ended.check(&session, &expect![[r#"
        exit 0
        === stdout
        session SESSION started
        agent version VERSION · model stub/scripted

        YOU
        Hi\u{7} there

        AGENT
        Hello.
          turn 1 · end_turn · 0 in / 0 out (0 total)

        ── turn 1 · stop_reason=end_turn · turn tokens: 0 in / 0 out (0 total) · session tokens: 0 in / 0 out (0 total) ──
        red\u{1b}[31m \u{202e}txet
        ── turn 2 · stop_reason=end_turn · turn tokens: 0 in / 0 out (0 total) · session tokens: 0 in / 0 out (0 total) ──
        {
          "answer": [
            1,
            2
          ]
        }
        ── turn 3 · stop_reason=end_turn · turn tokens: 0 in / 0 out (0 total) · session tokens: 0 in / 0 out (0 total) ──
        === stderr

        > 
        > 
        > ⏎
    "#]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_ended_elsewhere() {
    let bed = Bed::conversation().await;
    let session = bed.run_until("message.assistant").await;
    let mut terminal = bed.attach(&session);
    terminal.until("\n> ").await;
    // Stdin stays open: what the runtime says is not held up by it.
    bed.complete(&session).await;
    terminal.ended().await.check(&session, &expect![[r#"
        exit 0
        === stdout
        session SESSION started
        agent version VERSION · model stub/scripted

        YOU
        Hi\u{7} there

        AGENT
        Hello.
          turn 1 · end_turn · 0 in / 0 out (0 total)

        ── turn 1 · stop_reason=end_turn · turn tokens: 0 in / 0 out (0 total) · session tokens: 0 in / 0 out (0 total) ──

        ── session complete · stop_reason=end_turn · turn tokens: 0 in / 0 out (0 total) · session tokens: 0 in / 0 out (0 total) ──
        === stderr

        > ⏎
    "#]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blank_line_is_an_error() {
    let bed = Bed::conversation().await;
    let session = bed.run_until("message.assistant").await;
    let mut terminal = bed.attach(&session);
    terminal.line("  ").await;
    let ended = terminal.ended().await;
    assert_eq!(ended.code, Some(1));
    assert_eq!(
        ended.err,
        "\n> Error: empty message; enter text or end input with Ctrl-D\n"
    );
    assert_eq!(bed.status(&session).await, "awaiting_input");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_completed() {
    let bed = Bed::payment().await;
    let _worker = bed.worker();
    let session = bed.run_until("approval.required").await;
    bed.decide(&session, wire::ApprovalDecision::Approve).await;
    bed.reach(&session, "session.completed").await;
    let ended = bed.attach(&session).ended().await;
    ended.check(&session, &expect![[r#"
        exit 0
        === stdout
        session SESSION started
        agent version VERSION · model stub/scripted

        YOU
        Hi\u{7} there

        AGENT
          turn 1 · tool_use · 0 in / 0 out (0 total)

        AGENT
        Paid.
          turn 2 · end_turn · 0 in / 0 out (0 total)

        ── session complete · stop_reason=end_turn · turn tokens: 0 in / 0 out (0 total) · session tokens: 0 in / 0 out (0 total) ──
        === stderr

        ── calling test.pay@1.0.0 {"amount":500} ──
        ── tool result {"receipt":"r-1"} ──
    "#]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_that_nothing_else_showed() {
    let agent = "session: single_turn";
    let script = r#"{"turns":[[{"type":"text_delta","text":"{\"sum\":3}"}]]}"#;
    let bed = Bed::new(agent, script).await;
    let session = bed.run_until("session.completed").await;
    let ended = bed.attach(&session).ended().await;
    assert_eq!(ended.code, Some(0));
    let output = ended.out.split_once("total)\n{\n").unwrap().1;
    assert!(
        output.starts_with("  \"message\": {\n    \"sum\": 3\n  },\n"),
        "{output}"
    );
    assert!(
        output.contains("}\n\n── session complete · stop_reason="),
        "{output}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_failed() {
    let bed = Bed::new(
        "limits: {max_loop_iterations: 1}\n  session: single_turn",
        BROKEN,
    )
    .await;
    let _worker = bed.worker();
    let session = bed.run_until("session.failed").await;
    let ended = bed.attach(&session).ended().await;
    ended.check(
        &session,
        &expect![[r#"
        exit 0
        === stdout
        session SESSION started
        agent version VERSION · model stub/scripted

        YOU
        Hi\u{7} there

        AGENT
          turn 1 · tool_use · 0 in / 0 out (0 total)
        === stderr

        ── calling test.pay@1.0.0 {"amount":1} ──
        ── tool result {"receipt":"r-1"} ──
        ── session failed · run limit max_loop_iterations exceeded (on_limit=halt) ──
    "#]],
    );
    // Where the same command began it, its exit code tells.
    let ended = bed.open(&["run", "test/agent", "--attach"]).ended().await;
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.ends_with(" ──\n"), "{}", ended.err);
    assert!(
        ended.err.contains("\n── session failed · run limit "),
        "{}",
        ended.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_cancelled() {
    let bed = Bed::conversation().await;
    let session = bed.run_until("message.assistant").await;
    let request = wire::CancelSessionRequest {
        session_id: session.clone(),
    };
    bed.api().await.cancel_session(request).await.unwrap();
    let ended = bed.attach(&session).ended().await;
    ended.check(
        &session,
        &expect![[r#"
        exit 0
        === stdout
        session SESSION started
        agent version VERSION · model stub/scripted

        YOU
        Hi\u{7} there

        AGENT
        Hello.
          turn 1 · end_turn · 0 in / 0 out (0 total)
        === stderr
        ── session cancelled ──
    "#]],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_decided_elsewhere() {
    let bed = Bed::payment().await;
    let _worker = bed.worker();
    let session = bed.run_until("approval.required").await;
    let mut terminal = bed.attach(&session);
    terminal.until("this view waits\n").await;
    terminal.until("goes on without it.\n").await;
    bed.decide(&session, wire::ApprovalDecision::Approve).await;
    terminal.ended().await.check(&session, &expect![[r#"
        exit 0
        === stdout
        session SESSION started
        agent version VERSION · model stub/scripted

        YOU
        Hi\u{7} there

        AGENT
          turn 1 · tool_use · 0 in / 0 out (0 total)

        ── turn 1 · stop_reason=tool_use · turn tokens: 0 in / 0 out (0 total) · session tokens: 0 in / 0 out (0 total) ──
        Paid.
        ── session complete · stop_reason=end_turn · turn tokens: 0 in / 0 out (0 total) · session tokens: 0 in / 0 out (0 total) ──
        === stderr

        ── calling test.pay@1.0.0 {"amount":500} ──
        ── approval required for test.pay@1.0.0 (a large amount) ──
        arguments: {"amount":500}
        decide it elsewhere: ordain approvals approve APPROVAL, or ordain approvals reject APPROVAL; this view waits
        Input disabled: awaiting_approval
        This view goes on; Ctrl-C leaves it, and the session goes on without it.
        ── tool result {"receipt":"r-1"} ──
    "#]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_attached_to_from_its_start() {
    let bed = Bed::conversation().await;
    let input = r#"{"message":"hello"}"#;
    let mut terminal = bed.open(&["run", "test/agent", "--input", input, "-a"]);
    // Whether the first turn is history already or still comes, it is shown once.
    terminal.line("go on").await;
    let ended = terminal.end().await;
    assert_eq!(ended.code, Some(0));
    assert_eq!(ended.err, "\n> \n> ");
    assert!(ended.out.starts_with("session run_"), "{}", ended.out);
    assert!(ended.out.contains("\nYOU\nhello\n"), "{}", ended.out);
    assert_eq!(ended.out.matches("Hello.").count(), 1, "{}", ended.out);
    assert_eq!(ended.out.matches("\n── turn ").count(), 2, "{}", ended.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_attached_to() {
    let bed = Bed::conversation().await;
    let ended = bed.attach("run_none").ended().await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(5), ""));
    assert!(
        ended.err.starts_with("Error: run session: "),
        "{}",
        ended.err
    );
    assert!(ended.err.ends_with("(NotFound)\n"), "{}", ended.err);
    let run = ["run", "test/agent", "--attach", "-o", "json"];
    assert_eq!(bed.open(&run).ended().await.code, Some(2));
    let run = ["run", "test/agent", "--attach", "--wait"];
    assert_eq!(bed.open(&run).ended().await.code, Some(2));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_leaves_and_the_session_goes_on() {
    let bed = Bed::conversation().await;
    let session = bed.run_until("message.assistant").await;
    let mut terminal = bed.attach(&session);
    terminal.until("\n> ").await;
    let id = terminal.process.id().unwrap().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().await;
    assert!(sent.unwrap().success());
    let ended = terminal.ended().await;
    assert_eq!(ended.code, Some(130));
    let told = stable(&ended.err, &session);
    expect![[r#"

        > detached; session SESSION goes on: ordain sessions attach SESSION comes back to it
    "#]]
    .assert_eq(&told);
    assert_eq!(bed.status(&session).await, "awaiting_input");
}
