//! A document that cannot stand by itself: with everything that it refers to by file written into
//! it, it is too large or too deep.
//!
//! All versions of a document are looked at when a reference to it is resolved, so one has at most
//! 1 MiB.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0314");

pub(crate) fn too_large(at: &Location, bytes: usize, bytes_max: usize) -> Diagnostic {
    at.error(
        CODE,
        format!("the document has {bytes} bytes with its schemas in it, and may have {bytes_max}"),
    )
    .with_help("make its schemas smaller")
}

pub(crate) fn does_not_read_back(at: &Location, why: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("with its schemas in it the document cannot be read: {why}"),
    )
    .with_help("make its schemas smaller, or nest them less")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::Catalog;
    use crate::tests::sample;

    #[test]
    fn large() {
        let text = "x".repeat(1024 * 1024);
        let schema = format!(r#"{{"type": "object", "description": "{text}"}}"#);
        let bundle = sample().file("schemas/refund.json", schema);
        bundle.check_document(&Catalog::default(), "tools/refund.yaml", expect![[r#"
            error[E0314]: the document has 1048830 bytes with its schemas in it, and may have 1048576
             --> tools/refund.yaml:1:1
              |
            1 | apiVersion: phrony.com/v1
              | ^
              |
              = help: make its schemas smaller

        "#]]);
    }

    #[test]
    fn deep() {
        let deep = format!("{}{}", "[".repeat(126), "]".repeat(126));
        let schema = format!(r#"{{"type": "object", "default": {deep}}}"#);
        let bundle = sample().file("schemas/refund.json", schema);
        bundle.check_document(&Catalog::default(), "tools/refund.yaml", expect![[r#"
            error[E0314]: with its schemas in it the document cannot be read: nested deeper than 128 levels
             --> tools/refund.yaml:1:1
              |
            1 | apiVersion: phrony.com/v1
              | ^
              |
              = help: make its schemas smaller, or nest them less

        "#]]);
    }
}
