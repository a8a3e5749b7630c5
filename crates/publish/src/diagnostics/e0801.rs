//! An Agent that hands work to others, and is not published in a Bundle.
//!
//! `spec.agents` names other agents, by file or by version. Which content those have is only certain
//! when all of them are locked and published together, so such an Agent is the root or a member of a
//! `kind: Bundle` document, and `bundles validate` takes that.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0801");

pub(crate) fn alone(at: &Location) -> Diagnostic {
    at.error(
        CODE,
        "an Agent that hands work to others is not published on its own",
    )
    .with_help(
        "publish it in a Bundle: write a `kind: Bundle` document whose `spec.root` names this file",
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn alone() {
        let bundle = sample().append("agent.yaml", "  agents:\n    - ref: ./other.yaml\n");
        bundle.check(expect![[r#"
            error[E0801]: an Agent that hands work to others is not published on its own
              --> agent.yaml:19:3
               |
            19 |   agents:
               |   ^^^^^^ spec.agents
               |
               = help: publish it in a Bundle: write a `kind: Bundle` document whose `spec.root` names this file

        "#]]);
    }
}
