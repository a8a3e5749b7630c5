//! An input schema that has keywords for objects and does not say `type: object`.
//!
//! In JSON Schema such a schema accepts every text and number too. `type: object` is added.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0405");

pub(crate) fn type_added(at: &Location) -> Diagnostic {
    at.warning(CODE, "the schema does not say `type: object`; it is added")
        .with_help("write `type: object`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn added() {
        let bundle = sample().edit("schemas/refund.json", "  \"type\": \"object\",\n", "");
        bundle.check(expect![[r#"
            warning[E0405]: the schema does not say `type: object`; it is added
             --> schemas/refund.json:1:1
              |
            1 | {
              | ^
              |
              = help: write `type: object`

        "#]]);
    }
}
