//! Two tools that the model would see under one name.
//!
//! A binding's name is its `as`, or else its reference with `_` for every character that a name may
//! not have, cut to 64 characters.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0501");

pub(crate) fn name_taken(at: &Location, name: &str, other: &str) -> Diagnostic {
    at.error(CODE, format!("the name `{name}` is taken by {other}"))
        .with_help("give one of them another name with `as`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::{Bundle, sample};

    #[test]
    fn clash() {
        let bundle = sample()
            .file("tools/undo.yaml", "apiVersion: phrony.com/v1\nkind: Tool\nmetadata: {name: undo, namespace: pay, version: 1.0.0}\nspec: {input_schema: {inline: {type: object}}}\n")
            .append("agent.yaml", "    - {ref: pay.undo@1, as: refund}\n");
        bundle.check(expect![[r#"
            error[E0501]: the name `refund` is taken by `pay.refund`
              --> agent.yaml:19:29
               |
            19 |     - {ref: pay.undo@1, as: refund}
               |                             ^^^^^^ spec.tools[1].as
               |
               = help: give one of them another name with `as`

        "#]]);
    }

    const LONG: &str = "a-name-of-sixty-three-letters-digits-and-hyphens-which-is-the-m";

    /// The sample with a Tool for each reference, bound without `as`.
    fn with_tools(ids: &[&str]) -> Bundle {
        ids.iter().enumerate().fold(sample(), |bundle, (index, id)| {
            let (namespace, name) = id.rsplit_once('.').unwrap();
            let tool = format!("apiVersion: phrony.com/v1\nkind: Tool\nmetadata: {{name: \"{name}\", namespace: \"{namespace}\", version: 1.0.0}}\nspec: {{input_schema: {{inline: {{type: object}}}}}}\n");
            bundle
                .file(&format!("tools/t{index}.yaml"), &tool)
                .append("agent.yaml", &format!("    - {{ref: {id}@1}}\n"))
        })
    }

    #[test]
    fn derived_names() {
        let long = format!("ns.{LONG}");
        let ids = ["billing.invoices.create", "a.b-c", "a-b.c", "9.9", &long];
        let snapshot = with_tools(&ids).compile().snapshot.unwrap();
        let names: Vec<&str> = snapshot
            .tools
            .iter()
            .map(|it| it.wire_name.as_str())
            .collect();
        let cut = "ns_a-name-of-sixty-three-letters-digits-and-hyphens-which-is-the";
        assert_eq!(
            names,
            [
                "refund",
                "billing_invoices_create",
                "a_b-c",
                "a-b_c",
                "9_9",
                cut
            ]
        );
        assert_eq!(cut.len(), 64);
        // Everything but the model goes by the reference.
        let references: Vec<String> = snapshot
            .tools
            .iter()
            .map(|it| it.contract.logical_id())
            .collect();
        assert_eq!(references[1..], ids);
    }

    #[test]
    fn clash_after_cleaning() {
        with_tools(&["a.b.c"])
            .file("tools/undo.yaml", "apiVersion: phrony.com/v1\nkind: Tool\nmetadata: {name: undo, namespace: pay, version: 1.0.0}\nspec: {input_schema: {inline: {type: object}}}\n")
            .append("agent.yaml", "    - {ref: pay.undo@1, as: a_b_c}\n")
            .check(expect![[r#"
                error[E0501]: the name `a_b_c` is taken by `a.b.c`
                  --> agent.yaml:20:29
                   |
                20 |     - {ref: pay.undo@1, as: a_b_c}
                   |                             ^^^^^ spec.tools[2].as
                   |
                   = help: give one of them another name with `as`

            "#]]);
    }

    #[test]
    fn a_name_for_the_model_is_ascii() {
        let bundle = sample().edit("agent.yaml", "as: refund", "as: caf\u{e9}");
        assert_eq!(bundle.codes(), ["E0205"]);
        let bundle = sample().append("agent.yaml", "    - {ref: shop.caf\u{e9}@1}\n");
        assert_eq!(bundle.codes(), ["E0303"]);
    }

    #[test]
    fn clash_after_cutting() {
        let long = |end: &str| format!("ns.x.{}", LONG.replace("the-m", end));
        with_tools(&[&long("the-x"), &long("the-y")]).check(expect![[r#"
            error[E0501]: the name `ns_x_a-name-of-sixty-three-letters-digits-and-hyphens-which-is-t` is taken by `ns.x.a-name-of-sixty-three-letters-digits-and-hyphens-which-is-the-x`
              --> agent.yaml:20:13
               |
            20 |     - {ref: ns.x.a-name-of-sixty-three-letters-digits-and-hyphens-which-is-the-y@1}
               |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ spec.tools[2].ref
               |
               = help: give one of them another name with `as`

        "#]]);
    }
}
