//! The subschemas of a schema. Knows which keywords hold schemas, so that what is data (an `enum`,
//! a property that is named `$ref`) is not taken for one.

use std::collections::{BTreeMap, BTreeSet};

use spec::Json;
use validator::Draft;

/// Keywords that hold one schema.
pub(super) const ONE: &[&str] = &[
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
pub(super) const LIST: &[&str] = &["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords that hold schemas by name.
pub(super) const NAMED: &[&str] = &[
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// A subschema and the way to it.
#[derive(Clone, Debug)]
pub(super) struct Visit<'a> {
    pub(super) schema: &'a Json,
    pub(super) path: Vec<String>,
    /// How many steps of the way lead to the schema that references without a file start from: the
    /// nearest one around that has an id of its own.
    pub(super) base: usize,
}

impl Visit<'_> {
    fn to(&self, steps: &[&str]) -> Vec<String> {
        let more = steps.iter().map(|it| (*it).to_owned());
        self.path.iter().cloned().chain(more).collect()
    }

    /// The steps to the schema that references start from.
    pub(super) fn base(&self) -> &[String] {
        self.path.get(..self.base).unwrap_or_default()
    }
}

/// The schema and every subschema, and what references lead to outside of them.
pub(super) fn all(root: &Json, draft: Draft) -> Vec<Visit<'_>> {
    let mut visits = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![Visit {
        schema: root,
        path: Vec::new(),
        base: 0,
    }];
    // Looked at last, since most of what references lead to are subschemas anyway.
    let mut later = Vec::new();
    while let Some(mut here) = open.pop().or_else(|| later.pop()) {
        if !seen.insert(here.path.clone()) {
            continue;
        }
        if !here.path.is_empty() && id(here.schema, draft).is_some() {
            here.base = here.path.len();
        }
        children(&here, &mut open);
        later.extend(led_to(root, &here));
        visits.push(here);
    }
    visits
}

/// The schema and every subschema of it, wherever it stands.
pub(super) fn below(schema: &Json) -> Vec<Visit<'_>> {
    let mut visits = Vec::new();
    let mut open = vec![Visit {
        schema,
        path: Vec::new(),
        base: 0,
    }];
    while let Some(here) = open.pop() {
        children(&here, &mut open);
        visits.push(here);
    }
    visits
}

fn children<'a>(here: &Visit<'a>, open: &mut Vec<Visit<'a>>) {
    let mut push = |schema: &'a Json, path: Vec<String>| {
        let base = here.base;
        open.push(Visit { schema, path, base });
    };
    for (key, value) in here.schema.as_object().into_iter().flatten() {
        let word = key.as_str();
        if ONE.contains(&word) && !matches!(value, Json::Array(_)) {
            push(value, here.to(&[word]));
        }
        if LIST.contains(&word) {
            let elements = value.as_array().into_iter().flatten().enumerate();
            for (index, schema) in elements {
                push(schema, here.to(&[word, &index.to_string()]));
            }
        }
        if NAMED.contains(&word) {
            let members = value.as_object().into_iter().flatten();
            for (name, schema) in members {
                push(schema, here.to(&[word, name]));
            }
        }
    }
}

/// What the `$ref` of a schema leads to, if it is a pointer.
fn led_to<'a>(root: &'a Json, here: &Visit<'a>) -> Option<Visit<'a>> {
    let fragment = here.schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    let mut path = here.base().to_vec();
    path.extend(pointer_steps(fragment)?);
    Some(Visit {
        schema: at(root, &path)?,
        path,
        base: here.base,
    })
}

/// The id of a schema that makes references within it start from it.
pub(super) fn id(schema: &Json, draft: Draft) -> Option<&str> {
    let text = schema.get(id_keyword(draft))?.as_str()?;
    (!text.starts_with('#')).then_some(text)
}

pub(super) fn id_keyword(draft: Draft) -> &'static str {
    match draft {
        Draft::D4 => "id",
        Draft::D6 | Draft::D7 | Draft::D2019 | Draft::D2020 => "$id",
    }
}

/// What subschemas call themselves, and the steps to them.
#[derive(Debug, Default)]
pub(super) struct Names {
    anchors: BTreeMap<String, Vec<String>>,
    ids: BTreeMap<String, Vec<String>>,
}

impl Names {
    pub(super) fn of(visits: &[Visit<'_>], draft: Draft) -> Self {
        let mut names = Self::default();
        for visit in visits {
            let text = |key: &str| visit.schema.get(key).and_then(Json::as_str);
            let mut anchor = |name: &str| {
                names.anchors.insert(name.to_owned(), visit.path.clone());
            };
            for name in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
                anchor(name);
            }
            // Before 2019-09 an anchor is written as an id.
            if let Some(name) = text(id_keyword(draft)).and_then(|it| it.strip_prefix('#')) {
                anchor(name);
            }
            if let Some(id) = id(visit.schema, draft) {
                let plain = id.strip_suffix('#').unwrap_or(id);
                names.ids.insert(plain.to_owned(), visit.path.clone());
            }
        }
        names
    }

