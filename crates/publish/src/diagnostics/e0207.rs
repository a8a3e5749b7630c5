//! Something that the format has and that this version of the runtime does not enforce yet.
//!
//! It is refused and not carried along: a document must never promise a check that nobody makes.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0207");

pub(crate) fn not_yet(at: &Location, what: &str) -> Diagnostic {
    at.error(CODE, format!("{what} is not supported by this version yet"))
        .with_help("take it out; it would not be enforced")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn on_a_tool() {
        let bundle = sample().append(
            "tools/refund.yaml",
            "  available_when: []\n  strict: true\n  on_failure: retry\n",
        );
        bundle.check(expect![[r#"
            error[E0507]: a `non_idempotent_write` call is never retried
              --> tools/refund.yaml:14:15
               |
            14 |   on_failure: retry
               |               ^^^^^ spec.on_failure
               |
               = help: write `escalate` to have a person decide, or leave the field out

        "#]]);
    }

    #[test]
    fn on_an_agent() {
        let bundle = sample().append(
            "agent.yaml",
            "  limits: {on_limit: escalate, max_cost: 3}\noutput: {format: json, schema: {}}\n",
        );
        bundle.check(expect![[r#"
            error[E0207]: `on_limit: escalate` is not supported by this version yet
              --> agent.yaml:19:22
               |
            19 |   limits: {on_limit: escalate, max_cost: 3}
               |                      ^^^^^^^^ spec.limits.on_limit
               |
               = help: take it out; it would not be enforced

            error[E0207]: `max_cost` is not supported by this version yet
              --> agent.yaml:19:32
               |
            19 |   limits: {on_limit: escalate, max_cost: 3}
               |                                ^^^^^^^^ spec.limits.max_cost
               |
               = help: take it out; it would not be enforced

            error[E0208]: expected exactly one of `inline`, `ref`; none is here
              --> agent.yaml:20:24
               |
            20 | output: {format: json, schema: {}}
               |                        ^^^^^^ output.schema
               |
               = help: write one of them: `inline`, `ref`

        "#]]);
    }
}
