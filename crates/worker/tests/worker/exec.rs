//! Programs as tools, with a real shell: what they are told, how their ends are read, and that
//! nothing of them is left.

use std::path::{Path, PathBuf};
use std::time::Duration;

use proto::runtime::v1::work_server_msg::Body as ToWorker;
use proto::runtime::v1::{WorkInvoke, WorkToolError, WorkToolResult};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use worker::exec::Settings;
use worker::{Concurrency, Drained, ExecTool};

use crate::support::{FakeRuntime, Running, Stream, soon};

/// Only reached where the clock is moved.
const TIMEOUT: Duration = Duration::from_secs(300);
const OUTPUT_BYTES_MAX: usize = 100_000;

fn shell(script: &str) -> Settings {
    Settings {
        program: "sh".into(),
        args: vec!["-c".into(), script.into()],
        env: Vec::new(),
        cwd: None,
        search_path: "/usr/bin:/bin".into(),
        timeout: TIMEOUT,
        kill_grace: TIMEOUT,
        output_bytes_max: OUTPUT_BYTES_MAX,
    }
}

/// A worker whose tool `t` runs a program, and the stream that it opened.
struct Scene {
    worker: Running,
    stream: Stream,
    /// The call id and the text of each line on stderr.
    lines: mpsc::UnboundedReceiver<(String, String)>,
    folder: tempfile::TempDir,
}

impl Scene {
    async fn begin(script: &str) -> Self {
        Self::with(shell(script), 1, TIMEOUT).await
    }

    async fn with(mut settings: Settings, concurrency: u32, drain: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for fifo in ["life", "gate"] {
            let made = std::process::Command::new("mkfifo")
                .arg(folder.path().join(fifo))
                .status();
            assert!(made.unwrap().success());
        }
        settings.env.push(("DIR".into(), folder.path().into()));
        let (heard, lines) = mpsc::unbounded_channel();
        let on_stderr = move |call: &str, line: &str| {
            heard.send((call.to_owned(), line.to_owned())).unwrap();
        };
        let program = ExecTool::new(settings, on_stderr).unwrap();
        let mut runtime = FakeRuntime::start().await;
        let builder = runtime.builder().drain_grace(drain).exec_tool(
            "t",
            "1",
            Concurrency(concurrency),
            program,
        );
        let worker = Running::start(builder);
        let (stream, _) = runtime.accept_registered().await;
        Self {
            worker,
            stream,
            lines,
            folder,
        }
    }

    async fn call(&mut self, args: &str) -> WorkToolResult {
        self.stream.invoke("c1", "t", args).await;
        self.stream.result().await
    }

    async fn error(&mut self, args: &str) -> WorkToolError {
        let result = self.call(args).await;
        assert!(result.payload.is_empty());
        result.error.unwrap()
    }

    async fn heard(&mut self, line: &str) {
        let (_, text) = soon("a line", self.lines.recv()).await.unwrap();
        assert_eq!(text, line);
    }

    /// Reads the fifo `life`, which ends when every process that has opened it is gone.
    fn life(&self) -> oneshot::Receiver<String> {
        let life = self.folder.path().join("life");
        beside(move || std::fs::read_to_string(life).unwrap())
    }
}

/// Blocks a thread of its own: one of the async runtime would keep a test that has failed from ending.
fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> oneshot::Receiver<T> {
    let (done, result) = oneshot::channel();
    std::thread::spawn(move || done.send(work()));
    result
}

/// A program with a child of its own that holds `life` open. Neither ends when it is asked to.
const FAMILY: &str = r#"
    trap '' TERM
    (exec > "$DIR/life"; echo began; echo ready >&2; exec 2> /dev/null
     while :; do read -r line < "$DIR/gate"; done) &
    while :; do wait; done"#;

/// Waits in such a way that a trap gets its turn.
const WAIT: &str = r#"(trap '' TERM; read -r x < "$DIR/gate") > /dev/null 2>&1 & wait"#;

/// The second part of the answer ends when the whole family is gone.
async fn family(kill_grace: Duration, drain: Duration) -> (Scene, oneshot::Receiver<String>) {
    let mut program = shell(FAMILY);
    program.kill_grace = kill_grace;
    let mut scene = Scene::with(program, 1, drain).await;
    let life = scene.life();
    scene.stream.invoke("c1", "t", "").await;
    scene.heard("ready").await;
    (scene, life)
}

/// Moves every clock but the real one.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn arguments_come_and_go_byte_for_byte() {
    let mut scene = Scene::begin("cat").await;
    let args = r#"{ "amount": 123456789012345678901.10, "text": "é\n" }"#;
    let result = scene.call(args).await;
    assert_eq!(result.error, None);
    assert_eq!(result.payload, args.as_bytes());
}

