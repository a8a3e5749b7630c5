//! Starting, listing, inspecting and ending sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use proto::runtime::v1 as wire;
use runtime::{Journal, Signal};
use session::{Entry, Input, Start, State, Status as SessionStatus, decode, fold};
use spec::snapshot::McpServer;
use spec::{Digest, Json, SessionId};
use store::{AgentFilter, LIST_ROWS_MAX, SessionFilter, SessionRow};
use tonic::Status;

use super::Service;
use super::catalog::reference;
use crate::actors::Mail;
use crate::clock::rfc3339;
use crate::wire::status::{invalid_field, of_ask, of_load, precondition, session_not_found};
use crate::wire::{event, inspect, json};

/// The largest payload shown in an inspection, in bytes; less where there are many.
const INSPECT_VALUE_BYTES_MAX: usize = 256 * 1024;

/// The largest input of a session, in bytes.
const INPUT_BYTES_MAX: usize = 1024 * 1024;

/// A session as it is on record, with the bytes that showing it takes.
pub(super) struct Recorded {
    pub(super) state: State,
    pub(super) entries: Vec<Entry>,
    pub(super) hashes: Vec<Digest>,
    pub(super) bytes: BTreeMap<Digest, Arc<[u8]>>,
}

impl Recorded {
    /// A payload as it is shown, whole or cut with a mark.
    pub(super) fn shown(&self, digest: &Digest, max: usize) -> Option<Arc<[u8]>> {
        self.bytes.get(digest).map(|it| json::within(it, max))
    }
}

impl Service {
    pub(super) async fn start_session(
        &self,
        request: wire::RunSessionRequest,
    ) -> Result<wire::RunSessionResponse, Status> {
        self.accepting()?;
        if request.bundle_ref.is_some() {
            return Err(Status::unimplemented(
                "bundles are not built yet in this version of Ordain",
            ));
        }
        let agent = reference(request.agent_ref)?;
        let input = input(&request.input)?;
        let label = format!("{}/{}", agent.namespace, agent.name);
        let known = self.core.store.agent(&agent.namespace, &agent.name).await;
        if known.map_err(|error| of_load(&error))?.is_none() {
            return Err(Status::not_found(format!("agent {label} not found")));
        }
        let active = self.active(&agent).await?;
        let precondition = |text: String| Err(precondition("AGENT_VERSION", text));
        if !agent.version.is_empty() && agent.version != active.version {
            let text = format!(
                "agent {label}@{} is not the active version ({} is)",
                agent.version, active.version
            );
            return precondition(text);
        }
        if active.archived {
            return precondition(format!("agent {label} is archived"));
        }
        if active.retired || active.deprecated {
            let word = if active.retired {
                "retired"
            } else {
                "deprecated"
            };
            return precondition(format!("agent {label}@{} is {word}", active.version));
        }
        let plan = self
            .core
            .plans
            .get(&active.version_id, active.content_hash)
            .await;
        let plan = plan.map_err(|error| Status::failed_precondition(error.to_string()))?;
        self.check_secrets(&plan.snapshot, &request.resolved_secrets)?;
        if let Err(error) = self.core.check_model(&plan.snapshot) {
            return precondition(error.to_string());
        }
        let start = Start {
            version: active.version_id.clone(),
            snapshot: active.content_hash,
            mode: plan.snapshot.session,
            input,
            requester: None,
            env: Arc::clone(&self.core.exposed_env),
        };
        let id = SessionId::new(format!("run_{}", uuid::Uuid::new_v4()));
        let mail = |answer| Mail::Start(Box::new(start), answer);
        let status = self.core.ask(&id, mail, |state| state.status().as_str());
        let status = status.await.map_err(|error| of_ask(error, id.as_str()))?;
        Ok(wire::RunSessionResponse {
            session_id: id.to_string(),
            agent_version_id: active.version_id.to_string(),
            status: status.to_owned(),
        })
    }

