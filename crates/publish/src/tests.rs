//! Tests of whole bundles, and what the tests beside the code share.

mod bundle;
mod cases;
mod cases_schemas;
mod catalog;
mod closures;
mod delegations;
pub(crate) mod disk;
mod docs;
mod format;
mod golden;
mod guide;
mod policies;
mod readers;
mod render;
mod robust;
mod rules;
mod schemas;
mod seeds;
mod shelf;

pub(crate) use bundle::{Bundle, desk, sample};
pub(crate) use shelf::Shelf;
