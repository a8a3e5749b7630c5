//! References that go by names: ids of parts, anchors, dynamic anchors, the meta-schemas. They are
//! resolved by the library that the validator resolves them by, over a copy of the document's
//! structure, and found again in the document itself, whose numbers are exact. Nothing is fetched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use referencing::{Registry, Resolver, ResourceRef, meta, uri};
use serde_json::{Map, Value};
use spec::Json;
use validator::Draft;

use crate::Reason;

/// Where a document without an id is based.
const BASE: &str = "json-schema:///";

pub(crate) struct Named<'a> {
    registry: Registry<'static>,
    base: referencing::Uri<String>,
    draft: Draft,
    /// The parts of the document by the address of their copy.
    places: BTreeMap<usize, &'a Json>,
    given: Given<'a>,
}

/// Keywords that hold values, not schemas.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// The names that a document gives. One given twice is nobody's: which of the two a validator means
/// is not for us to guess.
#[derive(Default)]
struct Given<'a> {
    /// By the resource that they stand in.
    anchors: BTreeSet<(usize, &'a str)>,
    ids: BTreeSet<&'a str>,
    twice: BTreeSet<&'a str>,
}

impl<'a> Given<'a> {
    fn read(&mut self, here: &'a Json, draft: Draft, mut resource: usize) {
        let members = match here {
            Json::Object(members) => members,
            Json::Array(elements) => {
                return elements
                    .iter()
                    .for_each(|it| self.read(it, draft, resource));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return,
        };
        let text = |keyword: &str| members.get(keyword).and_then(Json::as_str);
        let id = text(id_keyword(draft));
        if let Some(id) = id.filter(|it| !it.starts_with('#')) {
            resource = std::ptr::from_ref(here).addr();
            if !self.ids.insert(id) {
                self.twice.insert(id);
            }
        }
        let anchors = if draft >= Draft::D2019 {
            [text("$anchor"), text("$dynamicAnchor")]
        } else {
            [id.and_then(|it| it.strip_prefix('#')), None]
        };
        for anchor in anchors.into_iter().flatten() {
            if !self.anchors.insert((resource, anchor)) {
                self.twice.insert(anchor);
            }
        }
        for (key, it) in members {
            if !DATA.contains(&key.as_str()) {
                self.read(it, draft, resource);
            }
        }
    }

    /// Whether a reference goes by a name that was given once.
    fn is_clear(&self, reference: &str) -> bool {
        let fragment = reference.split_once('#').map_or("", |it| it.1);
        self.twice.is_disjoint(&self.ids) && !self.twice.contains(fragment)
    }
}

fn id_keyword(draft: Draft) -> &'static str {
    if draft == Draft::D4 { "id" } else { "$id" }
}

/// The meta-schemas, each beside what the library has of it.
static META_SCHEMAS: LazyLock<Vec<(&'static Value, Json)>> = LazyLock::new(|| {
    let all: [&'static Value; 18] = [
        &meta::DRAFT4,
        &meta::DRAFT6,
        &meta::DRAFT7,
        &meta::DRAFT201909,
        &meta::DRAFT201909_APPLICATOR,
        &meta::DRAFT201909_CONTENT,
        &meta::DRAFT201909_CORE,
        &meta::DRAFT201909_FORMAT,
        &meta::DRAFT201909_META_DATA,
        &meta::DRAFT201909_VALIDATION,
        &meta::DRAFT202012,
        &meta::DRAFT202012_CORE,
        &meta::DRAFT202012_APPLICATOR,
        &meta::DRAFT202012_UNEVALUATED,
        &meta::DRAFT202012_VALIDATION,
        &meta::DRAFT202012_META_DATA,
        &meta::DRAFT202012_FORMAT_ANNOTATION,
        &meta::DRAFT202012_CONTENT,
    ];
    let read = |value: &'static Value| {
        let schema = Json::parse(value.to_string().as_bytes()).ok()?;
        Some((value, schema))
    };
    all.into_iter().filter_map(read).collect()
});

