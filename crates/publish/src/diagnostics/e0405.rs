//! An input schema that has keywords for objects and does not say `type: object`.
//!
//! In JSON Schema such a schema accepts every text and number too. `type: object` is added.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0405");

pub(crate) fn type_added(at: &Location) -> Diagnostic {
    at.warning(CODE, "the schema does not say `type: object`; it is added")
        .with_help("write `type: object`")
}
