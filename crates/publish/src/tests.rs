//! Tests of whole bundles, and what the tests beside the code share.

mod bundle;
mod closures;
mod delegations;
mod golden;
mod guide;
mod policies;
mod readers;
mod robust;
mod rules;
mod schemas;
mod seeds;
mod versions;

pub(crate) use bundle::{Bundle, desk, sample};
