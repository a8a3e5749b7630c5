//! Closes a schema: no property outside of it at any object level.
//!
//! A *level* is a place of the value: the value itself, a property, an element. Several schemas may
//! speak of one level (`allOf`, `$ref` and so on), and it is closed once, by all that they say
//! together. What is closed accepts nothing that the schema refused before. A schema that says
//! nothing (`{}`, `true`, a description alone) means every value and stays as it is; one that lists
//! its values is closed already. Knows nothing of Tools.

mod facts;
mod naming;

use std::collections::{BTreeMap, BTreeSet};

use spec::Json;
use validator::Draft;

use super::part::{self, Leads};
use super::walk::{self, Names};

use facts::{COMBINED, Facts, has_own_properties, is_pinned, list};

/// The most closed copies of what references lead to.
const COPIES_MAX: usize = 2_000;

/// A level that cannot be closed, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unclosable {
    /// The steps from the root of the schema to the level's own schema.
    pub(crate) path: Vec<String>,
    /// What stands in the way, with what to do about it.
    pub(crate) why: &'static str,
}

const OPEN: &str = "it allows every property by name, which contradicts `strict`: list the properties, or give `additionalProperties` a schema";
const SPREAD: &str = "its properties are spread over several schemas, which this draft cannot close: declare `$schema: https://json-schema.org/draft/2020-12/schema`, or write `additionalProperties` yourself";
const DYNAMIC: &str =
    "what `$dynamicRef` and `$recursiveRef` lead to cannot be told: write a plain `$ref`";
const LARGE: &str = "the schema is too large to be closed";
const LOST: &str = "a reference in it leads out of the schema";

/// The schema, closed at every level.
///
/// # Errors
/// Every level that cannot be closed.
pub(crate) fn close(schema: &Json) -> Result<Json, Vec<Unclosable>> {
    let draft = Draft::of(schema).unwrap_or(Draft::D2020);
    let plain = with_plain_references(schema, draft).map_err(|it| vec![it])?;
    let facts = Facts::new(&plain, draft);
    let mut closer = Closer {
        facts: &facts,
        unclosable: BTreeSet::new(),
        copies: BTreeMap::new(),
        open: Vec::new(),
    };
    let mut root = closer.level(&plain, &[]);
    closer.close_copies();
    if facts.gave_up() {
        closer.unclosable.clear();
        closer.refuse(&[], LARGE);
    }
    if !closer.unclosable.is_empty() {
        return Err(closer.unclosable.into_iter().collect());
    }
    closer.put_together(&mut root);
    Ok(root)
}

/// The schema with every reference as a pointer from its root, and without the names that would
/// make references start from elsewhere.
fn with_plain_references(schema: &Json, draft: Draft) -> Result<Json, Unclosable> {
    let visits = walk::all(schema, draft);
    let names = Names::of(&visits, draft);
    let mut plain = schema.clone();
    for visit in &visits {
        let refused = |why| Unclosable {
            path: visit.path.clone(),
            why,
        };
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            if visit.schema.get(keyword).is_some() {
                return Err(refused(DYNAMIC));
            }
        }
        let target = visit.schema.get("$ref").and_then(Json::as_str);
        let pointer = match target.map(|it| part::leads(schema, &names, visit, it, "")) {
            None => None,
            Some(Leads::Within(steps)) => Some(walk::fragment_of(steps.iter().map(String::as_str))),
            Some(Leads::File(_) | Leads::Nowhere | Leads::Remote | Leads::NoFile(_)) => {
                return Err(refused(LOST));
            }
        };
        let Some(Json::Object(members)) = walk::at_mut(&mut plain, &visit.path) else {
            continue;
        };
        if let Some(pointer) = pointer {
            members.insert("$ref".to_owned(), Json::String(format!("#{pointer}")));
        }
        members.remove("$anchor");
        members.remove("$dynamicAnchor");
        members.remove("$recursiveAnchor");
        if !visit.path.is_empty() {
            members.remove("$schema");
            members.remove(walk::id_keyword(draft));
        }
    }
    Ok(plain)
}

/// What a copy of a schema is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Copy {
    /// To be a level: closed.
    Level,
    /// To speak of a level beside others: closed within, not itself.
    Part,
    /// To say what it always said, where saying less would accept more.
    Same,
}

struct Closer<'a> {
    facts: &'a Facts<'a>,
    unclosable: BTreeSet<Unclosable>,
    /// What references lead to, by pointer and use; None until it is its turn.
    copies: BTreeMap<(String, Copy), Option<Json>>,
    open: Vec<(String, Copy)>,
}

/// Keywords whose schemas speak of another level.
const INNER_ONE: [&str; 5] = [
    "additionalItems",
    "additionalProperties",
    "items",
    "unevaluatedItems",
    "unevaluatedProperties",
];
const INNER_LIST: [&str; 2] = ["items", "prefixItems"];
const INNER_NAMED: [&str; 2] = ["patternProperties", "properties"];

fn with(path: &[String], steps: &[&str]) -> Vec<String> {
    let steps = steps.iter().map(|it| (*it).to_owned());
    path.iter().cloned().chain(steps).collect()
}

