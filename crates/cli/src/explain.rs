//! `explain`: what a diagnostic's code means. Knows nothing but where the text is.

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::text::quoted;

/// Say what a diagnostic's code means and how to mend it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain explain E0203")]
pub(crate) struct Args {
    /// A code such as E0203.
    code: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let text = publish::explain(args.code.trim()).ok_or_else(|| {
        let message = format!("there is no diagnostic {}", quoted(&args.code));
        Failure::new(Exit::NotFound, message)
    })?;
    context.printer.line(text.trim_end())?;
    Ok(Exit::Done)
}
