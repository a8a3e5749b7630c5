//! The text is not YAML (or, in a `.json` file, not JSON).
//!
//! Control characters, a carriage return without a line feed among them, and directives other than
//! `%YAML 1.2` are refused too: what they do to a text cannot be seen.
//!
//! Frequent causes: a tab used as indentation, a value that holds `: ` and is not quoted, a bracket
//! or quote that is never closed, a key indented further than its neighbours.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0103");

pub(crate) fn syntax(at: &Location, why: &str) -> Diagnostic {
    let unquoted = ["unexpected character", "are not allowed in this context"];
    let help = if unquoted.iter().any(|it| why.contains(it)) {
        "quote text that holds `: `, or that begins with a sign; or look at the indentation"
    } else {
        "look for a quote, a bracket or an indentation that is off here or just above"
    };
    at.error(CODE, format!("syntax error: {why}"))
        .with_help(help)
}

pub(crate) fn tab(at: &Location) -> Diagnostic {
    at.error(CODE, "syntax error: a tab where indentation is due")
        .with_help("indent with spaces")
}

pub(crate) fn tab_after_colon(at: &Location) -> Diagnostic {
    at.error(CODE, "syntax error: a tab where a space is due")
        .with_help("write one space after the colon")
}

pub(crate) fn control(at: &Location, found: char) -> Diagnostic {
    let number = u32::from(found);
    at.error(
        CODE,
        format!("syntax error: the control character U+{number:04X}"),
    )
    .with_help(format!(
        "take it out, or write it as an escape in double quotes: \"\\u{number:04x}\""
    ))
}

pub(crate) fn directive(at: &Location, text: &str) -> Diagnostic {
    at.error(CODE, format!("the directive `{text}` is not taken"))
        .with_help("take the line out: every file is read as YAML 1.2, without tags")
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
               |
               = help: quote text that holds `: `, or that begins with a sign; or look at the indentation

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
              |
              = help: look for a quote, a bracket or an indentation that is off here or just above

        "#]]);
    }
}
