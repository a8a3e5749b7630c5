//! A schema of more than one draft.
//!
//! The draft that the outermost schema declares in `$schema` (2020-12 if it declares none) holds for
//! all of it, with every file that it refers to. The same words mean different things in different
//! drafts, so nothing is read by another one silently.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0409");

pub(crate) fn file(at: &Location, found: &str, expected: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("this file is of {found}, and the schema that refers to it is of {expected}"),
    )
    .with_help("declare the same `$schema` in both")
}

pub(crate) fn inner(at: &Location, found: &str, expected: &str) -> Diagnostic {
    at.error(CODE, format!("`{found}` within a schema of {expected}"))
        .with_help("one draft holds for a schema as a whole; declare it at the top")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn of_a_file() {
        let bundle = sample()
            .edit(
                "schemas/refund.json",
                "{\"type\": \"number\"}",
                "{\"$ref\": \"money.json\"}",
            )
            .file(
                "schemas/money.json",
                "{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"type\": \"number\"}",
            );
        bundle.check(expect![[r#"
            error[E0409]: this file is of draft 7, and the schema that refers to it is of 2020-12
             --> schemas/money.json:1:13
              |
            1 | {"$schema": "http://json-schema.org/draft-07/schema#", "type": "number"}
              |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ $schema
              |
              = help: declare the same `$schema` in both

        "#]]);
    }

    #[test]
    fn of_a_part() {
        let bundle = sample().edit(
            "schemas/refund.json",
            "{\"type\": \"number\"}",
            "{\"$schema\": \"http://json-schema.org/draft-04/schema#\", \"type\": \"number\"}",
        );
        bundle.check(expect![[r#"
            error[E0409]: `http://json-schema.org/draft-04/schema#` within a schema of 2020-12
             --> schemas/refund.json:5:27
              |
            5 |     "amount": {"$schema": "http://json-schema.org/draft-04/schema#", "type": "number"},
              |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ properties.amount.$schema
              |
              = help: one draft holds for a schema as a whole; declare it at the top

        "#]]);
    }
}
