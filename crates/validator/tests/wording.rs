//! What is said about an invalid value, and that it stays short.

use expect_test::{Expect, expect};
use spec::Json;
use validator::Validator;

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

fn lines_of(schema: &str, value: &str) -> Vec<String> {
    let validator = Validator::compile(&json(schema)).unwrap();
    let violations = validator.violations(&json(value), 20);
    violations.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn check(schema: &str, value: &str, expect: Expect) {
    expect.assert_eq(&lines_of(schema, value).join("\n"));
}

#[test]
fn of_an_object() {
    check(
        r#"{"type": "object", "additionalProperties": false, "required": ["order", "amount"],
            "properties": {"order": {"type": "string", "pattern": "^A-[0-9]+$", "maxLength": 5},
                "amount": {"type": "number", "maximum": 9007199254740992, "multipleOf": 0.01},
                "currency": {"enum": ["EUR", "USD"]}, "lines": {"items": {"const": 1}, "minItems": 3, "uniqueItems": true}}}"#,
        r#"{"order": "refund 7", "amount": 9007199254740992.001, "currency": "GBP", "a\nb": 1, "note": 2, "lines": [2, 2]}"#,
        expect![[r#"
            /amount: 9007199254740992.001 is greater than the maximum of 9007199254740992 (maximum)
            /amount: 9007199254740992.001 is not a multiple of 0.01 (multipleOf)
            /currency: "GBP" is not one of "EUR", "USD" (enum)
            /lines: has 2 items, and at least 3 are required (minItems)
            /lines: has items that are equal (uniqueItems)
            /lines/0: 2 is not 1 (const)
            /lines/1: 2 is not 1 (const)
            /order: has 8 characters, and at most 5 are allowed (maxLength)
            /order: "refund 7" does not match "^A-[0-9]+$" (pattern)
            /: has properties that are not allowed: "a\nb", "note" (additionalProperties)"#]],
    );
    check(
        r#"{"required": ["a"]}"#,
        "{}",
        expect![[r#"/: has no "a", which is required (required)"#]],
    );
    check(
        r#"{"type": ["string", "null"]}"#,
        r#"{"a": 1}"#,
        expect!["/: the object of 1 property is not of type null, string (type)"],
    );
}

#[test]
fn of_alternatives() {
    let contact = r#"{"properties": {"to": {"anyOf": [{"type": "null"},
        {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}},
        {"type": "string", "format": "email"}]}}}"#;
    check(
        contact,
        r#"{"to": {"id": "seven"}}"#,
        expect![[
            r#"/to: the object of 1 property fits none of the 3 alternatives: (1) it is not of type null; (2) /id: "seven" is not of type integer; (3) it is not of type string (anyOf)"#
        ]],
    );
    check(
        contact,
        r#"{"to": "ana"}"#,
        expect![[
            r#"/to: "ana" fits none of the 3 alternatives: (1) it is not of type null; (2) it is not of type object; (3) it is not a valid `email` (anyOf)"#
        ]],
    );
    check(
        r#"{"oneOf": [{"type": "integer"}, {"type": "string"}, {"minimum": 3}]}"#,
        "4",
        expect!["/: 4 fits more than one alternative (1, 3), and only one is allowed (oneOf)"],
    );
    check(
        r#"{"oneOf": [{"anyOf": [{"anyOf": [{"const": 1}, {"const": 2}]}, {"const": 3}]}]}"#,
        "4",
        expect![
            "/: 4 fits none of the 1 alternative: (1) it fits none of the 2 alternatives: (1) it fits none of the 2 alternatives; (2) it is not 3 (oneOf)"
        ],
    );
}

