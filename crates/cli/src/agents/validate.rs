//! `agents validate`: compiles a bundle here and says what is wrong with it, or what a model would be
//! shown of its tools. Asks no runtime.

use std::path::PathBuf;

use publish::Severity;
use spec::Json;
use spec::Snapshot;

use super::presented::Flag;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::local::{self, Local};
use crate::render::text::quoted;
use crate::render::{Format, Output};

/// Check an agent and everything that it refers to, without a runtime.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain agents validate agent.yaml\n  ordain agents validate ./my-agent -o json --deny-warnings\n  ordain agents validate ./my-agent --presented=openai"
)]
pub(crate) struct Args {
    /// The Agent's file, or the folder of its agent.yaml.
    manifest: PathBuf,
    /// Fail on warnings too.
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    presented: Flag,
    #[command(flatten)]
    output: Output,
}

impl Args {
    /// Whether the bundle is fine by what was asked for.
    fn accepts(&self, local: &Local) -> bool {
        let is_denied = self.deny_warnings && local.count(Severity::Warning) > 0;
        local.compiled.snapshot.is_some() && !is_denied
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let local = local::compile(&args.manifest)?;
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
    // As data, what is wrong is the answer; the exit code says that something is.
    if args.output.format != Format::Table {
        context.printer.data(
            args.output.format,
            &found(args, &local, &unset),
            String::new,
        )?;
        let is_valid = args.accepts(&local);
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
    if args.presented.is_set() {
        let shown = args.presented.show(snapshot);
        context.printer.data(Format::Json, &shown, String::new)?;
        return Ok(Exit::Done);
    }
    let agent = &snapshot.agent;
    context.printer.line(&format!(
        "valid: {}/{} {}",
        agent.namespace, agent.name, agent.version
    ))?;
    Ok(Exit::Done)
}

/// Everything that was found, as data.
fn found(args: &Args, local: &Local, unset: &[(String, String)]) -> Json {
    let diagnostics = local.compiled.diagnostics.iter().map(local::to_json);
    let variables = unset.iter().map(|(name, variable)| {
        Json::from_members([
            ("secret", Json::from(name.as_str())),
            ("variable", Json::from(variable.as_str())),
        ])
    });
    let snapshot = local.compiled.snapshot.as_ref();
    let mut members = vec![
        ("valid", Json::from(args.accepts(local))),
        ("agent", Json::from(snapshot.map(|it| it.agent.to_string()))),
        ("diagnostics", Json::from(diagnostics.collect::<Vec<_>>())),
        ("unset_secrets", Json::from(variables.collect::<Vec<_>>())),
    ];
    if args.presented.is_set() {
        let shown = snapshot.map(|it| args.presented.show(it));
        members.push(("presented", Json::from(shown)));
    }
    Json::from_members(members)
}

/// Names and variables of the secrets that a run from here would lack.
fn unset_secrets(snapshot: &Snapshot, context: &Context) -> Vec<(String, String)> {
    let secrets = snapshot.secrets.iter();
    secrets
        .map(|(name, secret)| (name.clone(), secret.from_env.clone()))
        .filter(|(_, variable)| context.environment.get_trimmed(variable).is_none())
        .collect()
}
