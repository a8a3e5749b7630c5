//! A reference to an agent, in `spec.agents`, that does not say which one is meant.
//!
//! It is the path of an Agent's file in the Bundle, beginning with `./` or `../` and relative to the
//! folder of the Agent that it stands in; or a published version, `namespace.name@1.2.3`; or, with
//! `late_bound: true`, `namespace.name` alone: then the version that is deployed when the call is made
//! runs, and the lock says nothing about it.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0802");

pub(crate) fn unclear(at: &Location, reference: &str, why: &str, help: &str) -> Diagnostic {
    at.error(CODE, format!("the reference `{reference}` {why}"))
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::desk;

    #[test]
    fn no_version() {
        let bundle = desk().edit("desk.yaml", "./refunds/clerk.yaml", "shop.clerk");
        bundle.check_closure(expect![[r#"
            error[E0802]: the reference `shop.clerk` has no version
              --> desk.yaml:15:12
               |
            15 |     - ref: shop.clerk
               |            ^^^^^^^^^^ spec.agents[0].ref
               |
               = help: pin one, `shop.clerk@1.2.3` say, or write `late_bound: true` to leave it open

        "#]]);
    }

    #[test]
    fn no_dot() {
        let bundle = desk().edit("desk.yaml", "./refunds/clerk.yaml", "refunds/clerk.yaml");
        bundle.check_closure(expect![[r#"
            error[E0802]: the reference `refunds/clerk.yaml` is no agent
              --> desk.yaml:15:12
               |
            15 |     - ref: refunds/clerk.yaml
               |            ^^^^^^^^^^^^^^^^^^ spec.agents[0].ref
               |
               = help: write `./refunds/clerk.yaml` if a file of the Bundle is meant

        "#]]);
    }
}
