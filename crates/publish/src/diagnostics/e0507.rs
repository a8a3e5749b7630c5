//! `on_failure: retry` on a tool whose calls must not run again by themselves.
//!
//! Only `read_only` and `idempotent_write` calls are retried: what a failed call of another class has
//! done already, nobody knows. Let a person decide with `on_failure: escalate`, or leave the field
//! out, so that the agent is told.

use spec::SideEffectClass;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0507");

pub(crate) fn never_retried(at: &Location, class: SideEffectClass) -> Diagnostic {
    at.error(CODE, format!("a `{class}` call is never retried"))
        .with_help("write `escalate` to have a person decide, or leave the field out")
}

pub(crate) fn retried_no_more(at: &Location, class: SideEffectClass) -> Diagnostic {
    at.warning(
        CODE,
        format!("as `{class}` a failed call is returned to the agent: the Tool's `on_failure: retry` is for classes that may run again"),
    )
    .with_help("leave `side_effect_class` out on the binding to keep the retries")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn of_a_dangerous_class() {
        let bundle = sample().append("tools/refund.yaml", "  on_failure: retry\n");
        bundle.check(expect![[r#"
            error[E0507]: a `non_idempotent_write` call is never retried
              --> tools/refund.yaml:12:15
               |
            12 |   on_failure: retry
               |               ^^^^^ spec.on_failure
               |
               = help: write `escalate` to have a person decide, or leave the field out

        "#]]);
        for sound in ["return_to_agent", "escalate", "fail"] {
            let bundle = sample().append("tools/refund.yaml", &format!("  on_failure: {sound}\n"));
            assert!(bundle.codes().is_empty(), "{sound}");
        }
    }

    #[test]
    fn bound_as_a_dangerous_class() {
        let bundle = sample()
            .edit(
                "tools/refund.yaml",
                "non_idempotent_write",
                "idempotent_write",
            )
            .append("tools/refund.yaml", "  on_failure: retry\n");
        assert!(bundle.codes().is_empty());
        let narrowed = bundle.edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      side_effect_class: irreversible_action",
        );
        narrowed.check(expect![[r#"
            warning[E0507]: as `irreversible_action` a failed call is returned to the agent: the Tool's `on_failure: retry` is for classes that may run again
              --> agent.yaml:17:26
               |
            17 |       side_effect_class: irreversible_action
               |                          ^^^^^^^^^^^^^^^^^^^ spec.tools[0].side_effect_class
               |
               = help: leave `side_effect_class` out on the binding to keep the retries

        "#]]);
    }
}
