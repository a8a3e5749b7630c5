//! A binding that does not say which versions of its Tool it accepts.
//!
//! The highest stable version is taken, so a new version of the Tool changes the agent the next
//! time that it is published.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0308");

pub(crate) fn no_constraint(at: &Location, id: &str, version: &semver::Version) -> Diagnostic {
    at.warning(
        CODE,
        format!("`{id}` names no versions; {version}, the highest stable one, is taken"),
    )
    .with_help(format!("write `{id}@^{version}`"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn bare() {
        let bundle = sample().edit("agent.yaml", "pay.refund@^1.0", "pay.refund");
        bundle.check(expect![[r#"
            warning[E0308]: `pay.refund` names no versions; 1.2.0, the highest stable one, is taken
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund
               |            ^^^^^^^^^^ spec.tools[0].ref
               |
               = help: write `pay.refund@^1.2.0`

        "#]]);
    }
}
