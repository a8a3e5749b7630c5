//! A test bed: one runtime, one bundle, and what a client does with it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use daemon::{Config, Daemon};
use proto::ordain::v1 as ordain;
use proto::ordain::v1::publishing_client::PublishingClient;
use proto::ordain::v1::sessions_client::SessionsClient;
use proto::runtime::v1 as wire;
use proto::runtime::v1::runtime_client::RuntimeClient;
use serde_json::{Value as Json, json};
use spec::snapshot::Identity;
use spec::{Snapshot, Time, VersionId};
use store::{NewDeployment, NewVersion, Store, StoreSettings};
use tokio::sync::oneshot;
use tonic::Status;
use tonic::transport::Channel;

/// Events that one wait looks at before it gives up: a bound, so that a test fails and not hangs.
const EVENTS_MAX: usize = 500;

pub struct Bed {
    pub daemon: Option<Daemon>,
    pub dir: tempfile::TempDir,
    pub address: String,
    pub client: RuntimeClient<Channel>,
    config: Config,
}

pub fn config(dir: &std::path::Path, vars: &[(&str, &str)]) -> Config {
    let dir = dir.to_str().unwrap().to_owned();
    let get = |name: &str| match name {
        "ORDAIN_DATA_DIR" => Some(dir.clone()),
        "RUNTIME_GRPC_ADDR" => Some("127.0.0.1:0".to_owned()),
        "RUNTIME_ENABLE_STUB_PROVIDER" => Some("1".to_owned()),
        "ORDAIN_DRAIN" => Some("100ms".to_owned()),
        other => vars
            .iter()
            .find(|(key, _)| *key == other)
            .map(|(_, it)| (*it).to_owned()),
    };
    Config::from_env(&get).unwrap()
}

impl Bed {
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    pub async fn with(vars: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = config(dir.path(), vars);
        let daemon = Daemon::start(config.clone()).await.unwrap();
        let address = daemon.address().to_string();
        let client = connect(&address).await;
        Self {
            daemon: Some(daemon),
            dir,
            address,
            client,
            config,
        }
    }

    /// Stops the runtime and starts it again on the same folder and port.
    pub async fn restart(&mut self) {
        self.daemon.take().unwrap().stop().await;
        self.config.listen = self.address.parse().unwrap();
        self.daemon = Some(Daemon::start(self.config.clone()).await.unwrap());
        self.client = connect(&self.address).await;
    }

    /// The same, with other settings.
    pub async fn restart_with(&mut self, change: impl FnOnce(&mut Config)) {
        change(&mut self.config);
        self.restart().await;
    }

    /// Deploys the agent with a changed snapshot, behind the runtime's back.
    pub async fn deploy_changed(&mut self, script: &str, change: impl FnOnce(&mut Snapshot)) {
        self.daemon.take().unwrap().stop().await;
        let files = publish::MemoryFiles::from_iter(bundle(script));
        let mut snapshot = publish::compile(&files, "agent.yaml").snapshot.unwrap();
        change(&mut snapshot);
        let (bytes, content_hash) = snapshot.to_canonical().unwrap();
        let store = Store::open(self.dir.path(), StoreSettings::STANDARD).unwrap();
        let Identity {
            namespace,
            name,
            version,
        } = snapshot.agent;
        let now = Time::from_unix_ms(1_000);
        let new = NewVersion {
            namespace: namespace.clone(),
            name: name.clone(),
            version_key: version.clone(),
            version: version.clone(),
            owner: None,
            content_hash,
            snapshot: bytes,
            manifest: b"{}".to_vec(),
            actor: String::new(),
            now,
            agent_id: "agent-id".to_owned(),
            version_id: VersionId::new("version-id"),
        };
        store.publish(new).await.unwrap();
        let new = NewDeployment {
            namespace,
            name,
            version,
            actor: String::new(),
            now,
            deployment_id: "deployment-id".to_owned(),
            overlay: None,
        };
        store.deploy(new).await.unwrap();
        drop(store);
        self.config.listen = self.address.parse().unwrap();
        self.daemon = Some(Daemon::start(self.config.clone()).await.unwrap());
        self.client = connect(&self.address).await;
    }

