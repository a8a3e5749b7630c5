//! A name that is let through unproven, where that makes no sense.
//!
//! `--allow-unproven` takes the names of tools as the model calls them, and is meant for those of
//! which it cannot be told whether they only narrow.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0520");

pub(crate) fn unknown(at: &Location, name: &str, known: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(name, known.iter().copied())
        .unwrap_or_else(|| format!("the agent calls {}", known.join(", ")));
    let message = format!("`{name}` is let through unproven, and the agent has no such tool");
    at.error(CODE, message).with_help(help)
}

pub(crate) fn needless(at: &Location, name: &str) -> Diagnostic {
    let message = format!("`{name}` is let through unproven, and there was nothing left to prove");
    at.warning(CODE, message)
        .with_help(format!("leave `--allow-unproven {name}` out"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use expect_test::expect;

    use crate::tests::sample;
    use crate::{Catalog, compile_allowing, render};

    #[test]
    fn names() {
        let bundle = sample();
        let unproven = BTreeSet::from(["refund".to_owned(), "refunds".to_owned()]);
        let catalog = Catalog::default();
        let found = compile_allowing(&bundle.files(), &catalog, "agent.yaml", &unproven);
        expect![[r#"
            warning[E0520]: `refund` is let through unproven, and there was nothing left to prove
            --> agent.yaml
             = help: leave `--allow-unproven refund` out

            error[E0520]: `refunds` is let through unproven, and the agent has no such tool
            --> agent.yaml
             = help: did you mean `refund`?

        "#]]
        .assert_eq(&render(
            &found.diagnostics,
            &|path| bundle.text(path),
            false,
        ));
    }
}
