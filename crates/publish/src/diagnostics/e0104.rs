//! An anchor (`&name`), an alias (`*name`), a merge key (`<<`) or a tag (`!name`).
//!
//! With these, a change in one place changes what another place means, and the difference that a
//! reviewer reads no longer shows what will run. Write the value out where it is used.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0104");

const HELP: &str = "write the value out here, so that a reviewer sees what runs";

pub(crate) fn anchor(at: &Location) -> Diagnostic {
    at.error(CODE, "anchors are not allowed").with_help(HELP)
}

pub(crate) fn alias(at: &Location) -> Diagnostic {
    at.error(CODE, "aliases are not allowed").with_help(HELP)
}

pub(crate) fn merge_key(at: &Location) -> Diagnostic {
    at.error(CODE, "merge keys are not allowed").with_help(HELP)
}

pub(crate) fn tag(at: &Location) -> Diagnostic {
    at.error(CODE, "tags are not allowed")
        .with_help("text that begins with `!` needs quotes, as in \"!=\"")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn anchor_alias_and_tag() {
        let bundle = sample()
            .edit("agent.yaml", "Settle refunds.", "&purpose Settle refunds.")
            .edit("agent.yaml", "Be fair.", "*purpose")
            .edit("policies/limit.yaml", "Too much.", "!!str Too much.");
        bundle.check(expect![[r#"
            error[E0104]: anchors are not allowed
             --> agent.yaml:8:12
              |
            8 |   purpose: &purpose Settle refunds.
              |            ^^^^^^^^^^^^^^^^^^^^^^^^ spec.purpose
              |
              = help: write the value out here, so that a reviewer sees what runs

            error[E0104]: aliases are not allowed
              --> agent.yaml:10:11
               |
            10 |     text: *purpose
               |           ^^^^^^^^ spec.instructions.text
               |
               = help: write the value out here, so that a reviewer sees what runs

            error[E0104]: tags are not allowed
              --> policies/limit.yaml:14:13
               |
            14 |     reason: !!str Too much.
               |             ^^^^^^^^^^^^^^^ spec.decision.reason
               |
               = help: text that begins with `!` needs quotes, as in "!="

        "#]]);
    }

    #[test]
    fn unquoted_operator() {
        let bundle = sample().edit("policies/limit.yaml", "op: gt", "op: !=");
        bundle.check(expect![[r#"
            error[E0104]: tags are not allowed
              --> policies/limit.yaml:10:9
               |
            10 |     op: !=
               |         ^^ spec.conditions.op
               |
               = help: text that begins with `!` needs quotes, as in "!="

        "#]]);
    }

    #[test]
    fn merge_key() {
        let bundle = sample().append(
            "agent.yaml",
            "  limits: {<<: {on_limit: halt}, max_tool_calls: 5}\n",
        );
        bundle.check(expect![[r#"
            error[E0104]: merge keys are not allowed
              --> agent.yaml:19:12
               |
            19 |   limits: {<<: {on_limit: halt}, max_tool_calls: 5}
               |            ^^ spec.limits."<<"
               |
               = help: write the value out here, so that a reviewer sees what runs

        "#]]);
    }
}
