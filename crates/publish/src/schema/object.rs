//! Whether a schema describes an object.

use std::cell::Cell;

use spec::Json;

use super::walk;
use crate::diagnostic::Sink;
use crate::diagnostics::{e0402, e0405};
use crate::yaml::Cursor;

/// Keywords that constrain objects and nothing else.
const OBJECT_KEYWORDS: &[&str] = &[
    "additionalProperties",
    "dependentRequired",
    "dependentSchemas",
    "maxProperties",
    "minProperties",
    "patternProperties",
    "properties",
    "propertyNames",
    "required",
    "unevaluatedProperties",
];

/// How many schemas are looked at; references may go round in circles.
const VISITS_MAX: u32 = 10_000;
/// How deep references and combinations may nest.
const DEPTH_MAX: usize = 64;

/// Makes sure that the schema describes an object; adds `type: object` where it is meant.
pub(super) fn ensure(json: &mut Json, cursor: &Cursor<'_>, sink: &mut Sink) {
    let left = Cell::new(VISITS_MAX);
    if describes_object(json, json, 0, &left) {
        return;
    }
    let meant = OBJECT_KEYWORDS
        .iter()
        .any(|keyword| json.get(keyword).is_some());
    let Json::Object(members) = json else {
        sink.push(e0402::not_an_object(&cursor.at()));
        return;
    };
    if meant && !members.contains_key("type") && !members.contains_key("$ref") {
        sink.push(e0405::type_added(&cursor.at()));
        members.insert("type".to_owned(), Json::from("object"));
    } else {
        sink.push(e0402::not_an_object(&cursor.locate_steps(["type"])));
    }
}

fn describes_object(root: &Json, schema: &Json, depth: usize, left: &Cell<u32>) -> bool {
    if depth > DEPTH_MAX || left.get() == 0 {
        return false;
    }
    left.set(left.get().saturating_sub(1));
    let deeper = |part: &Json| describes_object(root, part, depth.saturating_add(1), left);
    let list = |keyword: &str| {
        schema
            .get(keyword)
            .and_then(Json::as_array)
            .unwrap_or_default()
    };
    let every = |parts: &[Json]| !parts.is_empty() && parts.iter().all(deeper);
    let typed = match schema.get("type") {
        Some(Json::Array(types)) => {
            !types.is_empty() && types.iter().all(|it| it.as_str() == Some("object"))
        }
        other => other.and_then(Json::as_str) == Some("object"),
    };
    let target = schema.get("$ref").and_then(Json::as_str);
    let target = target.and_then(|it| walk::target(root, it.strip_prefix('#')?));
    typed
        || target.is_some_and(deeper)
        || list("allOf").iter().any(deeper)
        || every(list("anyOf"))
        || every(list("oneOf"))
}
