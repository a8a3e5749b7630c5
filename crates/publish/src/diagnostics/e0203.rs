//! A value of another type than the one that is due.
//!
//! YAML reads an unquoted `1.10` as the number 1.1 and an unquoted `true` as a truth value. Where
//! text is due, quote it: `version: "1.10.0"`. An empty value is null and not empty text; leave the
//! field out or give it a value.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0203");

pub(crate) fn found(at: &Location, due: &str, found: &str) -> Diagnostic {
    let help = match due {
        "a list" => "write a list: `[...]`, or entries that begin with `- `".to_owned(),
        "a map" => "write a map: `{...}`, or fields below it".to_owned(),
        "a number" => "write a number, without quotes".to_owned(),
        due => format!("write {due}"),
    };
    let help = if found == "nothing" {
        format!("{help}, or leave the field out where it is optional")
    } else {
        help
    };
    at.error(CODE, format!("expected {due}, found {found}"))
        .with_help(help)
}

pub(crate) fn null(at: &Location, due: &str) -> Diagnostic {
    found(at, due, "nothing")
        .with_help("give it a value, or leave the field out where it is optional")
}

pub(crate) fn quote_it(at: &Location, text: &str, reads_as: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("expected text, but YAML reads an unquoted `{text}` as {reads_as}"),
    )
    .with_help(format!("quote it: \"{text}\""))
}

pub(crate) fn key_not_text(at: &Location) -> Diagnostic {
    found(at, "text as a key", "a map or a list").with_help("write a plain word as the key")
}

pub(crate) fn key_needs_quotes(at: &Location, key: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("expected text as a key, but YAML reads an unquoted `{key}` as something else"),
    )
    .with_help(format!("quote it: \"{key}\""))
}

pub(crate) fn folded_op(at: &Location) -> Diagnostic {
    at.error(CODE, "an unquoted `>` opens a block of text here")
        .with_help("write `op: gt`, or quote it: \">\"")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn unquoted() {
        let bundle = sample()
            .edit("agent.yaml", "version: 1.0.0", "version: 1.10")
            .edit("agent.yaml", "Settle refunds.", "42")
            .edit("policies/limit.yaml", "Too much.", "true")
            .edit("tools/refund.yaml", "Pay money back.", "");
        bundle.check(expect![[r#"
            error[E0203]: expected text, but YAML reads an unquoted `1.10` as a number
             --> agent.yaml:6:12
              |
            6 |   version: 1.10
              |            ^^^^ metadata.version
              |
              = help: quote it: "1.10"

            error[E0203]: expected text, but YAML reads an unquoted `42` as a number
             --> agent.yaml:8:12
              |
            8 |   purpose: 42
              |            ^^ spec.purpose
              |
              = help: quote it: "42"

            error[E0203]: expected text, but YAML reads an unquoted `true` as true or false
              --> policies/limit.yaml:14:13
               |
            14 |     reason: true
               |             ^^^^ spec.decision.reason
               |
               = help: quote it: "true"

            error[E0203]: expected text, found nothing
             --> tools/refund.yaml:8:14
              |
            8 |   description: 
              |              ^ spec.description
              |
              = help: give it a value, or leave the field out where it is optional

        "#]]);
    }

    #[test]
    fn key() {
        let bundle = sample().append("agent.yaml", "  limits: {1: 2, [a]: 3}\n");
        bundle.check(expect![[r#"
            error[E0203]: expected text as a key, but YAML reads an unquoted `1` as something else
              --> agent.yaml:19:12
               |
            19 |   limits: {1: 2, [a]: 3}
               |            ^ spec.limits.1
               |
               = help: quote it: "1"

            error[E0203]: expected text as a key, found a map or a list
              --> agent.yaml:19:18
               |
            19 |   limits: {1: 2, [a]: 3}
               |                  ^^^ spec.limits
               |
               = help: write a plain word as the key

        "#]]);
    }

    #[test]
    fn folded_operator() {
        let bundle = sample().edit("policies/limit.yaml", "op: gt", "op: >");
        bundle.check(expect![[r#"
            error[E0203]: an unquoted `>` opens a block of text here
              --> policies/limit.yaml:10:5
               |
            10 |     op: >
               |     ^^ spec.conditions.op
               |
               = help: write `op: gt`, or quote it: ">"

        "#]]);
    }
}
