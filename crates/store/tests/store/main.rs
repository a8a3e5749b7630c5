//! The store as its callers see it.

#![expect(
    clippy::expect_used,
    reason = "in a test, what does not work is a failure"
)]

mod catalog;
mod crash;
mod documents;
mod group;
mod lifecycle;
mod lists;
mod log;
mod lost;
mod open;
mod suite;
mod world;
