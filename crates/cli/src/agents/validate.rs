//! `agents validate`: compiles a bundle here and says what is wrong with it. Asks a runtime only for
//! what its files refer to and do not have.

use std::path::PathBuf;

use publish::Severity;
use spec::Json;
use spec::Snapshot;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::local;
use crate::render::text::quoted;
use crate::render::{Format, Output};

/// Check an agent and everything that it refers to.
///
/// No runtime is asked, unless the files refer to a tool or a policy that they do not have: that is
/// looked up in the runtime's catalog.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain agents validate agent.yaml\n  ordain agents validate ./my-agent -o json --deny-warnings"
)]
pub(crate) struct Args {
    /// The Agent's file, or the folder of its agent.yaml.
    manifest: PathBuf,
    /// Fail on warnings too.
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let local = local::compile(&args.manifest, context).await?;
    let unset = local
        .compiled
        .snapshot
        .as_ref()
        .map(|it| unset_secrets(it, context));
    let unset = unset.unwrap_or_default();
    let warnings = local.count(Severity::Warning);
    let is_denied = args.deny_warnings && warnings > 0;
    if args.output.format == Format::Table {
        local.report(context);
    }
    let data = || {
        let found = local.compiled.diagnostics.iter().map(local::to_json);
        let variables = unset.iter().map(|(name, variable)| {
            Json::from_members([
                ("secret", Json::from(name.as_str())),
                ("variable", Json::from(variable.as_str())),
            ])
        });
        let agent = local
            .compiled
            .snapshot
            .as_ref()
            .map(|it| it.agent.to_string());
        Json::from_members([
            ("valid", Json::from(agent.is_some() && !is_denied)),
            ("agent", Json::from(agent)),
            ("diagnostics", Json::from(found.collect::<Vec<_>>())),
            ("unset_secrets", Json::from(variables.collect::<Vec<_>>())),
        ])
    };
    // As data, what is wrong is the answer; the exit code says that something is.
    if args.output.format != Format::Table {
        context
            .printer
            .data(args.output.format, &data(), String::new)?;
        let is_valid = local.compiled.snapshot.is_some() && !is_denied;
        return Ok(if is_valid { Exit::Done } else { Exit::Invalid });
    }
    let snapshot = local.snapshot()?;
    for (name, variable) in &unset {
        let name = quoted(name);
        let text = format!("secret {name}: {variable} is not set in the local environment");
        context.printer.warn(&text);
    }
    if is_denied {
        let message = format!("{warnings} warning(s), and warnings are denied");
        return Err(Failure::new(Exit::Invalid, message));
    }
    let agent = &snapshot.agent;
    context.printer.line(&format!(
        "valid: {}/{} {}",
        agent.namespace, agent.name, agent.version
    ))?;
    Ok(Exit::Done)
}

/// Names and variables of the secrets that a run from here would lack.
fn unset_secrets(snapshot: &Snapshot, context: &Context) -> Vec<(String, String)> {
    let secrets = snapshot.secrets.iter();
    secrets
        .map(|(name, secret)| (name.clone(), secret.from_env.clone()))
        .filter(|(_, variable)| context.environment.get_trimmed(variable).is_none())
        .collect()
}
