//! `run`: starts a session of an agent and, if asked, waits until it ends or needs somebody. Knows
//! what is sent; how far a session has come is told by `progress`.

use std::path::PathBuf;
use std::time::Duration;

use proto::runtime::v1::RunSessionRequest;
use spec::Json;
use tokio::time::Instant;

use crate::attach::{self, Begun};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::Follow;
use crate::progress::{End, Fate, Progress};
use crate::render::{Format, Output, escape, text};
use crate::sessions::inspect;
use crate::{reference, secrets, wire};

/// How long the journal must be silent before the session's status is asked for.
const QUIET: Duration = Duration::from_millis(300);

/// Start a session of an agent.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain run support/refund-agent --input '{\"message\": \"Settle the open requests\"}'\n  ordain run support/refund-agent@1.0.0 --wait -o json\n  ordain run support/refund-agent --attach\n\nWith --wait the exit code says how it went; see ordain help exit-codes."
)]
pub(crate) struct Args {
    /// The agent, as namespace/name[@version]; the deployed version unless one is given.
    #[arg(value_name = "AGENT[@VERSION]")]
    agent: String,
    /// The agent's version, where the reference has none.
    #[arg(short = 'v', long = "version", value_name = "VERSION")]
    version: Option<String>,
    /// The input, a JSON object.
    #[arg(
        long,
        value_name = "JSON",
        default_value = "",
        hide_default_value = true
    )]
    input: String,
    /// Wait until the session ends or needs somebody, and print its output.
    #[arg(long)]
    wait: bool,
    /// Show the session as it goes on, and talk to its agent, as sessions attach does.
    #[arg(short, long, conflicts_with = "wait")]
    attach: bool,
    /// Give up waiting after so many seconds; the session goes on.
    #[arg(long, value_name = "SECONDS", requires = "wait")]
    timeout: Option<u64>,
    /// File of KEY=VALUE lines for secrets; may be given several times.
    #[arg(short = 'e', long = "env-file", value_name = "FILE")]
    env_file: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &mut Context) -> Result<Exit, Failure> {
    let mut agent = reference::parse(&args.agent)?;
    if agent.version.is_empty() {
        agent.version = args.version.unwrap_or_default();
    }
    let input = args.input.trim().as_bytes().to_vec();
    if !input.is_empty() && Json::parse(&input).is_err() {
        return Err(Failure::usage("input must be valid JSON"));
    }
    let format = args.output.format;
    if args.attach && format != Format::Table {
        return Err(Failure::usage(
            "--attach shows text; --output is for --wait",
        ));
    }
    for file in &args.env_file {
        context.environment.load_file(file)?;
    }
    let runtime = Runtime::dial(context).await?;
    let resolved_secrets = secrets::resolve(&runtime, &mut agent, &context.environment).await?;
    let request = RunSessionRequest {
        agent_ref: Some(agent),
        input,
        resolved_secrets,
        bundle_ref: None,
    };
    let answer = runtime.api().run_session(request).await;
    let started = answer.map_err(runtime.failed("run session"))?.into_inner();
    let id = started.session_id;
    if args.attach {
        return attach::attach(&runtime, &id, Begun::Here, context).await;
    }
    if format == Format::Table {
        context
            .printer
            .line(&format!("session {} started", escape::inline(&id)))?;
    }
    if args.wait {
        let limit = args.timeout.map(Duration::from_secs);
        return wait(&runtime, &id, limit, format, context).await;
    }
    if format != Format::Table {
        let data = Json::from_members([
            ("session_id", Json::from(id)),
            ("status", Json::from(started.status)),
        ]);
        context.printer.data(format, &data, String::new)?;
    }
    Ok(Exit::Done)
}

/// A session that has come to rest.
struct Rest {
    status: String,
    output: Option<Json>,
    error: String,
}

async fn wait(
    runtime: &Runtime,
    id: &str,
    limit: Option<Duration>,
    format: Format,
    context: &Context,
) -> Result<Exit, Failure> {
    let mut progress = Progress::default();
    let until = limit.and_then(|it| Instant::now().checked_add(it));
    let rest = follow(runtime, id, &mut progress);
    let rest = match until {
        Some(until) => tokio::time::timeout_at(until, rest).await,
        None => Ok(rest.await),
    };
    let Ok(rest) = rest else {
        let message = format!("session {} is still going on", escape::inline(id));
        let hint = format!(
            "{} sessions inspect {id} shows how far it came",
            context.program
        );
        return Err(Failure::new(Exit::LimitReached, message).hint(hint));
    };
    let rest = rest?;
    let exit = progress.exit();
    explain(&progress, context);
    match (format, &rest.output) {
        (Format::Table, Some(output)) => context.printer.line(&text::pretty(output))?,
        (Format::Table, None) => {}
        (Format::Json | Format::Yaml, _) => {
            context
                .printer
                .data(format, &to_json(id, &rest, &progress), String::new)?;
        }
    }
    if !rest.error.is_empty() {
        context.printer.failure(&Failure::new(
            exit,
            format!("session failed: {}", rest.error),
        ));
    }
    Ok(exit)
}

