//! The Rust SDK for tool workers.
