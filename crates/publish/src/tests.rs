//! Tests of whole bundles, and what the tests beside the code share.

mod bundle;
mod catalog;
mod golden;
mod policies;
mod readers;
mod robust;
mod schemas;
mod seeds;
mod shelf;
mod versions;

pub(crate) use bundle::sample;
pub(crate) use shelf::Shelf;