#[tokio::test]
async fn a_program_knows_its_call() {
    let script = r#"printf '["%s","%s","%s","%s","%s","%s","%s","%s","%s"]' "$ORDAIN_CALL_ID" \
        "$ORDAIN_SESSION_ID" "$ORDAIN_AGENT_VERSION_ID" "$ORDAIN_TOOL" "$ORDAIN_TOOL_VERSION" \
        "$ORDAIN_TURN" "$ORDAIN_SIDE_EFFECT_CLASS" "$ORDAIN_DEADLINE_UNIX_MS" "$OWN""#;
    let mut settings = shell(script);
    settings.env.push(("OWN".into(), "mine".into()));
    let mut scene = Scene::with(settings, 1, TIMEOUT).await;
    let invoke = WorkInvoke {
        call_id: "call-7".to_owned(),
        session_id: "session-7".to_owned(),
        agent_version_id: "version-7".to_owned(),
        turn: 7,
        tool: "t".to_owned(),
        version: "1".to_owned(),
        side_effect_class: "idempotent_write".to_owned(),
        deadline_unix_ms: 4_000_000_000_123,
        ..WorkInvoke::default()
    };
    scene.stream.send(ToWorker::Invoke(invoke)).await;
    let result = scene.stream.result().await;
    let told: Value = serde_json::from_slice(&result.payload).unwrap();
    let expected = json!([
        "call-7",
        "session-7",
        "version-7",
        "t",
        "1",
        "7",
        "idempotent_write",
        "4000000000123",
        "mine"
    ]);
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_program_runs_where_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = shell(r#"printf '"%s"' "$(pwd -P)""#);
    settings.cwd = Some(folder.path().to_owned());
    let mut scene = Scene::with(settings, 1, TIMEOUT).await;
    let payload = scene.call("").await.payload;
    let told: PathBuf = serde_json::from_slice(&payload).unwrap();
    assert_eq!(told, folder.path().canonicalize().unwrap());
}

#[tokio::test]
async fn a_program_that_fails_is_quoted() {
    let mut scene = Scene::begin("echo partial; echo first >&2; printf last >&2; exit 3").await;
    let error = scene.error("").await;
    assert_eq!(error.code, "exit_3");
    let text = "the program ended with exit code 3\nstderr:\nfirst\nlast";
    assert_eq!(error.message, text);
    scene.heard("first").await;
    scene.heard("last").await;
}

#[tokio::test]
async fn a_program_that_a_signal_ends_is_told_apart() {
    let error = Scene::begin("kill -9 $$").await.error("").await;
    assert_eq!(error.code, "signal_9");
}

#[tokio::test]
async fn what_is_not_json_is_shown() {
    let mut scene = Scene::begin("echo hello").await;
    let error = scene.error("").await;
    assert_eq!(error.code, "invalid_output");
    assert!(
        error.message.ends_with("it was: hello"),
        "{}",
        error.message
    );
    let error = Scene::begin("echo '{} {}'").await.error("").await;
    assert_eq!(error.code, "invalid_output");
}

#[tokio::test]
async fn much_that_is_not_json_is_cut_with_a_mark() {
    let mut scene = Scene::begin("head -c 5000 /dev/zero | tr '\\0' x").await;
    let error = scene.error("").await;
    assert_eq!(error.code, "invalid_output");
    assert!(error.message.len() < 2000);
    assert!(error.message.ends_with("xx [cut here; 5000 bytes in all]"));
}

#[tokio::test]
async fn no_output_is_an_empty_object() {
    assert_eq!(Scene::begin("echo").await.call("").await.payload, b"{}");
}

#[tokio::test]
async fn input_that_nobody_reads_holds_nothing_up() {
    let mut scene = Scene::begin("echo 1").await;
    let args = format!("\"{}\"", "x".repeat(1_000_000));
    assert_eq!(scene.call(&args).await.payload, b"1");
}

#[tokio::test]
async fn a_program_may_write_much_before_it_reads() {
    let script = r#"printf '"'; head -c 90000 /dev/zero | tr '\0' x; printf '"'
        head -c 300000 /dev/zero | tr '\0' y >&2
        cat > /dev/null"#;
    let mut scene = Scene::begin(script).await;
    let args = format!("\"{}\"", "x".repeat(1_000_000));
    assert_eq!(scene.call(&args).await.payload.len(), 90_002);
}

#[tokio::test]
async fn too_much_output_ends_the_program() {
    let error = Scene::begin("cat /dev/zero").await.error("").await;
    assert_eq!(error.code, "result_too_large");
    assert!(error.message.contains("100000"), "{}", error.message);
    let exactly = |bytes: usize| {
        format!(
            "printf '\"'; head -c {} /dev/zero | tr '\\0' x; printf '\"'",
            bytes - 2
        )
    };
    let most = Scene::begin(&exactly(OUTPUT_BYTES_MAX))
        .await
        .call("")
        .await;
    assert_eq!(most.payload.len(), OUTPUT_BYTES_MAX);
    let over = Scene::begin(&exactly(OUTPUT_BYTES_MAX + 1))
        .await
        .error("")
        .await;
    assert_eq!(over.code, "result_too_large");
}

#[tokio::test]
async fn a_timeout_ends_the_whole_family() {
    let (mut scene, life) = family(Duration::ZERO, TIMEOUT).await;
    pass(TIMEOUT).await;
    let error = scene.stream.result().await.error.unwrap();
    assert_eq!(error.code, "timeout");
    assert!(error.message.contains("300s"), "{}", error.message);
    assert_eq!(soon("the family's end", life).await.unwrap(), "began\n");
}

#[tokio::test]
async fn a_cancel_asks_first() {
    let script = format!("trap 'echo going >&2; exit 4' TERM; echo ready >&2; {WAIT}");
    let mut scene = Scene::begin(&script).await;
    scene.stream.invoke("c1", "t", "").await;
    scene.heard("ready").await;
    scene.stream.cancel("c1").await;
    let error = scene.stream.result().await.error.unwrap();
    assert_eq!(error.code, "cancelled");
    assert!(error.message.ends_with("ready\ngoing"), "{}", error.message);
}

#[tokio::test]
async fn who_does_not_listen_is_killed() {
    let (mut scene, life) = family(Duration::from_millis(1), TIMEOUT).await;
    scene.stream.cancel("c1").await;
    let error = scene.stream.result().await.error.unwrap();
    assert_eq!(error.code, "cancelled");
    assert_eq!(soon("the family's end", life).await.unwrap(), "began\n");
}

#[tokio::test]
async fn a_result_that_crosses_with_the_cancel_counts() {
    let script = format!("trap 'echo 1; exit 0' TERM; echo ready >&2; {WAIT}");
    let mut scene = Scene::begin(&script).await;
    scene.stream.invoke("c1", "t", "").await;
    scene.heard("ready").await;
    scene.stream.cancel("c1").await;
    let result = scene.stream.result().await;
    assert_eq!((result.error, result.payload.as_slice()), (None, &b"1"[..]));
}

#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_it() {
    let script = r#"(exec < /dev/null > "$DIR/life" 2> /dev/null; echo left
        while :; do read -r line < "$DIR/gate"; done) &
        echo 1"#;
    let mut scene = Scene::begin(script).await;
    // The child may be killed before it opens `life`; a writer of the test's own ends the wait then.
    let life = scene.life();
    let path = scene.folder.path().join("life");
    let writer = beside(move || open_for_writing(&path));
    assert_eq!(scene.call("").await.payload, b"1");
    drop(soon("the writer", writer).await.unwrap());
    soon("the end of what was left", life).await.unwrap();
}

