//! The state machine through its public door: inputs in, events and refusals out.

mod approvals;
mod availability;
mod bench;
mod calls;
mod contracts;
mod events;
mod evidence;
mod failures;
mod limits;
mod output;
mod terminal;