static META_PLACES: LazyLock<BTreeMap<usize, &'static Json>> = LazyLock::new(|| {
    let mut places = BTreeMap::new();
    for (copy, schema) in META_SCHEMAS.iter() {
        pair(copy, schema, &mut places);
    }
    places
});

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

fn library(draft: Draft) -> referencing::Draft {
    match draft {
        Draft::D4 => referencing::Draft::Draft4,
        Draft::D6 => referencing::Draft::Draft6,
        Draft::D7 => referencing::Draft::Draft7,
        Draft::D2019 => referencing::Draft::Draft201909,
        Draft::D2020 => referencing::Draft::Draft202012,
    }
}

/// The same structure and texts. No reference depends on a number.
fn copied(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(_) => Value::from(0),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(elements) => Value::Array(elements.iter().map(copied).collect()),
        Json::Object(members) => {
            let members = members.iter().map(|(key, it)| (key.clone(), copied(it)));
            Value::Object(members.collect())
        }
    }
}

/// Notes which part of a document each part of its copy stands for.
fn pair<'a>(copy: &Value, original: &'a Json, places: &mut BTreeMap<usize, &'a Json>) {
    places.insert(address(copy), original);
    match (copy, original) {
        (Value::Array(copies), Json::Array(originals)) => {
            for (copy, original) in copies.iter().zip(originals) {
                pair(copy, original, places);
            }
        }
        (Value::Object(copies), Json::Object(originals)) => {
            for (key, original) in originals {
                if let Some(copy) = copies.get(key) {
                    pair(copy, original, places);
                }
            }
        }
        // What has no parts.
        (_, _) => {}
    }
}

fn unknown(keyword: &str) -> Reason {
    Reason::keyword(keyword, "a reference that leads out of the document")
}

impl<'a> Named<'a> {
    pub(crate) fn new(root: &'a Json, draft: Draft) -> Result<Self, Reason> {
        let unreadable = || Reason::keyword("$id", "names that no reference can be resolved by");
        let id = id_keyword(draft);
        let copy = copied(root);
        let own = ResourceRef::new(&copy, library(draft));
        let base = uri::from_str(own.id().unwrap_or(BASE))
            .map_err(|_| Reason::keyword(id, "a name that is no URI"))?;
        let resource = library(draft).create_resource(copy);
        let registry = Registry::new()
            .draft(library(draft))
            .retrieve_known_draft_meta_schemas(false)
            .add(base.as_str(), resource)
            .and_then(referencing::RegistryBuilder::prepare)
            .map_err(|_| unknown("$ref"))?;
        let mut places = BTreeMap::new();
        let whole = registry.resolver(base.clone()).lookup("");
        pair(
            whole.map_err(|_| unreadable())?.contents(),
            root,
            &mut places,
        );
        let mut given = Given::default();
        given.read(root, draft, 0);
        Ok(Self {
            registry,
            base,
            draft,
            places,
            given,
        })
    }

