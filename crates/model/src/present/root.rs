//! The schema as a whole: an object with properties at its top, without combinations there, within
//! the provider's bounds.

use std::collections::BTreeSet;

use spec::Json;

use super::convert::{Copied, Members, Writer, members_of};
use super::{Note, Profile, join, words};

/// How many schemas are taken apart for the top of one.
const LIFTS_MAX: usize = 200;
/// The most alternatives that are named.
const NAMED_MAX: usize = 8;
/// Depths that are tried when the whole does not fit.
const SHALLOWER: [usize; 4] = [6, 3, 1, 0];

/// Keywords that the top of a schema may have.
const TOP: [&str; 13] = [
    "$defs",
    "additionalProperties",
    "default",
    "dependentRequired",
    "description",
    "examples",
    "maxProperties",
    "minProperties",
    "patternProperties",
    "properties",
    "propertyNames",
    "required",
    "title",
];

/// What a provider is shown of a schema.
pub(super) struct Copy {
    pub(super) schema: Json,
    /// What it leaves out at its top, in words.
    pub(super) said: Vec<String>,
    pub(super) notes: Vec<Note>,
    /// How many further notes there would be.
    pub(super) unnoted: usize,
}

pub(super) fn copy(schema: &Json, profile: &Profile) -> Copy {
    let mut notes = Vec::new();
    let depths = SHALLOWER.into_iter().filter(|it| *it < profile.depth_max);
    for depth in std::iter::once(profile.depth_max).chain(depths) {
        if let Some(mut copy) = attempt(schema, profile, depth) {
            copy.notes.splice(0..0, notes);
            return copy;
        }
        notes = vec![Note::whole(
            "the schema is larger than the provider is shown; what is nested deep is left out",
        )];
    }
    Copy {
        schema: Json::Object(finished(Members::new())),
        said: Vec::new(),
        notes: vec![Note::whole(
            "the schema is larger than the provider is shown; any object is shown instead",
        )],
        unnoted: 0,
    }
}

/// The copy down to some depth; `None` when it is still too large.
fn attempt(schema: &Json, profile: &Profile, depth: usize) -> Option<Copy> {
    let mut writer = Writer::new(schema, profile, depth);
    let copied = writer.whole();
    if writer.is_over {
        return None;
    }
    let mut notes = std::mem::take(&mut writer.notes);
    let mut top = Top {
        defs: &writer.defs,
        lifts_left: LIFTS_MAX,
        open: Vec::new(),
        notes: &mut notes,
    };
    let Copied { members, said } = top.lifted(copied);
    let mut members = finished(members);
    let defs = reachable(&members, &writer.defs);
    if !defs.is_empty() {
        members.insert("$defs".to_owned(), Json::Object(defs));
    }
    let mut schema = Json::Object(members);
    complete(&mut schema, profile, &mut notes);
    let is_small = schema.to_canonical().len() <= profile.bytes_max;
    is_small.then_some(Copy {
        schema,
        said,
        notes,
        unnoted: writer.unnoted,
    })
}

/// An object schema that every provider takes as one.
fn finished(mut members: Members) -> Members {
    members.retain(|keyword, _| TOP.contains(&keyword.as_str()));
    members.insert("type".to_owned(), Json::from("object"));
    let properties = members.entry("properties".to_owned());
    properties.or_insert_with(Json::object);
    members
}

struct Top<'a> {
    defs: &'a Members,
    lifts_left: usize,
    /// Definitions that are being taken apart.
    open: Vec<String>,
    notes: &'a mut Vec<Note>,
}

