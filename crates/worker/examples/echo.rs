//! A worker that answers each call of `demo.echo` with its arguments. Ctrl-C drains it.
//!
//! `cargo run -p worker --example echo -- 127.0.0.1:7777`

use worker::{Concurrency, Invocation, Worker};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = std::env::args().nth(1);
    let worker = Worker::builder("echo-1")
        .runtime(runtime.unwrap_or_else(|| "127.0.0.1:7777".to_owned()))
        .tool(
            "demo.echo",
            "1.0.0",
            Concurrency(4),
            |call: Invocation| async move {
                println!("{} {}", call.call_id, String::from_utf8_lossy(&call.args));
                Ok(call.json()?)
            },
        )
        .build()?;
    let drained = worker
        .run(async {
            // Without signals the worker just runs on.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
        .await?;
    println!("{drained:?}");
    Ok(())
}
