//! The daemon: settings, gRPC services, worker connections, session actors, timers.
//!
//! Invariant: nothing is decided here. Decisions are made by `session`, moved by `runtime`'s driver
//! and registry, kept by `store`; the daemon moves bytes between them and the wire.

mod actors;
mod clock;
mod config;
mod logging;
mod models;
mod plans;
mod rpc;
mod runtime_world;
mod serve;
mod watchers;
mod wire;
mod workers;

pub use config::{Config, ConfigError};
pub use serve::{Daemon, ServeError, run};