/// Reads the journal until the session ends, or nothing happens any more without somebody.
async fn follow(runtime: &Runtime, id: &str, progress: &mut Progress) -> Result<Rest, Failure> {
    let mut journal = Follow::new(runtime, id);
    let mut is_news = true;
    loop {
        match tokio::time::timeout(QUIET, journal.next()).await {
            Ok(Ok(Some(entry))) => {
                progress.take(&entry);
                is_news = true;
            }
            Ok(Ok(None)) => return look(runtime, id, progress).await,
            Ok(Err(failure)) => return Err(failure),
            // Without a new entry the status is what it was.
            Err(_elapsed) if is_news => {
                // A runtime that is away is waited for by the journal, which counts the attempts.
                let Ok(rest) = look(runtime, id, progress).await else {
                    continue;
                };
                if matches!(rest.status.as_str(), "awaiting_approval" | "awaiting_input") {
                    return Ok(rest);
                }
                is_news = false;
            }
            Err(_elapsed) => {}
        }
    }
}

async fn look(runtime: &Runtime, id: &str, progress: &Progress) -> Result<Rest, Failure> {
    let session = inspect::fetch(runtime, id)
        .await?
        .session
        .unwrap_or_default();
    let recorded = match &progress.end {
        Some(End::Completed { output }) => output.clone(),
        Some(End::Failed { .. } | End::Cancelled { .. }) | None => None,
    };
    let output = recorded.or_else(|| session.output.as_ref().map(inspect::output_json));
    // A conversation that waits for its user has said something, but has no output yet.
    let output = output.or_else(|| {
        let said = Json::from(progress.last_text.as_str());
        (session.status == "awaiting_input").then(|| Json::from_members([("message", said)]))
    });
    let error = match &progress.end {
        Some(End::Failed { reason }) if session.error.is_empty() => reason.clone(),
        Some(End::Cancelled { reason }) => format!("cancelled {reason}").trim_end().to_owned(),
        Some(End::Failed { .. } | End::Completed { .. }) | None => session.error,
    };
    Ok(Rest {
        status: session.status,
        output,
        error,
    })
}

/// Says on stderr what did not go through, and what to do about what waits.
fn explain(progress: &Progress, context: &Context) {
    for call in progress.calls.values() {
        let verb = match call.fate {
            Fate::Denied => "was denied by policy",
            Fate::Rejected => "was rejected",
            Fate::Indeterminate => "may or may not have run",
            Fate::Proposed
            | Fate::InFlight
            | Fate::Succeeded
            | Fate::Failed
            | Fate::Refused
            | Fate::Cancelled => continue,
        };
        let args = text::compact(&call.args);
        let why = if call.message.is_empty() {
            String::new()
        } else {
            format!(": {}", call.message)
        };
        let line = format!("{} {args} {verb}{why}", call.tool);
        context.printer.note(&escape::inline(&line));
    }
    for approval in progress.waiting.keys() {
        let id = escape::inline(approval);
        let program = &context.program;
        context.printer.note(&format!(
            "approval {id} waits: {program} approvals show {id}, then approve or reject"
        ));
    }
}

fn to_json(id: &str, rest: &Rest, progress: &Progress) -> Json {
    let exit = progress.exit();
    let calls = progress.calls.iter().map(|(id, call)| {
        Json::from_members([
            ("call_id", Json::from(id.as_str())),
            ("tool", Json::from(call.tool.as_str())),
            ("state", Json::from(call.fate.word())),
            ("message", wire::text_or_null(&call.message)),
        ])
    });
    let waiting = progress.waiting.keys().map(|it| Json::from(it.as_str()));
    Json::from_members([
        ("session_id", Json::from(id)),
        ("status", Json::from(rest.status.as_str())),
        ("outcome", Json::from(exit.word())),
        ("exit_code", Json::from(u32::from(exit.code()))),
        ("output", Json::from(rest.output.clone())),
        ("error", wire::text_or_null(&rest.error)),
        ("calls", Json::from(calls.collect::<Vec<_>>())),
        ("pending_approvals", Json::from(waiting.collect::<Vec<_>>())),
    ])
}
