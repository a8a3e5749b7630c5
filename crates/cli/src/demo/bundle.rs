//! The agent of the demo: the files of `examples/refund-agent`, carried in the binary so that the
//! demo runs anywhere. Knows how it is published, deployed and started.

use proto::ordain::v1::{PublishSourcesRequest, SourceFile};
use proto::runtime::v1::{AgentRef, DeployRequest, RunSessionRequest};

use super::story::Story;
use crate::connect::Runtime;
use crate::failure::{Asked, Failure};

const MANIFEST: &str = "agent.yaml";
const ACTOR: &str = "demo";
/// What the session is asked to do.
const INPUT: &str = r#"{"message":"Please settle the refund requests of A-1001 to A-1004."}"#;

macro_rules! files {
    ($($path:literal)*) => {
        [$(($path, include_str!(concat!("../../../../examples/refund-agent/", $path)))),*]
    };
}

pub(super) const FILES: [(&str, &str); 7] = files! {
    "agent.yaml"
    "policies/refund-approval-boundary.yaml"
    "policies/refund-hard-limit.yaml"
    "schemas/issue-refund-input.json"
    "stub-script.json"
    "tools/issue-refund.yaml"
    "tools/look-up-order.yaml"
};

/// Publishes and deploys the agent and starts its session, whose id this gives.
pub(super) async fn launch(runtime: &Runtime, story: &Story<'_>) -> Result<String, Failure> {
    let file = |(path, content): (&str, &str)| SourceFile {
        path: path.to_owned(),
        content: content.into(),
    };
    let request = PublishSourcesRequest {
        files: FILES.map(file).to_vec(),
        manifest: MANIFEST.to_owned(),
        actor: ACTOR.to_owned(),
        dry_run: false,
        allow_unproven: Vec::new(),
    };
    let answer = runtime.publishing().publish_sources(request).await;
    let published = answer
        .map_err(runtime.failed_as("publish", Asked::Publish))?
        .into_inner();
    let short: String = published.content_hash.chars().take(12).collect();
    let agent = AgentRef {
        namespace: published.namespace,
        name: published.name,
        version: published.version,
    };
    let label = crate::reference::label(&agent);
    story.row("published", &format!("{label}, frozen as sha256 {short}…"))?;
    let request = DeployRequest {
        agent_ref: Some(agent.clone()),
        actor: ACTOR.to_owned(),
    };
    let answer = runtime.api().deploy(request).await;
    answer.map_err(runtime.failed("deploy"))?;
    story.row("deployed", &label)?;
    let request = RunSessionRequest {
        agent_ref: Some(agent),
        input: INPUT.into(),
        ..RunSessionRequest::default()
    };
    let answer = runtime.api().run_session(request).await;
    let session = answer
        .map_err(runtime.failed("run session"))?
        .into_inner()
        .session_id;
    story.row("session", &session)?;
    Ok(session)
}

#[cfg(test)]
mod tests {
    use publish::MemoryFiles;

    use super::{FILES, MANIFEST};
    use crate::demo::worker::TOOLS;

    #[test]
    fn the_carried_agent_is_valid_and_served() {
        let compiled = publish::compile(&MemoryFiles::from(FILES), MANIFEST);
        assert_eq!(compiled.diagnostics, []);
        let snapshot = compiled.snapshot.unwrap();
        let pinned: Vec<_> = snapshot
            .tools
            .iter()
            .map(|it| (it.contract.logical_id(), it.contract.version.clone()))
            .collect();
        assert_eq!(
            pinned,
            TOOLS.map(|(name, version)| (name.to_owned(), version.to_owned()))
        );
    }

    #[test]
    fn every_file_that_publish_reads_is_carried() {
        let root =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/refund-agent");
        let mut found = 0;
        let mut folders = vec![root];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    // Tests of the policies are no part of the agent.
                    folders.extend(Some(path).filter(|it| !it.ends_with("tests")));
                } else if path.extension().is_some_and(|it| it != "md")
                    && !path.ends_with("overlay.yaml")
                {
                    // An overlay is for a deployment.
                    found += 1;
                }
            }
        }
        assert_eq!(found, FILES.len());
    }
}
