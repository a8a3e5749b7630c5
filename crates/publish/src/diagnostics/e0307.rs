//! Two documents of one kind with the same namespace, name and version.
//!
//! Nobody could say which of them a reference means. Build metadata does not tell versions apart.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0307");

pub(crate) fn same_identity(at: &Location, kind: &str, id: &str, other: &str) -> Diagnostic {
    at.error(CODE, format!("{kind} `{id}` is in {other} too"))
        .with_help("give one of them another version, or take it out")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn build_metadata_tells_nothing_apart() {
        let bundle = {
            let twin = sample().text("tools/refund.yaml").unwrap();
            sample().file(
                "tools/twin.yaml",
                twin.replace("version: 1.2.0", "version: 1.2.0+b"),
            )
        };
        bundle.check(expect![[r#"
            error[E0307]: Tool `pay.refund@1.2.0` is in tools/refund.yaml too
             --> tools/twin.yaml:4:9
              |
            4 |   name: refund
              |         ^^^^^^ metadata.name
              |
              = help: give one of them another version, or take it out

            warning[E0211]: `1.2.0+b` is read as version 1.2.0
             --> tools/twin.yaml:6:12
              |
            6 |   version: 1.2.0+b
              |            ^^^^^^^ metadata.version
              |
              = help: write 1.2.0

        "#]]);
    }
}
