//! The same version of a Tool or Policy is in the bundle and in the catalog, with different content.
//!
//! A version is one content for ever: whoever reads `pay.refund@1.2.0` in a session's record must
//! not have to ask which of two it was. Every version that the bundle has of a document that the
//! agent refers to is compared.

use spec::DocumentKind;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0310");

pub(crate) fn differs(
    at: &Location,
    kind: DocumentKind,
    id: &str,
    differences: &[String],
) -> Diagnostic {
    at.error(
        CODE,
        format!("{kind} `{id}` is in the catalog with other content"),
    )
    .with_help(format!(
        "{} differs: give this one another version, or take it out and use the catalog's",
        differences.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::{Shelf, sample};

    #[test]
    fn two_contents() {
        let shelf = Shelf::default().tools(&["1.2.0"]);
        let bundle = sample().edit("tools/refund.yaml", "Pay money back.", "Pay it back.");
        shelf.check(&bundle, expect![[r#"
            error[E0310]: Tool `pay.refund@1.2.0` is in the catalog with other content
             --> tools/refund.yaml:4:9
              |
            4 |   name: refund
              |         ^^^^^^ metadata.name
              |
              = help: /spec/description differs: give this one another version, or take it out and use the catalog's

        "#]]);
    }
}
