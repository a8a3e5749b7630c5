//! What is known of a schema without judging a value. Where it cannot be told (references go round,
//! or the schema is too large), the answer is the one that closes or refuses more.

use std::cell::Cell;
use std::collections::BTreeSet;

use spec::Json;
use validator::Draft;

use super::super::{vocabulary, walk};

/// How many schemas are looked at for all answers together.
const VISITS_MAX: u32 = 1_000_000;
/// How deep references and combinations may nest.
const DEPTH_MAX: usize = 64;

/// Keywords that hold lists of schemas for the same value.
pub(super) const COMBINED: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords that hold one schema for the same value.
const BRANCHES: [&str; 3] = ["if", "then", "else"];
/// Keywords that hold schemas for the same value, by names of properties.
const DEPENDENT: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Keywords that say which properties there may be.
const CONTRIBUTING: [&str; 4] = [
    "additionalProperties",
    "patternProperties",
    "properties",
    "unevaluatedProperties",
];

/// Answers about the parts of one schema, whose references are all pointers from its root.
pub(super) struct Facts<'a> {
    pub(super) root: &'a Json,
    pub(super) draft: Draft,
    left: Cell<u32>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(root: &'a Json, draft: Draft) -> Self {
        Self {
            root,
            draft,
            left: Cell::new(VISITS_MAX),
        }
    }

    /// False once too much has been looked at.
    fn go_on(&self, depth: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        depth <= DEPTH_MAX && self.left.get() > 0
    }

    /// Whether some answers were given without looking, since too much had been looked at.
    pub(super) fn gave_up(&self) -> bool {
        self.left.get() == 0
    }

    /// Whether the drafts' old rule holds, by which words beside a `$ref` are passed over.
    pub(super) fn only_reference(&self, schema: &Json) -> bool {
        schema.get("$ref").is_some() && self.draft <= Draft::D7
    }

    /// The steps that the `$ref` of a schema takes from the root.
    pub(super) fn reference(schema: &Json) -> Option<&str> {
        schema.get("$ref")?.as_str()?.strip_prefix('#')
    }

    fn target(&self, schema: &Json) -> Option<&'a Json> {
        walk::target(self.root, Self::reference(schema)?)
    }

    /// The schemas that speak of the same value as this one, with those that references lead to.
    fn in_place<'s>(&self, schema: &'s Json) -> Vec<&'s Json>
    where
        'a: 's,
    {
        let mut parts: Vec<&'s Json> = self.target(schema).into_iter().collect();
        if self.only_reference(schema) {
            return parts;
        }
        for keyword in COMBINED {
            parts.extend(list(schema, keyword));
        }
        parts.extend(BRANCHES.iter().filter_map(|keyword| schema.get(keyword)));
        for keyword in DEPENDENT {
            let named = schema.get(keyword).and_then(Json::as_object);
            let schemas = named.into_iter().flat_map(|it| it.values());
            parts.extend(schemas.filter(|it| !matches!(it, Json::Array(_))));
        }
        parts
    }

    /// Whether the schema says nothing, so that every value is meant.
    pub(super) fn is_open(&self, schema: &Json) -> bool {
        self.is_open_at(schema, 0)
    }

    fn is_open_at(&self, schema: &Json, depth: usize) -> bool {
        if !self.go_on(depth) {
            return false;
        }
        let deeper = |part: &Json| self.is_open_at(part, depth.saturating_add(1));
        let members = match schema {
            Json::Bool(value) => return *value,
            Json::Object(members) => members,
            Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) => return false,
        };
        if self.only_reference(schema) {
            return self.target(schema).is_some_and(deeper);
        }
        members.keys().all(|keyword| match keyword.as_str() {
            "$ref" => self.target(schema).is_some_and(deeper),
            "allOf" => list(schema, keyword).iter().all(deeper),
            "anyOf" => list(schema, keyword).iter().any(deeper),
            word => !vocabulary::constrains(word),
        })
    }

    /// Whether an object may be valid, as far as types tell.
    pub(super) fn may_be_object(&self, schema: &Json) -> bool {
        self.may_be_object_at(schema, 0)
    }

    fn may_be_object_at(&self, schema: &Json, depth: usize) -> bool {
        if !self.go_on(depth) {
            return true;
        }
        if let Json::Bool(value) = schema {
            return *value;
        }
        let deeper = |part: &Json| self.may_be_object_at(part, depth.saturating_add(1));
        if !self.target(schema).is_none_or(deeper) {
            return false;
        }
        if self.only_reference(schema) {
            return true;
        }
        let typed = types(schema).is_none_or(|types| types.contains("object"));
        let any = |keyword| {
            let parts = list(schema, keyword);
            parts.is_empty() || parts.iter().any(deeper)
        };
        typed && list(schema, "allOf").iter().all(deeper) && any("anyOf") && any("oneOf")
    }

    /// Whether the schema, or one for the same value within it, says which properties there may be.
    pub(super) fn contributes(&self, schema: &Json) -> bool {
        self.contributes_at(schema, 0)
    }

    fn contributes_at(&self, schema: &Json, depth: usize) -> bool {
        if !self.go_on(depth) {
            return true;
        }
        let own = !self.only_reference(schema) && has_own_properties(schema);
        let deeper = |part: &Json| self.contributes_at(part, depth.saturating_add(1));
        own || self.in_place(schema).into_iter().any(deeper)
    }

    /// Whether the schema, or one for the same value within it, allows every property by name.
    pub(super) fn opens(&self, schema: &Json) -> bool {
        self.opens_at(schema, 0)
    }

    fn opens_at(&self, schema: &Json, depth: usize) -> bool {
        if !self.go_on(depth) {
            return true;
        }
        let own = !self.only_reference(schema) && self.opens_itself(schema);
        let deeper = |part: &Json| self.opens_at(part, depth.saturating_add(1));
        own || self.in_place(schema).into_iter().any(deeper)
    }

    pub(super) fn opens_itself(&self, schema: &Json) -> bool {
        let said = ["additionalProperties", "unevaluatedProperties"];
        let mut said = said.iter().filter_map(|keyword| schema.get(keyword));
        said.any(|it| self.is_open(it))
    }

    /// Whether no value is valid by both, as types or a property with fixed values tell.
    pub(super) fn exclusive(&self, one: &Json, other: &Json) -> bool {
        let (one, other) = (self.followed(one), self.followed(other));
        if let (Some(mine), Some(theirs)) = (types(one), types(other))
            && mine.is_disjoint(&theirs)
        {
            return true;
        }
        let objects = |it| types(it).is_some_and(|it| it.iter().all(|it| *it == "object"));
        objects(one) && objects(other) && {
            let mine: BTreeSet<&str> = required(one).collect();
            let mut both = required(other).filter(|name| mine.contains(name));
            both.any(
                |name| match (self.fixed(one, name), self.fixed(other, name)) {
                    (Some(mine), Some(theirs)) => mine.iter().all(|it| !theirs.contains(it)),
                    _ => false,
                },
            )
        }
    }

    /// The schema, or what it only refers to.
    fn followed<'s>(&self, schema: &'s Json) -> &'s Json
    where
        'a: 's,
    {
        let alone = self.only_reference(schema)
            || schema.as_object().is_some_and(|members| members.len() == 1);
        let target = self.target(schema).filter(|_| alone);
        target.unwrap_or(schema)
    }

    /// The values that a property may have, if they are listed.
    fn fixed<'s>(&self, schema: &'s Json, name: &str) -> Option<Vec<&'s Json>>
    where
        'a: 's,
    {
        let property = self.followed(schema.get("properties")?.get(name)?);
        if let Some(listed) = property.get("enum").and_then(Json::as_array) {
            return Some(listed.iter().collect());
        }
        let value = property.get("const").filter(|_| self.draft > Draft::D4);
        value.map(|it| vec![it])
    }
}

