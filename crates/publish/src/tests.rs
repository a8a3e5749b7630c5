//! Tests of whole bundles, and what the tests beside the code share.

mod bundle;
mod catalog;
mod closures;
mod delegations;
mod golden;
mod guide;
mod policies;
mod readers;
mod robust;
mod schemas;
mod seeds;
mod shelf;
mod versions;

pub(crate) use bundle::{Bundle, desk, sample};
pub(crate) use shelf::Shelf;
