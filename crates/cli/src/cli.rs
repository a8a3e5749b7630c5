//! The tree of commands. Knows which there are and the flags that all of them take; each verb's own
//! flags, help and work are in its file.

use clap::{ArgAction, CommandFactory as _, Parser, Subcommand};

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::{
    agents, approvals, bundles, demo, explain, init, policies, rollback, run, schema, serve,
    sessions, status, tools, worker,
};

/// Run declared agents under policy, with every step on record.
#[derive(Debug, Parser)]
#[command(
    name = "ordain",
    version = concat!("version ", env!("CARGO_PKG_VERSION")),
    disable_version_flag = true,
    after_help = "Examples:\n  ordain demo                      See the whole story in a minute\n  ordain serve                     Start a runtime\n  ordain init my-agent             Begin an agent\n  ordain help exit-codes           What the exit codes mean"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    /// Print the version.
    #[arg(short = 'v', long = "version", action = ArgAction::Version)]
    version: Option<bool>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags that every command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Global {
    /// Where the runtime listens, as host:port [env: PHRONY_RUNTIME_ADDR] [default: 127.0.0.1:7777].
    #[arg(
        long,
        global = true,
        value_name = "ADDR",
        help_heading = "Global options"
    )]
    pub(crate) runtime_addr: Option<String>,
    /// Print data and errors only, no notes and no warnings.
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Print without colours [env: NO_COLOR].
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) no_color: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(serve::Args),
    Demo(demo::Args),
    Init(init::Args),
    Status(status::Args),
    Rollback(rollback::Args),
    Run(run::Args),
    /// Validate, publish and deploy agents.
    Agents(agents::Group),
    /// Lock and validate agents that hand work to each other.
    Bundles(bundles::Group),
    /// Share tools between agents: publish them to the catalog, list and deprecate them.
    Tools(tools::Group),
    /// Test policies, and share them between agents: publish them to the catalog.
    Policies(policies::Group),
    /// List, inspect, follow and end sessions.
    Sessions(sessions::Group),
    /// See what waits for a person, and decide it.
    Approvals(approvals::Group),
    /// Serve tools from here.
    Worker(worker::Group),
    Schema(schema::Args),
    Explain(explain::Args),
    /// List the exit codes.
    #[command(
        before_help = exit::table().trim_end().to_owned(),
        after_help = "Examples:\n  ordain exit-codes\n  ordain help exit-codes"
    )]
    ExitCodes,
    #[command(hide = true)]
    DemoWorker(demo::worker::Args),
}

impl Command {
    /// Does the work. The groups without a verb show their help.
    pub(crate) async fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self {
            Command::Serve(args) => serve::run(args, context).await,
            Command::Demo(args) => demo::run(args, context).await,
            Command::Init(args) => init::run(&args, context),
            Command::Status(args) => status::run(args, context).await,
            Command::Rollback(args) => rollback::run(args, context).await,
            Command::Run(args) => run::run(args, context).await,
            Command::Agents(agents::Group { verb: Some(verb) }) => verb.run(context).await,
            Command::Tools(tools::Group { verb: Some(verb) }) => verb.run(context).await,
            Command::Policies(policies::Group { verb: Some(verb) }) => verb.run(context).await,
            Command::Sessions(sessions::Group { verb: Some(verb) }) => verb.run(context).await,
            Command::Approvals(approvals::Group { verb: Some(verb) }) => verb.run(context).await,
            Command::Agents(agents::Group { verb: None }) => help(context, "agents"),
            Command::Bundles(bundles::Group { verb: Some(verb) }) => verb.run(context).await,
            Command::Bundles(bundles::Group { verb: None }) => help(context, "bundles"),
            Command::Tools(tools::Group { verb: None }) => help(context, "tools"),
            Command::Policies(policies::Group { verb: None }) => help(context, "policies"),
            Command::Sessions(sessions::Group { verb: None }) => help(context, "sessions"),
            Command::Approvals(approvals::Group { verb: None }) => help(context, "approvals"),
            Command::Worker(worker::Group { verb: Some(verb) }) => verb.run(context).await,
            Command::Worker(worker::Group { verb: None }) => help(context, "worker"),
            Command::Schema(args) => schema::run(&args, context),
            Command::Explain(args) => explain::run(&args, context),
            Command::ExitCodes => {
                context.printer.out(&exit::table())?;
                Ok(Exit::Done)
            }
            Command::DemoWorker(args) => demo::worker::run(args).await,
        }
    }
}

