//! `worker exec`: serves one tool with any program. Knows the command line and the signals; running
//! programs is the SDK's.

use std::ffi::OsString;
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, OsStringValueParser, TypedValueParser as _};
use tokio::signal::unix::{Signal, SignalKind, signal};
use worker::exec::Settings;
use worker::{Concurrency, Drained, ExecTool, RunError, Worker};

use super::{duration, log};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{self, Asked, Failure};
use crate::render::escape;

const OUTPUT_BYTES_MAX: usize = 16 * 1024 * 1024;
const CONCURRENCY_MAX: i64 = 1024;

/// Serve a tool with any program: JSON arguments on its stdin, a JSON result on its stdout.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain worker exec files.word-count@1.0.0 -- ./bin/word-count.sh\n  ordain worker exec reports.build@2.1.0 --concurrency 4 --timeout 5m --env MODE=fast -- python3 build.py\n\nEach call runs the program once. It is told of the call in ORDAIN_CALL_ID, ORDAIN_SESSION_ID,\nORDAIN_AGENT_VERSION_ID, ORDAIN_TOOL, ORDAIN_TOOL_VERSION, ORDAIN_TURN,\nORDAIN_SIDE_EFFECT_CLASS and ORDAIN_DEADLINE_UNIX_MS. An exit code other than 0 is an error,\nwhich quotes the end of stderr."
)]
pub(crate) struct Args {
    /// The tool with its exact version.
    #[arg(value_name = "TOOL@VERSION", value_parser = tool)]
    tool: Tool,
    /// This worker's name, unlike that of any other connected one [default: the tool's and a random part].
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    worker_id: Option<String>,
    /// How many programs may run at once.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=CONCURRENCY_MAX))]
    concurrency: u32,
    /// How long a call may take before its program is told to end.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration::parse)]
    timeout: Duration,
    /// How long a program that was told to end may go on before it is killed.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration::parse)]
    kill_grace: Duration,
    /// Where the program runs [default: here].
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// A variable for the program; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = OsStringValueParser::new().try_map(variable))]
    env: Vec<(OsString, OsString)>,
    /// The digest of the image that this runs from.
    #[arg(
        long,
        value_name = "DIGEST",
        default_value = "",
        hide_default_value = true
    )]
    image_digest: String,
    /// Who this worker claims to be, such as a SPIFFE id.
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    workload_identity: String,
    /// The program and its arguments, after `--`.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Tool {
    name: String,
    version: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let worker_id = args.worker_id.clone();
    let worker_id = worker_id.unwrap_or_else(|| invented_id(&args.tool));
    let Tool { name, version } = args.tool.clone();
    let shown = format!(
        "worker {worker_id} serves {name}@{version} with {}",
        args.command.first().cloned().unwrap_or_default().display()
    );
    let worker = Worker::builder(worker_id)
        .runtime(&context.address)
        .workload_identity(args.workload_identity.clone())
        .image_digest(args.image_digest.clone())
        .result_bytes_max(OUTPUT_BYTES_MAX)
        .exec_tool(
            name,
            version,
            Concurrency(args.concurrency),
            program(args, context)?,
        )
        .build()
        .map_err(|why| Failure::usage("set up the worker").because(&why))?;
    log::init(context);
    let mut signals = Signals::listen()?;
    let mut impatient = Signals::listen()?;
    context.printer.note(&escape::inline(&shown));
    tokio::select! {
        ended = worker.run(signals.next()) => report(ended, context),
        // To stop here drops the worker, which kills what it runs.
        () = impatient.second() => {
            context.printer.warn("stopped without waiting; what was running has been killed");
            Ok(Exit::Interrupted)
        }
    }
}

fn program(args: Args, context: &Context) -> Result<ExecTool, Failure> {
    let mut command = args.command.into_iter();
    let given = |it: &&(OsString, OsString)| it.0 == "PATH";
    let search_path = match args.env.iter().rev().find(given) {
        Some((_, path)) => path.clone(),
        None => context.environment.get("PATH").unwrap_or_default().into(),
    };
    let settings = Settings {
        program: command.next().unwrap_or_default(),
        args: command.collect(),
        env: args.env,
        cwd: args.cwd,
        search_path,
        timeout: args.timeout,
        kill_grace: args.kill_grace,
        output_bytes_max: OUTPUT_BYTES_MAX,
    };
    let printer = context.printer.clone();
    let pass_on = move |call_id: &str, line: &str| {
        printer.note(&escape::inline(&format!("{call_id}: {line}")));
    };
    ExecTool::new(settings, pass_on)
        .map_err(|why| Failure::usage("the program cannot serve").because(&why))
}

