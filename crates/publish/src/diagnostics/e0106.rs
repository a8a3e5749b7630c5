//! A file holds exactly one document.
//!
//! A second one after `---` would be easy to overlook; give it a file of its own. A file with
//! nothing but comments holds none.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0106");

pub(crate) fn second_document(at: &Location) -> Diagnostic {
    let line = at.span.map_or(0, |span| span.line);
    at.error(CODE, format!("a second document begins on line {line}"))
        .with_help("give it a file of its own")
}

pub(crate) fn no_document(at: &Location) -> Diagnostic {
    at.error(CODE, "the file holds no document")
}
