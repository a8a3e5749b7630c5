//! Which keywords belong together and which types they say something about.

use std::collections::{BTreeMap, BTreeSet};

use spec::Json;

/// Keywords of which one takes the place of all.
pub(super) const FACETS: [&[&str]; 5] = [
    &["minimum", "exclusiveMinimum"],
    &["maximum", "exclusiveMaximum"],
    &["enum", "const"],
    &["contains", "minContains", "maxContains"],
    &["if", "then", "else"],
];

/// Keywords that constrain nothing.
pub(super) fn is_note(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
            | "$schema"
            | "$id"
    )
}

/// The type whose values a keyword constrains; `None` if it is not about one.
pub(super) fn kinds(keyword: &str) -> Option<&'static str> {
    match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            Some("number")
        }
        "minLength" | "maxLength" | "pattern" | "format" => Some("string"),
        "items" | "prefixItems" | "additionalItems" | "minItems" | "maxItems" | "uniqueItems"
        | "contains" | "minContains" | "maxContains" => Some("array"),
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "required"
        | "minProperties"
        | "maxProperties"
        | "propertyNames"
        | "dependentRequired"
        | "dependentSchemas" => Some("object"),
        _ => None,
    }
}

pub(super) fn applies_to(keyword: &str, types: &BTreeSet<String>) -> bool {
    kinds(keyword).is_none_or(|it| types.contains(it))
}

/// The types that a schema names, integers as numbers; `None` if it names none.
pub(super) fn types_of(schema: &BTreeMap<String, Json>) -> Option<BTreeSet<String>> {
    let words: Vec<&str> = match schema.get("type")? {
        Json::String(word) => vec![word],
        Json::Array(words) => words.iter().filter_map(Json::as_str).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => return None,
    };
    let plain = |it: &str| if it == "integer" { "number" } else { it }.to_owned();
    Some(words.into_iter().map(plain).collect())
}
