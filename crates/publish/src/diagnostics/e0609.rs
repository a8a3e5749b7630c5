//! Two allow-lists that nothing passes both of.
//!
//! Every allow-list that reaches a call must hold, so every call of the tool is denied.

use spec::snapshot::Identity;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0609");

pub(crate) fn disjoint(at: &Location, other: &Identity, tool: &str) -> Diagnostic {
    let message = format!("no call of {tool} passes both this allow-list and {other}");
    at.warning(CODE, message)
        .with_help("give one of them a scope, or let them share some values")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn no_common_value() {
        let allow = |name: &str, values: &str| {
            format!(
                "apiVersion: phrony.com/v1\nkind: Policy\nmetadata: {{name: {name}, namespace: pay, version: 1.0.0}}\nspec:\n  conditions: {{field: order, op: in, value: {values}}}\n  decision: {{type: allow}}\n"
            )
        };
        let bundle = sample()
            .edit("agent.yaml", "- pay.limit", "- pay.one\n        - pay.two")
            .without("policies/limit.yaml")
            .file("policies/one.yaml", allow("one", "[A-1, A-2]"))
            .file("policies/two.yaml", allow("two", "[A-3]"));
        bundle.check(expect![[r#"
            warning[E0609]: no call of `refund` passes both this allow-list and pay.two@1.0.0
             --> policies/one.yaml:4:1
              |
            4 | spec:
              | ^^^^ spec
              |
              = help: give one of them a scope, or let them share some values

        "#]]);
    }
}
