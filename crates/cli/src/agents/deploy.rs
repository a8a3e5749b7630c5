//! `agents deploy`: makes a published version the one that runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proto::ordain::v1::{DeployOverlaidRequest, DeployOverlaidResponse, SourceFile};
use proto::runtime::v1::{AgentRef, DeployRequest, DeployResponse};
use publish::{Files as _, Recorder};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Asked, Failure};
use crate::local::{self, Opened, Unproven};
use crate::render::{Output, escape};
use crate::{reference, wire};

/// The file of an overlay in a folder that is named instead of it.
const OVERLAY: &str = "overlay.yaml";
/// Characters of a digest that people are shown.
const SHORT_DIGEST: usize = 12;

/// Make a published version the one that runs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain agents deploy support/refund-agent@1.0.0\n  ordain agents deploy support/refund-agent@1.0.0 --overlay stricter.yaml"
)]
pub(crate) struct Args {
    /// The agent's version, as namespace/name@version.
    #[arg(value_name = "AGENT@VERSION")]
    agent: String,
    /// A file that narrows the version for this runtime only: more policies, narrower schemas,
    /// stricter classes. The runtime proves that it only narrows, or refuses it and shows why.
    #[arg(long, value_name = "FILE")]
    overlay: Option<PathBuf>,
    #[command(flatten)]
    unproven: Unproven,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agent = reference::parse_version(&args.agent)?;
    let overlay = args.overlay.as_deref().map(sources).transpose()?;
    let runtime = Runtime::dial(context).await?;
    let deployed = match overlay {
        Some(overlay) => overlaid(&runtime, agent, overlay, (&args.unproven, context)).await?,
        None => {
            let request = DeployRequest {
                agent_ref: Some(agent),
                actor: context.environment.actor(),
            };
            let answer = runtime.api().deploy(request).await;
            of_plain(answer.map_err(runtime.failed("deploy"))?.into_inner())
        }
    };
    for diagnostic in &deployed.diagnostics {
        context.printer.diagnostics(&local::remote(diagnostic));
    }
    let data = Json::from_members([
        ("namespace", Json::from(deployed.namespace.as_str())),
        ("name", Json::from(deployed.name.as_str())),
        ("version", Json::from(deployed.version.as_str())),
        (
            "previous_version",
            wire::text_or_null(&deployed.previous_version),
        ),
        ("deployed_at", wire::text_or_null(&deployed.deployed_at)),
        (
            "overlay_digest",
            wire::text_or_null(&deployed.overlay_digest),
        ),
    ]);
    context
        .printer
        .data(args.output.format, &data, || line(&deployed))?;
    Ok(Exit::Done)
}

/// An overlay's path from its folder, and the files that the runtime may need to read it.
struct Overlay {
    path: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// Which of the files an overlay needs only the runtime knows, who has the version that it is laid
/// over: all that could be meant go with it.
fn sources(path: &Path) -> Result<Overlay, Failure> {
    let opened = local::open_as(path, OVERLAY, "read overlay")?;
    let Opened { disk, manifest, .. } = opened;
    let recorder = Recorder::new(&disk);
    let unreadable =
        |why: publish::FileError| Failure::new(Exit::Failed, "read overlay").because(&why);
    recorder.read(&manifest).map_err(unreadable)?;
    for folder in ["policies", "schemas"] {
        for name in recorder.list(folder).map_err(unreadable)? {
            recorder
                .read(&format!("{folder}/{name}"))
                .map_err(unreadable)?;
        }
    }
    Ok(Overlay {
        path: manifest,
        files: recorder.into_sources(),
    })
}

async fn overlaid(
    runtime: &Runtime,
    agent: AgentRef,
    overlay: Overlay,
    (unproven, context): (&Unproven, &Context),
) -> Result<DeployOverlaidResponse, Failure> {
    let files = overlay.files.into_iter();
    let request = DeployOverlaidRequest {
        namespace: agent.namespace,
        name: agent.name,
        version: agent.version,
        files: files
            .map(|(path, content)| SourceFile { path, content })
            .collect(),
        overlay: overlay.path,
        actor: context.environment.actor(),
        allow_unproven: unproven.names().into_iter().collect(),
    };
    let answer = runtime.publishing().deploy_overlaid(request).await;
    let answer = answer.map_err(runtime.failed_as("deploy", Asked::Publish))?;
    Ok(answer.into_inner())
}

/// A deployment without an overlay.
fn of_plain(deployed: DeployResponse) -> DeployOverlaidResponse {
    DeployOverlaidResponse {
        namespace: deployed.namespace,
        name: deployed.name,
        version: deployed.version,
        previous_version: deployed.previous_version,
        deployed_at: deployed.deployed_at,
        ..Default::default()
    }
}

fn line(deployed: &DeployOverlaidResponse) -> String {
    let DeployOverlaidResponse {
        namespace,
        name,
        version,
        overlay_digest,
        ..
    } = deployed;
    let mut line = format!("deployed {namespace}/{name}@{version}");
    if let Some(short) = overlay_digest.get(..SHORT_DIGEST) {
        line.push_str(&format!(" with overlay {short}"));
    }
    if !deployed.previous_version.is_empty() {
        line.push_str(&format!(" (previous: {})", deployed.previous_version));
    }
    if !deployed.deployed_at.is_empty() {
        line.push_str(&format!(" at {}", deployed.deployed_at));
    }
    escape::inline(&line) + "\n"
}

#[cfg(test)]
mod tests {
    use proto::ordain::v1::DeployOverlaidResponse;

    use super::line;

    #[test]
    fn what_is_unknown_is_left_out() {
        let mut deployed = DeployOverlaidResponse {
            namespace: "a".into(),
            name: "b".into(),
            version: "2.0.0".into(),
            ..DeployOverlaidResponse::default()
        };
        assert_eq!(line(&deployed), "deployed a/b@2.0.0\n");
        deployed.previous_version = "1.0.0".into();
        deployed.deployed_at = "2026-01-02T03:04:05Z".into();
        assert_eq!(
            line(&deployed),
            "deployed a/b@2.0.0 (previous: 1.0.0) at 2026-01-02T03:04:05Z\n"
        );
        deployed.overlay_digest = "0123456789abcdef".into();
        assert_eq!(
            line(&deployed),
            "deployed a/b@2.0.0 with overlay 0123456789ab (previous: 1.0.0) at 2026-01-02T03:04:05Z\n"
        );
    }
}
