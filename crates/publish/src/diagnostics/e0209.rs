//! A number that is written in a way that readers disagree about, or that cannot be kept exactly.
//!
//! Numbers are written in base ten, without leading zeros, and are finite; they keep every digit.
//! `010` is ten to some readers and eight to others.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0209");

pub(crate) fn odd(at: &Location, text: &str, why: &str) -> Diagnostic {
    at.error(CODE, format!("`{text}` is no number that we take: {why}"))
        .with_help(format!(
            "write a plain number, or quote it if text is meant: \"{text}\""
        ))
}

pub(crate) fn bad_json(at: &Location, error: &spec::NumberError) -> Diagnostic {
    at.error(CODE, error.to_string())
        .with_help("write a number of at most 1000 digits in base ten, without leading zeros")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn odd() {
        let bundle = sample()
            .append("agent.yaml", "  limits: {max_tool_calls: 010}\n")
            .edit("policies/limit.yaml", "value: 1000", "value: .inf");
        bundle.check(expect![[r#"
            error[E0209]: `010` is no number that we take: readers disagree about leading zeros
              --> agent.yaml:19:28
               |
            19 |   limits: {max_tool_calls: 010}
               |                            ^^^ spec.limits.max_tool_calls
               |
               = help: write a plain number, or quote it if text is meant: "010"

            error[E0209]: `.inf` is no number that we take: only finite numbers are allowed
              --> policies/limit.yaml:11:12
               |
            11 |     value: .inf
               |            ^^^^ spec.conditions.value
               |
               = help: write a plain number, or quote it if text is meant: ".inf"

        "#]]);
    }

    #[test]
    fn too_long() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"maximum\": 1e2000}",
        );
        bundle.check(expect![[r#"
            error[E0209]: number out of range (more than 1000 digits or an exponent beyond ±1000)
             --> schemas/refund.json:5:27
              |
            5 |     "amount": {"maximum": 1e2000},
              |                           ^ properties.amount.maximum
              |
              = help: write a number of at most 1000 digits in base ten, without leading zeros

        "#]]);
    }
}
