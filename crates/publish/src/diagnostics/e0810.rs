//! A Bundle where another document is due.
//!
//! A Bundle only names its root Agent; what it consists of follows from there. `bundles validate` and
//! `bundles lock` take its file. Wherever an Agent is due, and that is inside a Bundle too, name the
//! file of the Agent.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0810");

pub(crate) fn bundle(at: &Location, due: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("expected a document of kind {due}, found a Bundle"),
    )
    .with_help(if due == "Agent" {
        "`bundles validate` takes Bundles; here name the file of an Agent".to_owned()
    } else {
        format!("keep it beside its root Agent's file; here goes a {due}")
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::{desk, sample};

    #[test]
    fn as_an_agent() {
        let bundle = sample().edit("agent.yaml", "kind: Agent", "kind: Bundle");
        bundle.check(expect![[r#"
            error[E0810]: expected a document of kind Agent, found a Bundle
             --> agent.yaml:2:7
              |
            2 | kind: Bundle
              |       ^^^^^^ kind
              |
              = help: `bundles validate` takes Bundles; here name the file of an Agent

        "#]]);
    }

    #[test]
    fn as_a_root() {
        let bundle = desk().edit("bundle.yaml", "root: desk.yaml", "root: bundle.yaml");
        bundle.check_closure(expect![[r#"
            error[E0810]: expected a document of kind Agent, found a Bundle
             --> bundle.yaml:2:7
              |
            2 | kind: Bundle
              |       ^^^^^^ kind
              |
              = help: `bundles validate` takes Bundles; here name the file of an Agent

        "#]]);
    }
}
