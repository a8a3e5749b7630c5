//! The daemon through its public door: real gRPC on loopback, the real store in a temporary folder,
//! workers made with the SDK or by hand. Nothing sleeps: every wait is for an event.

mod bad_input;
mod bed;
mod calls;
mod catalog;
mod documents;
mod enforced;
mod interactive;
mod lifecycle;
mod many;
mod overlays;
mod publishing;
mod seeds;
mod services;
mod snapshot;
mod workers;
