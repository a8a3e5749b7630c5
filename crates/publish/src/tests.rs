//! Tests of whole bundles, and what the tests beside the code share.

mod bundle;
mod golden;
mod policies;
mod readers;
mod robust;
mod schemas;
mod seeds;
mod versions;

pub(crate) use bundle::{Bundle, sample};
