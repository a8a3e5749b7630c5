//! Agents that hand work to each other in a circle.
//!
//! A run of any of them could go on for ever, and none of them could be compiled first. Take one of
//! the entries out; an agent that really has to call back can be bound late, within the limit
//! `max_subagent_depth`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0804");

pub(crate) fn cycle(at: &Location, files: &[&str]) -> Diagnostic {
    at.error(
        CODE,
        format!("agents hand work on in a circle: {}", files.join(" -> ")),
    )
    .with_help("take one of these entries out")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::desk;

    #[test]
    fn two_files() {
        let back = "  agents:\n    - {ref: ../desk.yaml, as: desk}\n";
        let bundle = desk().append("refunds/clerk.yaml", back);
        bundle.check_closure(expect![[r#"
            error[E0804]: agents hand work on in a circle: desk.yaml -> refunds/clerk.yaml -> desk.yaml
              --> refunds/clerk.yaml:20:13
               |
            20 |     - {ref: ../desk.yaml, as: desk}
               |             ^^^^^^^^^^^^ spec.agents[0].ref
               |
               = help: take one of these entries out

        "#]]);
    }
}
