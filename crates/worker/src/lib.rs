//! The Rust SDK for tool workers: registers handlers with a runtime, runs the calls that it sends and
//! delivers their results. Knows the wire messages of `proto`; nothing of how the runtime decides,
//! stores or routes.
//!
//! Invariants: a call id is never started twice while it runs or its result is held; a result is held
//! until the runtime acknowledges it, across any number of reconnects; what happened to a handler that
//! was given up on is never guessed, so nothing is reported for it.
//!
//! ```no_run
//! use worker::{Concurrency, Invocation, ToolError, Worker};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let worker = Worker::builder("worker-1")
//!     .runtime("http://127.0.0.1:7777")
//!     .tool("orders.count", "1.0.0", Concurrency(4), |call: Invocation| async move {
//!         let ids: Vec<String> = call.parse()?;
//!         if ids.is_empty() {
//!             return Err(ToolError::new("no_orders", "name at least one order"));
//!         }
//!         Ok(serde_json::json!({ "count": ids.len() }))
//!     })
//!     .build()?;
//! worker.run(std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```

mod backoff;
mod builder;
mod calls;
mod connection;
mod drain;
pub mod exec;
mod handler;
mod invocation;
mod run;

pub use backoff::Backoff;
pub use builder::{BuildError, Builder, Worker};
pub use drain::Drained;
pub use exec::ExecTool;
pub use handler::{Concurrency, ToolError};
pub use invocation::{Invocation, SideEffectClass};
pub use run::RunError;
