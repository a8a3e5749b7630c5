//! The demo's worker, a process of its own. Pays nobody: it writes down that a handler started, and
//! answers. Knows the orders of the story.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use worker::{Backoff, Concurrency, Invocation, ToolError, Worker};

use super::witness::{self, Start};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::lifeline;

/// The tools that it serves, with their versions.
pub(super) const TOOLS: [(&str, &str); 2] = [
    ("orders.look-up-order", "1.0.0"),
    ("payments.issue-refund", "1.0.0"),
];

/// A demo does not wait as long as a worker in earnest.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(50),
    max: Duration::from_millis(400),
    settled_after: Duration::from_millis(1),
};

/// The demo's worker.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long, value_name = "ADDR")]
    runtime: String,
    #[arg(long, value_name = "FILE")]
    witness: PathBuf,
}

pub(crate) async fn run(args: Args) -> Result<Exit, Failure> {
    let failed = |why: &dyn std::error::Error| Failure::new(Exit::Failed, "work").because(why);
    let [(look_up, look_up_version), (refund, refund_version)] = TOOLS;
    let (first, second) = (args.witness.clone(), args.witness);
    let worker = Worker::builder("demo-worker")
        .runtime(args.runtime)
        .backoff(BACKOFF)
        .tool(look_up, look_up_version, Concurrency(1), move |call| {
            handle(call, first.clone(), order)
        })
        .tool(refund, refund_version, Concurrency(1), move |call| {
            handle(call, second.clone(), paid)
        })
        .build()
        .map_err(|why| failed(&why))?;
    let drained = worker.run(lifeline::cut()).await;
    drained
        .map(|_drained| Exit::Done)
        .map_err(|why| failed(&why))
}

async fn handle(
    call: Invocation,
    witness: PathBuf,
    answer: fn(&Value) -> Value,
) -> Result<Value, ToolError> {
    let args = call.json()?;
    note(&call, &args, &witness)?;
    Ok(answer(&args))
}

fn note(call: &Invocation, args: &Value, file: &Path) -> Result<(), ToolError> {
    let start = Start {
        tool: call.tool.clone(),
        order: args["order_id"].as_str().unwrap_or_default().to_owned(),
        call: call.call_id.clone(),
    };
    witness::append(file, &start).map_err(|why| ToolError::new("no_witness", why.to_string()))
}

fn order(args: &Value) -> Value {
    json!({ "order_id": args["order_id"], "state": "arrived damaged", "paid": 40, "currency": "EUR" })
}

fn paid(args: &Value) -> Value {
    json!({ "order_id": args["order_id"], "amount": args["amount"], "currency": args["currency"], "state": "refunded" })
}