    pub async fn publishing(&self) -> PublishingClient<Channel> {
        PublishingClient::connect(format!("http://{}", self.address))
            .await
            .unwrap()
    }

    pub async fn publish(
        &self,
        files: &[(&str, &str)],
    ) -> Result<ordain::PublishSourcesResponse, Status> {
        let file = |(path, text): &(&str, &str)| ordain::SourceFile {
            path: (*path).to_owned(),
            content: text.as_bytes().to_vec(),
        };
        let request = ordain::PublishSourcesRequest {
            files: files.iter().map(file).collect(),
            manifest: "agent.yaml".to_owned(),
            actor: "tester".to_owned(),
            dry_run: false,
            allow_unproven: Vec::new(),
        };
        Ok(self
            .publishing()
            .await
            .publish_sources(request)
            .await?
            .into_inner())
    }

    /// Publishes and deploys the agent with a script, and starts a session of it.
    pub async fn run(&mut self, script: &str) -> String {
        self.deploy(&bundle(script)).await;
        self.start().await
    }

    /// Publishes a bundle and makes it the active version.
    pub async fn deploy(&mut self, files: &[(&str, &str)]) {
        let published = self.publish(files).await.unwrap();
        let agent_ref = wire::AgentRef {
            namespace: published.namespace,
            name: published.name,
            version: published.version,
        };
        let deploy = wire::DeployRequest {
            agent_ref: Some(agent_ref),
            actor: String::new(),
        };
        self.client.deploy(deploy).await.unwrap();
    }

    /// The same agent as a conversation: after a turn it waits for the next user message.
    pub async fn deploy_conversation(&mut self, script: &str) {
        let mut files = bundle(script);
        let manifest = files[0].1.replace("single_turn", "conversation");
        files[0].1 = &manifest;
        self.deploy(&files).await;
    }

    /// Starts a session of the agent that is deployed.
    pub async fn start(&mut self) -> String {
        self.start_with(r#"{"message":"go"}"#).await
    }

    /// The same with another input.
    pub(crate) async fn start_with(&mut self, input: &str) -> String {
        let request = wire::RunSessionRequest {
            agent_ref: Some(agent("")),
            input: input.as_bytes().to_vec(),
            ..Default::default()
        };
        self.started(request).await
    }

    pub(crate) async fn started(&mut self, request: wire::RunSessionRequest) -> String {
        let started = self.client.run_session(request).await.unwrap();
        started.into_inner().session_id
    }

    /// Follows a session until `until` says so; everything seen, in order.
    pub async fn follow(
        &self,
        session: &str,
        until: impl Fn(&ordain::WatchEvent) -> bool,
    ) -> Vec<ordain::WatchEvent> {
        let mut client = SessionsClient::connect(format!("http://{}", self.address))
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
            seen.push(event);
            if done {
                return seen;
            }
            assert!(seen.len() < EVENTS_MAX, "{:?}", kinds(&seen));
        }
        panic!("the stream ended before: {:?}", kinds(&seen));
    }

