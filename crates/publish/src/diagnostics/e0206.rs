//! A field that belongs somewhere else.
//!
//! A Tool is a contract: addresses, credentials and code stay in the worker that serves it, so that
//! a manifest can be shown to anyone and moved anywhere. A binding on an Agent refers to a Tool and
//! narrows it; what defines the Tool is written in the Tool. Rules are Policy documents.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0206");

pub(crate) fn belongs_elsewhere(at: &Location, key: &str, what: &str, place: &str) -> Diagnostic {
    at.error(CODE, format!("`{key}` does not belong in {what}"))
        .with_help(place)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn on_a_tool() {
        let bundle = sample().append("tools/refund.yaml", "  endpoint: https://pay.example.com\n");
        bundle.check(expect![[r#"
            error[E0206]: `endpoint` does not belong in a Tool's spec
              --> tools/refund.yaml:12:3
               |
            12 |   endpoint: https://pay.example.com
               |   ^^^^^^^^ spec.endpoint
               |
               = help: a Tool is a contract; where and how it runs is known to the worker that serves it

        "#]]);
    }

    #[test]
    fn on_an_agent() {
        let bundle = sample().append("agent.yaml", "  policies: []\n  hitl: {}\n");
        bundle.check(expect![[r#"
            error[E0206]: `policies` does not belong in an Agent's spec
              --> agent.yaml:19:3
               |
            19 |   policies: []
               |   ^^^^^^^^ spec.policies
               |
               = help: write rules as `kind: Policy` documents in policies/, and attach them with `default_policies` or on a binding

            error[E0206]: `hitl` does not belong in an Agent's spec
              --> agent.yaml:20:3
               |
            20 |   hitl: {}
               |   ^^^^ spec.hitl
               |
               = help: approval and escalation are `decision` blocks of Policy documents in policies/

        "#]]);
    }

    #[test]
    fn on_a_binding() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "name: refund\n      version: 1.0.0",
        );
        bundle.check(expect![[r#"
            error[E0206]: `name` does not belong in a binding
              --> agent.yaml:16:7
               |
            16 |       name: refund
               |       ^^^^ spec.tools[0].name
               |
               = help: `ref` names the Tool, and `as` the name that the model sees

            error[E0206]: `version` does not belong in a binding
              --> agent.yaml:17:7
               |
            17 |       version: 1.0.0
               |       ^^^^^^^ spec.tools[0].version
               |
               = help: write it in `ref`: namespace.name@^1.0

        "#]]);
    }
}
