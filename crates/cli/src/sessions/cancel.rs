//! `sessions cancel`: stops a session.

use proto::runtime::v1::CancelSessionRequest;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::escape;

/// Stop a session; nothing more of it is run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ordain sessions cancel run_0198")]
pub(crate) struct Args {
    session_id: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let runtime = Runtime::dial(context).await?;
    let request = CancelSessionRequest {
        session_id: args.session_id.clone(),
    };
    let answer = runtime.api().cancel_session(request).await;
    answer.map_err(runtime.failed("cancel session"))?;
    context
        .printer
        .line(&format!("cancelled {}", escape::inline(&args.session_id)))?;
    Ok(Exit::Done)
}
