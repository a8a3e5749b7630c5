//! `schema`: the JSON Schema of the format, for editors. Knows nothing but where it is; the verbs
//! about schemas of one's own have files.

mod batch;
mod contains;
mod file;
mod judge;
mod pairs;
mod place;
mod why;

use clap::{Subcommand, ValueEnum};
use publish::FormatKind;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::text;

/// Print the JSON Schema of documents, for editors, or compare schemas of your own.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  ordain schema > ordain.schema.json\n  ordain schema policy\n  ordain schema contains narrow.json wide.json\n\nIn a document, for the YAML language server:\n  # yaml-language-server: $schema=./ordain.schema.json"
)]
pub(crate) struct Args {
    /// One kind of document [default: all, told apart by their `kind`].
    kind: Option<Kind>,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Contains(contains::Args),
}

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Agent,
    Tool,
    Policy,
    Bundle,
}

impl Kind {
    fn format(self) -> FormatKind {
        match self {
            Kind::Agent => FormatKind::Agent,
            Kind::Tool => FormatKind::Tool,
            Kind::Policy => FormatKind::Policy,
            Kind::Bundle => FormatKind::Bundle,
        }
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if let Some(Verb::Contains(args)) = &args.verb {
        return contains::run(args, context);
    }
    let schema = publish::format_schema(args.kind.map(Kind::format));
    context.printer.line(&text::pretty(&schema))?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use publish::FormatKind;

    use super::Kind;

    #[test]
    fn a_word_for_every_kind() {
        let words = Kind::value_variants().iter().map(|kind| {
            let word = kind.to_possible_value().unwrap().get_name().to_owned();
            assert_eq!(word, kind.format().as_str().to_lowercase());
            kind.format()
        });
        assert_eq!(words.collect::<Vec<_>>(), FormatKind::ALL);
    }
}
