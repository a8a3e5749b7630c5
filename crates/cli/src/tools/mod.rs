//! `tools`: tools in the catalog. The work is what `policies` does too, and is in `documents`.

use clap::Subcommand;
use spec::DocumentKind;

use crate::context::Context;
use crate::documents::{deprecate, inspect, ls, publish, versions};
use crate::exit::Exit;
use crate::failure::Failure;

const KIND: DocumentKind = DocumentKind::Tool;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain tools publish tools/refund.yaml\n  ordain tools ls\n  ordain tools inspect pay.refund@^1"
)]
pub(crate) struct Group {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Check a tool and put this version of it into the catalog.
    ///
    /// What the document refers to by file is written into it, so that it stands by itself and any
    /// agent of the runtime may bind it.
    /// A version never changes: the same one with other content is refused.
    #[command(
        after_help = "Examples:\n  ordain tools publish tools/refund.yaml\n  ordain tools publish tools/refund.yaml --dry-run"
    )]
    Publish(publish::Args),
    /// List the tools in the catalog.
    #[command(after_help = "Examples:\n  ordain tools ls\n  ordain tools ls -n pay -o json")]
    Ls(ls::Args),
    /// Show a tool: the version that a reference means, and the document.
    #[command(
        after_help = "Examples:\n  ordain tools inspect pay.refund\n  ordain tools inspect pay.refund@^1.2\n  ordain tools inspect pay.refund@1.2.0 --json"
    )]
    Inspect(inspect::Args),
    /// List the published versions of a tool.
    #[command(after_help = "Example:\n  ordain tools versions pay.refund")]
    Versions(versions::Args),
    /// Deprecate a version for good: references pass it over as long as another one satisfies them.
    #[command(after_help = "Example:\n  ordain tools deprecate pay.refund@1.2.0")]
    Deprecate(deprecate::Args),
}

impl Verb {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Verb::Publish(args) => publish::run(args, KIND, context).await,
            Verb::Ls(args) => ls::run(args, KIND, context).await,
            Verb::Inspect(args) => inspect::run(args, KIND, context).await,
            Verb::Versions(args) => versions::run(args, KIND, context).await,
            Verb::Deprecate(args) => deprecate::run(args, KIND, context).await,
        }
    }
}
