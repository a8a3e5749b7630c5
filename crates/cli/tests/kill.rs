//! `kill -9` of a real runtime process at five chosen points while calls run. After the restart
//! nothing is lost, and no handler of a dangerous class began twice without a person.

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proto::ordain::v1 as ordain;
use proto::ordain::v1::publishing_client::PublishingClient;
use proto::ordain::v1::sessions_client::SessionsClient;
use proto::runtime::v1 as wire;
use proto::runtime::v1::runtime_client::RuntimeClient;
use tokio::sync::{oneshot, watch};
use tonic::transport::Channel;

/// Tries to reach a process that is starting, a hundredth of a second apart.
const TRIES_MAX: usize = 3000;

const AGENT: &str = "apiVersion: phrony.com/v1
kind: Agent
metadata: {name: agent, namespace: test, version: 1.0.0}
spec:
  purpose: Be killed.
  instructions: {text: Do.}
  model: {provider: stub, name: scripted}
  session: single_turn
  tools:
    - {ref: test.read@1.0.0, as: read}
    - {ref: test.pay@1.0.0, as: pay, policies: [test.ask]}
";
const POLICY: &str = "apiVersion: phrony.com/v1
kind: Policy
metadata: {name: ask, namespace: test, version: 1.0.0}
spec:
  conditions: {field: amount, op: gt, value: 100}
  decision: {type: require_approval, reason: a large amount}
";
const READ: &str = "apiVersion: phrony.com/v1
kind: Tool
metadata: {name: read, namespace: test, version: 1.0.0}
spec:
  description: Read.
  side_effect_class: read_only
  input_schema: {inline: {type: object, additionalProperties: false}}
";
const PAY: &str = "apiVersion: phrony.com/v1
kind: Tool
metadata: {name: pay, namespace: test, version: 1.0.0}
spec:
  description: Pay.
  side_effect_class: non_idempotent_write
  input_schema:
    inline: {type: object, properties: {amount: {type: number}}, required: [amount], additionalProperties: false}
";
const SCRIPT: &str = r#"{"turns":[
  [{"type":"tool_call","name":"read","args":{}},{"type":"tool_call","name":"pay","args":{"amount":1}}],
  [{"type":"tool_call","name":"pay","args":{"amount":500}}],
  [{"type":"tool_call","name":"pay","args":{"amount":2}}],
  [{"type":"text_delta","text":"done"}]]}"#;

