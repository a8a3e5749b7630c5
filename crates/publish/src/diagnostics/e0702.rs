//! A secret that is unknown, or missing.
//!
//! A secret is declared under `secrets` with the environment variable that the client reads it from
//! when a session starts: `secrets: {openai: {fromEnv: OPENAI_API_KEY}}`. `model.secret` names one of
//! them; without it the one that is named after the provider is taken.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0702");

pub(crate) fn unknown(at: &Location, name: &str, known: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(name, known.iter().copied())
        .unwrap_or_else(|| format!("declare it: `secrets: {{{name}: {{fromEnv: VARIABLE}}}}`"));
    at.error(CODE, format!("there is no secret `{name}`"))
        .with_help(help)
}

pub(crate) fn none_for_provider(at: &Location, provider: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("none of the secrets is meant for the provider `{provider}`"),
    )
    .with_help(format!(
        "name one with `spec.model.secret`, or call one `{provider}`"
    ))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn unknown() {
        let bundle = sample()
            .edit(
                "agent.yaml",
                "name: scripted",
                "name: scripted\n    secret: modle",
            )
            .append("agent.yaml", "secrets: {model: {fromEnv: MODEL_KEY}}\n");
        bundle.check(expect![[r#"
            error[E0702]: there is no secret `modle`
              --> agent.yaml:14:13
               |
            14 |     secret: modle
               |             ^^^^^ spec.model.secret
               |
               = help: did you mean `model`?

        "#]]);
    }

    #[test]
    fn none_for_provider() {
        let bundle = sample()
            .edit("agent.yaml", "provider: stub", "provider: openai")
            .append("agent.yaml", "secrets: {model: {fromEnv: MODEL_KEY}}\n");
        bundle.check(expect![[r#"
            warning[E0701]: this version cannot run the provider `openai` yet
              --> agent.yaml:12:15
               |
            12 |     provider: openai
               |               ^^^^^^ spec.model.provider
               |
               = help: `stub` runs a script, without any model

            error[E0702]: none of the secrets is meant for the provider `openai`
              --> agent.yaml:12:15
               |
            12 |     provider: openai
               |               ^^^^^^ spec.model.provider
               |
               = help: name one with `spec.model.secret`, or call one `openai`

        "#]]);
    }
}
