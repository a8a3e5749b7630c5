//! A schema that is a file of its own and no part of a bundle. Knows the rules of its draft; not
//! what it is for.

use std::rc::Rc;

use spec::Json;
use validator::Draft;

use super::{draft_of, part};
use crate::diagnostic::{Diagnostic, Sink};
use crate::yaml::{self, Cursor};

/// The schema in a file, as a Tool's would be read: JSON if the name or the text says so, else YAML,
/// of at most 4 MiB. A schema that names no draft is one of `draft`. References are not followed.
///
/// # Errors
/// Everything that keeps the file from being a schema of its draft; never empty.
pub fn schema_file(file: &str, bytes: &[u8], draft: Draft) -> Result<Json, Vec<Diagnostic>> {
    let mut sink = Sink::default();
    let name: Rc<str> = Rc::from(file);
    let node = yaml::read(&name, bytes, &mut sink);
    let schema = node.and_then(|node| {
        let cursor = Cursor::root(&name, &node);
        let json = cursor.json(&mut sink)?;
        let draft = match json.get("$schema") {
            Some(_) => draft_of(&json, &cursor, &mut sink)?,
            None => draft,
        };
        part::follows_its_draft(&json, &cursor, draft, &mut sink).then_some(json)
    });
    match schema {
        Some(schema) if sink.errors() == 0 => Ok(schema),
        Some(_) | None => Err(sink.into_sorted(file)),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use validator::Draft;

    use super::schema_file;

    fn check(file: &str, text: &str, draft: Draft, expected: &Expect) {
        let shown = match schema_file(file, text.as_bytes(), draft) {
            Ok(schema) => schema.to_canonical() + "\n",
            Err(found) => crate::render(&found, &|_| Some(text.to_owned()), false),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn json_and_yaml() {
        let expected = expect![[r#"
            {"maximum":9007199254740993,"type":"integer"}
        "#]];
        let yaml = "type: integer\nmaximum: 9007199254740993\n";
        check("a.yaml", yaml, Draft::D2020, &expected);
        let json = r#"{"type": "integer", "maximum": 9007199254740993}"#;
        check("a.json", json, Draft::D2020, &expected);
        check("-", json, Draft::D2020, &expected);
    }

    #[test]
    fn the_draft_is_what_the_schema_says_or_the_one_that_is_given() {
        let flag = "{maximum: 3, exclusiveMaximum: true}";
        check(
            "a.yaml",
            flag,
            Draft::D4,
            &expect![[r#"
                {"exclusiveMaximum":true,"maximum":3}
            "#]],
        );
        check(
            "a.yaml",
            flag,
            Draft::D7,
            &expect![[r#"
            error[E0401]: not a valid JSON Schema: `exclusiveMaximum` as a flag is draft 4
             --> a.yaml:1:32
              |
            1 | {maximum: 3, exclusiveMaximum: true}
              |                                ^^^^ exclusiveMaximum
              |
              = help: write the bound itself, `exclusiveMaximum: 0` say, in place of `maximum` (for `false`, leave `exclusiveMaximum` out); or declare `$schema: http://json-schema.org/draft-04/schema#`

        "#]],
        );
        check(
            "a.yaml",
            "{$schema: 'http://example.com/mine'}",
            Draft::D7,
            &expect![[r#"
                error[E0401]: unknown JSON Schema draft `http://example.com/mine`
                 --> a.yaml:1:11
                  |
                1 | {$schema: 'http://example.com/mine'}
                  |           ^^^^^^^^^^^^^^^^^^^^^^^^^ $schema
                  |
                  = help: known are drafts 4, 6, 7, 2019-09 and 2020-12

            "#]],
        );
    }

    #[test]
    fn what_is_no_schema() {
        check(
            "a.json",
            "{\"type\": \"text\"",
            Draft::D2020,
            &expect![[r#"
            error[E0103]: syntax error: the JSON text ends inside a value
             --> a.json:1:16
              |
            1 | {"type": "text"
              |                ^
              |
              = help: look for a quote, a bracket or an indentation that is off here or just above

        "#]],
        );
        check(
            "a.yaml",
            "3",
            Draft::D2020,
            &expect![[r#"
            error[E0401]: not a valid JSON Schema: 3 is not of types "boolean", "object"
             --> a.yaml:1:1
              |
            1 | 3
              | ^
              |
              = help: write what the draft of the schema allows here, or declare another in `$schema`

        "#]],
        );
    }
}
