//! A model provider that this version knows and cannot run yet.
//!
//! The agent can be published; starting a session fails until the provider is there.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0701");

pub(crate) fn not_yet(at: &Location, provider: &str) -> Diagnostic {
    at.warning(
        CODE,
        format!("this version cannot run the provider `{provider}` yet"),
    )
    .with_help("`stub` runs a script, without any model")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn known() {
        let bundle = sample().edit("agent.yaml", "provider: stub", "provider: anthropic");
        bundle.check(expect![[r#"
            warning[E0701]: this version cannot run the provider `anthropic` yet
              --> agent.yaml:12:15
               |
            12 |     provider: anthropic
               |               ^^^^^^^^^ spec.model.provider
               |
               = help: `stub` runs a script, without any model

        "#]]);
    }
}