fn open_for_writing(fifo: &Path) -> std::fs::File {
    std::fs::OpenOptions::new().write(true).open(fifo).unwrap()
}

#[tokio::test]
async fn no_more_programs_run_than_allowed() {
    let script = r#"mkdir "$DIR/busy" || exit 9
        echo began >&2
        [ "$ORDAIN_CALL_ID" != c1 ] || read -r x < "$DIR/gate"
        rmdir "$DIR/busy""#;
    let mut scene = Scene::begin(script).await;
    for call in ["c1", "c2", "c3"] {
        scene.stream.invoke(call, "t", "").await;
    }
    scene.heard("began").await;
    // The refusal tells that the worker has taken the calls before it.
    scene.stream.invoke("other", "other", "").await;
    assert_eq!(scene.stream.nack().await.call_id, "other");
    let gate = scene.folder.path().join("gate");
    let opened = beside(move || open_for_writing(&gate));
    drop(soon("the gate", opened).await.unwrap());
    for call in ["c1", "c2", "c3"] {
        let result = scene.stream.result().await;
        assert_eq!((result.call_id.as_str(), result.error), (call, None));
    }
}

#[tokio::test]
async fn programs_run_side_by_side_up_to_the_bound() {
    let mut scene = Scene::with(
        shell(r#"echo began >&2; read -r x < "$DIR/gate""#),
        2,
        TIMEOUT,
    )
    .await;
    scene.stream.invoke("c1", "t", "").await;
    scene.stream.invoke("c2", "t", "").await;
    scene.heard("began").await;
    scene.heard("began").await;
    for call in ["c1", "c2"] {
        scene.stream.cancel(call).await;
        assert_eq!(scene.stream.result().await.call_id, call);
    }
}

#[tokio::test]
async fn a_program_that_went_away_is_an_error_of_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("tool");
    std::fs::copy("/bin/sh", &program).unwrap();
    let mut settings = shell("echo 1");
    settings.program = program.clone().into();
    let mut scene = Scene::with(settings, 1, TIMEOUT).await;
    std::fs::remove_file(&program).unwrap();
    assert_eq!(scene.error("").await.code, "spawn_failed");
}

#[tokio::test]
async fn the_end_of_a_drain_kills_what_still_runs() {
    let (scene, life) = family(TIMEOUT, Duration::ZERO).await;
    let Scene {
        worker, mut stream, ..
    } = scene;
    let ended = worker.shut_down();
    assert_eq!(stream.next().await, None);
    drop(stream);
    let drained: Drained = soon("the end", ended).await.unwrap().unwrap();
    assert_eq!(drained.abandoned, ["c1"]);
    assert_eq!(soon("the family's end", life).await.unwrap(), "began\n");
}