    pub async fn until(&self, session: &str, kind: &str) -> Vec<ordain::WatchEvent> {
        self.follow(session, |event| event.r#type == kind).await
    }

    pub async fn inspect(&mut self, session: &str) -> wire::InspectSessionResponse {
        let request = wire::InspectSessionRequest {
            session_id: session.to_owned(),
        };
        self.client
            .inspect_session(request)
            .await
            .unwrap()
            .into_inner()
    }

    pub async fn decide(
        &mut self,
        approval: &str,
        decision: wire::ApprovalDecision,
        actor: &str,
    ) -> Result<wire::DecideApprovalResponse, Status> {
        let request = wire::DecideApprovalRequest {
            approval_id: approval.to_owned(),
            decision: decision.into(),
            actor: actor.to_owned(),
            ..Default::default()
        };
        Ok(self.client.decide_approval(request).await?.into_inner())
    }
}

async fn connect(address: &str) -> RuntimeClient<Channel> {
    let client = RuntimeClient::connect(format!("http://{address}"))
        .await
        .unwrap();
    client.max_decoding_message_size(64 * 1024 * 1024)
}

pub fn kinds(events: &[ordain::WatchEvent]) -> Vec<&str> {
    events.iter().map(|it| it.r#type.as_str()).collect()
}

pub fn agent(version: &str) -> wire::AgentRef {
    wire::AgentRef {
        namespace: "test".to_owned(),
        name: "agent".to_owned(),
        version: version.to_owned(),
    }
}

/// A member of an event's payload, as text.
pub fn text(event: &ordain::WatchEvent, key: &str) -> String {
    use prost_types::value::Kind;
    let payload = event.payload.clone().and_then(|it| it.kind);
    let Some(Kind::StructValue(payload)) = payload else {
        return String::new();
    };
    match payload.fields.get(key).and_then(|it| it.kind.clone()) {
        Some(Kind::StringValue(text)) => text,
        Some(Kind::NumberValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

/// An event's payload.
pub(crate) fn payload(event: &ordain::WatchEvent) -> Json {
    use prost_types::value::Kind;
    fn json(value: prost_types::Value) -> Json {
        match value.kind {
            None | Some(Kind::NullValue(_)) => Json::Null,
            Some(Kind::BoolValue(it)) => json!(it),
            Some(Kind::NumberValue(it)) => json!(it),
            Some(Kind::StringValue(it)) => json!(it),
            Some(Kind::ListValue(it)) => it.values.into_iter().map(json).collect(),
            Some(Kind::StructValue(it)) => {
                let members = it.fields.into_iter();
                Json::Object(members.map(|(key, it)| (key, json(it))).collect())
            }
        }
    }
    event.payload.clone().map_or(Json::Null, json)
}

/// The events of one kind.
pub(crate) fn of<'a>(events: &'a [ordain::WatchEvent], kind: &str) -> Vec<&'a ordain::WatchEvent> {
    events.iter().filter(|it| it.r#type == kind).collect()
}

/// What failed and refused calls tell the model: code and message.
pub(crate) fn errors(events: &[ordain::WatchEvent]) -> Vec<(String, String)> {
    let kinds = ["tool.completed", "tool.refused", "tool.policy_denied"];
    let told = events
        .iter()
        .filter(|it| kinds.contains(&it.r#type.as_str()));
    let told = told.filter(|it| payload(it)["error_code"].is_string());
    told.map(|it| (text(it, "error_code"), text(it, "error_message")))
        .collect()
}

const AGENT: &str = "apiVersion: phrony.com/v1
kind: Agent
metadata: {name: agent, namespace: test, version: 1.0.0}
spec:
  purpose: Be tested.
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
  decision:
    type: require_approval
    reason: a large amount
    runtime: {phrony.com/approver_role: lead}
";

const READ: &str = "apiVersion: phrony.com/v1
kind: Tool
metadata: {name: read, namespace: test, version: 1.0.0}
spec:
  description: Read something.
  side_effect_class: read_only
  input_schema:
    inline: {type: object, properties: {id: {type: string}}, additionalProperties: false}
";

const PAY: &str = "apiVersion: phrony.com/v1
kind: Tool
metadata: {name: pay, namespace: test, version: 1.0.0}
spec:
  description: Pay something.
  side_effect_class: non_idempotent_write
  input_schema:
    inline: {type: object, properties: {amount: {type: number}}, required: [amount], additionalProperties: false}
  output_schema:
    inline: {type: object, properties: {paid: {type: boolean}}, required: [paid]}
";

pub fn bundle(script: &str) -> Vec<(&str, &str)> {
    vec![
        ("agent.yaml", AGENT),
        ("tools/read.yaml", READ),
        ("tools/pay.yaml", PAY),
        ("policies/ask.yaml", POLICY),
        ("stub-script.json", script),
    ]
}

/// A script: each turn a list of calls `(tool, args)`, then a last turn that says `done`.
pub fn script(turns: &[&[(&str, &str)]]) -> String {
    let mut all: Vec<String> = turns
        .iter()
        .map(|calls| {
            let calls: Vec<String> = calls
                .iter()
                .map(|(tool, args)| {
                    format!(r#"{{"type":"tool_call","name":"{tool}","args":{args}}}"#)
                })
                .collect();
            format!("[{}]", calls.join(","))
        })
        .collect();
    all.push(r#"[{"type":"text_delta","text":"done"}]"#.to_owned());
    format!(r#"{{"turns":[{}]}}"#, all.join(","))
}

/// What handlers were given, by tool.
pub type Witness = Arc<Mutex<BTreeMap<String, Vec<String>>>>;

/// A worker of the SDK that serves both tools, until dropped.
pub struct Served {
    pub witness: Witness,
    stop: Option<oneshot::Sender<()>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.stop.take().map(|it| it.send(()));
    }
}

pub fn serve(address: &str, name: &str) -> Served {
    serve_failing(address, name, 0)
}

/// The same; each tool's handler says as often that it failed before it does its work.
pub fn serve_failing(address: &str, name: &str, times: usize) -> Served {
    let outcome = move |witness: &Witness, tool: &str, done: serde_json::Value| {
        if witness.lock().unwrap()[tool].len() > times {
            Ok(done)
        } else {
            Err(worker::ToolError::new("E42", "the printer is on fire"))
        }
    };
    let witness = Witness::default();
    let noted = |witness: &Witness, call: &worker::Invocation| {
        let args = String::from_utf8(call.args.to_vec()).unwrap();
        witness
            .lock()
            .unwrap()
            .entry(call.tool.clone())
            .or_default()
            .push(args);
    };
    let (reads, pays) = (witness.clone(), witness.clone());
    let worker = worker::Worker::builder(name)
        .runtime(address)
        .tool(
            "test.read",
            "1.0.0",
            worker::Concurrency(4),
            move |call: worker::Invocation| {
                noted(&reads, &call);
                let outcome = outcome(&reads, &call.tool, serde_json::json!({"read": true}));
                async move { outcome }
            },
        )
        .tool(
            "test.pay",
            "1.0.0",
            worker::Concurrency(4),
            move |call: worker::Invocation| {
                noted(&pays, &call);
                let outcome = outcome(&pays, &call.tool, serde_json::json!({"paid": true}));
                async move { outcome }
            },
        )
        .build()
        .unwrap();
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(worker.run(async {
        let _ = stopped.await;
    }));
    Served {
        witness,
        stop: Some(stop),
    }
}

/// What a worker was sent: `tool@version`, the call's id and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) tool: String,
    pub(crate) call_id: String,
    pub(crate) args: String,
}

/// A worker of the SDK that serves what it is told to, until dropped.
pub(crate) struct Serving {
    sent: Arc<Mutex<Vec<Sent>>>,
    _stop: oneshot::Sender<()>,
}

impl Serving {
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    /// Tools and arguments, in the order of their arrival.
    pub(crate) fn calls(&self) -> Vec<(String, String)> {
        let sent = self.sent().into_iter();
        sent.map(|it| (it.tool, it.args)).collect()
    }
}

/// Serves `tools` (`namespace.name@version`). The handler is told which tool is called, and how many
/// calls came before this one.
pub(crate) fn serve_tools<F>(address: &str, tools: &[&str], handler: F) -> Serving
where
    F: Fn(&str, usize) -> Result<Json, worker::ToolError> + Send + Sync + 'static,
{
    let sent = Arc::<Mutex<Vec<Sent>>>::default();
    let handler = Arc::new(handler);
    let mut builder = worker::Worker::builder("w-1").runtime(address);
    for tool in tools {
        let (name, version) = tool.split_once('@').unwrap();
        let (sent, handler) = (sent.clone(), handler.clone());
        let serve = move |call: worker::Invocation| {
            let mut sent = sent.lock().unwrap();
            let before = sent.len();
            sent.push(Sent {
                tool: format!("{}@{}", call.tool, call.version),
                call_id: call.call_id,
                args: String::from_utf8(call.args).unwrap(),
            });
            std::future::ready(handler(&call.tool, before))
        };
        builder = builder.tool(name, version, worker::Concurrency(4), serve);
    }
    let (stop, stopped) = oneshot::channel();
    let worker = builder.build().unwrap();
    tokio::spawn(worker.run(async {
        let _gone = stopped.await;
    }));
    Serving { sent, _stop: stop }
}
