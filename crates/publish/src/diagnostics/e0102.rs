//! A file is larger or nested deeper than any document has reason to be.
//!
//! Publishing accepts sources from other machines, so what it reads is bounded: 4 MiB a file, 128
//! levels of nesting, 250 000 keys and values.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0102");

pub(crate) fn too_large(at: &Location, bytes_max: usize) -> Diagnostic {
    at.error(CODE, format!("the file is larger than {bytes_max} bytes"))
}

pub(crate) fn too_deep(at: &Location, depth_max: usize) -> Diagnostic {
    at.error(CODE, format!("nested deeper than {depth_max} levels"))
}

pub(crate) fn too_many(at: &Location, nodes_max: usize) -> Diagnostic {
    at.error(CODE, format!("the file holds more than {nodes_max} keys and values"))
}
