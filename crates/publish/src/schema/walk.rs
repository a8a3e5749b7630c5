//! The subschemas of a schema. Knows which keywords hold schemas, so that what is data (an `enum`,
//! a property that is named `$ref`) is not taken for one.

use std::collections::BTreeSet;

use spec::Json;

/// Keywords that hold one schema.
const ONE: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that hold a list of schemas.
const LIST: &[&str] = &["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords that hold schemas by name.
const NAMED: &[&str] = &[
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// A step from a schema to something in it.
#[derive(Clone, Debug)]
pub(super) enum Step<'a> {
    Key(&'a str),
    Index(String),
}

impl Step<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Step::Key(key) => key,
            Step::Index(index) => index,
        }
    }
}

/// A subschema and the way to it.
pub(super) struct Visit<'a> {
    pub(super) schema: &'a Json,
    pub(super) path: Vec<Step<'a>>,
}

/// Visits the schema and every subschema.
pub(super) fn each<'a>(root: &'a Json, visit: &mut impl FnMut(&Visit<'a>)) {
    let mut open = vec![Visit {
        schema: root,
        path: Vec::new(),
    }];
    while let Some(here) = open.pop() {
        visit(&here);
        let child = |schema: &'a Json, steps: &[Step<'a>]| {
            let path = here.path.iter().chain(steps).cloned().collect();
            Visit { schema, path }
        };
        for (key, value) in here.schema.as_object().into_iter().flatten() {
            let word = key.as_str();
            let step = Step::Key(word);
            if ONE.contains(&word) && !matches!(value, Json::Array(_)) {
                open.push(child(value, std::slice::from_ref(&step)));
            }
            if LIST.contains(&word) {
                let elements = value.as_array().into_iter().flatten().enumerate();
                open.extend(elements.map(|(index, schema)| {
                    child(schema, &[step.clone(), Step::Index(index.to_string())])
                }));
            }
            if NAMED.contains(&word) {
                let members = value.as_object().into_iter().flatten();
                open.extend(
                    members.map(|(name, schema)| child(schema, &[step.clone(), Step::Key(name)])),
                );
            }
        }
    }
}

/// What subschemas call themselves.
#[derive(Default)]
pub(super) struct Names<'a> {
    anchors: BTreeSet<&'a str>,
    ids: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn of(root: &'a Json) -> Self {
        let mut names = Self::default();
        each(root, &mut |visit| {
            let text = |key: &str| visit.schema.get(key).and_then(Json::as_str);
            names
                .anchors
                .extend(["$anchor", "$dynamicAnchor"].into_iter().filter_map(text));
            for id in ["$id", "id"].into_iter().filter_map(text) {
                // Before 2019-09 an anchor is written as an id.
                match id.strip_prefix('#') {
                    Some(anchor) => names.anchors.insert(anchor),
                    None => names.ids.insert(id),
                };
            }
        });
        names
    }

    /// Whether a fragment (what follows `#`) leads to something in the schema.
    pub(super) fn leads_somewhere(&self, root: &Json, fragment: &str) -> bool {
        if fragment.is_empty() || fragment.starts_with('/') {
            return target(root, fragment).is_some();
        }
        self.anchors.contains(fragment)
    }

    /// Whether some subschema names itself as `target` does, apart from a fragment.
    pub(super) fn has_id(&self, target: &str) -> bool {
        let (target, _) = target.split_once('#').unwrap_or((target, ""));
        self.ids.contains(target)
    }
}

/// What a JSON pointer, as a fragment, leads to.
pub(super) fn target<'a>(root: &'a Json, fragment: &str) -> Option<&'a Json> {
    let decoded = percent_decoded(fragment)?;
    let mut here = root;
    for step in decoded.split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        here = match here {
            Json::Object(members) => members.get(&key)?,
            Json::Array(elements) => elements.get(key.parse::<usize>().ok()?)?,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
        };
    }
    Some(here)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| {
                char::from(byte)
                    .to_digit(16)
                    .and_then(|it| u8::try_from(it).ok())
            };
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            bytes.push(high * 16 + low);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use spec::Json;

    use super::{Names, each};

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn data_is_not_taken_for_schemas() {
        let schema = json(
            r#"{"properties": {"$ref": {"type": "string"}, "a": {"enum": [{"properties": {"x": {}}}], "items": [{}, {"not": {}}]}},
                "default": {"properties": {"y": {}}}, "items": false}"#,
        );
        let mut paths = Vec::new();
        each(&schema, &mut |visit| {
            let steps: Vec<_> = visit.path.iter().map(super::Step::as_str).collect();
            paths.push(steps.join("/"));
        });
        paths.sort();
        assert_eq!(
            paths,
            [
                "",
                "items",
                "properties/$ref",
                "properties/a",
                "properties/a/items/0",
                "properties/a/items/1",
                "properties/a/items/1/not"
            ]
        );
    }

    #[test]
    fn fragments() {
        let schema = json(
            r#"{"$defs": {"a b": {"$anchor": "here"}, "c/d": {"$id": "urn:x"}}, "allOf": [{}]}"#,
        );
        let names = Names::of(&schema);
        for found in ["", "/$defs/a%20b", "/$defs/c~1d", "here", "/allOf/0"] {
            assert!(names.leads_somewhere(&schema, found), "{found}");
        }
        for lost in ["/$defs/a", "there", "/allOf/1", "/%zz", "/"] {
            assert!(!names.leads_somewhere(&schema, lost), "{lost}");
        }
        assert!(names.has_id("urn:x#/a") && !names.has_id("urn:y"));
    }
}