#[test]
fn of_other_rules() {
    let mut lines = Vec::new();
    for (schema, value) in [
        (r#"{"propertyNames": {"maxLength": 3}}"#, r#"{"abcd": 1}"#),
        (r#"{"not": {"type": "string"}}"#, r#""a""#),
        (r#"{"properties": {"a": false}}"#, r#"{"a": 1}"#),
        (r#"{"contains": {"const": 1}}"#, "[2]"),
        (r#"{"dependentRequired": {"a": ["b"]}}"#, r#"{"a": 1}"#),
        (r#"{"unevaluatedProperties": false}"#, r#"{"a": 1}"#),
        (r#"{"prefixItems": [true], "items": false}"#, "[1, 2]"),
        (
            r#"{"prefixItems": [true], "unevaluatedItems": false}"#,
            "[1, 2]",
        ),
        (r#"{"exclusiveMinimum": 0}"#, "0"),
        (r#"{"enum": [100000000000000000000000000001]}"#, "1"),
        (r#"{"minProperties": 1}"#, "{}"),
        (r#"{"format": "date"}"#, r#""soon""#),
    ] {
        lines.extend(lines_of(schema, value));
    }
    expect![[r#"
        /: has a property "abcd", whose name is not allowed: has 4 characters, and at most 3 are allowed (propertyNames)
        /: "a" is what it must not be (not)
        /a: must not be there (false)
        /: the array of 1 item does not hold as many fitting items as it must (contains)
        /: has no "b", which is required (required)
        /: has properties that are not allowed: "a" (unevaluatedProperties)
        /1: must not be there (false)
        /: has 1 item that no rule allows (unevaluatedItems)
        /: 0 is not greater than 0 (exclusiveMinimum)
        /: 1 is not one of 1.00000000000000000000000000001e+29 (enum)
        /: has 0 properties, and at least 1 are required (minProperties)
        /: "soon" is not a valid `date` (format)"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn nothing_is_echoed_at_length() {
    let long = "x".repeat(100_000);
    let names: Vec<String> = (0..1000)
        .map(|it| format!("\"{it}{long}\": 1"))
        .take(30)
        .collect();
    let branches = vec![r#"{"type": "string", "pattern": "^y"}"#; 500].join(",");
    for (schema, value) in [
        (r#"{"maxLength": 3}"#.to_owned(), format!("\"{long}\"")),
        (r#"{"type": "integer"}"#.to_owned(), format!("\"{long}\"")),
        (r#"{"maximum": 3}"#.to_owned(), "9".repeat(1000)),
        (
            r#"{"additionalProperties": false}"#.to_owned(),
            format!("{{{}}}", names.join(",")),
        ),
        (
            format!(r#"{{"anyOf": [{branches}]}}"#),
            format!("\"{long}\""),
        ),
        (format!(r#"{{"const": "{long}"}}"#), "1".to_owned()),
        (format!(r#"{{"required": ["{long}"]}}"#), "{}".to_owned()),
        (
            format!(r#"{{"pattern": "^{}$"}}"#, "y".repeat(1000)),
            format!("\"{long}\""),
        ),
        (
            r#"{"additionalProperties": {"type": "string"}}"#.to_owned(),
            format!("{{\"{long}\": 1}}"),
        ),
    ] {
        let found = Validator::compile(&json(&schema))
            .unwrap()
            .violations(&json(&value), 5);
        assert!(!found.is_empty());
        for violation in found {
            let line = violation.to_string();
            assert!(
                line.chars().count() <= 300,
                "{}: {line}",
                line.chars().count()
            );
            assert!(!line.contains('\n'));
            assert!(line.ends_with(')') && line.contains(": "), "{line}");
        }
    }
}

#[test]
fn a_flood_is_cut() {
    let strings = Validator::compile(&json(r#"{"items": {"type": "string"}}"#)).unwrap();
    let many = json(&format!("[{}]", vec!["1"; 1000].join(",")));
    assert_eq!(strings.violations(&many, 7).len(), 7);
    let more = json(&format!("[{}]", vec!["1"; 200_000].join(",")));
    let found = strings.violations(&more, 7);
    assert_eq!(found.len(), 1);
    assert!(found[0].text.contains("too much"), "{}", found[0]);
}
