//! A check of the final answer that would never be made.
//!
//! `output.schema` and `on_invalid` are about JSON answers, so they need `format: json`; `strict`
//! closes the schema, so it needs one.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0705");

pub(crate) fn text_has_none(at: &Location) -> Diagnostic {
    at.error(CODE, "a text answer is not checked against anything")
        .with_help("write `format: json` beside it, or take it out")
}

pub(crate) fn nothing_to_close(at: &Location) -> Diagnostic {
    at.error(CODE, "`strict` closes `schema`, and there is none")
        .with_help("declare `schema` beside it, or take `strict` out")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use spec::snapshot::OnInvalid;

    use crate::tests::sample;

    #[test]
    fn never_made() {
        let bundle = sample().append(
            "agent.yaml",
            "output: {schema: {inline: {type: object}}, strict: true, on_invalid: fail}\n",
        );
        bundle.check(expect![[r#"
            error[E0705]: a text answer is not checked against anything
              --> agent.yaml:19:10
               |
            19 | output: {schema: {inline: {type: object}}, strict: true, on_invalid: fail}
               |          ^^^^^^ output.schema
               |
               = help: write `format: json` beside it, or take it out

            error[E0705]: a text answer is not checked against anything
              --> agent.yaml:19:58
               |
            19 | output: {schema: {inline: {type: object}}, strict: true, on_invalid: fail}
               |                                                          ^^^^^^^^^^ output.on_invalid
               |
               = help: write `format: json` beside it, or take it out

        "#]]);
        let bundle = sample().append("agent.yaml", "output: {format: json, strict: true}\n");
        bundle.check(expect![[r#"
            error[E0705]: `strict` closes `schema`, and there is none
              --> agent.yaml:19:24
               |
            19 | output: {format: json, strict: true}
               |                        ^^^^^^ output.strict
               |
               = help: declare `schema` beside it, or take `strict` out

        "#]]);
    }

    #[test]
    fn made() {
        let bundle = sample().append(
            "agent.yaml",
            "output: {format: json, schema: {inline: {type: object}}, on_invalid: repair}\n",
        );
        let output = bundle.compile().snapshot.unwrap().output;
        assert_eq!(output.on_invalid, OnInvalid::Repair);
        assert!(output.schema.is_some());
    }
}