    fn check_secrets(
        &self,
        snapshot: &spec::Snapshot,
        given: &std::collections::HashMap<String, Vec<u8>>,
    ) -> Result<(), Status> {
        if let Some(name) = given
            .keys()
            .find(|name| !snapshot.secrets.contains_key(*name))
        {
            return Err(invalid_field(
                "resolved_secrets",
                format!("unknown resolved secret \"{name}\""),
            ));
        }
        for name in snapshot.secrets.keys() {
            if given.get(name).is_none_or(Vec::is_empty) {
                return Err(invalid_field(
                    "resolved_secrets",
                    format!("missing resolved secret \"{name}\""),
                ));
            }
        }
        // MCP servers are not dialled yet: what only they would be shown is dropped here, unread.
        let for_servers = |name: &String| {
            let names = |it: &McpServer| it.auth.as_ref().is_some_and(|it| it.secret == *name);
            snapshot.model.secret.as_ref() != Some(name) && snapshot.mcp_servers.iter().any(names)
        };
        match snapshot.secrets.keys().find(|name| !for_servers(name)) {
            None => Ok(()),
            Some(name) => Err(precondition(
                "AGENT_VERSION",
                format!(
                    "this version of Ordain cannot keep secrets yet: agents that declare secrets, like \"{name}\", cannot run, unless only MCP servers are shown them"
                ),
            )),
        }
    }

    pub(super) async fn cancel(
        &self,
        request: wire::CancelSessionRequest,
    ) -> Result<wire::CancelSessionResponse, Status> {
        let by = self.core.default_actor.clone();
        self.end(&request.session_id, Input::Cancel { by }).await?;
        Ok(wire::CancelSessionResponse {})
    }

    pub(super) async fn complete(
        &self,
        request: wire::CompleteSessionRequest,
    ) -> Result<wire::CompleteSessionResponse, Status> {
        let by = self.core.default_actor.clone();
        self.end(&request.session_id, Input::Complete { by })
            .await?;
        Ok(wire::CompleteSessionResponse {})
    }

    async fn end(&self, id: &str, input: Input) -> Result<(), Status> {
        let session = SessionId::new(id);
        let mail = |answer| Mail::Ask(Signal::Input(input), answer);
        let asked = self.core.ask(&session, mail, |_| ());
        asked.await.map_err(|error| of_ask(error, id))
    }

    pub(super) async fn sessions(
        &self,
        request: wire::ListSessionsRequest,
    ) -> Result<wire::ListSessionsResponse, Status> {
        let status = match request.status.as_str() {
            "" => None,
            word => Some(status(word)?),
        };
        // There are no sessions of bundles yet.
        if request.kind == "bundle" || request.bundle_ref.is_some() {
            return Ok(wire::ListSessionsResponse::default());
        }
        let agent = match request.agent_ref {
            Some(agent) if !agent.name.is_empty() || !agent.namespace.is_empty() => {
                let agent = reference(Some(agent))?;
                Some(AgentFilter {
                    namespace: agent.namespace,
                    name: agent.name,
                    version: Some(agent.version).filter(|it| !it.is_empty()),
                })
            }
            Some(_) | None => None,
        };
        let filter = SessionFilter {
            agent,
            status,
            limit: LIST_ROWS_MAX,
        };
        let rows = self
            .core
            .store
            .sessions(filter)
            .await
            .map_err(|error| of_load(&error))?;
        Ok(wire::ListSessionsResponse {
            sessions: rows.into_iter().map(summary).collect(),
        })
    }

    pub(super) async fn inspect(
        &self,
        request: wire::InspectSessionRequest,
    ) -> Result<wire::InspectSessionResponse, Status> {
        let id = SessionId::new(request.session_id);
        let recorded = self.recorded(&id, 0).await?;
        let plan = match &recorded.state.started {
            Some(started) => self
                .core
                .plans
                .get(&started.version, started.snapshot)
                .await
                .ok(),
            None => None,
        };
        let snapshot = plan.as_ref().map(|it| &it.snapshot);
        // A call is shown in several places; together they stay below what clients receive.
        Ok(json::fitting(INSPECT_VALUE_BYTES_MAX, |max| {
            let bytes = |digest: &Digest| recorded.shown(digest, max);
            wire::InspectSessionResponse {
                session: Some(inspect::session(&recorded.state, snapshot, &bytes)),
                timeline: inspect::timeline(&id, &recorded.entries, &recorded.state, &bytes),
            }
        }))
    }

