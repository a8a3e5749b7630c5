//! `bundles`: one file for each verb, and what they have in common: a Bundle with its members.

mod load;
mod lock;
mod validate;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain bundles lock bundle.yaml\n  ordain bundles validate bundle.yaml --require-lock"
)]
pub(crate) struct Group {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Lock(lock::Args),
    Validate(validate::Args),
}

impl Verb {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Verb::Lock(args) => lock::run(&args, context).await,
            Verb::Validate(args) => validate::run(&args, context).await,
        }
    }
}
