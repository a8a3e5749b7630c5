//! Makes one self-contained schema of a schema and the files of the bundle that it refers to.
//!
//! Each file becomes a definition, once, and every reference a pointer to it. Ids and anchors, which
//! would make references start from somewhere else, are taken out: no reference needs them any more.
//! Knows nothing of what schemas mean.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use spec::Json;
use validator::Draft;

use super::part::{self, Leads, Outward};
use super::walk::{self, Names};
use crate::diagnostic::{Location, Sink};
use crate::diagnostics::{e0401, e0403, e0409, e0410, e0411, e0412};
use crate::sources::{Document, Sources};
use crate::yaml::Cursor;

/// The most files that one schema may be made of, besides its own. As each file stands beside the
/// others, this bounds chains too.
const FILES_MAX: usize = 64;

/// The most bytes of one schema once its files are in it, as canonical JSON.
const INLINED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A document that the schema is made of.
struct Part {
    json: Json,
    /// None for the schema itself.
    document: Option<Rc<Document>>,
    file: Rc<str>,
    outward: Vec<Outward>,
    names: Names,
}

/// A schema that refers to files.
pub(super) struct Start<'a, 'c> {
    pub(super) json: Json,
    pub(super) outward: Vec<Outward>,
    pub(super) cursor: &'a Cursor<'c>,
    pub(super) draft: Draft,
}

/// A schema and the files that it was made of.
pub(super) struct Whole {
    /// None when something was refused and reported.
    pub(super) schema: Option<Json>,
    pub(super) files: Vec<(Json, Rc<Document>)>,
}

/// The documents by their paths. The schema itself has the path of its file if it is all of it, and
/// otherwise an empty one.
struct Parts<'a, 'c> {
    root: &'a Cursor<'c>,
    root_key: String,
    draft: Draft,
    parts: BTreeMap<String, Part>,
    /// Whether some file could not be read, which has been reported, if only for another schema.
    lacking: bool,
}

/// Puts every file into the schema that it refers to, directly or by other files.
pub(super) fn files(start: Start<'_, '_>, sources: &mut Sources<'_>, sink: &mut Sink) -> Whole {
    let Start {
        json,
        outward,
        cursor,
        draft,
    } = start;
    let at = cursor.at();
    let root_key = if at.field.is_empty() {
        at.file.to_string()
    } else {
        String::new()
    };
    let root = Part::new(json, outward, at.file, None, draft);
    let mut parts = Parts {
        root: cursor,
        root_key: root_key.clone(),
        draft,
        parts: BTreeMap::from([(root_key, root)]),
        lacking: false,
    };
    let before = sink.errors();
    parts.gather(sources, sink);
    parts.check(sink);
    let sound = sink.errors() == before && !parts.lacking;
    let schema = sound.then(|| parts.assemble());
    let schema = schema.filter(|schema| {
        let fits = schema.to_canonical().len() <= INLINED_BYTES_MAX;
        if !fits {
            sink.push(e0411::too_large(&cursor.at(), INLINED_BYTES_MAX));
        }
        fits
    });
    let files = parts.parts.into_values();
    let files = files.filter_map(|part| Some((part.json, part.document?)));
    Whole {
        schema,
        files: files.collect(),
    }
}

impl Part {
    fn new(
        json: Json,
        outward: Vec<Outward>,
        file: Rc<str>,
        document: Option<Rc<Document>>,
        draft: Draft,
    ) -> Self {
        let names = Names::of(&walk::all(&json, draft), draft);
        Self {
            json,
            document,
            file,
            outward,
            names,
        }
    }

    /// The steps to what a fragment means to others.
    fn fragment(&self, fragment: &str) -> Option<Vec<String>> {
        self.names.fragment(&self.json, &[], fragment)
    }
}

impl Parts<'_, '_> {
    fn locate(&self, part: &Part, schema: &[String], keyword: &str) -> Location {
        let steps = schema.iter().map(String::as_str).chain([keyword]);
        match &part.document {
            Some(document) => document.cursor().locate_steps(steps),
            None => self.root.locate_steps(steps),
        }
    }

    /// Reads every file that is referred to, directly or by other files.
    fn gather(&mut self, sources: &mut Sources<'_>, sink: &mut Sink) {
        let mut open = vec![self.root_key.clone()];
        let mut seen: BTreeSet<String> = open.iter().cloned().collect();
        while let Some(key) = open.pop() {
            let mut found = Vec::new();
            let mut lacking = false;
            let Some(part) = self.parts.get(&key) else {
                continue;
            };
            for it in &part.outward {
                if !seen.insert(it.file.clone()) {
                    continue;
                }
                let at = self.locate(part, &it.from, "$ref");
                if seen.len() > FILES_MAX.saturating_add(1) {
                    sink.push(e0411::too_many(&at, FILES_MAX));
                    return;
                }
                match self.read(&it.file, &at, sources, sink) {
                    Some(read) => found.push((it.file.clone(), read)),
                    None => lacking = true,
                }
            }
            self.lacking |= lacking;
            for (file, part) in found {
                open.push(file.clone());
                self.parts.insert(file, part);
            }
        }
    }

