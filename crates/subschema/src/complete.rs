//! What a narrowing claims: what it says, with what it leaves unsaid taken from the schema that it
//! narrows, place by place. Knows nothing of whether the claim holds.

mod keywords;

use std::collections::{BTreeMap, BTreeSet};

use spec::Json;
use validator::Draft;

use crate::Options;
use crate::document::Document;

use keywords::{FACETS, applies_to, is_note, kinds, types_of};

/// How many references are followed at one place, and how deep places are nested.
const REFERENCES_MAX: usize = 20;
const DEPTH_MAX: usize = 150;

/// The most values that are written while one union is narrowed.
const DISTRIBUTED_MAX: usize = 500_000;

/// How many values a value is made of.
fn parts(value: &Json) -> usize {
    let below = match value {
        Json::Array(elements) => elements.iter().map(parts).sum(),
        Json::Object(members) => members.values().map(parts).sum(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 0,
    };
    usize::saturating_add(1, below)
}

type Members = BTreeMap<String, Json>;

/// A completed narrowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// What the narrowing claims, as a schema of its own.
    pub schema: Json,
    /// What its author may not have meant.
    pub lints: Vec<Lint>,
    /// What it gives as defaults.
    defaults: Vec<Given>,
}

/// A default that a narrowing gives, and what is claimed at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    pointer: String,
    value: Json,
    schema: Json,
}

/// A `default` of a narrowing that its own claim refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// JSON pointer to the place of the schema in the narrowing.
    pub pointer: String,
    /// The default.
    pub value: Json,
}

impl Completed {
    /// The defaults that the narrowing gives and does not take. One that cannot be judged is left
    /// out.
    #[must_use]
    pub fn misfits(&self, options: &Options) -> Vec<Misfit> {
        let refused = |given: &&Given| {
            crate::takes(&self.schema, &given.schema, &given.value, options) == Ok(false)
        };
        let misfits = self.defaults.iter().filter(refused).map(|given| Misfit {
            pointer: given.pointer.clone(),
            value: given.value.clone(),
        });
        misfits.collect()
    }
}

/// Something in a narrowing that is legal and probably not meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lint {
    /// A `required` leaves out a name that stays required.
    StaysRequired {
        /// JSON pointer to the place in the narrowing.
        pointer: String,
        /// The name.
        name: String,
    },
    /// A property that an open object does not know, so that its name may be misspelt.
    UnknownProperty {
        /// JSON pointer to the place in the narrowing.
        pointer: String,
        /// The name.
        name: String,
    },
    /// A property that the narrowed schema forbids.
    ForbiddenProperty {
        /// JSON pointer to the place in the narrowing.
        pointer: String,
        /// The name.
        name: String,
    },
    /// A keyword that says nothing about the type of the values there.
    CannotApply {
        /// JSON pointer to the place in the narrowing.
        pointer: String,
        /// The keyword.
        keyword: String,
    },
}

/// What `overlay` claims over `tool`: each keyword that it states takes the place of the tool's, a
/// stated `required` adds to it, and what it leaves unsaid is the tool's at the same place.
#[must_use]
pub fn complete(tool: &Json, overlay: &Json) -> Completed {
    let mut completion = Completion {
        document: Document::new(tool, Draft::of(tool).unwrap_or(Draft::D2020)),
        lints: Vec::new(),
        defaults: Vec::new(),
        path: Vec::new(),
    };
    let schema = completion.at(tool, overlay);
    Completed {
        schema,
        lints: completion.lints,
        defaults: completion.defaults,
    }
}

struct Completion<'a> {
    document: Document<'a>,
    lints: Vec<Lint>,
    defaults: Vec<Given>,
    path: Vec<String>,
}

/// What a reference leads to, with what stands beside the reference. Both hold, so where they speak
/// of the same thing they stay apart.
fn joined(mut target: Members, mut beside: Members) -> Members {
    let speaks_alike = |keyword: &String| {
        let alike = |other: &String| {
            let kind = kinds(keyword).filter(|it| matches!(*it, "array" | "object"));
            keyword == other || kind.is_some() && kind == kinds(other)
        };
        !is_note(keyword) && target.keys().any(alike)
    };
    if !beside.keys().any(speaks_alike) {
        target.extend(beside);
        return target;
    }
    let own = match beside.remove("allOf") {
        Some(Json::Array(own)) => own,
        Some(_) | None => Vec::new(),
    };
    let all = std::iter::once(Json::Object(target)).chain(own);
    beside.insert("allOf".to_owned(), Json::Array(all.collect()));
    beside
}

