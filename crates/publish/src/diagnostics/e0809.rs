//! One agent twice in the `spec.agents` of another.
//!
//! A policy on one of the two entries would not hold for the other, and the model could choose.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0809");

pub(crate) fn called_twice(at: &Location, id: &str, other: &str) -> Diagnostic {
    at.error(CODE, format!("the agent `{id}` is called by `{other}` too"))
        .with_help("keep one of the two entries")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::desk;

    #[test]
    fn twice() {
        let bundle = desk().append(
            "desk.yaml",
            "    - {ref: ./refunds/clerk.yaml, as: again, result: full}\n",
        );
        bundle.check_closure(expect![[r#"
            error[E0809]: the agent `shop.clerk` is called by `refunds` too
              --> desk.yaml:17:13
               |
            17 |     - {ref: ./refunds/clerk.yaml, as: again, result: full}
               |             ^^^^^^^^^^^^^^^^^^^^ spec.agents[1].ref
               |
               = help: keep one of the two entries

        "#]]);
    }
}