/// Whether a schema lists its values, so that there is nothing to close.
pub(super) fn is_pinned(schema: &Json, draft: Draft) -> bool {
    schema.get("enum").is_some() || (draft > Draft::D4 && schema.get("const").is_some())
}

pub(super) fn has_own_properties(schema: &Json) -> bool {
    CONTRIBUTING.iter().any(|it| schema.get(it).is_some())
}

pub(super) fn list<'s>(schema: &'s Json, keyword: &str) -> &'s [Json] {
    let list = schema.get(keyword).and_then(Json::as_array);
    list.unwrap_or_default()
}

fn required(schema: &Json) -> impl Iterator<Item = &str> {
    list(schema, "required").iter().filter_map(Json::as_str)
}

/// The types that a schema names; a whole number is a number.
fn types(schema: &Json) -> Option<BTreeSet<&str>> {
    let plain = |it: &'_ str| -> &'static str {
        match it {
            "array" => "array",
            "boolean" => "boolean",
            "null" => "null",
            "object" => "object",
            "string" => "string",
            _ => "number",
        }
    };
    match schema.get("type")? {
        Json::String(one) => Some(BTreeSet::from([plain(one)])),
        Json::Array(several) => {
            let words = several.iter().filter_map(Json::as_str);
            Some(words.map(plain).collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => None,
    }
}
