//! Two members of a Bundle that are the same version of the same agent.
//!
//! Publishing a Bundle publishes its members, and one version has one content. Keep one of the two, or
//! give one of them another name or version.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0808");

pub(crate) fn same_identity(at: &Location, id: &str, this: &str, other: &str) -> Diagnostic {
    at.error(CODE, format!("{other} and {this} are both {id}"))
        .with_help("refer to one of them in both places, or give one another name or version")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::desk;

    #[test]
    fn a_copy() {
        let clerk = desk().text("refunds/clerk.yaml").unwrap();
        let bundle = desk()
            .file("refunds/copy.yaml", clerk)
            .append("desk.yaml", "    - {ref: ./refunds/copy.yaml, as: again}\n");
        bundle.check_closure(expect![[r#"
            error[E0809]: the agent `shop.clerk` is called by `refunds` too
              --> desk.yaml:17:13
               |
            17 |     - {ref: ./refunds/copy.yaml, as: again}
               |             ^^^^^^^^^^^^^^^^^^^ spec.agents[1].ref
               |
               = help: keep one of the two entries

            error[E0808]: ./refunds/clerk.yaml and ./refunds/copy.yaml are both shop.clerk@1.0.0
             --> refunds/copy.yaml:4:9
              |
            4 |   name: clerk
              |         ^^^^^ metadata.name
              |
              = help: refer to one of them in both places, or give one another name or version

        "#]]);
    }
}
