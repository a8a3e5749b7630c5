//! An allow-list that lets calls through which another policy asks a person about.
//!
//! The approval is asked for all the same: an allow-list never takes one away. Who reads only the
//! allow-list may believe otherwise.

use spec::snapshot::Identity;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0610");

pub(crate) fn overlap(at: &Location, asks: &Identity, tool: &str, example: &str) -> Diagnostic {
    let message = format!(
        "the allow-list lets calls of {tool} through that {asks} asks a person about, such as {example}"
    );
    at.warning(CODE, message)
        .with_help("nothing is wrong if that is meant; else leave them out of the allow-list")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn allowed_and_asked() {
        let bundle = sample()
            .edit("agent.yaml", "- pay.limit", "- pay.limit\n        - pay.orders")
            .edit("policies/limit.yaml", "type: deny", "type: require_approval")
            .file(
                "policies/orders.yaml",
                "apiVersion: phrony.com/v1\nkind: Policy\nmetadata: {name: orders, namespace: pay, version: 1.0.0}\nspec:\n  conditions: {field: order, op: matches, value: '^A-[0-9]+$'}\n  decision: {type: allow}\n",
            );
        bundle.check(expect![[r#"
            warning[E0610]: the allow-list lets calls of `refund` through that pay.limit@1.0.0 asks a person about, such as {"amount":1001,"order":"A-0"}
             --> policies/orders.yaml:4:1
              |
            4 | spec:
              | ^^^^ spec
              |
              = help: nothing is wrong if that is meant; else leave them out of the allow-list

        "#]]);
    }

    /// What the first tool rules out may be true of the next.
    #[test]
    fn on_the_second_of_two_tools() {
        let second = "        - pay.limit\n        - pay.orders\n    - ref: pay.again@^1.0\n      as: whole\n      policies:\n        - pay.limit\n        - pay.orders";
        let tool = sample().text("tools/refund.yaml").unwrap();
        let bundle = sample()
            .file("tools/again.yaml", tool.replace("name: refund", "name: again"))
            .edit("agent.yaml", "        - pay.limit", second)
            .edit(
                "agent.yaml",
                "as: refund",
                "as: refund\n      input_schema: {inline: {properties: {amount: {maximum: 10}}}}",
            )
            .edit("policies/limit.yaml", "type: deny", "type: require_approval")
            .file(
                "policies/orders.yaml",
                "apiVersion: phrony.com/v1\nkind: Policy\nmetadata: {name: orders, namespace: pay, version: 1.0.0}\nspec:\n  conditions: {field: order, op: matches, value: '^A-[0-9]+$'}\n  decision: {type: allow}\n",
            );
        bundle.check(expect![[r#"
            warning[E0610]: the allow-list lets calls of `whole` through that pay.limit@1.0.0 asks a person about, such as {"amount":1001,"order":"A-0"}
             --> policies/orders.yaml:4:1
              |
            4 | spec:
              | ^^^^ spec
              |
              = help: nothing is wrong if that is meant; else leave them out of the allow-list

        "#]]);
    }
}