    fn read(
        &self,
        file: &str,
        from: &Location,
        sources: &mut Sources<'_>,
        sink: &mut Sink,
    ) -> Option<Part> {
        let before = sink.errors();
        let Some(document) = sources.document(file, sink) else {
            // One that is there has been reported when it was read first.
            let is_there = sources.bytes(file, sink).is_some();
            if sink.errors() == before && !is_there {
                sink.push(e0410::not_found(from, file));
            }
            return None;
        };
        let cursor = document.cursor();
        let json = cursor.json(sink)?;
        if let Some(named) = json.get("$schema") {
            let text = named.as_str().unwrap_or_default();
            let at = cursor.locate_steps(["$schema"]);
            match Draft::named(text) {
                None => {
                    sink.push(e0401::unknown_draft(&at, text));
                    return None;
                }
                Some(other) if other != self.draft => {
                    sink.push(e0409::file(&at, other.name(), self.draft.name()));
                    return None;
                }
                Some(_) => {}
            }
        }
        let outward = part::check(&json, &cursor, self.draft, sink);
        let file = Rc::clone(&document.file);
        let document = Some(Rc::clone(&document));
        Some(Part::new(json, outward, file, document, self.draft))
    }

    /// Whether every reference between documents arrives and can be rewritten.
    fn check(&self, sink: &mut Sink) {
        for part in self.parts.values() {
            for it in &part.outward {
                // A file that could not be read has been reported.
                let Some(target) = self.parts.get(&it.file) else {
                    continue;
                };
                if target.fragment(&it.fragment).is_none() {
                    let at = self.locate(part, &it.from, "$ref");
                    sink.push(e0403::dangling_in(&at, &it.fragment, &it.file));
                }
            }
            for visit in walk::all(&part.json, self.draft) {
                for keyword in ["$dynamicRef", "$recursiveRef"] {
                    if visit.schema.get(keyword).is_some() {
                        let at = self.locate(part, &visit.path, keyword);
                        sink.push(e0412::dynamic(&at, keyword));
                    }
                }
            }
        }
    }

    /// Puts the files under the definitions of the schema.
    fn assemble(&self) -> Json {
        let places = self.places();
        let mut rewritten: BTreeMap<&str, Json> = self
            .parts
            .iter()
            .map(|(key, part)| (key.as_str(), self.rewritten(key, part, &places)))
            .collect();
        let mut schema = rewritten
            .remove(self.root_key.as_str())
            .unwrap_or(Json::Null);
        for (key, json) in rewritten {
            let Some([keyword, name]) = places.get(key).map(Vec::as_slice) else {
                continue;
            };
            if let Json::Object(members) = &mut schema {
                let definitions = members.entry(keyword.clone()).or_insert_with(Json::object);
                if let Json::Object(definitions) = definitions {
                    definitions.insert(name.clone(), json);
                }
            }
        }
        schema
    }

    /// The steps to where each document will stand.
    fn places(&self) -> BTreeMap<&str, Vec<String>> {
        let keyword = match self.draft {
            Draft::D4 | Draft::D6 | Draft::D7 => "definitions",
            Draft::D2019 | Draft::D2020 => "$defs",
        };
        let root = self.parts.get(&self.root_key);
        let own = root.and_then(|it| it.json.get(keyword)?.as_object());
        let mut taken: BTreeSet<String> =
            own.into_iter().flat_map(BTreeMap::keys).cloned().collect();
        let mut places = BTreeMap::from([(self.root_key.as_str(), Vec::new())]);
        for key in self.parts.keys().filter(|it| **it != self.root_key) {
            let plain = |c: char| {
                if c.is_ascii_alphanumeric() || c == '.' {
                    c
                } else {
                    '_'
                }
            };
            let base: String = key.chars().map(plain).collect();
            let mut name = base.clone();
            let mut number = 2_u32;
            while !taken.insert(name.clone()) {
                name = format!("{base}_{number}");
                number = number.saturating_add(1);
            }
            places.insert(key, vec![keyword.to_owned(), name]);
        }
        places
    }

    /// A document with every reference written as a pointer from the root of the whole.
    fn rewritten(&self, key: &str, part: &Part, places: &BTreeMap<&str, Vec<String>>) -> Json {
        let mut json = part.json.clone();
        for visit in &walk::all(&part.json, self.draft) {
            let target = visit.schema.get("$ref").and_then(Json::as_str);
            let pointer = target.and_then(|target| {
                let leads = part::leads(&part.json, &part.names, visit, target, &part.file);
                self.pointer(key, leads, places)
            });
            let Some(Json::Object(members)) = walk::at_mut(&mut json, &visit.path) else {
                continue;
            };
            if let Some(pointer) = pointer {
                members.insert("$ref".to_owned(), Json::String(pointer));
            }
            members.remove("$anchor");
            if !(key == self.root_key && visit.path.is_empty()) {
                members.remove("$schema");
                members.remove(walk::id_keyword(self.draft));
            }
        }
        json
    }

    fn pointer(
        &self,
        key: &str,
        leads: Leads,
        places: &BTreeMap<&str, Vec<String>>,
    ) -> Option<String> {
        let (key, steps) = match leads {
            Leads::Within(steps) => (key, steps),
            Leads::File(it) => {
                let (key, part) = self.parts.get_key_value(&it.file)?;
                (key.as_str(), part.fragment(&it.fragment)?)
            }
            Leads::Nowhere | Leads::Remote | Leads::NoFile(_) => return None,
        };
        let place = places.get(key)?;
        let steps = place.iter().chain(&steps).map(String::as_str);
        Some(format!("#{}", walk::fragment_of(steps)))
    }
}
