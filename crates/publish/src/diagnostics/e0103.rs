//! The text is not YAML (or, in a `.json` file, not JSON).
//!
//! Frequent causes: a tab used as indentation, a value that holds `: ` and is not quoted, a bracket
//! or quote that is never closed, a key indented further than its neighbours.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0103");

pub(crate) fn syntax(at: &Location, why: &str) -> Diagnostic {
    at.error(CODE, format!("syntax error: {why}"))
}

pub(crate) fn tab(at: &Location) -> Diagnostic {
    at.error(CODE, "syntax error: a tab where indentation is due")
        .with_help("indent with spaces")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn colon() {
        let bundle = sample().edit("agent.yaml", "Be fair.", "Be: fair.");
        bundle.check(expect![[r#"
            error[E0103]: syntax error: mapping values are not allowed in this context
              --> agent.yaml:10:13
               |
            10 |     text: Be: fair.
               |             ^

        "#]]);
    }

    #[test]
    fn tab() {
        let bundle = sample().edit("policies/limit.yaml", "    op: gt", "\top: gt");
        bundle.check(expect![[r#"
            error[E0103]: syntax error: a tab where indentation is due
              --> policies/limit.yaml:10:1
               |
            10 |     op: gt
               | ^
               |
               = help: indent with spaces

        "#]]);
    }

    #[test]
    fn json() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "\"required\": [\"order\", \"amount\"],",
            "\"required\": [\"order\", \"amount\",],",
        );
        bundle.check(expect![[r#"
            error[E0103]: syntax error: expected a JSON value
             --> schemas/refund.json:8:34
              |
            8 |   "required": ["order", "amount",],
              |                                  ^

        "#]]);
    }
}