/// The whole tree under the name that the program was called by.
pub(crate) fn tree(program: &str) -> clap::Command {
    named(Cli::command(), program).bin_name(program)
}

/// Examples say the name that works for whoever reads them.
fn named(command: clap::Command, program: &str) -> clap::Command {
    let examples = command.get_after_help().map(|text| {
        let text = text.to_string();
        text.replace("  ordain ", &format!("  {program} "))
    });
    let command = command.mut_subcommands(|it| named(it, program));
    let command = match examples {
        Some(text) => command.after_help(text),
        None => command,
    };
    if command.get_name() == "ordain" {
        command.name(program.to_owned())
    } else {
        command
    }
}

/// The root's help when there is no `group`.
pub(crate) fn help(context: &Context, group: &str) -> Result<Exit, Failure> {
    let mut tree = tree(&context.program);
    tree.build();
    let command = match tree.find_subcommand_mut(group) {
        Some(command) => command.render_help(),
        None => tree.render_help(),
    };
    context.printer.out(&command.to_string())?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use expect_test::expect;

    use super::{Cli, tree};

    #[test]
    fn the_tree_is_sound() {
        Cli::command().debug_assert();
        tree("phrony").debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        fn check(command: &clap::Command, path: &str) {
            for it in command.get_subcommands().filter(|it| !it.is_hide_set()) {
                let path = format!("{path} {}", it.get_name());
                assert!(it.get_about().is_some(), "{path}");
                let example = it
                    .get_after_help()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                assert!(example.starts_with("Example"), "{path}");
                assert!(example.contains(&path), "{path}: {example}");
                check(it, &path);
            }
        }
        check(&tree("ordain"), "ordain");
        check(&tree("phrony"), "phrony");
    }

    #[test]
    fn flat_forms_are_gone() {
        let gone = [
            "validate",
            "publish",
            "deploy",
            "versions",
            "active",
            "history",
            "diff",
            "inspect",
            "deprecate",
            "retire",
            "bundle",
        ];
        for word in gone {
            assert!(tree("ordain").find_subcommand(word).is_none(), "{word}");
        }
    }

    #[test]
    fn top_level_help() {
        expect![[r#"
            Run declared agents under policy, with every step on record

            Usage: ordain [OPTIONS] [COMMAND]

            Commands:
              serve       Start a runtime here, and serve until SIGTERM or Ctrl-C
              demo        See a governed agent at work: allowed, asked about, denied, and through a crash
              init        Begin an agent: a manifest, a tool, a policy with a test, and a scripted model to try them with
              status      Show whether a runtime answers, and its version
              rollback    Make an earlier version of an agent the one that runs
              run         Start a session of an agent
              agents      Validate, publish and deploy agents
              bundles     Lock and validate agents that hand work to each other
              tools       Share tools between agents: publish them to the catalog, list and deprecate them
              policies    Test policies, and share them between agents: publish them to the catalog
              sessions    List, inspect, follow and end sessions
              approvals   See what waits for a person, and decide it
              worker      Serve tools from here
              schema      Print the JSON Schema of documents, for editors, or compare schemas of your own
              explain     Say what a diagnostic's code means and how to mend it
              exit-codes  List the exit codes
              help        Print this message or the help of the given subcommand(s)

            Options:
              -v, --version  Print the version
              -h, --help     Print help

            Global options:
                  --runtime-addr <ADDR>  Where the runtime listens, as host:port [env: PHRONY_RUNTIME_ADDR] [default: 127.0.0.1:7777]
              -q, --quiet                Print data and errors only, no notes and no warnings
                  --no-color             Print without colours [env: NO_COLOR]

            Examples:
              ordain demo                      See the whole story in a minute
              ordain serve                     Start a runtime
              ordain init my-agent             Begin an agent
              ordain help exit-codes           What the exit codes mean
        "#]].assert_eq(&tree("ordain").render_help().to_string());
    }
}
