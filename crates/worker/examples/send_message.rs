//! A worker for the agent that `ordain init` begins: it serves `default.send-message` and prints
//! what it is asked to send. Ctrl-C ends it.
//!
//! `cargo run -p worker --example send_message`

use worker::{Concurrency, Invocation, Worker};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let worker = Worker::builder("mailer-1")
        .tool(
            "default.send-message",
            "0.1.0",
            Concurrency(1),
            |call: Invocation| async move {
                println!("{} {}", call.call_id, call.json()?);
                Ok(serde_json::json!({ "sent": true }))
            },
        )
        .build()?;
    let left_behind = worker.run(std::future::pending()).await?;
    println!("{left_behind:?}");
    Ok(())
}
