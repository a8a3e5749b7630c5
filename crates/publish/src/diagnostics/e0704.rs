//! The value of a secret, written out.
//!
//! A manifest is shown to reviewers, sent to servers and kept in history; it names the environment
//! variable that holds a secret and never the value: `secrets: {openai: {fromEnv: OPENAI_API_KEY}}`.
//! The line is not drawn, so that the value does not end up in a build log as well.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0704");

pub(crate) fn written_out(at: &Location, key: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("`{key}`: a manifest never holds the value of a secret"),
    )
    .with_help("write `fromEnv: VARIABLE`, and consider the value known to others")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn written_out() {
        let bundle = sample().append("agent.yaml", "secrets: {model: {value: sk-123}}\n");
        bundle.check(expect![[r#"
            error[E0704]: `value`: a manifest never holds the value of a secret
            --> agent.yaml:19:19
             = help: write `fromEnv: VARIABLE`, and consider the value known to others

        "#]]);
    }

    #[test]
    fn nor_for_another_mistake_on_its_line() {
        let bundle = sample().append("agent.yaml", "secrets: {Model: {value: sk-123}}\n");
        bundle.check(expect![[r#"
            error[E0205]: `Model` is not the name of a secret
            --> agent.yaml:19:11
             = help: begin with a lower-case letter and go on with such letters, digits, `_` and `-`

            error[E0704]: `value`: a manifest never holds the value of a secret
            --> agent.yaml:19:19
             = help: write `fromEnv: VARIABLE`, and consider the value known to others

        "#]]);
    }
}
