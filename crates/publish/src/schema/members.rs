//! Which members an object may have by its schema. Errs on the side of what it cannot tell.

use spec::Json;

use super::walk;

/// How many references and combinations are followed.
const STEPS_MAX: u32 = 1_000;

/// Whether an object may have something at the dotted `path`. Only a declared, closed object says
/// that it may not.
pub(crate) fn may_have(schema: &Json, path: &str) -> bool {
    let mut here = schema;
    for step in path.split('.') {
        let mut left = STEPS_MAX;
        match member(schema, here, step, &mut left) {
            Member::Declared(next) => here = next,
            Member::Open => return true,
            Member::Closed => return false,
        }
    }
    true
}

/// The properties that an object must have, as its own `required` says.
pub(crate) fn required(schema: &Json) -> impl Iterator<Item = &str> {
    let listed = schema.get("required").and_then(Json::as_array);
    listed.into_iter().flatten().filter_map(Json::as_str)
}

enum Member<'a> {
    Declared(&'a Json),
    /// Nothing is said that would forbid it.
    Open,
    Closed,
}

fn member<'a>(root: &'a Json, schema: &'a Json, name: &str, left: &mut u32) -> Member<'a> {
    if *left == 0 {
        return Member::Open;
    }
    *left = left.saturating_sub(1);
    if let Some(declared) = schema.get("properties").and_then(|it| it.get(name)) {
        return Member::Declared(declared);
    }
    let closed = ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|it| schema.get(it) == Some(&Json::Bool(false)));
    let patterned = schema.get("patternProperties").is_some();
    let target = schema.get("$ref").and_then(Json::as_str);
    let target = target.and_then(|it| walk::target(root, it.strip_prefix('#')?));
    let parts = ["allOf", "anyOf", "oneOf"]
        .iter()
        .filter_map(|it| schema.get(it).and_then(Json::as_array))
        .flatten();
    let mut seen_closed = false;
    for part in parts.chain(target) {
        match member(root, part, name, left) {
            Member::Declared(it) => return Member::Declared(it),
            Member::Closed => seen_closed = true,
            Member::Open => {}
        }
    }
    if !patterned && (closed || seen_closed) || schema == &Json::Bool(false) {
        Member::Closed
    } else {
        Member::Open
    }
}

#[cfg(test)]
mod tests {
    use spec::Json;

    use super::{may_have, required};

    #[test]
    fn members() {
        let schema = Json::parse(
            br##"{"properties": {"a": {"properties": {"b": {}}, "additionalProperties": false},
                "c": {"$ref": "#/$defs/c"}}, "additionalProperties": false, "required": ["a"],
                "$defs": {"c": {"allOf": [{"properties": {"d": {}}}]}}}"##,
        )
        .unwrap();
        for (path, expected) in [
            ("a", true),
            ("a.b", true),
            ("a.x", false),
            ("b", false),
            ("c.d", true),
            ("c.e", true),
            ("c.d.e", true),
        ] {
            assert_eq!(may_have(&schema, path), expected, "{path}");
        }
        assert_eq!(required(&schema).collect::<Vec<_>>(), ["a"]);
        assert!(may_have(&Json::object(), "anything.at.all"));
    }
}
