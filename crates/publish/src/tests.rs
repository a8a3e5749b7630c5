//! Tests of whole bundles, and what the tests beside the code share.

mod bundle;
mod golden;
mod lists;
mod yaml_cases;

pub(crate) use bundle::{Bundle, sample};
