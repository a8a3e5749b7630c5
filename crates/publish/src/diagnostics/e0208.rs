//! Fields of which exactly one, or at most one, may be given.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0208");

pub(crate) fn exactly_one(at: &Location, of: &[&str], found: usize) -> Diagnostic {
    let found = if found == 0 { "none is here" } else { "there are several" };
    at.error(CODE, format!("expected exactly one of {}; {found}", list(of)))
}

pub(crate) fn at_most_one(at: &Location, of: &[&str]) -> Diagnostic {
    at.error(CODE, format!("expected at most one of {}", list(of)))
}

fn list(of: &[&str]) -> String {
    let quoted: Vec<_> = of.iter().map(|it| format!("`{it}`")).collect();
    quoted.join(", ")
}
