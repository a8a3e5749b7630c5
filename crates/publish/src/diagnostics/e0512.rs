//! An overlay of a deployment that is not proven to narrow what was published.
//!
//! An overlay may add policies, narrow schemas and make classes stricter, for one runtime only. This
//! version reads it and finds its mistakes, but does not prove yet that it narrows, so it deploys
//! none.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0512");

pub(crate) fn not_proven(at: &Location) -> Diagnostic {
    at.error(
        CODE,
        "not yet proven: this version cannot show that an overlay only narrows",
    )
    .with_help("deploy the version without an overlay, or publish a version with these rules")
}

pub(crate) fn unknown_tool(at: &Location, name: &str, known: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(name, known.iter().copied())
        .unwrap_or_else(|| format!("the agent calls {}", known.join(", ")));
    at.error(CODE, format!("the published version has no tool `{name}`"))
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;
    use crate::{check_overlay, render};

    #[test]
    fn refused() {
        let snapshot = sample().compile().snapshot.unwrap();
        let drawn = |overlay: &str| {
            let bundle = sample().file("overlay.yaml", overlay);
            let found = check_overlay(&bundle.files(), "overlay.yaml", &snapshot);
            render(&found, &|path| bundle.text(path), false)
        };
        // error[E0512]
        expect![[r#"
            error[E0512]: the published version has no tool `refunds`
             --> overlay.yaml:2:3
              |
            2 |   refunds:
              |   ^^^^^^^ tools.refunds
              |
              = help: did you mean `refund`?

        "#]]
        .assert_eq(&drawn("tools:\n  refunds:\n    policies: [pay.limit]\n"));
        expect![[r#"
            error[E0512]: not yet proven: this version cannot show that an overlay only narrows
             --> overlay.yaml:1:1
              |
            1 | policies: [pay.limit]
              | ^^^^^^^^
              |
              = help: deploy the version without an overlay, or publish a version with these rules

        "#]]
        .assert_eq(&drawn("policies: [pay.limit]\n"));
    }
}
