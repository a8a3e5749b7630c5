//! A version constraint outside the grammar.
//!
//! Exact versions (`1.2.3`, `=1.2.3`); `^1.2`, `~1.2`, `>1.2`, `>=1.2`, `<2`, `<=2.1`; `1`, `1.2`,
//! `1.x`, `*`. A space or a comma means that both must hold, `||` that one is enough. A leading `v`
//! is passed over. Anything else is refused, so that no constraint is read as something it is not.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0304");

pub(crate) fn malformed(at: &Location, text: &str, why: &str, example: &str) -> Diagnostic {
    at.error(CODE, format!("`{text}` is not a version constraint: {why}"))
        .with_help(format!("write `{example}`, say"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn hyphen() {
        let bundle = sample().edit("agent.yaml", "pay.refund@^1.0", "pay.refund@1.2 - 1.4");
        bundle.check(expect![[r#"
            error[E0304]: `1.2 - 1.4` is not a version constraint: ranges are not written with a hyphen
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@1.2 - 1.4
               |            ^^^^^^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: write `>=1.2 <=1.4`, say

        "#]]);
    }

    #[test]
    fn latest() {
        let bundle = sample().edit("agent.yaml", "pay.refund@^1.0", "pay.refund@latest");
        bundle.check(expect![[r#"
            error[E0304]: `latest` is not a version constraint: `latest` is not a version
              --> agent.yaml:15:12
               |
            15 |     - ref: pay.refund@latest
               |            ^^^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: write `^1.2`, say

        "#]]);
    }
}
