//! A version written with something that is not part of it.
//!
//! A leading `v` is passed over, here and in references alike. Build metadata after `+` is passed
//! over too: `1.0.0+a` and `1.0.0+b` are one version, and cannot both be published.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0211");

pub(crate) fn normalised(at: &Location, text: &str, version: &str) -> Diagnostic {
    at.warning(CODE, format!("`{text}` is read as version {version}"))
        .with_help(format!("write {version}"))
}

pub(crate) fn prefixed(at: &Location, text: &str, plain: &str) -> Diagnostic {
    at.warning(CODE, format!("`{text}` is read as `{plain}`"))
        .with_help(format!("write {plain}"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn more_than_the_version() {
        let bundle = sample().edit("agent.yaml", "version: 1.0.0", "version: v1.0.0+a");
        bundle.check(expect![[r#"
            warning[E0211]: `v1.0.0+a` is read as version 1.0.0
             --> agent.yaml:6:12
              |
            6 |   version: v1.0.0+a
              |            ^^^^^^^^ metadata.version
              |
              = help: write 1.0.0

        "#]]);
    }

    #[test]
    fn in_a_reference() {
        let bundle = sample().edit("agent.yaml", "pay.refund@^1.0", "pay.refund@>=v1.0 <V2");
        bundle.check(expect![[r#"
            warning[E0211]: `>=v1.0 <V2` is read as `>=1.0 <2`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@>=v1.0 <V2
               |            ^^^^^^^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: write >=1.0 <2

        "#]]);
    }
}
