//! `sessions`: one file for each verb.

mod attach;
mod cancel;
mod complete;
pub(crate) mod inspect;
mod ls;
pub(crate) mod timeline;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain sessions ls --status awaiting_approval\n  ordain sessions inspect run_0198"
)]
pub(crate) struct Group {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Ls(ls::Args),
    Inspect(inspect::Args),
    Cancel(cancel::Args),
    Complete(complete::Args),
    Attach(attach::Args),
}

impl Verb {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Verb::Ls(args) => ls::run(args, context).await,
            Verb::Inspect(args) => inspect::run(args, context).await,
            Verb::Cancel(args) => cancel::run(args, context).await,
            Verb::Complete(args) => complete::run(args, context).await,
            Verb::Attach(args) => attach::run(args, context).await,
        }
    }
}