impl Top<'_> {
    /// A schema without references and combinations at its top.
    fn lifted(&mut self, copied: Copied) -> Copied {
        let mut out = copied;
        let reference = out.members.remove("$ref");
        let all = out.members.remove("allOf");
        let any = out.members.remove("anyOf");
        for keyword in ["const", "enum"] {
            if let Some(value) = out.members.remove(keyword) {
                self.note(format!("`{keyword}` at the top is not shown"));
                out.said.extend(words::keyword(keyword, &value));
            }
        }
        // There may be more ways through the definitions than anyone can go.
        let Some(left) = self.lifts_left.checked_sub(1) else {
            return out;
        };
        self.lifts_left = left;
        let reference = reference.as_ref().and_then(Json::as_str);
        let name = reference.and_then(|it| it.strip_prefix("#/$defs/"));
        // What is open already says nothing new.
        let name = name.filter(|it| !self.open.iter().any(|open| open == it));
        if let Some((name, target)) = name.and_then(|it| Some((it, self.defs.get(it)?))) {
            self.open.push(name.to_owned());
            self.take_in(&mut out, target);
            self.open.pop();
        }
        let all = all.as_ref().and_then(Json::as_array).unwrap_or_default();
        for part in all {
            self.take_in(&mut out, part);
        }
        let any = any.as_ref().and_then(Json::as_array).unwrap_or_default();
        if !any.is_empty() {
            self.alternatives(&mut out, any);
        }
        out
    }

    /// Takes in a schema that holds as well.
    fn take_in(&mut self, out: &mut Copied, schema: &Json) {
        self.note("what is referred to or combined at the top is shown as one object");
        let part = self.part(schema);
        out.said.extend(part.said);
        out.absorb(part.members);
    }

    fn part(&mut self, schema: &Json) -> Copied {
        let copied = Copied {
            members: members_of(schema.clone()),
            said: Vec::new(),
        };
        self.lifted(copied)
    }

    fn alternatives(&mut self, out: &mut Copied, any: &[Json]) {
        self.note("alternatives at the top are shown as one object with the properties of all");
        let objects = any.iter().map(|it| self.part(it).members);
        let objects: Vec<Members> = objects.filter(may_be_object).collect();
        out.said
            .extend(named(&objects, join::required(&out.members)));
        join::merge(&mut out.members, join::union(&objects));
    }

    fn note(&mut self, text: impl Into<String>) {
        let note = Note::whole(text);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Arguments are objects, so that an alternative for anything else is none.
fn may_be_object(schema: &Members) -> bool {
    match schema.get("type") {
        Some(Json::Array(kinds)) => kinds.contains(&Json::from("object")),
        Some(kind) => *kind == Json::from("object"),
        None => true,
    }
}

/// The alternatives in words, by what each requires and by the values that tell them apart.
fn named(alternatives: &[Members], required_anyway: &[Json]) -> Option<String> {
    let mut texts = Vec::new();
    for it in alternatives {
        let properties = it.get("properties").and_then(Json::as_object);
        let names = join::required(it).iter().filter_map(Json::as_str);
        let one = |name: &str| {
            let schema = properties.and_then(|it| it.get(name));
            let value = schema.and_then(fixed_value).and_then(words::short);
            match value {
                Some(value) => Some(format!("`{name}` = {value}")),
                None if required_anyway.contains(&Json::from(name)) => None,
                None => Some(format!("`{name}`")),
            }
        };
        let parts: Vec<String> = names.filter_map(one).collect();
        texts.push(if parts.is_empty() {
            "nothing more".to_owned()
        } else {
            parts.join(" and ")
        });
    }
    let says_something = texts.iter().any(|it| it != "nothing more");
    let more = texts.len().saturating_sub(NAMED_MAX);
    texts.truncate(NAMED_MAX);
    if more > 0 {
        texts.push(format!("{more} more"));
    }
    says_something.then(|| format!("the arguments fit one of: {}", texts.join(" | ")))
}

/// The one value that a schema accepts.
fn fixed_value(schema: &Json) -> Option<&Json> {
    let one_of = schema.get("enum").and_then(Json::as_array);
    match one_of {
        Some([only]) => Some(only),
        Some(_) | None => schema.get("const"),
    }
}

/// The definitions that are referred to, from the top or from one another.
fn reachable(members: &Members, defs: &Members) -> Members {
    let mut names = BTreeSet::new();
    for schema in members.values() {
        collect_references(schema, &mut names);
    }
    let mut kept = Members::new();
    let mut open: Vec<String> = names.into_iter().collect();
    while let Some(name) = open.pop() {
        if let Some(schema) = defs.get(&name).filter(|_| !kept.contains_key(&name)) {
            let mut names = BTreeSet::new();
            collect_references(schema, &mut names);
            open.extend(names);
            kept.insert(name, schema.clone());
        }
    }
    kept
}

/// Names of definitions in a schema; data that looks like a reference counts too, at no harm.
fn collect_references(schema: &Json, names: &mut BTreeSet<String>) {
    match schema {
        Json::Object(members) => {
            let reference = members.get("$ref").and_then(Json::as_str);
            let name = reference.and_then(|it| it.strip_prefix("#/$defs/"));
            names.extend(name.map(str::to_owned));
            for it in members.values() {
                collect_references(it, names);
            }
        }
        Json::Array(elements) => {
            for it in elements {
                collect_references(it, names);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// What depends on the copy as a whole: `required` within `properties`, `items` for arrays.
fn complete(schema: &mut Json, profile: &Profile, notes: &mut Vec<Note>) {
    let Json::Object(members) = schema else {
        return;
    };
    if profile.arrays_need_items && is_array(members) {
        let items = members.entry("items".to_owned());
        items.or_insert_with(Json::object);
    }
    if profile.plain_values {
        // Merged from parts that contradict each other; nothing is accepted there anyway.
        if !members
            .get("type")
            .is_some_and(|it| *it == Json::from("string"))
        {
            members.remove("enum");
        }
        require_what_is_listed(members, notes);
    }
    for (keyword, value) in members {
        match (keyword.as_str(), value) {
            ("$defs" | "patternProperties" | "properties", Json::Object(named)) => {
                for it in named.values_mut() {
                    complete(it, profile, notes);
                }
            }
            ("allOf" | "anyOf" | "prefixItems", Json::Array(list)) => {
                for it in list {
                    complete(it, profile, notes);
                }
            }
            ("additionalProperties" | "items" | "propertyNames", it) => {
                complete(it, profile, notes)
            }
            _ => {}
        }
    }
}

fn is_array(members: &Members) -> bool {
    match members.get("type") {
        Some(Json::Array(kinds)) => kinds.contains(&Json::from("array")),
        Some(kind) => *kind == Json::from("array"),
        None => false,
    }
}

fn require_what_is_listed(members: &mut Members, notes: &mut Vec<Note>) {
    let Some(Json::Array(names)) = members.remove("required") else {
        return;
    };
    let properties = members.get("properties").and_then(Json::as_object);
    let is_listed = |it: &Json| {
        let listed = properties.zip(it.as_str());
        listed.is_some_and(|(properties, name)| properties.contains_key(name))
    };
    let (listed, other): (Vec<Json>, Vec<Json>) = names.into_iter().partition(is_listed);
    if !listed.is_empty() {
        members.insert("required".to_owned(), Json::Array(listed));
    }
    if other.is_empty() {
        return;
    }
    let names: Vec<&str> = other.iter().filter_map(Json::as_str).collect();
    notes.push(Note::whole(format!(
        "`required` is not shown for what is not among the properties: `{}`",
        names.join("`, `")
    )));
    if let Some(words) = words::keyword("required", &Json::Array(other.clone())) {
        let said = words::sentence(&[words]);
        let author = members.get("description").and_then(Json::as_str);
        let (text, _) = words::described(author.unwrap_or_default(), &said, usize::MAX);
        members.insert("description".to_owned(), Json::from(text));
    }
}
