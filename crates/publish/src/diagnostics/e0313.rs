//! A document that the catalog does not take.
//!
//! The catalog holds Tools and Policies. Agents are published with `agents publish`, Bundles with
//! `bundles publish`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0313");

pub(crate) fn neither(at: &Location, kind: &str) -> Diagnostic {
    let message = if kind.is_empty() {
        "the document does not say its kind".to_owned()
    } else {
        format!("the catalog takes no `{kind}`")
    };
    let help = match kind {
        "Agent" => "publish an Agent with `agents publish`",
        "Bundle" => "publish a Bundle with `bundles publish`",
        _ => "write `kind: Tool` or `kind: Policy`",
    };
    at.error(CODE, message).with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::Catalog;
    use crate::tests::sample;

    #[test]
    fn an_agent() {
        sample().check_document(
            &Catalog::default(),
            "agent.yaml",
            expect![[r#"
            error[E0313]: the catalog takes no `Agent`
             --> agent.yaml:2:7
              |
            2 | kind: Agent
              |       ^^^^^ kind
              |
              = help: publish an Agent with `agents publish`

        "#]],
        );
    }

    #[test]
    fn nothing() {
        let bundle = sample().edit("tools/refund.yaml", "kind: Tool\n", "");
        bundle.check_document(
            &Catalog::default(),
            "tools/refund.yaml",
            expect![[r#"
            error[E0313]: the document does not say its kind
             --> tools/refund.yaml:1:1
              |
            1 | apiVersion: phrony.com/v1
              | ^^^^^^^^^^
              |
              = help: write `kind: Tool` or `kind: Policy`

        "#]],
        );
    }
}
