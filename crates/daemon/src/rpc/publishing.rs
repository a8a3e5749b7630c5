//! Publishing from sources: the server compiles, whatever the client has checked.

use std::collections::{BTreeMap, BTreeSet};

use proto::ordain::v1 as wire;
use proto::ordain::v1::publishing_server::Publishing;
use proto::runtime::v1::{AgentRef, PublishRequest, PublishResponse};
use publish::{Diagnostic, MemoryFiles, Severity, compile_allowing};
use spec::snapshot::Identity;
use spec::{Snapshot, VersionId};
use store::{NewVersion, PublishError, Published};
use tonic::{Code, Request, Response, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::Service;
use super::catalog::versioned;
use super::lookups::Asked;
use crate::clock::rfc3339;
use crate::wire::status::{of_load, of_publish};

/// Errors told in one status, whose headers clients bound at some kilobytes.
const ERRORS_TOLD_MAX: usize = 8;
/// Characters of one error that are told.
const ERROR_CHARS_MAX: usize = 160;
/// Tools that are let through unproven at once.
const UNPROVEN_MAX: usize = 256;
/// Files of one bundle.
const FILES_MAX: usize = 1024;

#[tonic::async_trait]
impl Publishing for Service {
    async fn publish_sources(
        &self,
        request: Request<wire::PublishSourcesRequest>,
    ) -> Result<Response<wire::PublishSourcesResponse>, Status> {
        self.accepting()?;
        let request = request.into_inner();
        let files = sources(request.files)?;
        let path = request.manifest;
        let unproven = unproven(request.allow_unproven)?;
        let compiled = self
            .with_catalog(Asked::Everything, move |catalog| {
                let compiled = compile_allowing(&files, catalog, &path, &unproven);
                let wanted = compiled.wanted.clone();
                (compiled, wanted)
            })
            .await?;
        let diagnostics = compiled.diagnostics.iter().map(diagnostic).collect();
        let Some(snapshot) = compiled.snapshot else {
            return Err(invalid("manifest", &compiled.diagnostics));
        };
        let manifest = publish::manifest(&snapshot).to_canonical().into_bytes();
        let response = self
            .keep(&snapshot, manifest, &request.actor, request.dry_run)
            .await?;
        Ok(Response::new(wire::PublishSourcesResponse {
            diagnostics,
            ..response
        }))
    }

    /// Deploys a version with an overlay that is proven to narrow it.
    async fn deploy_overlaid(
        &self,
        request: Request<wire::DeployOverlaidRequest>,
    ) -> Result<Response<wire::DeployOverlaidResponse>, Status> {
        self.accepting()?;
        let request = request.into_inner();
        let agent = versioned(Some(AgentRef {
            namespace: request.namespace,
            name: request.name,
            version: request.version,
        }))?;
        let row = self.version_row(&agent).await?;
        let stored = self.core.store.snapshot(&row.version_id).await;
        let stored = stored.map_err(|error| of_load(&error))?;
        let damaged = || Status::internal("the version's snapshot cannot be read");
        let (_, bytes) = stored.ok_or_else(damaged)?;
        let snapshot = Snapshot::from_canonical(&bytes).map_err(|_| damaged())?;
        let files = sources(request.files)?;
        let unproven = unproven(request.allow_unproven)?;
        let path = request.overlay;
        let overlaid = self
            .with_catalog(Asked::Everything, move |catalog| {
                let overlaid = publish::overlay(&files, catalog, &path, &snapshot, &unproven);
                let wanted = overlaid.wanted.clone();
                (overlaid, wanted)
            })
            .await?;
        let Some(laid) = overlaid.snapshot else {
            return Err(invalid("overlay", &overlaid.diagnostics));
        };
        let canonical = laid.to_canonical();
        let (bytes, digest) = canonical.map_err(|error| Status::internal(error.to_string()))?;
        let deployed = self
            .make_active(&agent, &request.actor, Some(bytes))
            .await?;
        Ok(Response::new(wire::DeployOverlaidResponse {
            namespace: agent.namespace,
            name: agent.name,
            version: deployed.version,
            previous_version: deployed.previous.unwrap_or_default(),
            deployed_at: rfc3339(deployed.deployed_at),
            overlay_digest: digest.to_string(),
            diagnostics: overlaid.diagnostics.iter().map(diagnostic).collect(),
        }))
    }

    async fn get_snapshot(
        &self,
        request: Request<wire::GetSnapshotRequest>,
    ) -> Result<Response<wire::GetSnapshotResponse>, Status> {
        let answer = self.snapshot(request.into_inner()).await?;
        Ok(Response::new(answer))
    }
}

/// The names that a request lets through unproven.
fn unproven(names: Vec<String>) -> Result<BTreeSet<String>, Status> {
    let names: BTreeSet<String> = names.into_iter().collect();
    if names.len() > UNPROVEN_MAX {
        let text = format!("more than {UNPROVEN_MAX} tools are let through unproven");
        return Err(Status::invalid_argument(text));
    }
    Ok(names)
}

impl Service {
    /// Publishes the form that other tools resolve. It is compiled again here, and kept as it came,
    /// since who asks for the manifest expects the one that was sent.
    pub(super) async fn publish_resolved(
        &self,
        request: PublishRequest,
    ) -> Result<PublishResponse, Status> {
        self.accepting()?;
        if request.manifest.is_empty() {
            return Err(Status::invalid_argument("manifest is missing"));
        }
        let manifest = request.manifest.clone();
        let compiled = self
            .with_catalog(Asked::ToolsAndWhatIsRequired, move |catalog| {
                let compiled = publish::compile_resolved_with(catalog, &manifest);
                let wanted = compiled.wanted.clone();
                (compiled, wanted)
            })
            .await?;
        let Some(snapshot) = compiled.snapshot else {
            return Err(invalid("manifest", &compiled.diagnostics));
        };
        let kept = self
            .keep(&snapshot, request.manifest, &request.actor, false)
            .await?;
        Ok(PublishResponse {
            agent_id: kept.agent_id,
            version_id: kept.version_id,
            content_hash: kept.content_hash,
            namespace: kept.namespace,
            name: kept.name,
            version: kept.version,
        })
    }

    async fn keep(
        &self,
        snapshot: &Snapshot,
        manifest: Vec<u8>,
        actor: &str,
        dry_run: bool,
    ) -> Result<wire::PublishSourcesResponse, Status> {
        let (bytes, hash) = snapshot
            .to_canonical()
            .map_err(|error| Status::internal(error.to_string()))?;
        let agent = &snapshot.agent;
        let mut response = wire::PublishSourcesResponse {
            content_hash: hash.to_string(),
            namespace: agent.namespace.clone(),
            name: agent.name.clone(),
            version: agent.version.clone(),
            ..Default::default()
        };
        if dry_run {
            return Ok(response);
        }
        let version = NewVersion {
            namespace: agent.namespace.clone(),
            name: agent.name.clone(),
            version: agent.version.clone(),
            // Build metadata does not make another version.
            version_key: agent
                .version
                .split('+')
                .next()
                .unwrap_or_default()
                .to_owned(),
            owner: snapshot.metadata.owner.clone(),
            content_hash: hash,
            snapshot: bytes,
            manifest,
            actor: self.actor(actor),
            now: self.core.clock.now(),
            agent_id: uuid::Uuid::new_v4().to_string(),
            version_id: VersionId::new(uuid::Uuid::new_v4().to_string()),
        };
        let offered = version.snapshot.clone();
        let Published {
            agent_id,
            version_id,
        } = match self.core.store.publish(version).await {
            Ok(published) => published,
            Err(error) => return Err(self.refused(agent, &offered, &error).await),
        };
        response.agent_id = agent_id;
        response.version_id = version_id.to_string();
        Ok(response)
    }

    /// Why a version was not stored; of one that is there with other content, what differs.
    async fn refused(&self, agent: &Identity, offered: &[u8], error: &PublishError) -> Status {
        let status = of_publish(error);
        if status.code() != Code::AlreadyExists {
            return status;
        }
        let there = AgentRef {
            namespace: agent.namespace.clone(),
            name: agent.name.clone(),
            version: agent.version.clone(),
        };
        let Ok(row) = self.version_row(&there).await else {
            return status;
        };
        // What cannot be read now is no reason to say less than that it exists.
        let stored = self.core.store.snapshot(&row.version_id).await;
        match stored {
            Ok(Some((_, existing))) if existing != offered => {
                let differ = publish::differences(&existing, offered);
                let differ: Vec<String> = differ.iter().map(|it| clip(it)).collect();
                let differ = differ.join(", ");
                Status::already_exists(format!("{error}; what differs: {differ}"))
            }
            Ok(_) | Err(_) => status,
        }
    }
}

/// The files of a request, by path.
pub(super) fn sources(files: Vec<wire::SourceFile>) -> Result<MemoryFiles, Status> {
    if files.len() > FILES_MAX {
        let count = files.len();
        let text = format!("{count} files; a bundle has at most {FILES_MAX}");
        return Err(Status::invalid_argument(text));
    }
    let mut known = BTreeMap::new();
    for file in files {
        // Whoever looks at what is sent must see what is compiled.
        if !publish::is_plain_path(&file.path) {
            let text = format!("`{}` is no plain path within a bundle", clip(&file.path));
            return Err(Status::invalid_argument(text));
        }
        if known.contains_key(&file.path) {
            let text = format!("`{}` is sent twice", clip(&file.path));
            return Err(Status::invalid_argument(text));
        }
        known.insert(file.path, file.content);
    }
    Ok(MemoryFiles::from_iter(known))
}

pub(super) fn diagnostic(it: &Diagnostic) -> wire::Diagnostic {
    let place = |n: Option<u32>| n.and_then(|n| i32::try_from(n).ok()).unwrap_or(0);
    wire::Diagnostic {
        code: it.code.to_string(),
        severity: match it.severity {
            Severity::Error => "error".to_owned(),
            Severity::Warning => "warning".to_owned(),
        },
        file: it.file.clone(),
        line: place(it.span.as_ref().map(|span| span.line)),
        column: place(it.span.as_ref().map(|span| span.column)),
        field: it.field.clone(),
        message: it.message.clone(),
        help: it.help.clone().unwrap_or_default(),
        related: it
            .related
            .iter()
            .map(|it| wire::RelatedPlace {
                file: it.file.clone(),
                line: place(it.span.as_ref().map(|span| span.line)),
                column: place(it.span.as_ref().map(|span| span.column)),
                field: it.field.clone(),
                message: it.message.clone(),
            })
            .collect(),
    }
}

/// All errors, a line each, and once more as data: a violation for each, whose field is the place.
pub(super) fn invalid(what: &str, diagnostics: &[Diagnostic]) -> Status {
    let errors: Vec<&Diagnostic> = diagnostics
        .iter()
        .filter(|it| it.severity == Severity::Error)
        .collect();
    let mut details = ErrorDetails::new();
    let mut lines = Vec::with_capacity(errors.len());
    for it in errors.iter().take(ERRORS_TOLD_MAX) {
        let place = it.span.as_ref().map_or_else(
            || it.file.clone(),
            |span| format!("{}:{}:{}", it.file, span.line, span.column),
        );
        let help = it.help.as_deref().map(|help| format!(" ({help})"));
        let help = help.unwrap_or_default();
        let text = clip(&format!("{} {}{help}", it.code, it.message));
        details.add_bad_request_violation(clip(&format!("{place} {}", it.field)), text);
        lines.push(clip(&format!("{} {place}: {}", it.code, it.message)));
    }
    let left_out = errors.len().saturating_sub(lines.len());
    if left_out > 0 {
        lines.push(format!("and {left_out} more"));
    }
    let plural = if errors.len() == 1 { "" } else { "s" };
    let message = format!(
        "invalid {what} ({} error{plural}):\n{}",
        errors.len(),
        lines.join("\n")
    );
    Status::with_error_details(Code::InvalidArgument, message, details)
}

/// Cut on a character, with a mark.
fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(ERROR_CHARS_MAX).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}
