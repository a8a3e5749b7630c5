//! Which values are valid by which schemas: exact numbers, drafts, formats, references.

use spec::Json;
use validator::{Draft, FORMATS, Validator, mistakes, takes_pattern};

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

#[track_caller]
fn compile(schema: &str) -> Validator {
    Validator::compile(&json(schema)).unwrap_or_else(|why| panic!("{schema}: {why}"))
}

/// Checks both answers that can be had.
#[track_caller]
fn judge(schema: &str, value: &str, valid: bool) {
    let validator = compile(schema);
    let value_json = json(value);
    assert_eq!(validator.accepts(&value_json), valid, "{schema} on {value}");
    let listed = validator.violations(&value_json, 20);
    assert_eq!(listed.is_empty(), valid, "{schema} on {value}: {listed:?}");
}

#[test]
fn numbers_are_exact() {
    for (schema, valid, invalid) in [
        (
            r#"{"type": "number", "multipleOf": 0.01}"#,
            "[19.99, 0.29, 0, -4.35]",
            "[1.005]",
        ),
        (
            r#"{"maximum": 9007199254740992}"#,
            "[9007199254740992]",
            "[9007199254740993, 9007199254740992.5]",
        ),
        (
            r#"{"minimum": 9007199254740993}"#,
            "[9007199254740993]",
            "[9007199254740992]",
        ),
        (
            r#"{"exclusiveMaximum": 0.3}"#,
            "[0.29999999999999999999]",
            "[0.3, 0.30]",
        ),
        (
            r#"{"exclusiveMinimum": 0.1}"#,
            "[0.1000000000000000000001]",
            "[0.1, 0.0999]",
        ),
        (
            r#"{"enum": [9007199254740993]}"#,
            "[9007199254740993]",
            "[9007199254740992, 9007199254740993.1]",
        ),
        (
            r#"{"enum": [0.1, "a", null]}"#,
            "[0.1, 0.10, \"a\", null]",
            "[0.1000000000000000055, \"b\"]",
        ),
        (
            r#"{"enum": [1, 2, null]}"#,
            "[1.0, 2, null, 20e-1]",
            "[1.5, 3]",
        ),
        (
            r#"{"const": 1}"#,
            "[1.0, 10e-1]",
            "[1.0000000000000000001, 2]",
        ),
        (
            r#"{"const": {"a": [0.1]}}"#,
            r#"[{"a": [0.10]}]"#,
            r#"[{"a": [0.1000000000000000055]}, {"a": [0.1], "b": 1}]"#,
        ),
        // None of these fits a double or a machine integer.
        (
            r#"{"const": 0.1000000000000000055}"#,
            "[0.1000000000000000055]",
            "[0.1]",
        ),
        (
            r#"{"enum": [[340282366920938463463374607431768211455]]}"#,
            "[[340282366920938463463374607431768211455]]",
            "[[340282366920938463463374607431768211456], 1]",
        ),
        (
            r#"{"maximum": 340282366920938463463374607431768211455}"#,
            "[340282366920938463463374607431768211455]",
            "[340282366920938463463374607431768211456, 1e300]",
        ),
        (
            r#"{"minimum": -1e400}"#,
            "[-1e400, 0]",
            "[-1.1e400, -1e401]",
        ),
        (
            r#"{"maximum": 1e-400}"#,
            "[1e-400, 0]",
            "[1.1e-400, 1e-300]",
        ),
        (
            r#"{"multipleOf": 1e-400}"#,
            "[1e-400, 3e-400, 1]",
            "[1e-401]",
        ),
        (
            r#"{"multipleOf": 0.12345678901234567890123}"#,
            "[0.24691357802469135780246]",
            "[0.246913578024691357802]",
        ),
        (
            r#"{"multipleOf": 9007199254740993}"#,
            "[18014398509481986]",
            "[18014398509481984]",
        ),
        (
            r#"{"type": "integer"}"#,
            "[1, 1.0, 1e3, 1000000000000000000000000000000, -0.0]",
            "[1.5, 1e-3, \"1\"]",
        ),
        (r#"{"type": "number"}"#, "[1e400, 0.1]", "[\"1\", null]"),
        (
            r#"{"uniqueItems": true}"#,
            "[[9007199254740992, 9007199254740993], [0.1, 0.1000000000000000055]]",
            "[[1, 1.0], [[0.10], [0.1]]]",
        ),
        // What a bound says nothing about.
        (
            r#"{"minimum": 5, "multipleOf": 2}"#,
            r#"["a", null, [1], {}]"#,
            "[4, 7]",
        ),
        // Names that look like keywords.
        (
            r#"{"properties": {"minimum": {"minimum": 1}, "const": {"const": 0.1000000000000000055}}}"#,
            r#"[{"minimum": 1, "const": 0.1000000000000000055}]"#,
            r#"[{"minimum": 0}, {"const": 0.1}]"#,
        ),
        (
            r##"{"$defs": {"enum": {"maximum": 100000000000000000000000000001}}, "$ref": "#/$defs/enum"}"##,
            "[100000000000000000000000000001]",
            "[100000000000000000000000000002]",
        ),
    ] {
        for value in json(valid).as_array().unwrap() {
            judge(schema, &value.to_canonical(), true);
        }
        for value in json(invalid).as_array().unwrap() {
            judge(schema, &value.to_canonical(), false);
        }
    }
}

#[test]
fn many_items_are_compared_exactly() {
    let items: Vec<String> = (0..100).map(|it| format!("9007199254740{it:03}")).collect();
    let list = items.join(",");
    judge(r#"{"uniqueItems": true}"#, &format!("[{list}]"), true);
    judge(
        r#"{"uniqueItems": true}"#,
        &format!("[{list},9007199254740050.0]"),
        false,
    );
}

#[test]
fn nobody_sets_an_exact_limit_behind_the_one_that_is_shown() {
    judge("{\"minimum\": 5, \"\\u0000minimum\": \"1\"}", "3", false);
}

#[test]
fn each_draft_reads_its_own_keywords() {
    let schema = |draft: Draft, rest: &str| {
        let uri = draft.uri();
        format!(r#"{{"$schema": "{uri}#", {rest}}}"#)
    };
    for draft in Draft::ALL {
        let strict = match draft {
            Draft::D4 => {
                r#""minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": true"#
            }
            Draft::D6 | Draft::D7 | Draft::D2019 | Draft::D2020 => {
                r#""exclusiveMinimum": 0, "exclusiveMaximum": 9"#
            }
        };
        let strict = schema(draft, strict);
        for (value, valid) in [("0", false), ("0.001", true), ("9", false), ("8.999", true)] {
            judge(&strict, value, valid);
        }
        let constant = schema(draft, r#""const": 100000000000000000000000000001"#);
        judge(&constant, "3", draft == Draft::D4);
        judge(&schema(draft, r#""type": "integer""#), "1.0", true);
        let tuple = match draft {
            Draft::D2020 => r#""prefixItems": [{"type": "string"}], "items": false"#,
            Draft::D4 | Draft::D6 | Draft::D7 | Draft::D2019 => {
                r#""items": [{"type": "string"}], "additionalItems": false"#
            }
        };
        judge(&schema(draft, tuple), r#"["a"]"#, true);
        judge(&schema(draft, tuple), r#"["a", 1]"#, false);
        judge(&schema(draft, tuple), "[1]", false);
        assert_eq!(Draft::of(&json(&strict)), Some(draft));
    }
    let flag = r#""minimum": 0, "exclusiveMinimum": false"#;
    judge(&schema(Draft::D4, flag), "0", true);
    assert_eq!(
        Draft::of(&json(r#"{"$schema": "https://example.com/x"}"#)),
        None
    );
    assert!(Validator::compile(&json(r#"{"$schema": "https://example.com/x"}"#)).is_err());
}

#[test]
fn mistakes_are_found_by_the_draft_that_holds() {
    let flag = json(r#"{"properties": {"a": {"minimum": 0, "exclusiveMinimum": true}}}"#);
    let bound = json(r#"{"properties": {"a": {"exclusiveMinimum": 0}}}"#);
    for draft in Draft::ALL {
        let of = |schema| mistakes(schema, draft, 20).len();
        assert_eq!(of(&flag) == 0, draft == Draft::D4, "{draft:?}");
        assert_eq!(of(&bound) == 0, draft != Draft::D4, "{draft:?}");
    }
    let found = mistakes(&flag, Draft::D2020, 20);
    assert_eq!(found[0].pointer, "/properties/a/exclusiveMinimum");
    let flood = format!("{{\"required\": [{}]}}", vec!["1"; 100].join(","));
    assert_eq!(mistakes(&json(&flood), Draft::D2020, 7).len(), 7);
}

#[test]
fn formats_hold_in_every_draft_or_in_none() {
    let samples = [
        ("date", "2026-02-28", "2026-02-30"),
        ("date-time", "2026-02-28T10:00:00Z", "2026-02-28 10:00"),
        ("duration", "P1D", "1 day"),
        ("email", "ana@example.com", "not-an-address"),
        ("hostname", "example.com", "-example-.com"),
        ("idn-email", "실례@실례.테스트", "2962"),
        ("idn-hostname", "실례.테스트", "〮실례.테스트"),
        ("ipv4", "10.0.0.1", "10.0.0.256"),
        ("ipv6", "::1", "1:2"),
        ("iri", "https://exämple.com/", "//exämple"),
        ("iri-reference", "/ä", "\\\\ä"),
        ("json-pointer", "/a~1b", "a"),
        ("regex", "^a+$", "^(a$"),
        ("relative-json-pointer", "0/a", "/a"),
        ("time", "10:00:00Z", "25:00:00Z"),
        ("uri", "https://example.com/", "example"),
        ("uri-reference", "/a", "\\\\a"),
        ("uri-template", "/{a}", "/{a"),
        ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08"),
    ];
    assert!(samples.iter().map(|it| it.0).eq(FORMATS.iter().copied()));
    for draft in Draft::ALL {
        let schema =
            |format: &str| format!(r#"{{"$schema": "{}", "format": "{format}"}}"#, draft.uri());
        for (format, good, bad) in samples {
            judge(&schema(format), &Json::from(good).to_canonical(), true);
            judge(&schema(format), &Json::from(bad).to_canonical(), false);
            judge(&schema(format), "5", true);
        }
        for note in ["int32", "password", "card-number"] {
            judge(&schema(note), r#""anything at all""#, true);
        }
    }
}

#[test]
fn references_within_the_schema() {
    let tree = r##"{"$ref": "#/$defs/node", "$defs": {"node": {"type": "object",
        "properties": {"size": {"minimum": 0.1}, "children": {"items": {"$ref": "#/$defs/node"}}}}}}"##;
    judge(
        tree,
        r#"{"children": [{"size": 0.1, "children": []}]}"#,
        true,
    );
    judge(
        tree,
        r#"{"children": [{"children": [{"size": 0.09}]}]}"#,
        false,
    );
    for refused in [
        r##"{"$ref": "#/$defs/none"}"##,
        r#"{"$ref": "http://169.254.169.254/latest"}"#,
        r#"{"$ref": "file:///etc/passwd"}"#,
        r#"{"$ref": "other.json"}"#,
    ] {
        assert!(Validator::compile(&json(refused)).is_err(), "{refused}");
    }
}

#[test]
fn patterns_run_in_linear_time_or_not_at_all() {
    judge(
        r#"{"pattern": "^(a+)+$"}"#,
        &format!("\"{}b\"", "a".repeat(5000)),
        false,
    );
    assert!(takes_pattern("^[a-z]+$") && takes_pattern("\\d{3}"));
    for refused in ["^(?!admin)", "(?<=a)b", "(a)\\1", "(", "(a{1000}){1000}"] {
        assert!(!takes_pattern(refused), "{refused}");
        let schema = Json::from_members([("pattern", Json::from(refused))]);
        assert!(Validator::compile(&schema).is_err(), "{refused}");
    }
}

#[test]
fn names_of_properties_are_values_too() {
    let schema = r#"{"propertyNames": {"maxLength": 3, "pattern": "^[a-z]+$"}}"#;
    judge(schema, r#"{"abc": 1}"#, true);
    judge(schema, r#"{"abcd": 1}"#, false);
    judge(schema, r#"{"A": 1}"#, false);
}

#[test]
fn a_violation_tells_where_the_keyword_stands() {
    let schema = r##"{
        "properties": {
            "a": {"maximum": 5},
            "b": {"$ref": "#/$defs/short"},
            "c/d": {"items": {"type": "string"}}
        },
        "required": ["a"],
        "additionalProperties": false,
        "$defs": {"short": {"maxLength": 3}}
    }"##;
    for (value, expected) in [
        (r#"{"a": 6}"#, "/properties/a/maximum"),
        (r#"{"a": 1, "b": "long"}"#, "/$defs/short/maxLength"),
        (r#"{"a": 1, "c/d": [1]}"#, "/properties/c~1d/items/type"),
        ("{}", "/required"),
        (r#"{"a": 1, "e": 1}"#, "/additionalProperties"),
    ] {
        let violations = compile(schema).violations(&json(value), 5);
        let places: Vec<_> = violations.iter().map(|it| it.schema.as_str()).collect();
        assert_eq!(places, [expected], "{value}");
    }
}