    pub(crate) fn resolver(&self) -> Resolver<'_> {
        self.registry.resolver(self.base.clone())
    }

    /// Where a reference leads within the document, seen from its root.
    pub(crate) fn own(&self, reference: &str) -> Option<&'a Json> {
        let found = self.follow(&self.resolver(), "$ref", reference).ok()?;
        let places = self.places.values();
        places.copied().find(|it| std::ptr::eq(*it, found.0))
    }

    /// Where the references in a part are resolved, if it has an id of its own.
    pub(crate) fn within<'r>(
        &self,
        outside: &Resolver<'r>,
        schema: &Json,
    ) -> Result<Option<Resolver<'r>>, Reason> {
        let keyword = id_keyword(self.draft);
        let Some(Json::String(id)) = schema.get(keyword) else {
            return Ok(None);
        };
        if self.draft <= Draft::D7 && schema.get("$ref").is_some() {
            // It stands beside a reference and says nothing.
            return Ok(None);
        }
        let named = [(keyword.to_owned(), Value::String(id.clone()))];
        let named = Value::Object(Map::from_iter(named));
        let inside = outside.in_subresource(ResourceRef::new(&named, library(self.draft)));
        inside
            .map(Some)
            .map_err(|_| Reason::keyword(keyword, "a name that is no URI"))
    }

    /// Where a reference leads, and how references are resolved there.
    pub(crate) fn follow<'s>(
        &'s self,
        from: &Resolver<'s>,
        keyword: &str,
        reference: &str,
    ) -> Result<(&'a Json, Resolver<'s>), Reason> {
        if reference.is_empty() || keyword == "$recursiveRef" && reference != "#" {
            return Err(Reason::keyword(
                keyword,
                "a reference that no validator agrees on",
            ));
        }
        if !self.given.is_clear(reference) {
            let text = "a reference to a name that is given twice";
            return Err(Reason::keyword(keyword, text));
        }
        let found = match keyword {
            "$recursiveRef" => from.lookup_recursive_ref(),
            _ => from.lookup(reference),
        };
        let (contents, resolver, draft) = found.map_err(|_| unknown(keyword))?.into_inner();
        if draft != library(self.draft) {
            return Err(Reason::keyword(
                keyword,
                "a reference to a schema of another draft",
            ));
        }
        if keyword == "$ref" && !self.leads_there(from, reference, contents) {
            let text = "a reference to an anchor that another one may take the place of";
            return Err(Reason::keyword(keyword, text));
        }
        if keyword == "$recursiveRef" {
            // The library may take the way of another reference to the same schema for this one's.
            let plain = from.lookup("#");
            if !plain.is_ok_and(|it| std::ptr::eq(it.contents(), contents)) {
                let text = "a reference that depends on the way";
                return Err(Reason::keyword(keyword, text));
            }
        }
        let own = self.places.get(&address(contents)).copied();
        let place = own.or_else(|| META_PLACES.get(&address(contents)).copied());
        Ok((place.ok_or_else(|| unknown(keyword))?, resolver))
    }

    /// Whether a reference leads to the contents whatever the way to it was, as `$ref` should. The
    /// library takes it for a dynamic one where it names a dynamic anchor.
    fn leads_there(&self, from: &Resolver<'_>, reference: &str, contents: &Value) -> bool {
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if fragment.is_empty() || fragment.starts_with('/') {
            return true;
        }
        let target = from.resolve_uri(&from.base_uri().borrow(), resource);
        let Ok(target) = target else {
            return false;
        };
        let mut target = target.as_ref().clone();
        target.set_fragment(None);
        let plain = self
            .registry
            .resolver(target)
            .lookup(&format!("#{fragment}"));
        plain.is_ok_and(|it| std::ptr::eq(it.contents(), contents))
    }

    /// What tells one dynamic scope from another, for the references that are still to come.
    pub(crate) fn scope(&self, resolver: &Resolver<'_>) -> Vec<String> {
        let base = resolver.base_uri().as_str().to_owned();
        let scopes = resolver.dynamic_scope();
        let mut key = vec![base];
        if self.draft == Draft::D2019 {
            // The outermost of those that a recursive reference goes through without a break.
            let open = scopes.iter().take_while(|it| self.is_recursive(it));
            key.extend(open.last().map(|it| it.as_str().to_owned()));
        } else if self.draft == Draft::D2020 {
            let mut seen: Vec<&str> = scopes.iter().map(|it| it.as_str()).collect();
            // The outermost mention of each is the one that counts.
            seen.reverse();
            for uri in seen {
                if !key.iter().skip(1).any(|it| it == uri) {
                    key.push(uri.to_owned());
                }
            }
        }
        key
    }

    fn is_recursive(&self, uri: &referencing::Uri<String>) -> bool {
        let resource = self.registry.resolver(uri.clone()).lookup("");
        resource.is_ok_and(|it| {
            it.contents()
                .get("$recursiveAnchor")
                .and_then(Value::as_bool)
                == Some(true)
        })
    }
}
