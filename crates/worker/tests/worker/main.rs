//! The worker against a runtime that is told, by each test, exactly what to do.

mod calls;
mod drain;
mod exec;
mod reconnect;
mod support;