impl Completion<'_> {
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.path {
            pointer.push('/');
            pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        }
        pointer
    }

    fn below(&mut self, steps: &[&str], tool: &Json, overlay: &Json) -> Json {
        let depth = self.path.len();
        self.path.extend(steps.iter().map(|it| (*it).to_owned()));
        let done = self.at(tool, overlay);
        self.path.truncate(depth);
        done
    }

    fn at(&mut self, tool: &Json, overlay: &Json) -> Json {
        let Json::Object(stated) = overlay else {
            // `true` says nothing; `false` says that nothing may stand there.
            return if overlay == &Json::Bool(true) {
                tool.clone()
            } else {
                overlay.clone()
            };
        };
        if stated.is_empty() || self.path.len() > DEPTH_MAX {
            return tool.clone();
        }
        let schema = self.claimed(tool, overlay, stated);
        if let Some(value) = stated.get("default") {
            self.defaults.push(Given {
                pointer: self.pointer(),
                value: value.clone(),
                schema: schema.clone(),
            });
        }
        schema
    }

    /// What is claimed where the narrowing says something.
    fn claimed(&mut self, tool: &Json, overlay: &Json, stated: &Members) -> Json {
        let only_notes = stated.keys().all(|it| is_note(it));
        let tool = match tool {
            Json::Object(members) if only_notes => {
                Some(self.inlined(members).unwrap_or_else(|| members.clone()))
            }
            Json::Object(members) => self.inlined(members),
            Json::Bool(true) => Some(Members::new()),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => None,
        };
        let Some(tool) = tool else {
            // The place is forbidden; the narrowing claims all the same.
            return overlay.clone();
        };
        if only_notes {
            let mut schema = tool;
            schema.extend(stated.clone());
            return Json::Object(schema);
        }
        let restates = stated.contains_key("anyOf") || stated.contains_key("oneOf");
        if !restates && !tool.contains_key("type") {
            for union in ["anyOf", "oneOf"] {
                if let Some(Json::Array(alternatives)) = tool.get(union) {
                    return self.distributed(&tool, union, alternatives, stated);
                }
            }
        }
        self.merged(tool, stated)
    }

    /// The schema with its references followed; `None` if it forbids everything, or if it cannot be told what
    /// it says.
    fn inlined(&self, members: &Members) -> Option<Members> {
        let mut members = members.clone();
        for _ in 0..REFERENCES_MAX {
            let Some(Json::String(reference)) = members.get("$ref") else {
                break;
            };
            // Where it cannot be told what is inherited, nothing is: the narrowing claims alone.
            let target = match self.document.resolved(reference)? {
                Json::Object(target) => target.clone(),
                Json::Bool(false) => return None,
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                    Members::new()
                }
            };
            members.remove("$ref");
            if self.document.reference_stands_alone() {
                // What stands beside a reference says nothing there.
                members.retain(|keyword, _| is_note(keyword));
            }
            members = joined(target, members);
        }
        Some(members)
    }

    /// Has each alternative of a union be narrowed by what can apply to it.
    fn distributed(
        &mut self,
        tool: &Members,
        union: &str,
        alternatives: &[Json],
        stated: &Members,
    ) -> Json {
        let size = stated.values().map(parts).fold(0, usize::saturating_add);
        if size.saturating_mul(alternatives.len()) > DISTRIBUTED_MAX {
            // Too much to write down: what is stated is taken as the whole claim.
            return Json::Object(stated.clone());
        }
        let wanted = types_of(stated);
        let mut kept = Vec::new();
        for alternative in alternatives {
            // What no value takes is not narrowed to something.
            if alternative == &Json::Bool(false) {
                continue;
            }
            let inlined = alternative.as_object().and_then(|it| self.inlined(it));
            let own = inlined.as_ref().and_then(types_of);
            if let (Some(own), Some(wanted)) = (&own, &wanted)
                && own.is_disjoint(wanted)
            {
                continue;
            }
            let implied = match (&own, &wanted) {
                (Some(own), Some(wanted)) => own.is_subset(wanted),
                _ => false,
            };
            let applying = stated.iter().filter(|(keyword, _)| {
                let says = own.as_ref().is_none_or(|it| applies_to(keyword, it));
                says && !(implied && *keyword == "type")
            });
            let applying = applying.map(|(key, value)| (key.clone(), value.clone()));
            let alternative = inlined.map_or_else(|| alternative.clone(), Json::Object);
            kept.push(self.at(&alternative, &Json::Object(applying.collect())));
        }
        let mut outer = tool.clone();
        outer.remove(union);
        if kept.is_empty() {
            outer.extend(stated.clone());
            return Json::Object(outer);
        }
        let notes = stated.iter().filter(|(keyword, _)| is_note(keyword));
        outer.extend(notes.map(|(key, value)| (key.clone(), value.clone())));
        outer.insert(union.to_owned(), Json::Array(kept));
        Json::Object(outer)
    }

    fn merged(&mut self, tool: Members, stated: &Members) -> Json {
        let heard: Members;
        let mut stated = stated;
        if self.references_silence() && stated.contains_key("$ref") {
            let says = |it: &&String| *it == "$ref" || *it == "definitions" || is_note(it);
            let kept = stated.iter().filter(|(key, _)| says(key));
            heard = kept.map(|(key, it)| (key.clone(), it.clone())).collect();
            stated = &heard;
        }
        self.check_applying(&tool, stated);
        let mut schema = tool.clone();
        for facet in FACETS {
            if facet.iter().any(|it| stated.contains_key(*it)) {
                for keyword in facet {
                    schema.remove(*keyword);
                }
            }
        }
        for (keyword, value) in stated {
            let value = self.keyword(&tool, keyword, value);
            schema.insert(keyword.clone(), value);
        }
        Json::Object(self.beside_references(schema))
    }

    /// Whether what stands beside a reference says nothing.
    fn references_silence(&self) -> bool {
        self.document.draft <= Draft::D7
    }

    /// Where a reference would silence what stands beside it, it is put where it does not.
    fn beside_references(&self, mut schema: Members) -> Members {
        let says = |it: &String| it != "$ref" && it != "definitions" && !is_note(it);
        if !self.references_silence() || !schema.keys().any(says) {
            return schema;
        }
        if let Some(reference) = schema.remove("$ref") {
            let reference = Json::from_members([("$ref", reference)]);
            let mut all = match schema.remove("allOf") {
                Some(Json::Array(all)) => all,
                Some(_) | None => Vec::new(),
            };
            all.push(reference);
            schema.insert("allOf".to_owned(), Json::Array(all));
        }
        schema
    }

    fn keyword(&mut self, tool: &Members, keyword: &str, value: &Json) -> Json {
        let old = tool.get(keyword);
        match (keyword, old, value) {
            (
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
                _,
                Json::Object(stated),
            ) => {
                let mut members = old.and_then(Json::as_object).cloned().unwrap_or_default();
                for (name, overlay) in stated {
                    let member = self.member(tool, keyword, name, overlay);
                    members.insert(name.clone(), member);
                }
                Json::Object(members)
            }
            (
                "items" | "additionalProperties" | "propertyNames" | "contains",
                Some(old @ Json::Object(_)),
                Json::Object(_),
            ) => self.below(&[keyword], old, value),
            ("prefixItems" | "items", Some(Json::Array(old)), Json::Array(stated)) => {
                let mut items = old.clone();
                for (at, overlay) in stated.iter().enumerate() {
                    let step = at.to_string();
                    match items.get_mut(at) {
                        Some(item) => *item = self.below(&[keyword, &step], item, overlay),
                        None => items.push(overlay.clone()),
                    }
                }
                Json::Array(items)
            }
            ("required", _, Json::Array(stated)) => self.required(old, stated),
            ("dependentRequired", Some(Json::Object(old)), Json::Object(stated)) => {
                let mut members = old.clone();
                members.extend(stated.clone());
                Json::Object(members)
            }
            ("allOf", Some(Json::Array(old)), Json::Array(stated)) => {
                Json::Array(old.iter().chain(stated).cloned().collect())
            }
            _ => value.clone(),
        }
    }

    fn member(&mut self, tool: &Members, keyword: &str, name: &str, overlay: &Json) -> Json {
        let steps = [keyword, name];
        let known = tool.get(keyword).and_then(|it| it.get(name));
        if let Some(known) = known {
            let lint = Lint::ForbiddenProperty {
                pointer: self.pointer(),
                name: name.to_owned(),
            };
            if keyword == "properties" && known == &Json::Bool(false) {
                self.lints.push(lint);
            }
            return self.below(&steps, &known.clone(), overlay);
        }
        if keyword != "properties" {
            return overlay.clone();
        }
        let (pointer, name) = (self.pointer(), name.to_owned());
        // A pattern may know the name; only what nothing knows may be misspelt.
        let patterned = tool.contains_key("patternProperties");
        match tool.get("additionalProperties") {
            Some(Json::Bool(false)) if !patterned => {
                self.lints.push(Lint::ForbiddenProperty { pointer, name });
            }
            None | Some(Json::Bool(true)) if !patterned => {
                self.lints.push(Lint::UnknownProperty { pointer, name });
            }
            Some(rest @ Json::Object(_)) => return self.below(&steps, &rest.clone(), overlay),
            _ => {}
        }
        overlay.clone()
    }

    /// A stated list adds, it never takes away.
    fn required(&mut self, old: Option<&Json>, stated: &[Json]) -> Json {
        let texts = |list: &[Json]| -> BTreeSet<String> {
            list.iter()
                .filter_map(Json::as_str)
                .map(str::to_owned)
                .collect()
        };
        let old = texts(old.and_then(Json::as_array).unwrap_or(&[]));
        let stated = texts(stated);
        for name in old.difference(&stated) {
            self.lints.push(Lint::StaysRequired {
                pointer: self.pointer(),
                name: name.clone(),
            });
        }
        let union = old.union(&stated).map(|it| Json::from(it.as_str()));
        Json::Array(union.collect())
    }

    fn check_applying(&mut self, tool: &Members, stated: &Members) {
        let Some(types) = types_of(stated).or_else(|| types_of(tool)) else {
            return;
        };
        for keyword in stated.keys() {
            if kinds(keyword).is_some() && !applies_to(keyword, &types) {
                self.lints.push(Lint::CannotApply {
                    pointer: self.pointer(),
                    keyword: keyword.clone(),
                });
            }
        }
    }
}
