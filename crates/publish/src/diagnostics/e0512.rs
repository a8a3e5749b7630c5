//! An overlay of a deployment that cannot be laid over the published version.
//!
//! An overlay may add policies, narrow schemas and make classes stricter, for one runtime only. It
//! speaks of the tools that the version has, and under the name of a policy of the version nothing
//! else may come in.

use spec::snapshot::Identity;

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0512");

pub(crate) fn says_nothing(at: &Location) -> Diagnostic {
    at.error(CODE, "the overlay changes nothing")
        .with_help("deploy the version without an overlay, or write what should be narrower")
}

pub(crate) fn another_policy(at: &Location, id: &Identity) -> Diagnostic {
    at.error(
        CODE,
        format!("the published version has another policy of the name {id}"),
    )
    .with_help("give this one a version of its own")
}

pub(crate) fn unknown_tool(at: &Location, name: &str, known: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(name, known.iter().copied())
        .unwrap_or_else(|| format!("the agent calls {}", known.join(", ")));
    at.error(CODE, format!("the published version has no tool `{name}`"))
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use expect_test::expect;

    use crate::tests::sample;
    use crate::{Catalog, overlay, render};

    #[test]
    fn refused() {
        let snapshot = sample().compile().snapshot.unwrap();
        let drawn = |text: &str| {
            let bundle = sample().file("overlay.yaml", text);
            let (catalog, none) = (Catalog::default(), BTreeSet::new());
            let files = bundle.files();
            let found = overlay(&files, &catalog, "overlay.yaml", &snapshot, &none);
            render(&found.diagnostics, &|path| bundle.text(path), false)
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
            error[E0512]: the overlay changes nothing
             --> overlay.yaml:1:1
              |
            1 | policies: []
              | ^^^^^^^^
              |
              = help: deploy the version without an overlay, or write what should be narrower

        "#]]
        .assert_eq(&drawn("policies: []\n"));
        expect![[r#"
            error[E0504]: `refund` would take arguments that `shop.clerk@1.0.0` refuses: {"amount":"","order":"A-0"}
             --> overlay.yaml:3:51
              |
            3 |     input_schema: {inline: {properties: {amount: {type: [number, string]}}}}
              |                                                   ^^^^ tools.refund.input_schema.inline.properties.amount.type
              |
              = help: write what the Tool takes there, `type: "number"`, or less

        "#]].assert_eq(&drawn(
            "tools:\n  refund:\n    input_schema: {inline: {properties: {amount: {type: [number, string]}}}}\n",
        ));
    }
}
