//! `agents`: one file for each verb.

mod active;
mod deploy;
mod ls;
mod publish;
mod validate;
mod versions;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain agents validate agent.yaml\n  ordain agents publish agent.yaml\n  ordain agents deploy support/refund-agent@1.0.0"
)]
pub(crate) struct Group {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Ls(ls::Args),
    Validate(validate::Args),
    Publish(publish::Args),
    Deploy(deploy::Args),
    Active(active::Args),
    Versions(versions::Args),
}

impl Verb {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Verb::Ls(args) => ls::run(args, context).await,
            Verb::Validate(args) => validate::run(&args, context),
            Verb::Publish(args) => publish::run(args, context).await,
            Verb::Deploy(args) => deploy::run(args, context).await,
            Verb::Active(args) => active::run(args, context).await,
            Verb::Versions(args) => versions::run(args, context).await,
        }
    }
}
