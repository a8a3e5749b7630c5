//! Seeded worlds, faults and invariants: whole runs of the real state machine, driver and worker
//! registry, with crashes, lost replies, dying workers and impatient people, in milliseconds.
//!
//! Invariant: no clock, no thread, no IO; a seed decides everything. It knows nothing of SQL, gRPC
//! or providers.

pub mod chaos;
pub mod crash_everywhere;
pub mod invariants;
pub mod journal;
pub mod scenario;
pub mod simulation;
mod steps;
mod worker;
mod world;
