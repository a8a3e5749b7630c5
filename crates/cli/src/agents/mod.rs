//! `agents`: one file for each verb.

mod active;
mod archive;
mod contract;
mod deploy;
mod deprecate;
mod diff;
mod history;
mod inspect;
mod lines;
mod ls;
mod presented;
mod publish;
mod retire;
mod validate;
mod versions;

use clap::Subcommand;
use proto::runtime::v1::AgentRef;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::reference;
use crate::render::text::quoted;

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
    Inspect(inspect::Args),
    Contract(contract::Args),
    Diff(diff::Args),
    History(history::Args),
    Deprecate(deprecate::Args),
    Retire(retire::Args),
    Archive(archive::Args),
}

impl Verb {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Verb::Ls(args) => ls::run(args, context).await,
            Verb::Validate(args) => validate::run(&args, context).await,
            Verb::Publish(args) => publish::run(args, context).await,
            Verb::Deploy(args) => deploy::run(args, context).await,
            Verb::Active(args) => active::run(args, context).await,
            Verb::Versions(args) => versions::run(args, context).await,
            Verb::Inspect(args) => inspect::run(args, context).await,
            Verb::Contract(args) => contract::run(&args, context).await,
            Verb::Diff(args) => diff::run(args, context).await,
            Verb::History(args) => history::run(args, context).await,
            Verb::Deprecate(args) => deprecate::run(args, context).await,
            Verb::Retire(args) => retire::run(args, context).await,
            Verb::Archive(args) => archive::run(args, context).await,
        }
    }
}

/// Reads a reference to an agent as a whole, for verbs that would ignore a version to somebody's harm.
pub(crate) fn without_version(text: &str, hint: &str) -> Result<AgentRef, Failure> {
    let agent = reference::parse(text)?;
    if agent.version.is_empty() {
        return Ok(agent);
    }
    let message = format!(
        "agent reference must not include @version here, got {}",
        quoted(text)
    );
    Err(Failure::usage(message).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::without_version;
    use crate::exit::Exit;

    #[test]
    fn a_version_is_not_ignored() {
        assert_eq!(without_version("a.b", "use --to").unwrap().name, "b");
        let failure = without_version("a/b@1.0.0", "use --to").unwrap_err();
        assert_eq!(failure.exit, Exit::Usage);
        assert_eq!(
            failure.message,
            "agent reference must not include @version here, got \"a/b@1.0.0\""
        );
        assert_eq!(failure.hint.as_deref(), Some("use --to"));
    }
}