impl Closer<'_> {
    fn refuse(&mut self, path: &[String], why: &'static str) {
        self.unclosable.insert(Unclosable {
            path: path.to_vec(),
            why,
        });
    }

    /// A reference to a copy.
    fn refer(&mut self, pointer: &str, copy: Copy) -> Json {
        let key = (pointer.to_owned(), copy);
        if !self.copies.contains_key(&key) {
            if self.copies.len() >= COPIES_MAX {
                self.refuse(&[], LARGE);
            } else {
                self.copies.insert(key.clone(), None);
                self.open.push(key);
            }
        }
        naming::unnamed(pointer, copy)
    }

    fn close_copies(&mut self) {
        let root = self.facts.root;
        while let Some((pointer, copy)) = self.open.pop() {
            let Some(steps) = walk::pointer_steps(&pointer) else {
                continue;
            };
            let Some(schema) = walk::at(root, &steps) else {
                continue;
            };
            let made = match copy {
                Copy::Level => self.level(schema, &steps),
                Copy::Part => self.part(schema, &steps),
                Copy::Same => self.same(schema),
            };
            self.copies.insert((pointer, copy), Some(made));
        }
    }

    /// The schema of a level, closed.
    fn level(&mut self, schema: &Json, path: &[String]) -> Json {
        let facts = self.facts;
        if facts.only_reference(schema) {
            return self.reference(schema, Copy::Level);
        }
        if !facts.may_be_object(schema) {
            return self.part(schema, path);
        }
        if facts.is_open(schema) || is_pinned(schema, facts.draft) {
            return self.same(schema);
        }
        let says = |keyword| schema.get(keyword).is_some();
        if says("additionalProperties") || says("unevaluatedProperties") {
            if facts.opens_itself(schema) {
                self.refuse(path, OPEN);
            }
            return self.part(schema, path);
        }
        let sources = self.sources(schema);
        match (sources.as_slice(), has_own_properties(schema)) {
            ([], _) => with_member(self.part(schema, path), "additionalProperties"),
            (["$ref"], false) => {
                let mut closed = self.part(&without(schema, "$ref"), path);
                if let (Json::Object(members), Some(pointer)) =
                    (&mut closed, Facts::reference(schema))
                {
                    members.insert("$ref".to_owned(), self.refer(pointer, Copy::Level));
                }
                closed
            }
            _ if facts.draft >= Draft::D2019 => {
                if facts.opens(schema) {
                    self.refuse(path, OPEN);
                }
                with_member(self.part(schema, path), "unevaluatedProperties")
            }
            ([source], false) => self.delegated(schema, source, path),
            _ => {
                self.refuse(path, SPREAD);
                self.part(schema, path)
            }
        }
    }

    /// The keywords through which other schemas say which properties there may be.
    fn sources(&self, schema: &Json) -> Vec<&'static str> {
        let facts = self.facts;
        let contributing = |part: &Json| facts.contributes(part);
        let mut sources = Vec::new();
        let target = Facts::reference(schema).and_then(|it| walk::target(facts.root, it));
        if target.is_some_and(contributing) {
            sources.push("$ref");
        }
        for keyword in COMBINED {
            if list(schema, keyword).iter().any(contributing) {
                sources.push(keyword);
            }
        }
        for keyword in ["if", "then", "else"] {
            if schema.get(keyword).is_some_and(contributing) {
                sources.push(keyword);
            }
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            let named = schema.get(keyword).and_then(Json::as_object);
            if named.is_some_and(|it| it.values().any(contributing)) {
                sources.push(keyword);
            }
        }
        sources
    }

    /// For drafts that cannot look at several schemas together: closes the one keyword whose schemas
    /// say which properties there may be.
    fn delegated(&mut self, schema: &Json, source: &str, path: &[String]) -> Json {
        let facts = self.facts;
        let parts = list(schema, source);
        let mut closed = self.part(&without(schema, source), path);
        let mut levels = Vec::new();
        let mut contributing = 0_usize;
        for (index, part) in parts.iter().enumerate() {
            let path = with(path, &[source, &index.to_string()]);
            let contributes = facts.contributes(part);
            contributing = contributing.saturating_add(usize::from(contributes));
            levels.push(match source {
                "allOf" if !contributes => self.part(part, &path),
                _ => {
                    if source != "allOf" && facts.is_open(part) {
                        self.refuse(&path, OPEN);
                    }
                    self.level(part, &path)
                }
            });
        }
        let Json::Object(members) = &mut closed else {
            return closed;
        };
        match source {
            "allOf" if contributing == 1 => {
                members.insert(source.to_owned(), Json::Array(levels));
            }
            "anyOf" => {
                members.insert(source.to_owned(), Json::Array(levels));
            }
            "oneOf" => self.put_one_of(members, parts, levels),
            _ => self.refuse(path, SPREAD),
        }
        closed
    }

    /// The schema closed within: the levels below are closed, and nothing is said of its own.
    fn part(&mut self, schema: &Json, path: &[String]) -> Json {
        let Json::Object(members) = schema else {
            return schema.clone();
        };
        if self.facts.only_reference(schema) {
            return self.reference(schema, Copy::Part);
        }
        if is_pinned(schema, self.facts.draft) {
            return self.same(schema);
        }
        let mut closed = BTreeMap::new();
        for (key, value) in members {
            let word = key.as_str();
            let inner = match (word, value) {
                ("$defs" | "definitions", _) => continue,
                ("$ref", Json::String(_)) => match Facts::reference(schema) {
                    Some(pointer) => self.refer(pointer, Copy::Part),
                    None => value.clone(),
                },
                ("oneOf", Json::Array(_)) => continue,
                (_, Json::Array(elements)) if INNER_LIST.contains(&word) => {
                    Json::Array(self.each(elements, &with(path, &[word]), Self::level))
                }
                (_, Json::Array(elements)) if COMBINED.contains(&word) => {
                    Json::Array(self.each(elements, &with(path, &[word]), Self::part))
                }
                (_, Json::Object(named)) if INNER_NAMED.contains(&word) => {
                    self.named(named, &with(path, &[word]), Self::level)
                }
                ("dependentSchemas" | "dependencies", Json::Object(named)) => {
                    self.named(named, &with(path, &[word]), Self::part)
                }
                _ if INNER_ONE.contains(&word) => self.level(value, &with(path, &[word])),
                ("then" | "else", _) => self.part(value, &with(path, &[word])),
                ("contains" | "if" | "not" | "propertyNames", _) => self.same(value),
                _ => value.clone(),
            };
            closed.insert(key.clone(), inner);
        }
        if let Some(Json::Array(elements)) = members.get("oneOf") {
            let parts = self.each(elements, &with(path, &["oneOf"]), Self::part);
            self.put_one_of(&mut closed, elements, parts);
        }
        Json::Object(closed)
    }

    fn each(
        &mut self,
        elements: &[Json],
        path: &[String],
        make: fn(&mut Self, &Json, &[String]) -> Json,
    ) -> Vec<Json> {
        let elements = elements.iter().enumerate();
        elements
            .map(|(index, it)| make(self, it, &with(path, &[&index.to_string()])))
            .collect()
    }

    fn named(
        &mut self,
        named: &BTreeMap<String, Json>,
        path: &[String],
        make: fn(&mut Self, &Json, &[String]) -> Json,
    ) -> Json {
        Json::from_members(named.iter().map(|(name, it)| {
            let made = make(self, it, &with(path, &[name]));
            (name.clone(), made)
        }))
    }

    /// `oneOf` with closed schemas. Where two may fit one value, closing one of them could make an
    /// invalid value valid, so the old ones go on deciding that exactly one fits.
    fn put_one_of(
        &mut self,
        members: &mut BTreeMap<String, Json>,
        parts: &[Json],
        closed: Vec<Json>,
    ) {
        let facts = self.facts;
        let exclusive = parts.iter().enumerate().all(|(index, one)| {
            let others = parts.iter().skip(index.saturating_add(1));
            others.into_iter().all(|other| facts.exclusive(one, other))
        });
        if exclusive || parts == closed {
            members.insert("oneOf".to_owned(), Json::Array(closed));
            return;
        }
        let same = parts.iter().map(|it| self.same(it)).collect();
        members.insert("oneOf".to_owned(), Json::Array(same));
        let closed = Json::from_members([("anyOf", Json::Array(closed))]);
        match members
            .entry("allOf".to_owned())
            .or_insert_with(|| Json::Array(Vec::new()))
        {
            Json::Array(all) => all.push(closed),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => {}
        }
    }

    /// The schema as it is, with references to what has not been closed.
    fn same(&mut self, schema: &Json) -> Json {
        let mut same = schema.clone();
        for visit in walk::below(schema) {
            let Some(pointer) = Facts::reference(visit.schema) else {
                continue;
            };
            let reference = self.refer(pointer, Copy::Same);
            if let Some(Json::Object(members)) = walk::at_mut(&mut same, &visit.path) {
                members.insert("$ref".to_owned(), reference);
            }
        }
        if let Json::Object(members) = &mut same {
            members.remove("$defs");
            members.remove("definitions");
        }
        same
    }

    /// A schema of a draft in which a `$ref` stands alone.
    fn reference(&mut self, schema: &Json, copy: Copy) -> Json {
        let mut members = schema.as_object().cloned().unwrap_or_default();
        members.remove("definitions");
        members.remove("$defs");
        if let Some(pointer) = Facts::reference(schema) {
            members.insert("$ref".to_owned(), self.refer(pointer, copy));
        }
        Json::Object(members)
    }
}

fn without(schema: &Json, keyword: &str) -> Json {
    let mut members = schema.as_object().cloned().unwrap_or_default();
    members.remove(keyword);
    Json::Object(members)
}

fn with_member(mut schema: Json, keyword: &str) -> Json {
    if let Json::Object(members) = &mut schema {
        members.insert(keyword.to_owned(), Json::Bool(false));
    }
    schema
}

#[cfg(test)]
mod tests;
