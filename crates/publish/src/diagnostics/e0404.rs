//! A pattern that the engine of regular expressions does not take.
//!
//! Patterns run in time linear in their input, on every call, so look-around and back-references
//! are not available. Such a pattern is refused here and never passed over.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0404");

pub(crate) fn refused(at: &Location, pattern: &str) -> Diagnostic {
    at.error(CODE, format!("the pattern `{pattern}` cannot be compiled"))
        .with_help("look-around and back-references are not available; say it with `not`, `enum` or several patterns")
}

pub(crate) fn too_many(at: &Location, patterns_max: usize) -> Diagnostic {
    at.error(
        CODE,
        format!("the schema has more than {patterns_max} different patterns"),
    )
    .with_help("say it with fewer patterns, or with `enum`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn look_around() {
        let bundle = sample().edit("schemas/refund.json", "^A-[0-9]+$", "^(?!admin)");
        bundle.check(expect![[r#"
            error[E0404]: the pattern `^(?!admin)` cannot be compiled
             --> schemas/refund.json:4:44
              |
            4 |     "order": {"type": "string", "pattern": "^(?!admin)"},
              |                                            ^^^^^^^^^^^^ properties.order.pattern
              |
              = help: look-around and back-references are not available; say it with `not`, `enum` or several patterns

        "#]]);
    }

    #[test]
    fn of_a_property_name() {
        let bundle = sample().edit(
            "tools/refund.yaml",
            "ref: schemas/refund",
            "inline: {type: object, properties: {amount: {}}, patternProperties: {'(a)\\1': {}}}",
        );
        bundle.check(expect![[r#"
            error[E0404]: the pattern `(a)\1` cannot be compiled
              --> tools/refund.yaml:11:74
               |
            11 |     inline: {type: object, properties: {amount: {}}, patternProperties: {'(a)\1': {}}}
               |                                                                          ^^^^^^^ spec.input_schema.inline.patternProperties."(a)\\1"
               |
               = help: look-around and back-references are not available; say it with `not`, `enum` or several patterns

        "#]]);
    }

    #[test]
    fn too_many() {
        let bundle = {
            let patterns: Vec<_> = (0..501)
                .map(|it| format!("{{\"pattern\": \"{it}\"}}"))
                .collect();
            let all = format!("{{\"anyOf\": [{}]}}", patterns.join(", "));
            sample().edit("schemas/refund.json", "{\"type\": \"number\"}", &all)
        };
        bundle.check(expect![[r#"
            error[E0404]: the schema has more than 500 different patterns
             --> schemas/refund.json:1:1
              |
            1 | {
              | ^
              |
              = help: say it with fewer patterns, or with `enum`

        "#]]);
    }
}