    /// The steps from the root to what a fragment (what follows `#`) means to a schema at `base`.
    pub(super) fn fragment(
        &self,
        root: &Json,
        base: &[String],
        fragment: &str,
    ) -> Option<Vec<String>> {
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.anchors.get(&percent_decoded(fragment)?).cloned();
        }
        let mut path = base.to_vec();
        path.extend(pointer_steps(fragment)?);
        at(root, &path).is_some().then_some(path)
    }

    /// The steps to the subschema that names itself so.
    pub(super) fn id(&self, id: &str) -> Option<&[String]> {
        self.ids.get(id).map(Vec::as_slice)
    }
}

/// What a JSON pointer, as a fragment, leads to.
pub(super) fn target<'a>(root: &'a Json, fragment: &str) -> Option<&'a Json> {
    at(root, &pointer_steps(fragment)?)
}

/// What steps lead to.
pub(super) fn at<'a>(root: &'a Json, steps: &[String]) -> Option<&'a Json> {
    steps.iter().try_fold(root, |here, step| match here {
        Json::Object(members) => members.get(step),
        Json::Array(elements) => elements.get(step.parse::<usize>().ok()?),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    })
}

/// As [`at`], to change it.
pub(super) fn at_mut<'a>(root: &'a mut Json, steps: &[String]) -> Option<&'a mut Json> {
    steps.iter().try_fold(root, |here, step| match here {
        Json::Object(members) => members.get_mut(step),
        Json::Array(elements) => elements.get_mut(step.parse::<usize>().ok()?),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    })
}

/// The steps of a JSON pointer that stands as a fragment.
pub(super) fn pointer_steps(fragment: &str) -> Option<Vec<String>> {
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return None;
    }
    percent_decoded(fragment).map(|it| pointed(&it))
}

/// The steps of a JSON pointer.
pub(crate) fn pointed(pointer: &str) -> Vec<String> {
    let steps = pointer.split('/').skip(1);
    steps
        .map(|it| it.replace("~1", "/").replace("~0", "~"))
        .collect()
}

/// A JSON pointer as a fragment, after `#`.
pub(super) fn fragment_of<'s>(steps: impl IntoIterator<Item = &'s str>) -> String {
    let mut out = String::new();
    for step in steps {
        out.push('/');
        for byte in step.replace('~', "~0").replace('/', "~1").bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~$".contains(&byte) {
                out.push(char::from(byte));
            } else {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    out
}

pub(super) fn percent_decoded(text: &str) -> Option<String> {
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
    use validator::Draft;

    use super::{Names, all, fragment_of};

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    fn paths(schema: &Json) -> Vec<String> {
        let visits = all(schema, Draft::D2020);
        let mut paths: Vec<_> = visits.iter().map(|it| it.path.join("/")).collect();
        paths.sort();
        paths
    }

    #[test]
    fn data_is_not_taken_for_schemas() {
        let schema = json(
            r#"{"properties": {"$ref": {"type": "string"}, "a": {"enum": [{"properties": {"x": {}}}], "items": [{}, {"not": {}}]}},
                "default": {"properties": {"y": {}}}, "items": false}"#,
        );
        assert_eq!(
            paths(&schema),
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
    fn what_a_reference_leads_to_is_a_schema() {
        let schema = json(
            r##"{"$ref": "#/x-parts/a", "x-parts": {"a": {"not": {"$ref": "#/x-parts/a"}}, "b": {"not": {}}}}"##,
        );
        assert_eq!(paths(&schema), ["", "x-parts/a", "x-parts/a/not"]);
    }

    #[test]
    fn fragments() {
        let schema = json(
            r#"{"$defs": {"a b": {"$anchor": "here"}, "c/d": {"$id": "urn:x", "$defs": {"e": {}}}}, "allOf": [{}]}"#,
        );
        let visits = all(&schema, Draft::D2020);
        let names = Names::of(&visits, Draft::D2020);
        let find = |base: &[String], it: &str| names.fragment(&schema, base, it);
        for found in ["", "/$defs/a%20b", "/$defs/c~1d", "here", "/allOf/0"] {
            let steps = find(&[], found).unwrap();
            let text = fragment_of(steps.iter().map(String::as_str));
            assert_eq!(find(&[], &text), Some(steps), "{found} {text}");
        }
        for lost in ["/$defs/a", "there", "/allOf/1", "/%zz", "/", "/$defs/e"] {
            assert_eq!(find(&[], lost), None, "{lost}");
        }
        let inner = names.id("urn:x").unwrap();
        assert!(find(inner, "/$defs/e").is_some() && find(inner, "/allOf/0").is_none());
        assert_eq!(names.id("urn:y"), None);
    }
}
