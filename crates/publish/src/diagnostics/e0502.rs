//! The same Tool bound twice in one agent.
//!
//! A rule on one of the two bindings would not hold for the other, and the model could choose.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0502");

pub(crate) fn bound_twice(at: &Location, id: &str, other: &str) -> Diagnostic {
    at.error(CODE, format!("the Tool `{id}` is bound by {other} too"))
        .with_help("keep one of the two bindings")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn twice() {
        let bundle = sample().append(
            "agent.yaml",
            "    - {ref: pay.refund@1, as: refund_again}\n",
        );
        bundle.check(expect![[r#"
            error[E0502]: the Tool `pay.refund` is bound by `refund` too
              --> agent.yaml:19:13
               |
            19 |     - {ref: pay.refund@1, as: refund_again}
               |             ^^^^^^^^^^^^ spec.tools[1].ref
               |
               = help: keep one of the two bindings

        "#]]);
    }
}
