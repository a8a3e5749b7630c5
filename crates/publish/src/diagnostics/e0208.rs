//! Fields of which exactly one, or at most one, may be given.
//!
//! Each of them says the same thing in another way, and two could disagree.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0208");

pub(crate) fn exactly_one(at: &Location, of: &[&str], found: usize) -> Diagnostic {
    let found = if found == 0 {
        "none is here"
    } else {
        "there are several"
    };
    let help = format!("write one of them: {}", list(of));
    at.error(
        CODE,
        format!("expected exactly one of {}; {found}", list(of)),
    )
    .with_help(help)
}

pub(crate) fn at_most_one(at: &Location, of: &[&str]) -> Diagnostic {
    at.error(CODE, format!("expected at most one of {}", list(of)))
        .with_help("keep one of them")
}

fn list(of: &[&str]) -> String {
    let quoted: Vec<_> = of.iter().map(|it| format!("`{it}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn none() {
        let bundle = sample().edit("agent.yaml", "text: Be fair.", "{}");
        bundle.check(expect![[r#"
            error[E0208]: expected exactly one of `text`, `ref`; none is here
             --> agent.yaml:9:3
              |
            9 |   instructions:
              |   ^^^^^^^^^^^^ spec.instructions
              |
              = help: write one of them: `text`, `ref`

        "#]]);
    }

    #[test]
    fn several() {
        let bundle = sample().edit(
            "agent.yaml",
            "text: Be fair.",
            "text: Be fair.\n    ref: prompts/fair",
        );
        bundle.check(expect![[r#"
            error[E0208]: expected exactly one of `text`, `ref`; there are several
             --> agent.yaml:9:3
              |
            9 |   instructions:
              |   ^^^^^^^^^^^^ spec.instructions
              |
              = help: write one of them: `text`, `ref`

        "#]]);
    }

    #[test]
    fn sampling() {
        let bundle = sample().edit(
            "agent.yaml",
            "name: scripted",
            "name: scripted\n    parameters: {temperature: 0.2, top_p: 0.9}",
        );
        bundle.check(expect![[r#"
            error[E0208]: expected at most one of `temperature`, `top_p`
              --> agent.yaml:14:36
               |
            14 |     parameters: {temperature: 0.2, top_p: 0.9}
               |                                    ^^^^^ spec.model.parameters.top_p
               |
               = help: keep one of them

        "#]]);
    }

    #[test]
    fn condition() {
        let bundle = sample().edit(
            "policies/limit.yaml",
            "field: amount",
            "all: []\n    field: amount",
        );
        bundle.check(expect![[r#"
            error[E0208]: expected exactly one of `all`, `any`, `not`, `field`; there are several
             --> policies/limit.yaml:8:3
              |
            8 |   conditions:
              |   ^^^^^^^^^^ spec.conditions
              |
              = help: write one of them: `all`, `any`, `not`, `field`

        "#]]);
    }
}
