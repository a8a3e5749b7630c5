//! `sessions complete`: ends a session that waits for input.

use proto::runtime::v1::CompleteSessionRequest;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::escape;

/// End a session that waits for input, as completed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain sessions complete run_0198")]
pub(crate) struct Args {
    session_id: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let runtime = Runtime::dial(context).await?;
    let request = CompleteSessionRequest {
        session_id: args.session_id.clone(),
    };
    let answer = runtime.api().complete_session(request).await;
    answer.map_err(runtime.failed("complete session"))?;
    context
        .printer
        .line(&format!("completed {}", escape::inline(&args.session_id)))?;
    Ok(Exit::Done)
}
