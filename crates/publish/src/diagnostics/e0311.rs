//! A reference for which the catalog has only a deprecated version.
//!
//! Deprecated versions are passed over as long as another one satisfies the reference. Where none
//! does, the deprecated one is pinned, so that what worked yesterday can still be published.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0311");

pub(crate) fn deprecated(at: &Location, label: &str, constraint: Option<&str>) -> Diagnostic {
    let nothing_else = match constraint {
        Some(constraint) => format!("nothing else satisfies `{constraint}`"),
        None => "there is no other".to_owned(),
    };
    at.warning(CODE, format!("`{label}` is deprecated, and {nothing_else}"))
        .with_help("move to a version that is kept up")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::{Shelf, sample};

    #[test]
    fn only_choice() {
        let shelf = Shelf::default().deprecated("1.2.0").tools(&["2.0.0"]);
        let bundle = sample().without("tools/refund.yaml");
        shelf.check(
            &bundle,
            expect![[r#"
            warning[E0311]: `pay.refund@1.2.0` is deprecated, and nothing else satisfies `^1.0`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^1.0
               |            ^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: move to a version that is kept up

        "#]],
        );
    }
}
