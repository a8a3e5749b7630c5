//! `policies`: one file for each verb of its own. Those of the catalog are what `tools` has too, and
//! are in `documents`.

mod test;

use clap::Subcommand;
use spec::DocumentKind;

use crate::context::Context;
use crate::documents::{deprecate, inspect, ls, publish, versions};
use crate::exit::Exit;
use crate::failure::Failure;

const KIND: DocumentKind = DocumentKind::Policy;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain policies test tests/\n  ordain policies publish policies/limit.yaml\n  ordain policies inspect pay.limit@^1"
)]
pub(crate) struct Group {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Test(test::Args),
    /// Check a policy and put this version of it into the catalog.
    ///
    /// It stands by itself there, and any agent of the runtime may attach it. A version never
    /// changes: the same one with other content is refused.
    #[command(
        after_help = "Examples:\n  ordain policies publish policies/limit.yaml\n  ordain policies publish policies/limit.yaml --dry-run"
    )]
    Publish(publish::Args),
    /// List the policies in the catalog.
    #[command(after_help = "Examples:\n  ordain policies ls\n  ordain policies ls -n pay -o json")]
    Ls(ls::Args),
    /// Show a policy: the version that a reference means, and the document.
    #[command(
        after_help = "Examples:\n  ordain policies inspect pay.limit\n  ordain policies inspect pay.limit@^1.2\n  ordain policies inspect pay.limit@1.2.0 --json"
    )]
    Inspect(inspect::Args),
    /// List the published versions of a policy.
    #[command(after_help = "Example:\n  ordain policies versions pay.limit")]
    Versions(versions::Args),
    /// Deprecate a version for good: references pass it over as long as another one satisfies them.
    #[command(after_help = "Example:\n  ordain policies deprecate pay.limit@1.2.0")]
    Deprecate(deprecate::Args),
}

impl Verb {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Verb::Test(args) => test::run(&args, context).await,
            Verb::Publish(args) => publish::run(args, KIND, context).await,
            Verb::Ls(args) => ls::run(args, KIND, context).await,
            Verb::Inspect(args) => inspect::run(args, KIND, context).await,
            Verb::Versions(args) => versions::run(args, KIND, context).await,
            Verb::Deprecate(args) => deprecate::run(args, KIND, context).await,
        }
    }
}
