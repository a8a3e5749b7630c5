//! A policy whose scope reaches nothing that it is attached to.
//!
//! It would never apply, although it looks as if it did.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0601");

pub(crate) fn reaches_nothing(at: &Location, scope: &str, attached: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("the scope `{scope}` reaches nothing: the policy is attached to {attached}"),
    )
    .with_help("correct the scope, or attach the policy where it should apply")
}

pub(crate) fn malformed(at: &Location, scope: &str) -> Diagnostic {
    at.error(CODE, format!("`{scope}` is not a scope"))
        .with_help("write `tool:namespace.name` (the last segment may be `*`), `agent`, `limit` or `dispatch`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn another_tool() {
        let bundle = sample()
            .edit(
                "policies/limit.yaml",
                "spec:\n",
                "spec:\n  scope: tool:pay.undo\n",
            )
            .edit(
                "agent.yaml",
                "      policies:\n        - pay.limit\n",
                "  default_policies: [pay.limit]\n",
            );
        bundle.check(expect![[r#"
            error[E0601]: the scope `tool:pay.undo` reaches nothing: the policy is attached to the Agent
             --> policies/limit.yaml:8:10
              |
            8 |   scope: tool:pay.undo
              |          ^^^^^^^^^^^^^ spec.scope
              |
              = help: correct the scope, or attach the policy where it should apply

        "#]]);
    }

    #[test]
    fn malformed() {
        let bundle = sample().edit("policies/limit.yaml", "spec:\n", "spec:\n  scope: tools\n");
        bundle.check(expect![[r#"
            error[E0601]: `tools` is not a scope
             --> policies/limit.yaml:8:10
              |
            8 |   scope: tools
              |          ^^^^^ spec.scope
              |
              = help: write `tool:namespace.name` (the last segment may be `*`), `agent`, `limit` or `dispatch`

        "#]]);
    }
}
