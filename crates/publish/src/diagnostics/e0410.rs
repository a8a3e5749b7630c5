//! A `$ref` to a file that is not there, or that cannot be one of the bundle.
//!
//! The path is relative to the file that holds the schema, with its extension, and stays within the
//! bundle: `money.json`, `../common/money.yaml#/$defs/euro`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0410");

pub(crate) fn not_found(at: &Location, path: &str) -> Diagnostic {
    at.error(CODE, format!("there is no file `{path}` in the bundle"))
        .with_help("the path is relative to the file that holds the schema, with its extension")
}

pub(crate) fn refused(at: &Location, target: &str, why: &str) -> Diagnostic {
    at.error(CODE, format!("the reference `{target}` {why}"))
        .with_help("write a path within the bundle, relative to the file that holds the schema")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn none() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"$ref\": \"money.json\"}",
        );
        bundle.check(expect![[r#"
            error[E0410]: there is no file `schemas/money.json` in the bundle
             --> schemas/refund.json:5:24
              |
            5 |     "amount": {"$ref": "money.json"},
              |                        ^^^^^^^^^^^^ properties.amount.$ref
              |
              = help: the path is relative to the file that holds the schema, with its extension

        "#]]);
    }

    #[test]
    fn out_of_the_bundle() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"$ref\": \"../../money.json\"}",
        );
        bundle.check(expect![[r#"
            error[E0410]: the reference `../../money.json` leaves the bundle
             --> schemas/refund.json:5:24
              |
            5 |     "amount": {"$ref": "../../money.json"},
              |                        ^^^^^^^^^^^^^^^^^^ properties.amount.$ref
              |
              = help: write a path within the bundle, relative to the file that holds the schema

        "#]]);
    }
}