/// A runtime process; killed when dropped.
struct Runtime {
    child: Child,
    address: String,
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Runtime {
    async fn start(dir: &std::path::Path, listen: &str) -> Self {
        let file = dir.join("address");
        let _ = std::fs::remove_file(&file);
        // Whatever happens from here on, the process is ended when this is dropped.
        let mut runtime = Self {
            child: Command::new(env!("CARGO_BIN_EXE_ordain"))
                .args(["serve", "--listen", listen, "--data-dir"])
                .arg(dir.join("data"))
                .arg("--address-file")
                .arg(&file)
                .env("RUNTIME_ENABLE_STUB_PROVIDER", "1")
                .env("ORDAIN_RESYNC_GRACE", "3s")
                .env("ORDAIN_LOG", "error")
                .stdout(Stdio::null())
                .spawn()
                .unwrap(),
            address: String::new(),
        };
        for _ in 0..TRIES_MAX {
            if let Ok(address) = std::fs::read_to_string(&file) {
                address.trim().clone_into(&mut runtime.address);
                return runtime;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the runtime did not start");
    }

    /// SIGKILL, and waits until the process is gone.
    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    async fn client(&self) -> RuntimeClient<Channel> {
        RuntimeClient::connect(format!("http://{}", self.address))
            .await
            .unwrap()
    }
}

/// What handlers began, by call; and a gate that payments wait at.
#[derive(Clone)]
struct Witness {
    began: Arc<Mutex<BTreeMap<String, usize>>>,
    started: watch::Sender<usize>,
    gate: watch::Sender<bool>,
}

fn worker(address: &str, witness: &Witness) -> oneshot::Sender<()> {
    let handle = |witness: Witness, wait: bool| {
        move |call: worker::Invocation| {
            let witness = witness.clone();
            async move {
                *witness
                    .began
                    .lock()
                    .unwrap()
                    .entry(call.call_id.clone())
                    .or_default() += 1;
                if wait {
                    witness.started.send_modify(|count| *count += 1);
                    let mut gate = witness.gate.subscribe();
                    let _ = gate.wait_for(|open| *open).await;
                }
                Ok(serde_json::json!({"ok": true}))
            }
        }
    };
    let worker = worker::Worker::builder("w-1")
        .runtime(address)
        .tool(
            "test.read",
            "1.0.0",
            worker::Concurrency(4),
            handle(witness.clone(), false),
        )
        .tool(
            "test.pay",
            "1.0.0",
            worker::Concurrency(4),
            handle(witness.clone(), true),
        )
        .build()
        .unwrap();
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(worker.run(async {
        let _ = stopped.await;
    }));
    stop
}

async fn deploy(runtime: &Runtime) {
    let file = |path: &str, text: &str| ordain::SourceFile {
        path: path.to_owned(),
        content: text.as_bytes().to_vec(),
    };
    let files = vec![
        file("agent.yaml", AGENT),
        file("policies/ask.yaml", POLICY),
        file("tools/read.yaml", READ),
        file("tools/pay.yaml", PAY),
        file("stub-script.json", SCRIPT),
    ];
    let mut publishing = PublishingClient::connect(format!("http://{}", runtime.address))
        .await
        .unwrap();
    let request = ordain::PublishSourcesRequest {
        files,
        manifest: "agent.yaml".to_owned(),
        ..Default::default()
    };
    publishing.publish_sources(request).await.unwrap();
    let agent_ref = Some(agent("1.0.0"));
    let request = wire::DeployRequest {
        agent_ref,
        actor: String::new(),
    };
    runtime.client().await.deploy(request).await.unwrap();
}

fn agent(version: &str) -> wire::AgentRef {
    wire::AgentRef {
        namespace: "test".to_owned(),
        name: "agent".to_owned(),
        version: version.to_owned(),
    }
}

fn text(event: &ordain::WatchEvent, key: &str) -> String {
    use prost_types::value::Kind;
    let payload = event.payload.clone().and_then(|it| it.kind);
    let Some(Kind::StructValue(payload)) = payload else {
        return String::new();
    };
    match payload.fields.get(key).and_then(|it| it.kind.clone()) {
        Some(Kind::StringValue(text)) => text,
        _ => String::new(),
    }
}

/// Follows a session, approving whatever is asked, until `until` says so or the session is over.
async fn follow(
    runtime: &Runtime,
    session: &str,
    until: impl Fn(&ordain::WatchEvent) -> bool,
) -> Vec<ordain::WatchEvent> {
    let mut client = SessionsClient::connect(format!("http://{}", runtime.address))
        .await
        .unwrap();
    let request = ordain::WatchRequest {
        session_id: session.to_owned(),
        after_seq: 0,
    };
    let mut stream = client.watch(request).await.unwrap().into_inner();
    let mut seen = Vec::new();
    while let Some(event) = stream.message().await.unwrap() {
        let done = until(&event);
        let approval = (event.r#type == "approval.required").then(|| text(&event, "approval_id"));
        seen.push(event);
        if done {
            break;
        }
        if let Some(approval_id) = approval {
            let decision = wire::ApprovalDecision::Approve.into();
            let actor = "ana".to_owned();
            let request = wire::DecideApprovalRequest {
                approval_id,
                decision,
                actor,
                ..Default::default()
            };
            // Refused only where the worker's own result has settled the question meanwhile.
            let _ = runtime.client().await.decide_approval(request).await;
        }
    }
    seen
}

/// Runs one session, kills the runtime when `at` is reached, starts it again, and sees it through.
async fn killed_at(point: &str) {
    let dir = tempfile::tempdir().unwrap();
    let mut runtime = Runtime::start(dir.path(), "127.0.0.1:0").await;
    let in_handler = point == "in the handler";
    let witness = Witness {
        began: Arc::default(),
        started: watch::channel(0).0,
        gate: watch::channel(!in_handler).0,
    };
    let _stop = worker(&runtime.address, &witness);
    deploy(&runtime).await;
    let request = wire::RunSessionRequest {
        agent_ref: Some(agent("")),
        ..Default::default()
    };
    let session = runtime.client().await.run_session(request).await.unwrap();
    let session = session.into_inner().session_id;

    if in_handler {
        let mut started = witness.started.subscribe();
        started.wait_for(|count| *count > 0).await.unwrap();
    } else {
        follow(&runtime, &session, |event| event.r#type == point).await;
    }
    runtime.kill();
    let address = runtime.address.clone();
    let runtime = Runtime::start(dir.path(), &address).await;
    witness.gate.send_replace(true);

    let seen = follow(&runtime, &session, |event| {
        event.r#type == "session.completed"
    })
    .await;
    let last = seen.last().map(|it| it.r#type.clone());
    assert_eq!(last.as_deref(), Some("session.completed"), "{point}");
    let kinds: Vec<(&str, &str)> = seen
        .iter()
        .map(|it| (it.r#type.as_str(), it.call_id.as_str()))
        .collect();
    let completed: Vec<&str> = kinds
        .iter()
        .filter(|it| it.0 == "tool.completed")
        .map(|it| it.1)
        .collect();
    assert_eq!(completed.len(), 4, "{point}: {kinds:?}");
    let failed = seen.iter().find(|it| !text(it, "error_code").is_empty());
    assert!(failed.is_none(), "{point}: {failed:?}");
    let began = witness.began.lock().unwrap().clone();
    assert_eq!(began.len(), 4, "{point}: {began:?}");
    let pays: Vec<String> = seen
        .iter()
        .filter(|it| it.r#type == "tool.requested" && text(it, "wire_name") == "pay")
        .map(|it| it.call_id.clone())
        .collect();
    assert_eq!(pays.len(), 3, "{point}");
    for call in pays {
        let asked = seen
            .iter()
            .filter(|it| it.r#type == "approval.required" && it.call_id == call)
            .filter(|it| text(it, "subject") == "indeterminate")
            .count();
        assert!(
            began[&call] <= 1 + asked,
            "{point}: {call} began {} times",
            began[&call]
        );
        if in_handler {
            assert_eq!(
                began[&call], 1,
                "{point}: the worker came back with its result"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_session_has_just_started() {
    killed_at("session.started").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn when_a_call_has_just_been_dispatched() {
    killed_at("tool.dispatched").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_handler_runs() {
    killed_at("in the handler").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn when_a_result_is_on_record() {
    killed_at("tool.completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_person_is_asked() {
    killed_at("approval.required").await;
}