fn report(ended: Result<Drained, RunError>, context: &Context) -> Result<Exit, Failure> {
    let drained = ended.map_err(|why| {
        let RunError::Refused { status, .. } = &why;
        let exit = failure::exit_of(status.code(), Asked::Other);
        Failure::new(exit, "work").because(&why)
    })?;
    let Drained {
        abandoned,
        unacknowledged,
    } = &drained;
    for call in abandoned {
        let call = escape::inline(call);
        let text = format!("the program of call {call} did not end in time, and was killed");
        context.printer.warn(&text);
    }
    for call in unacknowledged {
        let call = escape::inline(call);
        let text = format!("the runtime has not acknowledged the result of call {call}");
        context.printer.warn(&text);
    }
    if abandoned.is_empty() && unacknowledged.is_empty() {
        Ok(Exit::Done)
    } else {
        Ok(Exit::Indeterminate)
    }
}

/// SIGTERM and Ctrl-C.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind)
                .map_err(|why| Failure::new(Exit::Failed, "listen to signals").because(&why))
        };
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        let came = tokio::select! {
            came = self.terminate.recv() => came,
            came = self.interrupt.recv() => came,
        };
        if came.is_none() {
            std::future::pending::<()>().await;
        }
    }

    async fn second(&mut self) {
        self.next().await;
        self.next().await;
    }
}

/// A name that no other worker has by chance.
fn invented_id(tool: &Tool) -> String {
    let random = RandomState::new().hash_one(std::process::id());
    format!("{}-{random:016x}", tool.name)
}

fn tool(text: &str) -> Result<Tool, String> {
    let wrong =
        || "write the tool and its exact version, such as files.word-count@1.0.0".to_owned();
    let (name, version) = text.split_once('@').ok_or_else(wrong)?;
    let is_name = |it: &str| !it.is_empty() && !it.contains(char::is_whitespace);
    let is_exact = version.bytes().next().is_some_and(|it| it.is_ascii_digit())
        && version.split(['-', '+']).next().is_some_and(is_triple)
        && is_name(version);
    let is_qualified = name.split('.').count() >= 2 && name.split('.').all(is_name);
    if !is_qualified || name.contains('/') || !is_exact {
        return Err(wrong());
    }
    Ok(Tool {
        name: name.to_owned(),
        version: version.to_owned(),
    })
}

fn is_triple(version: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    version.split('.').count() == 3 && version.split('.').all(is_number)
}

fn variable(text: OsString) -> Result<(OsString, OsString), String> {
    let bytes = text.as_bytes();
    let at = bytes.iter().position(|it| *it == b'=').filter(|it| *it > 0);
    let (name, value) = at
        .and_then(|at| bytes.split_at_checked(at))
        .ok_or("write KEY=VALUE")?;
    let value = value.strip_prefix(b"=").unwrap_or(value);
    Ok((
        OsString::from_vec(name.to_vec()),
        OsString::from_vec(value.to_vec()),
    ))
}

#[cfg(test)]
mod tests {
    use super::{Tool, invented_id, tool, variable};

    #[test]
    fn a_tool_has_a_namespace_and_an_exact_version() {
        let read = tool("payments.eu.refund@1.0.0-rc.1+b").unwrap();
        assert_eq!(read.name, "payments.eu.refund");
        assert_eq!(read.version, "1.0.0-rc.1+b");
        for bad in [
            "",
            "nonsense",
            "a.b",
            "a.b@",
            "@1.0.0",
            "a@1.0.0",
            "a.@1.0.0",
            "a/b@1.0.0",
            "a.b@^1.0",
            "a.b@1.0",
            "a.b@1.0.x",
            "a.b@1.0.0 ",
        ] {
            assert!(tool(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_variable_may_have_an_empty_value_but_no_empty_name() {
        assert_eq!(variable("A=b=c".into()), Ok(("A".into(), "b=c".into())));
        assert_eq!(variable("A=".into()), Ok(("A".into(), "".into())));
        assert!(variable("A".into()).is_err() && variable("=b".into()).is_err());
    }

    #[test]
    fn invented_names_differ() {
        let tool = Tool {
            name: "a.b".into(),
            version: "1.0.0".into(),
        };
        assert_ne!(invented_id(&tool), invented_id(&tool));
    }
}
