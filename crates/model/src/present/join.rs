//! Several copied schemas as one: all of them at once, or any of them. Both accept at least what
//! they stand for.

use std::collections::BTreeSet;

use spec::Json;

use super::convert::Members;

/// The most different schemas that are shown for one property of alternatives.
const CHOICES_MAX: usize = 16;

/// Makes `into` say as well what `other` says, as far as one schema can: of two values for a keyword
/// the first one stays. Either they are objects, or they have no `prefixItems`, on which it would
/// depend what `items` means.
pub(super) fn merge(into: &mut Members, other: Members) {
    let is_closed = |it: &Members| it.get("additionalProperties") == Some(&Json::Bool(false));
    let lists_all = |it: &Members| is_closed(it) && !it.contains_key("patternProperties");
    let (into_is_complete, other_is_closed) = (lists_all(into), is_closed(&other));
    for (keyword, value) in other {
        match (keyword.as_str(), into.get_mut(&keyword), value) {
            // Nothing beyond a complete list is accepted anyway.
            ("properties", Some(_), _) if into_is_complete => {}
            ("properties" | "patternProperties", Some(Json::Object(have)), Json::Object(more)) => {
                for (name, schema) in more {
                    let present = have.entry(name).or_insert_with(Json::object);
                    if *present == Json::object() {
                        *present = schema;
                    }
                }
            }
            ("required", Some(Json::Array(have)), Json::Array(more)) => {
                let new: Vec<Json> = more.into_iter().filter(|it| !have.contains(it)).collect();
                have.extend(new);
            }
            ("allOf", Some(Json::Array(have)), Json::Array(more)) => have.extend(more),
            (_, None, value) => {
                into.insert(keyword, value);
            }
            (_, Some(_), _) => {}
        }
    }
    if other_is_closed {
        into.insert("additionalProperties".to_owned(), Json::from(false));
    }
}

/// One object schema for alternatives that all are objects.
pub(super) fn union(alternatives: &[Members]) -> Members {
    let mut names = BTreeSet::new();
    for it in alternatives {
        let listed = properties(it).into_iter().flat_map(Members::keys);
        names.extend(listed.map(String::as_str));
        // Many alternatives only require; a property that is not listed would not be thought of.
        names.extend(required(it).iter().filter_map(Json::as_str));
    }
    let shown: Members = names
        .into_iter()
        .map(|name| (name.to_owned(), property(alternatives, name)))
        .collect();
    let mut out = Members::new();
    if !shown.is_empty() {
        out.insert("properties".to_owned(), Json::Object(shown));
    }
    let required = required_by_all(alternatives);
    if !required.is_empty() {
        out.insert("required".to_owned(), Json::from(required));
    }
    let is_closed = |it: &Members| {
        it.get("additionalProperties") == Some(&Json::Bool(false))
            && !it.contains_key("patternProperties")
    };
    if !alternatives.is_empty() && alternatives.iter().all(is_closed) {
        out.insert("additionalProperties".to_owned(), Json::from(false));
    }
    out
}

fn properties(schema: &Members) -> Option<&Members> {
    schema.get("properties")?.as_object()
}

/// The names that a schema requires.
pub(super) fn required(schema: &Members) -> &[Json] {
    let names = schema.get("required").and_then(Json::as_array);
    names.unwrap_or_default()
}

fn required_by_all(alternatives: &[Members]) -> Vec<Json> {
    let first = alternatives.first().map(required).unwrap_or_default();
    let others = alternatives.get(1..).unwrap_or_default();
    let by_all = |name: &&Json| others.iter().all(|it| required(it).contains(name));
    first.iter().filter(by_all).cloned().collect()
}

/// What a property may be by one alternative or another.
fn property(alternatives: &[Members], name: &str) -> Json {
    let text = "anything, where an alternative does not say what this is";
    let anything = Json::from_members([("description", Json::from(text))]);
    let mut choices: Vec<Json> = Vec::new();
    let mut is_open = false;
    for it in alternatives {
        let listed = properties(it).and_then(|it| it.get(name));
        let matched = it.contains_key("patternProperties");
        let choice = match (listed, it.get("additionalProperties")) {
            (Some(listed), _) => Some(listed.clone()),
            (None, Some(Json::Bool(false))) if !matched => None,
            (None, Some(schema @ Json::Object(_))) if !matched => Some(schema.clone()),
            (None, _) => {
                is_open = true;
                None
            }
        };
        for it in choice.iter().flat_map(flattened) {
            if *it == Json::object() || *it == anything {
                is_open = true;
            } else if !choices.contains(it) {
                choices.push(it.clone());
            }
        }
    }
    is_open = is_open || choices.len() > CHOICES_MAX;
    choices.truncate(CHOICES_MAX);
    if let (false, Some(choice)) = (is_open, one_choice(&choices)) {
        return choice;
    }
    if choices.is_empty() {
        return Json::object();
    }
    if is_open {
        choices.push(anything);
    }
    Json::from_members([("anyOf", Json::from(choices))])
}

/// The choices that a schema is, if it is nothing else: alternatives in alternatives do not nest.
fn flattened(schema: &Json) -> &[Json] {
    let is_only = schema.as_object().is_some_and(|it| it.len() == 1);
    let choices = schema.get("anyOf").and_then(Json::as_array);
    choices
        .filter(|_| is_only)
        .unwrap_or(std::slice::from_ref(schema))
}

/// The choices as one schema without `anyOf`: the only one, or one list of values.
fn one_choice(choices: &[Json]) -> Option<Json> {
    let first = choices.first()?;
    if choices.len() == 1 {
        return Some(first.clone());
    }
    let mut values: Vec<Json> = Vec::new();
    for choice in choices {
        let members = choice.as_object()?;
        let is_plain = |key: &String| matches!(key.as_str(), "type" | "const" | "enum");
        if !members.keys().all(is_plain) || members.get("type") != first.get("type") {
            return None;
        }
        let more = match (members.get("const"), members.get("enum")) {
            (Some(value), None) => std::slice::from_ref(value),
            (None, Some(values)) => values.as_array()?,
            (Some(_), Some(_)) | (None, None) => return None,
        };
        values.extend(
            more.iter()
                .filter(|it| !values.contains(it))
                .cloned()
                .collect::<Vec<_>>(),
        );
    }
    let kind = first.get("type").map(|it| ("type", it.clone()));
    let values = [("enum", Json::from(values))];
    Some(Json::from_members(kind.into_iter().chain(values)))
}
