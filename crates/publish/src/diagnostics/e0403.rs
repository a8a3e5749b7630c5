//! A `$ref` that leads out of the schema.
//!
//! References inside the document (`#/$defs/money`) are followed. A remote one is never fetched:
//! what a contract says must not depend on a server.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0403");

pub(crate) fn remote(at: &Location, target: &str) -> Diagnostic {
    at.error(CODE, format!("the remote reference `{target}` is never fetched"))
        .with_help("copy the schema under `$defs` and refer to it as `#/$defs/NAME`")
}

pub(crate) fn dangling(at: &Location, target: &str) -> Diagnostic {
    at.error(CODE, format!("the reference `{target}` leads nowhere in this schema"))
}
