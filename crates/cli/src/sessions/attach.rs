//! `sessions attach`: shows a session as it goes on, and says things to its agent.

use crate::attach::{self, Begun};
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Show a session as it goes on, and talk to its agent.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain sessions attach run_0198\n  echo \"go on\" | ordain sessions attach run_0198\n\nA line of stdin is one message, read when the agent waits for it. Ctrl-D ends the input, Ctrl-C\nleaves; the session goes on."
)]
pub(crate) struct Args {
    session_id: String,
    /// Plain text, which is the only view there is [env: PHRONY_NO_TUI].
    #[arg(long)]
    no_tui: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let Args {
        session_id,
        no_tui: _,
    } = args;
    let runtime = Runtime::dial(context).await?;
    attach::attach(&runtime, &session_id, Begun::Elsewhere, context).await
}
