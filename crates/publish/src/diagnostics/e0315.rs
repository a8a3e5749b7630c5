//! A Tool on its way into the catalog has a default policy that is not there.
//!
//! The Tool reaches agents whose bundles do not have the policy, and none of them can be published
//! without it: a default policy is never left out.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0315");

pub(crate) fn not_there(at: &Location, id: &str) -> Diagnostic {
    at.warning(
        CODE,
        format!("the catalog has no Policy `{id}` that this Tool could bring along"),
    )
    .with_help("publish it with `policies publish`, or every bundle with this Tool has to have it")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::{Shelf, sample};

    #[test]
    fn left_behind() {
        let bundle = sample().append("tools/refund.yaml", "  default_policies: [pay.limit@^1]\n");
        let shelf = Shelf::default().policies(&[]);
        shelf.check_document(&bundle, "tools/refund.yaml", expect![[r#"
            warning[E0315]: the catalog has no Policy `pay.limit` that this Tool could bring along
              --> tools/refund.yaml:12:22
               |
            12 |   default_policies: [pay.limit@^1]
               |                      ^^^^^^^^^^^^ spec.default_policies[0]
               |
               = help: publish it with `policies publish`, or every bundle with this Tool has to have it

        "#]]);
        let there = Shelf::default().policies(&["pay.limit"]);
        there.check_document(&bundle, "tools/refund.yaml", expect![[""]]);
    }
}
