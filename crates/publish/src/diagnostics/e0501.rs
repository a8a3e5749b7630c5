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

    use crate::tests::sample;

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
}
