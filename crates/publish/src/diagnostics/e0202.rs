//! A field that the format demands is missing.
//!
//! The place shown is the map that lacks it.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0202");

pub(crate) fn missing(at: &Location, key: &str, what: &str) -> Diagnostic {
    let help = match key {
        "apiVersion" => "add `apiVersion: phrony.com/v1`".to_owned(),
        "version" => "add `version`, \"1.0.0\" say".to_owned(),
        key => format!("add `{key}` here"),
    };
    at.error(CODE, format!("{what} lacks the field `{key}`"))
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn nested() {
        let bundle = sample().edit("policies/limit.yaml", "    type: deny\n", "");
        bundle.check(expect![[r#"
            error[E0202]: a decision lacks the field `type`
              --> policies/limit.yaml:12:3
               |
            12 |   decision:
               |   ^^^^^^^^ spec.decision
               |
               = help: add `type` here

        "#]]);
    }

    #[test]
    fn top() {
        let bundle = sample().edit("policies/limit.yaml", "apiVersion: phrony.com/v1\n", "");
        bundle.check(expect![[r#"
            error[E0202]: a Policy lacks the field `apiVersion`
             --> policies/limit.yaml:1:1
              |
            1 | kind: Policy
              | ^^^^
              |
              = help: add `apiVersion: phrony.com/v1`

        "#]]);
    }

    #[test]
    fn list_element() {
        let bundle = sample().edit(
            "agent.yaml",
            "- ref: pay.refund@^1.0\n      as: refund",
            "- as: refund",
        );
        bundle.check(expect![[r#"
            error[E0202]: a binding lacks the field `ref`
              --> agent.yaml:15:7
               |
            15 |     - as: refund
               |       ^^ spec.tools[0]
               |
               = help: add `ref` here

        "#]]);
    }
}
