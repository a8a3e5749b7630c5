//! The `ordain` binary: the operator's commands, the daemon's front door and the demo. Knows the
//! command line and the terminal; what the runtime does is behind its API.
//!
//! Invariant: nothing is written to the terminal but by the printer in `render`, and text of others
//! passes its escapes.

mod agents;
mod approvals;
mod attach;
mod bundles;
mod cli;
mod connect;
mod context;
mod demo;
mod disk;
mod documents;
mod environment;
mod exit;
mod explain;
mod failure;
mod findings;
mod follow;
mod init;
mod lifeline;
mod local;
mod lookup;
mod policies;
mod policy_test;
mod progress;
mod reference;
mod render;
mod rollback;
mod run;
mod schema;
mod secrets;
mod serve;
mod sessions;
mod status;
mod tools;
mod usage;
mod wire;
mod worker;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::cli::{Cli, Command};
use crate::context::Context;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::Printer;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(start(&arguments).code())
}

fn start(arguments: &[OsString]) -> Exit {
    let environment = Environment::of_process();
    let program = program_name(arguments.first());
    let no_color = arguments.iter().any(|it| it == "--no-color");
    let mut tree = cli::tree(&program);
    if no_color {
        tree = tree.color(clap::ColorChoice::Never);
    }
    let parsed = tree
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let (printer, outcome) = match parsed {
        Ok(cli) => {
            let mut context = Context::new(program, &cli.global, environment);
            (context.printer.clone(), dispatch(cli.command, &mut context))
        }
        Err(error) => {
            let printer = Printer::new(false, no_color, &environment);
            let outcome = usage::report(&error, &program, &printer);
            (printer, outcome)
        }
    };
    outcome.unwrap_or_else(|failure| {
        printer.failure(&failure);
        failure.exit
    })
}

/// Links to this program may have another name; texts say the one that was used.
fn program_name(first: Option<&OsString>) -> String {
    first
        .and_then(|it| Path::new(it).file_stem()?.to_str())
        .unwrap_or("ordain")
        .to_owned()
}

fn dispatch(command: Option<Command>, context: &mut Context) -> Result<Exit, Failure> {
    let Some(command) = command else {
        return cli::help(context, "");
    };
    let mut builder = match command {
        // A terminal that does not take what a program says must not keep heartbeats from being sent.
        Command::Serve(_) | Command::Worker(_) => tokio::runtime::Builder::new_multi_thread(),
        Command::Demo(_)
        | Command::Init(_)
        | Command::Status(_)
        | Command::Rollback(_)
        | Command::Run(_)
        | Command::Agents(_)
        | Command::Bundles(_)
        | Command::Tools(_)
        | Command::Policies(_)
        | Command::Sessions(_)
        | Command::Approvals(_)
        | Command::Schema(_)
        | Command::Explain(_)
        | Command::ExitCodes
        | Command::DemoWorker(_) => tokio::runtime::Builder::new_current_thread(),
    };
    builder
        .enable_all()
        .build()
        .map_err(|why| Failure::new(Exit::Failed, "start").because(&why))?
        .block_on(Box::pin(command.run(context)))
}
