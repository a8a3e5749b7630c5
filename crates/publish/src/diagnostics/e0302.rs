//! A file reference that leads to no file.
//!
//! Extensions may be left out; the message lists every path that was tried.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0302");

pub(crate) fn not_found(at: &Location, path: &str, tried: &[String]) -> Diagnostic {
    at.error(
        CODE,
        format!("the file reference `{path}` leads to no file"),
    )
    .with_help(format!("tried {}", tried.join(", ")))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn not_there() {
        let bundle = sample().edit(
            "agent.yaml",
            "text: Be fair.",
            "{ref: prompts/fair, version: 2}",
        );
        bundle.check(expect![[r#"
            error[E0302]: the file reference `prompts/fair` leads to no file
              --> agent.yaml:10:11
               |
            10 |     {ref: prompts/fair, version: 2}
               |           ^^^^^^^^^^^^ spec.instructions.ref
               |
               = help: tried prompts/fair-2.yaml, prompts/fair-2.yml, prompts/fair-2.md, prompts/fair-2.txt, prompts/fair/2.yaml, prompts/fair/2.yml, prompts/fair/2.md, prompts/fair/2.txt, prompts/fair/v2.yaml, prompts/fair/v2.yml, prompts/fair/v2.md, prompts/fair/v2.txt, prompts/fair.yaml, prompts/fair.yml, prompts/fair.md, prompts/fair.txt

        "#]]);
    }
}
