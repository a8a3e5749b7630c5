//! `agents publish`: compiles here first, then sends exactly the files that the compilation read; the
//! runtime compiles them again. Knows both answers; trusts neither alone.

use std::path::PathBuf;

use proto::ordain::v1::{PublishSourcesRequest, PublishSourcesResponse, SourceFile};
use spec::Json;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Asked, Failure};
use crate::local::{self, Local, Unproven};
use crate::render::{Output, escape};

/// Check an agent and store this version of it in the runtime.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain agents publish agent.yaml\n  ordain agents publish ./my-agent\n  ordain agents publish ./my-agent --allow-unproven refund"
)]
pub(crate) struct Args {
    /// The Agent's file, or the folder of its agent.yaml.
    manifest: PathBuf,
    #[command(flatten)]
    unproven: Unproven,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let local = local::compile_allowing(&args.manifest, &args.unproven, context).await?;
    local.report(context);
    local.snapshot()?;
    let runtime = Runtime::dial(context).await?;
    let published = send(&runtime, &local, &args.unproven, context).await?;
    let data = Json::from_members([
        ("namespace", Json::from(published.namespace.as_str())),
        ("name", Json::from(published.name.as_str())),
        ("version", Json::from(published.version.as_str())),
        ("agent_id", Json::from(published.agent_id.as_str())),
        ("version_id", Json::from(published.version_id.as_str())),
        ("content_hash", Json::from(published.content_hash.as_str())),
    ]);
    context.printer.data(args.output.format, &data, || {
        let PublishSourcesResponse {
            namespace,
            name,
            version,
            ..
        } = &published;
        escape::inline(&format!("{namespace}/{name} {version}")) + "\n"
    })?;
    Ok(Exit::Done)
}

async fn send(
    runtime: &Runtime,
    local: &Local,
    unproven: &Unproven,
    context: &Context,
) -> Result<PublishSourcesResponse, Failure> {
    let file = |(path, content): (&String, &Vec<u8>)| SourceFile {
        path: path.clone(),
        content: content.clone(),
    };
    let request = PublishSourcesRequest {
        files: local.sources.iter().map(file).collect(),
        manifest: local.manifest.clone(),
        actor: context.environment.actor(),
        dry_run: false,
        allow_unproven: unproven.names().into_iter().collect(),
    };
    let answer = runtime.publishing().publish_sources(request).await;
    let published = answer
        .map_err(runtime.failed_as("publish", Asked::Publish))?
        .into_inner();
    let ours = &local.compiled.diagnostics;
    let mut has_error = false;
    for theirs in &published.diagnostics {
        has_error |= theirs.severity == "error";
        if !ours.iter().any(|it| local::is_same(it, theirs)) {
            context.printer.diagnostics(&local::remote(theirs));
        }
    }
    if has_error {
        return Err(Failure::new(
            Exit::Invalid,
            "publish: the runtime finds the agent invalid",
        ));
    }
    Ok(published)
}
