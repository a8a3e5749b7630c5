//! `bundles validate`: compiles a Bundle here, says what is wrong with it, and compares it with its
//! lock.

use std::path::PathBuf;

use publish::{LOCK_FILE, Lock, Severity};
use spec::Json;

use super::load::{self, Loaded, Unset};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::findings::Output;
use crate::local;
use crate::render::escape;
use crate::render::text::quoted;

/// Check a Bundle, all its agents, and its lock if it has one.
///
/// A runtime is asked only for versions that the Bundle pins, and for tools and policies that its
/// files do not have.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain bundles validate bundle.yaml\n  ordain bundles validate ./support-desk --require-lock -o json"
)]
pub(crate) struct Args {
    /// The Bundle's file, or the folder of its bundle.yaml.
    #[arg(value_name = "BUNDLE_YAML")]
    bundle: PathBuf,
    /// Fail without a bundle.lock.json, as publishing does.
    #[arg(long)]
    require_lock: bool,
    /// Fail on warnings too.
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    output: Output,
}

/// How the lock file stands to what the Bundle is now.
enum Standing {
    Same,
    Missing,
    /// What has changed.
    Drifted(Vec<String>),
    /// Why it is no lock.
    Broken(String),
}

impl Standing {
    fn of(committed: Option<&[u8]>, now: &Lock) -> Self {
        match committed.map(Lock::parse) {
            None => Standing::Missing,
            Some(Err(why)) => Standing::Broken(why.to_string()),
            Some(Ok(then)) if then == *now => Standing::Same,
            Some(Ok(then)) => Standing::Drifted(now.drift(&then)),
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Standing::Same => "same",
            Standing::Missing => "missing",
            Standing::Drifted(_) => "drifted",
            Standing::Broken(_) => "broken",
        }
    }

    fn problems(&self) -> Vec<String> {
        match self {
            Standing::Same | Standing::Missing => Vec::new(),
            Standing::Drifted(changes) => changes.clone(),
            Standing::Broken(why) => vec![why.clone()],
        }
    }

    fn check(&self, is_required: bool, program: &str) -> Result<(), Failure> {
        let mend = format!("run {program} bundles lock");
        let failed = |message: String| Failure::new(Exit::Invalid, message);
        match self {
            Standing::Same => Ok(()),
            Standing::Missing if !is_required => Ok(()),
            Standing::Missing => Err(failed(format!("no committed lock; {mend}"))),
            Standing::Broken(why) => Err(failed(format!("{LOCK_FILE}: {why}")).hint(mend)),
            Standing::Drifted(changes) => {
                let mut failure = failed(format!("{LOCK_FILE} drift"));
                failure.causes.clone_from(changes);
                Err(failure.hint(mend))
            }
        }
    }
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let loaded = load::load(&args.bundle, context).await?;
    let verdict = judge(args, &loaded, context);
    let unset = loaded.unset_secrets(context);
    // As data, what is wrong is the answer; the exit code says that something is.
    let data = || to_json(&loaded, &unset, verdict.is_ok());
    if loaded.findings().print(args.output, data, context)? {
        return Ok(verdict.map_or_else(|failure| failure.exit, |()| Exit::Done));
    }
    local::report(&loaded.closure.diagnostics, &loaded.sources, context);
    verdict?;
    for it in &unset {
        let text = format!(
            "{} ({}): secret {}: {} is not set in the local environment",
            escape::inline(&it.child_name),
            escape::inline(&it.reference),
            quoted(&it.secret),
            it.variable
        );
        context.printer.warn(&text);
    }
    let (bundle, lock) = loaded.lock()?;
    let first = format!(
        "valid: {}/{} {}",
        bundle.namespace,
        bundle.name,
        lock.version()
    );
    for line in [first, load::members_line(lock)] {
        context.printer.line(&escape::inline(&line))?;
    }
    Ok(Exit::Done)
}

fn judge(args: &Args, loaded: &Loaded, context: &Context) -> Result<(), Failure> {
    let (_, lock) = loaded.lock()?;
    let standing = Standing::of(loaded.committed.as_deref(), lock);
    standing.check(args.require_lock, &context.program)?;
    let warnings = loaded.findings().count(Severity::Warning);
    if args.deny_warnings && warnings > 0 {
        let message = format!("{warnings} warning(s), and warnings are denied");
        return Err(Failure::new(Exit::Invalid, message));
    }
    Ok(())
}

fn to_json(loaded: &Loaded, unset: &[Unset], is_valid: bool) -> Json {
    let lock = loaded.closure.lock.as_ref();
    let standing = lock.map(|it| Standing::of(loaded.committed.as_deref(), it));
    let problems = standing
        .as_ref()
        .map(Standing::problems)
        .unwrap_or_default();
    let problems = problems.into_iter().map(Json::from).collect::<Vec<_>>();
    let findings = loaded.findings();
    let unset = unset.iter().map(|it| {
        Json::from_members([
            ("member", Json::from(it.child_name.as_str())),
            ("secret", Json::from(it.secret.as_str())),
            ("variable", Json::from(it.variable.as_str())),
        ])
    });
    let bundle = loaded.closure.bundle.as_ref().map(ToString::to_string);
    Json::from_members([
        ("valid", Json::from(is_valid)),
        ("bundle", Json::from(bundle)),
        ("lock_hash", Json::from(lock.map(Lock::version))),
        ("root", Json::from(lock.map(Lock::root_child_name))),
        ("members", Json::from(lock.map(load::members_to_json))),
        ("lock", Json::from(standing.as_ref().map(Standing::word))),
        ("lock_problems", Json::from(problems)),
        ("errors", Json::from(findings.count(Severity::Error))),
        ("warnings", Json::from(findings.count(Severity::Warning))),
        ("items", findings.items()),
        ("unset_secrets", Json::from(unset.collect::<Vec<_>>())),
    ])
}
