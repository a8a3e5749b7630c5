//! Schemas made to be odd: judging them ends, and never in a panic.

use spec::Json;
use validator::Validator;

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

#[test]
fn ids_of_any_kind() {
    for id in [
        "",
        "#",
        "#a",
        "a b",
        "http://",
        "urn:x",
        "//x",
        "?q",
        "http://[::1",
        "%zz",
        "\u{0}",
        "..",
        "file:///etc/passwd",
    ] {
        let member = |id: &str| {
            Json::from_members([("$id", Json::from(id)), ("type", Json::from("string"))])
        };
        let nested = Json::from_members([("properties", Json::from_members([("a", member(id))]))]);
        for schema in [member(id), nested] {
            let Ok(validator) = Validator::compile(&schema) else {
                continue;
            };
            let value = json(r#"{"a": 1}"#);
            assert!(!validator.accepts(&value), "{id}");
        }
    }
}

#[test]
fn schemas_that_refer_to_themselves_in_place() {
    for schema in [
        r##"{"$ref": "#"}"##,
        r##"{"allOf": [{"$ref": "#"}]}"##,
        r##"{"anyOf": [{"$ref": "#"}, {"type": "string"}]}"##,
        r##"{"oneOf": [{"$ref": "#"}, {"type": "string"}]}"##,
        r##"{"not": {"$ref": "#"}}"##,
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##,
    ] {
        let Ok(validator) = Validator::compile(&json(schema)) else {
            continue;
        };
        for value in ["1", "{}", "[[]]", "\"a\""] {
            let value = json(value);
            assert_eq!(
                validator.accepts(&value),
                validator.violations(&value, 3).is_empty(),
                "{schema}"
            );
        }
    }
}

/// Both alternatives lead to the same parts, so that the work doubles at every level.
#[test]
fn alternatives_that_double_at_every_level() {
    let schema = r##"{"anyOf": [
        {"properties": {"a": {"$ref": "#"}}, "required": ["b"]},
        {"properties": {"a": {"$ref": "#"}}, "required": ["c"]}]}"##;
    let validator = Validator::compile(&json(schema)).unwrap();
    let value = format!("{}{}", r#"{"a": "#.repeat(60), "{}") + &"}".repeat(60);
    let found = validator.violations(&json(&value), 5);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(!validator.accepts(&json(&value)));
}
