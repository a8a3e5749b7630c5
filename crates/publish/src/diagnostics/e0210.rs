//! A version that is not a semantic version.
//!
//! Versions are `major.minor.patch`, with a pre-release after `-` where wanted: `1.4.0`,
//! `2.0.0-rc.1`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0210");

pub(crate) fn not_semver(at: &Location, text: &str) -> Diagnostic {
    at.error(CODE, format!("`{text}` is not a semantic version"))
        .with_help("write major.minor.patch, \"1.0.0\" say")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn short() {
        let bundle = sample().edit("agent.yaml", "version: 1.0.0", "version: \"1.0\"");
        bundle.check(expect![[r#"
            error[E0210]: `1.0` is not a semantic version
             --> agent.yaml:6:12
              |
            6 |   version: "1.0"
              |            ^^^^^ metadata.version
              |
              = help: write major.minor.patch, "1.0.0" say

        "#]]);
    }
}
