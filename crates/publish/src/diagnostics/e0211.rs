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
}
