//! A published version from a runtime, and what else may have been meant by a name that it does not
//! know. Knows the questions; not what the answers say about tools.

use proto::ordain::v1::{GetSnapshotRequest, GetSnapshotResponse};
use proto::runtime::v1::{AgentRef, ListAgentVersionsRequest, ListAgentsRequest};
use spec::{Digest, Snapshot};

use super::{Published, Subject, Version};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::reference;
use crate::render::escape;

/// The most versions that are named to whoever asked for one that is not there.
const VERSIONS_TOLD_MAX: usize = 5;

pub(super) async fn published(
    agent: &AgentRef,
    without_overlay: bool,
    context: &Context,
) -> Result<Subject, Failure> {
    let runtime = Runtime::dial(context).await?;
    let request = GetSnapshotRequest {
        namespace: agent.namespace.clone(),
        name: agent.name.clone(),
        version: agent.version.clone(),
    };
    let answer = runtime.publishing().get_snapshot(request).await;
    let answer = match answer.map_err(runtime.failed("get snapshot")) {
        Ok(answer) => answer.into_inner(),
        Err(failure) if failure.exit == Exit::NotFound => {
            let hint = meant(agent, &runtime).await;
            return Err(match hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            });
        }
        Err(failure) => return Err(failure),
    };
    read(answer, without_overlay)
}

fn read(answer: GetSnapshotResponse, without_overlay: bool) -> Result<Subject, Failure> {
    let published = snapshot(&answer.snapshot, &answer.content_hash)?;
    let overlaid = if answer.overlaid.is_empty() {
        None
    } else {
        Some(snapshot(&answer.overlaid, &answer.overlay_digest)?)
    };
    let (snapshot, beneath) = match overlaid {
        Some(overlaid) if !without_overlay => (overlaid, Some(published)),
        Some(_) | None => (published, None),
    };
    let version = Version {
        content_hash: answer.content_hash,
        published: Some(Published {
            version_id: answer.version_id,
            at: answer.published_at,
            by: answer.published_by,
            deprecated_at: answer.deprecated_at,
            retired_at: answer.retired_at,
            deployed_at: answer.deployed_at,
            deployed_by: answer.deployed_by,
            overlay_digest: answer.overlay_digest,
        }),
    };
    Ok(Subject {
        version,
        snapshot,
        beneath,
    })
}

/// What was sent is what was published, or nothing is shown of it.
fn snapshot(bytes: &[u8], digest: &str) -> Result<Snapshot, Failure> {
    let damaged = || Failure::new(Exit::Failed, "read the snapshot that the runtime sent");
    if Digest::of(bytes).to_string() != digest {
        let why = std::io::Error::other("its content hash is another one");
        return Err(damaged().because(&why));
    }
    Snapshot::from_canonical(bytes).map_err(|why| damaged().because(&why))
}

/// What may have been meant. Whoever cannot be asked has no advice.
async fn meant(agent: &AgentRef, runtime: &Runtime) -> Option<String> {
    let request = ListAgentVersionsRequest {
        agent_ref: Some(AgentRef {
            version: String::new(),
            ..agent.clone()
        }),
    };
    if let Ok(answer) = runtime.api().list_agent_versions(request).await {
        let versions = answer.into_inner().versions;
        let told = versions.iter().rev().take(VERSIONS_TOLD_MAX);
        let told: Vec<&str> = told.map(|it| it.version.as_str()).collect();
        return Some(escape::inline(&format!(
            "published last: {}",
            told.join(", ")
        )));
    }
    if std::path::Path::new(&reference::id(agent)).exists() {
        return Some(format!(
            "for the files there write ./{}",
            escape::inline(&reference::id(agent))
        ));
    }
    let answer = runtime
        .api()
        .list_agents(ListAgentsRequest::default())
        .await;
    let agents = answer.ok()?.into_inner().agents;
    let ids: Vec<String> = agents
        .iter()
        .map(|it| format!("{}/{}", it.namespace, it.name))
        .collect();
    let near = publish::nearest(&reference::id(agent), ids.iter().map(String::as_str))?;
    Some(format!("did you mean {}?", escape::inline(near)))
}
