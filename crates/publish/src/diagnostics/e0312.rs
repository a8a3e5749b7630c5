//! A document of the catalog is not what it is filed under.
//!
//! What the catalog holds under an id and a version says the same in its own metadata. Where it does
//! not, the catalog has been tampered with or damaged, and nothing is published on its word.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0312");

pub(crate) fn misfiled(at: &Location, says: Option<&str>) -> Diagnostic {
    let says = says.unwrap_or("no sound id and version");
    at.error(
        CODE,
        format!("the catalog holds another document here: {says}"),
    )
    .with_help("name another version, and have the catalog looked at")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::{Shelf, sample};

    #[test]
    fn another_version() {
        let shelf = Shelf::default().misfiled("1.4.0", "1.2.0");
        let bundle = sample().without("tools/refund.yaml");
        shelf.check(
            &bundle,
            expect![[r#"
            error[E0312]: the catalog holds another document here: pay.refund@1.2.0
            --> catalog:pay.refund@1.4.0
             = help: name another version, and have the catalog looked at

        "#]],
        );
    }

    #[test]
    fn no_version() {
        let shelf = Shelf::default().misfiled("latest", "1.2.0");
        let bundle = sample().without("tools/refund.yaml");
        shelf.check(
            &bundle,
            expect![[r#"
            error[E0305]: there is no Tool `pay.refund`, neither in tools/ nor in the catalog
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^1.0
               |            ^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: did you mean `pay.refund`?

            error[E0312]: the catalog holds another document here: no sound id and version
            --> catalog:pay.refund@latest
             = help: name another version, and have the catalog looked at

        "#]],
        );
    }
}
