//! A keyword that says nothing of the type of value at its place.
//!
//! `maximum` constrains numbers and nothing else; on a text it does nothing.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0519");

pub(crate) fn cannot_apply(at: &Location, keyword: &str) -> Diagnostic {
    let message = format!("`{keyword}` says nothing of the type of value that is here");
    at.warning(CODE, message)
        .with_help("leave it out, or write a keyword of that type")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn a_bound_on_a_text() {
        let bundle = sample().edit(
            "agent.yaml",
            "as: refund",
            "as: refund\n      input_schema: {inline: {properties: {order: {type: string, maximum: 10, maxLength: 9}}}}",
        );
        bundle.check(expect![[r#"
            warning[E0519]: `maximum` says nothing of the type of value that is here
              --> agent.yaml:17:75
               |
            17 |       input_schema: {inline: {properties: {order: {type: string, maximum: 10, maxLength: 9}}}}
               |                                                                           ^^ spec.tools[0].input_schema.inline.properties.order.maximum
               |
               = help: leave it out, or write a keyword of that type

        "#]]);
    }
}
