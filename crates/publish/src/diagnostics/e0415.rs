//! A `required` that leaves out a name which stays required.
//!
//! What a binding requires adds to what its Tool requires; nothing can be taken away.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0415");

pub(crate) fn stays_required(at: &Location, name: &str, tool: &str) -> Diagnostic {
    let message = format!("`{name}` stays required, as `{tool}` says");
    at.warning(CODE, message)
        .with_help(format!("list `{name}` as well, or leave `required` out"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn left_out() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      input_schema: {inline: {required: [order, currency]}}",
        );
        bundle.check(expect![[r#"
            warning[E0415]: `amount` stays required, as `pay.refund@1.2.0` says
              --> agent.yaml:17:31
               |
            17 |       input_schema: {inline: {required: [order, currency]}}
               |                               ^^^^^^^^ spec.tools[0].input_schema.inline.required
               |
               = help: list `amount` as well, or leave `required` out

        "#]]);
    }
}
