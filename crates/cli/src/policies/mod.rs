//! `policies`: one file for each verb.

mod test;

use clap::Subcommand;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain policies test tests/")]
pub(crate) struct Group {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Test(test::Args),
}

impl Verb {
    pub(crate) fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Verb::Test(args) => test::run(&args, context),
        }
    }
}
