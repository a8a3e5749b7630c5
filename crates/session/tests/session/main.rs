//! The state machine through its public door: inputs in, events and refusals out.

mod approvals;
mod bench;
mod calls;
mod contracts;
mod events;
mod limits;
