//! `worker`: serves tools from here. One file for each verb.

mod duration;
mod exec;
mod log;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  ordain worker exec files.word-count@1.0.0 -- ./bin/word-count.sh"
)]
pub(crate) struct Group {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Exec(exec::Args),
}

impl Verb {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Verb::Exec(args) => exec::run(args, context).await,
        }
    }
}
