//! A value of the right type that breaks a rule of its field: a malformed name, an empty text, a
//! limit of zero, a number out of range.
//!
//! A limit of zero or below never means "no limit"; leave the field out for that.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0205");

pub(crate) fn empty(at: &Location) -> Diagnostic {
    at.error(CODE, "the text is empty")
        .with_help("write something, or leave the field out where it is optional")
}

pub(crate) fn count(at: &Location, found: &str, max: u64) -> Diagnostic {
    let too_large = found.parse::<u128>().is_ok_and(|it| it > u128::from(max));
    let rule = if !too_large && (max == u64::MAX || max == u64::from(u32::MAX)) {
        "a whole number of at least 1".to_owned()
    } else {
        format!("a whole number from 1 to {max}")
    };
    at.error(CODE, format!("expected {rule}, found {found}"))
        .with_help(format!("write {rule}, or leave the field out"))
}

pub(crate) fn too_many(at: &Location, what: &str, max: usize) -> Diagnostic {
    at.error(CODE, format!("more than {max} {what}"))
        .with_help(format!("write at most {max}"))
}

pub(crate) fn malformed(at: &Location, what: &str, value: &str, rule: &str) -> Diagnostic {
    at.error(CODE, format!("`{value}` is not {what}"))
        .with_help(rule)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn limits() {
        let bundle = sample().append(
            "agent.yaml",
            "  limits: {max_tool_calls: 0, max_tokens_per_run: -1, max_loop_iterations: 1.5}\n",
        );
        bundle.check(expect![[r#"
            error[E0205]: expected a whole number of at least 1, found 0
              --> agent.yaml:19:28
               |
            19 |   limits: {max_tool_calls: 0, max_tokens_per_run: -1, max_loop_iterations: 1.5}
               |                            ^ spec.limits.max_tool_calls
               |
               = help: write a whole number of at least 1, or leave the field out

            error[E0205]: expected a whole number of at least 1, found -1
              --> agent.yaml:19:51
               |
            19 |   limits: {max_tool_calls: 0, max_tokens_per_run: -1, max_loop_iterations: 1.5}
               |                                                   ^^ spec.limits.max_tokens_per_run
               |
               = help: write a whole number of at least 1, or leave the field out

            error[E0205]: expected a whole number of at least 1, found 1.5
              --> agent.yaml:19:76
               |
            19 |   limits: {max_tool_calls: 0, max_tokens_per_run: -1, max_loop_iterations: 1.5}
               |                                                                            ^^^ spec.limits.max_loop_iterations
               |
               = help: write a whole number of at least 1, or leave the field out

        "#]]);
    }

    #[test]
    fn names() {
        let bundle = sample()
            .edit("agent.yaml", "name: clerk", "name: Clerk")
            .edit("agent.yaml", "as: refund", "as: refund money")
            .edit("policies/limit.yaml", "Too much.", "\"\"");
        bundle.check(expect![[r#"
            error[E0205]: `Clerk` is not a name
             --> agent.yaml:4:9
              |
            4 |   name: Clerk
              |         ^^^^^ metadata.name
              |
              = help: write lower-case letters, digits and `-`, at most 63, beginning and ending with a letter or digit

            error[E0205]: `refund money` is not a name for the model
              --> agent.yaml:16:11
               |
            16 |       as: refund money
               |           ^^^^^^^^^^^^ spec.tools[0].as
               |
               = help: write letters, digits, `_` and `-`, at most 64 of them

            error[E0205]: the text is empty
              --> policies/limit.yaml:14:13
               |
            14 |     reason: ""
               |             ^^ spec.decision.reason
               |
               = help: write something, or leave the field out where it is optional

        "#]]);
    }
}
