//! `approvals approve`: a vote for a call, as proposed or with other arguments.

use std::path::{Path, PathBuf};

use proto::runtime::v1::{ApprovalDecision, DecideApprovalRequest};
use spec::Json;

use super::decide;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::Output;

const ARGS_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Approve a call.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain approvals approve 6f1c --comment \"checked with the customer\"\n  ordain approvals approve 6f1c --args smaller.json"
)]
pub(crate) struct Args {
    approval_id: String,
    /// Why; kept with the vote.
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    comment: String,
    /// File with the JSON that replaces the call's arguments.
    #[arg(long, value_name = "FILE")]
    args: Option<PathBuf>,
    /// Say that the request was read and understood, where the policy asks for that.
    #[arg(long)]
    comprehension: bool,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let request = DecideApprovalRequest {
        approval_id: args.approval_id,
        decision: ApprovalDecision::Approve.into(),
        comment: args.comment,
        args: args
            .args
            .as_deref()
            .map(read_args)
            .transpose()?
            .unwrap_or_default(),
        comprehension_acknowledged: args.comprehension,
        actor: String::new(),
    };
    decide::run(request, args.output.format, context).await
}

fn read_args(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |why: std::io::Error| Failure::new(Exit::Failed, "read args file").because(&why);
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > ARGS_BYTES_MAX {
        return Err(failed(std::io::Error::other(format!(
            "it has {size} bytes"
        ))));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    Json::parse(&bytes)
        .map_err(|why| Failure::new(Exit::Usage, "args file must contain JSON").because(&why))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::read_args;

    #[test]
    fn the_file_holds_json() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("args.json");
        std::fs::write(&file, r#"{"amount":1}"#).unwrap();
        assert_eq!(read_args(&file).unwrap(), br#"{"amount":1}"#);
        std::fs::write(&file, "{").unwrap();
        assert_eq!(
            read_args(&file).unwrap_err().message,
            "args file must contain JSON"
        );
        let missing = read_args(&folder.path().join("none")).unwrap_err();
        assert_eq!(
            (missing.message.as_str(), missing.causes.len()),
            ("read args file", 1)
        );
    }
}
