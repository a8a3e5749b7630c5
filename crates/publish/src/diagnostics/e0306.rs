//! A Tool or Policy is there, but in no version that the constraint allows.
//!
//! A pre-release is taken only where the constraint names a pre-release of the same
//! `major.minor.patch`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0306");

pub(crate) fn none_satisfies(
    at: &Location,
    id: &str,
    constraint: &str,
    there: &[String],
) -> Diagnostic {
    let pre = there.iter().rev().find(|it| it.contains('-'));
    let help = match pre {
        Some(pre) => format!(
            "there is {}; to take the pre-release, name it: `{id}@{pre}`",
            there.join(", ")
        ),
        None => format!("there is {}", there.join(", ")),
    };
    at.error(
        CODE,
        format!("no version of `{id}` satisfies `{constraint}`"),
    )
    .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn too_old() {
        let bundle = sample().edit("agent.yaml", "@^1.0", "@^2");
        bundle.check(expect![[r#"
            error[E0306]: no version of `pay.refund` satisfies `^2`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^2
               |            ^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: there is 1.2.0

        "#]]);
    }

    #[test]
    fn prerelease() {
        let bundle = sample().edit(
            "tools/refund.yaml",
            "version: 1.2.0",
            "version: 1.1.0-beta.1",
        );
        bundle.check(expect![[r#"
            error[E0306]: no version of `pay.refund` satisfies `^1.0`
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@^1.0
               |            ^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: there is 1.1.0-beta.1; to take the pre-release, name it: `pay.refund@1.1.0-beta.1`

        "#]]);
    }
}
