//! A policy that a denial always forestalls.
//!
//! Every call to which it applies is denied by another policy, so it never decides anything.

use spec::snapshot::Identity;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0608");

pub(crate) fn shadowed(at: &Location, by: &Identity, tools: &str) -> Diagnostic {
    let message =
        format!("whatever the policy matches among the calls of {tools} is denied by {by}");
    at.warning(CODE, message)
        .with_help("take the policy out, or narrow the denial")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn an_approval_of_what_is_denied() {
        let bundle = sample()
            .edit("agent.yaml", "- pay.limit", "- pay.limit\n        - pay.ask")
            .file(
                "policies/ask.yaml",
                "apiVersion: phrony.com/v1\nkind: Policy\nmetadata: {name: ask, namespace: pay, version: 1.0.0}\nspec:\n  conditions: {field: amount, op: gte, value: 2000}\n  decision: {type: require_approval}\n",
            );
        bundle.check(expect![[r#"
            warning[E0608]: whatever the policy matches among the calls of `refund` is denied by pay.limit@1.0.0
             --> policies/ask.yaml:4:1
              |
            4 | spec:
              | ^^^^ spec
              |
              = help: take the policy out, or narrow the denial

        "#]]);
    }

    /// The schema is read with what it refers to, and what it says of its own root is of no other.
    #[test]
    fn in_a_schema_that_refers_to_itself() {
        let bundle = sample()
            .edit("agent.yaml", "- pay.limit", "- pay.limit\n        - pay.ask")
            .file(
                "schemas/refund.json",
                r##"{"type": "object", "additionalProperties": false, "required": ["amount", "order"], "properties": {"amount": {"$ref": "#/$defs/amount"}, "order": {"type": "string"}}, "$defs": {"amount": {"type": "integer", "minimum": 0}}}"##,
            )
            .file(
                "policies/ask.yaml",
                "apiVersion: phrony.com/v1\nkind: Policy\nmetadata: {name: ask, namespace: pay, version: 1.0.0}\nspec:\n  conditions: {field: amount, op: gte, value: 2000}\n  decision: {type: require_approval}\n",
            );
        bundle.check(expect![[r#"
            warning[E0608]: whatever the policy matches among the calls of `refund` is denied by pay.limit@1.0.0
             --> policies/ask.yaml:4:1
              |
            4 | spec:
              | ^^^^ spec
              |
              = help: take the policy out, or narrow the denial

        "#]]);
    }
}