    /// Reads a session, and the bytes of its entries after `after`.
    pub(super) async fn recorded(&self, id: &SessionId, after: u64) -> Result<Recorded, Status> {
        let stored = self
            .core
            .store
            .load(id)
            .await
            .map_err(|error| of_load(&error))?;
        if stored.is_empty() {
            return Err(session_not_found(id.as_str()));
        }
        let mut state = State::new(id.clone());
        let mut entries = Vec::with_capacity(stored.len());
        let mut bytes = BTreeMap::new();
        for it in &stored {
            let entry = decode(&it.bytes).map_err(|error| Status::data_loss(error.to_string()))?;
            state = fold(state, &entry);
            if it.seq > after {
                for digest in event::digests(&entry) {
                    self.fetch(id, digest, &mut bytes).await?;
                }
            }
            entries.push(entry);
        }
        // What the session's end shows is its last words, whenever they were said.
        for digest in inspect::output_digests(&state) {
            self.fetch(id, digest, &mut bytes).await?;
        }
        // An approval shows the arguments that it is about, which an earlier entry brought in.
        let approvals: Vec<Digest> = state
            .approvals
            .values()
            .flat_map(crate::wire::approval::digests)
            .collect();
        for digest in approvals {
            self.fetch(id, digest, &mut bytes).await?;
        }
        let hashes = stored.iter().map(|it| it.hash).collect();
        Ok(Recorded {
            state,
            entries,
            hashes,
            bytes,
        })
    }

    pub(super) async fn fetch(
        &self,
        id: &SessionId,
        digest: Digest,
        bytes: &mut BTreeMap<Digest, Arc<[u8]>>,
    ) -> Result<(), Status> {
        if bytes.contains_key(&digest) {
            return Ok(());
        }
        let found = self
            .core
            .store
            .payload(id, digest)
            .await
            .map_err(|error| of_load(&error))?;
        if let Some(found) = found {
            bytes.insert(digest, found);
        }
        Ok(())
    }
}

/// The input object; absent means empty.
fn input(bytes: &[u8]) -> Result<Json, Status> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Json::object());
    }
    if bytes.len() > INPUT_BYTES_MAX {
        let text = format!(
            "input is too large: {} > {INPUT_BYTES_MAX} bytes",
            bytes.len()
        );
        return Err(invalid_field("input", text));
    }
    let json = Json::parse(bytes)
        .map_err(|error| invalid_field("input", format!("input is not valid JSON: {error}")))?;
    if json.as_object().is_none() {
        let kind = json.kind();
        return Err(invalid_field(
            "input",
            format!("input must be a JSON object, not {kind}"),
        ));
    }
    Ok(json)
}

fn status(word: &str) -> Result<SessionStatus, Status> {
    SessionStatus::ALL
        .into_iter()
        .find(|it| it.as_str() == word)
        .ok_or_else(|| {
            let known = SessionStatus::ALL.map(SessionStatus::as_str).join(", ");
            invalid_field(
                "status",
                format!("unknown status \"{word}\" (one of {known})"),
            )
        })
}

fn summary(row: SessionRow) -> wire::SessionSummary {
    let SessionRow { view, agent } = row;
    wire::SessionSummary {
        id: view.session.to_string(),
        agent_version_id: view.version.to_string(),
        status: view.status.as_str().to_owned(),
        created_at: rfc3339(view.created_at),
        updated_at: rfc3339(view.updated_at),
        kind: "agent".to_owned(),
        bundle_version_id: String::new(),
        agent_ref: Some(wire::AgentRef {
            namespace: agent.namespace,
            name: agent.name,
            version: agent.version,
        }),
        bundle_ref: None,
    }
}
