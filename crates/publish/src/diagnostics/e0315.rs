//! A Tool on its way into the catalog refers to a default policy, or to the tool of its probe, that is
//! not there.
//!
//! The Tool reaches agents whose bundles do not have what it refers to, and none of them can be
//! published without it: a default policy is never left out.

use spec::DocumentKind;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0315");

pub(crate) fn not_there(at: &Location, kind: DocumentKind, id: &str) -> Diagnostic {
    at.warning(
        CODE,
        format!("the catalog has no {kind} `{id}` that this Tool could bring along"),
    )
    .with_help(format!(
        "publish it with `{} publish`, or every bundle with this Tool has to have it",
        kind.folder()
    ))
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

    #[test]
    fn nobody_to_ask() {
        let probe = "  probe: {tool: pay.look-up@^1, args: {order: order}}\n";
        let bundle = sample().append("tools/refund.yaml", probe);
        Shelf::default().check_document(&bundle, "tools/refund.yaml", expect![[r#"
            warning[E0315]: the catalog has no Tool `pay.look-up` that this Tool could bring along
              --> tools/refund.yaml:12:17
               |
            12 |   probe: {tool: pay.look-up@^1, args: {order: order}}
               |                 ^^^^^^^^^^^^^^ spec.probe.tool
               |
               = help: publish it with `tools publish`, or every bundle with this Tool has to have it

        "#]]);
    }
}
