//! What a schema says about one place of a value: the keywords that stand there, through references
//! and alternatives. Knows where schemas stand in schemas; decides nothing about values.

use std::collections::BTreeSet;

use spec::Json;

/// The most schemas that are looked at for one place.
const SCHEMAS_MAX: usize = 64;
/// The keywords that say of a value what another one says too.
const FAMILIES: [&[&str]; 9] = [
    &["minimum", "exclusiveMinimum"],
    &["maximum", "exclusiveMaximum"],
    &["type", "enum", "const"],
    &["pattern", "format"],
    &["items", "additionalItems", "unevaluatedItems", "maxItems"],
    &["contains", "minContains", "maxContains"],
    &[
        "additionalProperties",
        "unevaluatedProperties",
        "propertyNames",
        "properties",
        "patternProperties",
    ],
    &["required", "dependentRequired", "dependencies"],
    &["if", "then", "else"],
];

/// What `root` says with `keyword`, or with one that says such things too, of the values at
/// `pointer`: each keyword once for each value that it has there.
pub(super) fn said<'a>(
    root: &'a Json,
    pointer: &str,
    keyword: &'a str,
) -> Vec<(&'a str, &'a Json)> {
    let mut here = spread(root, vec![root]);
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let inner = here.iter().flat_map(|it| below(it, &step));
        here = spread(root, inner.collect());
    }
    let alone = [keyword];
    let family = FAMILIES.iter().find(|it| it.contains(&keyword));
    let family = family.copied().unwrap_or(&alone);
    let mut said = Vec::new();
    for schema in here {
        for word in family {
            if let Some(value) = schema.get(word)
                && !said.contains(&(*word, value))
            {
                said.push((*word, value));
            }
        }
    }
    // The keyword itself first.
    said.sort_by_key(|(word, _)| *word != keyword);
    said
}

/// The schemas, and those that apply to the same value through them.
fn spread<'a>(root: &'a Json, start: Vec<&'a Json>) -> Vec<&'a Json> {
    let mut open = start;
    let mut followed: BTreeSet<&str> = BTreeSet::new();
    let mut all = Vec::new();
    while let Some(schema) = open.pop() {
        if all.len() >= SCHEMAS_MAX {
            break;
        }
        all.push(schema);
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let alternatives = schema.get(keyword).and_then(Json::as_array);
            open.extend(alternatives.into_iter().flatten());
        }
        open.extend(["then", "else"].iter().filter_map(|it| schema.get(it)));
        if let Some(reference) = schema.get("$ref").and_then(Json::as_str)
            && followed.insert(reference)
        {
            open.extend(target(root, reference));
        }
    }
    all
}

/// What a reference within the document leads to, if it is a pointer.
fn target<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    let mut here = root;
    for step in reference.strip_prefix('#')?.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        here = match here {
            Json::Object(members) => members.get(&step)?,
            Json::Array(elements) => elements.get(step.parse::<usize>().ok()?)?,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
        };
    }
    Some(here)
}

/// What a schema says of the values one step down. Which patterns a name fits is not looked at, so
/// they all count.
fn below<'a>(schema: &'a Json, step: &str) -> Vec<&'a Json> {
    let mut inner = Vec::new();
    let named = schema.get("properties").and_then(|it| it.get(step));
    inner.extend(named);
    let patterns = schema.get("patternProperties").and_then(Json::as_object);
    inner.extend(patterns.into_iter().flat_map(|it| it.values()));
    if named.is_none() {
        inner.extend(schema.get("additionalProperties"));
    }
    if let Ok(at) = step.parse::<usize>() {
        let tuples = ["prefixItems", "items"].iter();
        let mut tuples = tuples.filter_map(|it| schema.get(it)?.as_array());
        let own = tuples.next().map(|it| it.get(at));
        match (own, schema.get("items")) {
            (Some(Some(own)), _) => inner.push(own),
            (_, Some(rest)) if rest.as_array().is_none() => inner.push(rest),
            (_, _) => inner.extend(schema.get("additionalItems")),
        }
    }
    inner
}

#[cfg(test)]
mod tests {
    use spec::Json;

    use super::said;

    fn check(schema: &str, pointer: &str, keyword: &str, expected: &[&str]) {
        let schema = Json::parse(schema.as_bytes()).unwrap();
        let said = said(&schema, pointer, keyword);
        let said: Vec<_> = said
            .iter()
            .map(|(word, value)| format!("{word}: {}", value.to_canonical()))
            .collect();
        assert_eq!(said, expected, "{pointer} {keyword}");
    }

    #[test]
    fn keywords_at_a_place() {
        let schema = r##"{
            "properties": {
                "a": {"$ref": "#/$defs/level"},
                "b/c": {"anyOf": [{"maximum": 1}, {"exclusiveMaximum": 2}, {"maximum": 1}]},
                "d": {"prefixItems": [{"minimum": 1}], "items": {"minimum": 2}}
            },
            "additionalProperties": {"type": "string"},
            "$defs": {"level": {"maximum": 5, "allOf": [{"$ref": "#/$defs/level"}, {"minimum": 1}]}}
        }"##;
        check(schema, "/a", "maximum", &["maximum: 5"]);
        check(schema, "/a", "minimum", &["minimum: 1"]);
        check(
            schema,
            "/b~1c",
            "maximum",
            &["maximum: 1", "exclusiveMaximum: 2"],
        );
        check(schema, "/d/0", "minimum", &["minimum: 1"]);
        check(schema, "/d/1", "minimum", &["minimum: 2"]);
        check(schema, "/other", "type", &["type: \"string\""]);
        check(schema, "/d", "items", &["items: {\"minimum\":2}"]);
        check(schema, "/a/b", "maximum", &[]);
        check("true", "/a", "maximum", &[]);
    }

    #[test]
    fn tuples_of_older_drafts() {
        let schema = r#"{"items": [{"const": 1}], "additionalItems": {"const": 2}}"#;
        check(schema, "/0", "const", &["const: 1"]);
        check(schema, "/1", "const", &["const: 2"]);
    }
}
