//! The copy of a schema, piece by piece. Each piece accepts at least what its original accepts, and
//! all keywords that are shown are such that weaker pieces make a weaker whole.

mod parts;
mod types;
mod values;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use spec::Json;

use super::draft::Draft;
use super::reference::{self, Target};
use super::{NOTES_MAX, Note, Profile, join, words};

/// Members of a schema.
pub(super) type Members = BTreeMap<String, Json>;

/// One schema, copied.
#[derive(Default)]
pub(super) struct Copied {
    pub(super) members: Members,
    /// What it leaves out, in words.
    pub(super) said: Vec<String>,
}

impl Copied {
    /// The schema, with the words in its description.
    fn into_schema(self) -> Json {
        let Self { mut members, said } = self;
        let words = words::sentence(&said);
        if !words.is_empty() {
            let author = members.get("description").and_then(Json::as_str);
            let (text, _) = words::described(author.unwrap_or_default(), &words, usize::MAX);
            members.insert("description".to_owned(), Json::from(text));
        }
        Json::Object(members)
    }

    /// Takes in a schema that holds as well.
    pub(super) fn absorb(&mut self, mut part: Members) {
        if self.members.contains_key("description")
            && let Some(Json::String(text)) = part.remove("description")
        {
            self.said.push(text);
        }
        join::merge(&mut self.members, part);
    }

    fn put(&mut self, keyword: &str, value: Json) {
        self.members.insert(keyword.to_owned(), value);
    }
}

/// Copies one schema for one profile.
pub(super) struct Writer<'a> {
    root: &'a Json,
    profile: &'a Profile,
    draft: Draft,
    depth_max: usize,
    /// How many schemas there may still be.
    nodes_left: usize,
    /// How many bytes of names and values may still be copied.
    bytes_left: usize,
    /// Whether something did not fit any more.
    pub(super) is_over: bool,
    /// Where we are in the original, as a JSON pointer.
    place: String,
    /// References that are being inlined, by pointer.
    open: Vec<String>,
    /// Whether we are in a schema with a name of its own, whose references start elsewhere.
    is_foreign: bool,
    /// Names in `$defs` by pointer.
    names: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    pending: VecDeque<Target<'a>>,
    pub(super) defs: Members,
    pub(super) notes: Vec<Note>,
    /// How many notes there would be beyond the most that are kept.
    pub(super) unnoted: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(root: &'a Json, profile: &'a Profile, depth_max: usize) -> Self {
        Self {
            root,
            profile,
            draft: Draft::of(root),
            depth_max,
            nodes_left: profile.nodes_max,
            bytes_left: profile.bytes_max,
            is_over: false,
            place: String::new(),
            open: Vec::new(),
            is_foreign: false,
            names: BTreeMap::new(),
            taken: BTreeSet::new(),
            pending: VecDeque::new(),
            defs: Members::new(),
            notes: Vec::new(),
            unnoted: 0,
        }
    }

    /// The schema as a whole, and everything that it refers to in [`Self::defs`].
    pub(super) fn whole(&mut self) -> Copied {
        let root = self.root;
        let copied = match root {
            Json::Object(members) => self.members(members, 0),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                Copied::default()
            }
        };
        while let Some(Target { pointer, schema }) = self.pending.pop_front() {
            let name = self.names.get(&pointer).cloned().unwrap_or_default();
            self.place.clone_from(&pointer);
            let schema = self.node(schema, 1);
            self.defs.insert(name, schema);
        }
        copied
    }

    fn note(&mut self, keyword: &str, text: impl Into<String>) {
        if self.notes.len() >= NOTES_MAX {
            self.unnoted = self.unnoted.saturating_add(1);
            return;
        }
        let mut at = self.place.clone();
        if !keyword.is_empty() {
            at.push('/');
            at.push_str(&reference::step(keyword));
        }
        let text = text.into();
        self.notes.push(Note { at, text });
    }

    /// Whether there is room for a copy of a value.
    fn has_room(&mut self, value: &Json) -> bool {
        let has_room = words::is_within(value, &mut self.bytes_left);
        self.is_over |= !has_room;
        has_room
    }

    /// Leaves a keyword out, and says so in words where it is short.
    fn leave_out(&mut self, out: &mut Copied, keyword: &str, value: &Json) {
        self.note(keyword, format!("`{keyword}` is not shown"));
        out.said.extend(words::keyword(keyword, value));
    }

    /// The schema at `steps` from here.
    fn part(&mut self, steps: &[&str], schema: &'a Json, depth: usize) -> Json {
        let len = self.place.len();
        for it in steps {
            self.place.push('/');
            self.place.push_str(&reference::step(it));
        }
        let copied = self.node(schema, depth.saturating_add(1));
        self.place.truncate(len);
        copied
    }

    /// Each element of the list `keyword`.
    fn list(&mut self, keyword: &str, schemas: &'a [Json], depth: usize) -> Vec<Json> {
        let numbered = schemas.iter().enumerate();
        let mut one = |(index, schema): (usize, &'a Json)| {
            self.part(&[keyword, &index.to_string()], schema, depth)
        };
        numbered.map(&mut one).collect()
    }

    fn node(&mut self, schema: &'a Json, depth: usize) -> Json {
        let left = self.nodes_left.checked_sub(1);
        let Some(left) = left.filter(|_| !self.is_over) else {
            self.is_over = true;
            return Json::object();
        };
        self.nodes_left = left;
        match schema {
            Json::Object(members) if depth > self.depth_max && !members.is_empty() => {
                self.note("", "what is nested this deep is not shown");
                bare(schema)
            }
            Json::Object(members) => {
                let was_foreign = self.is_foreign;
                self.is_foreign = was_foreign || reference::is_resource(schema);
                let copied = self.members(members, depth);
                self.is_foreign = was_foreign;
                copied.into_schema()
            }
            Json::Bool(false) => {
                self.note("", "`false` is shown as a schema that accepts anything");
                let mut copied = Copied::default();
                copied.said.push("no value is accepted here".to_owned());
                copied.into_schema()
            }
            Json::Bool(true) | Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                Json::object()
            }
        }
    }

    fn members(&mut self, members: &'a Members, depth: usize) -> Copied {
        let mut out = Copied::default();
        self.annotations(&mut out, members);
        let reference = members.get("$ref").and_then(Json::as_str);
        if reference.is_none() || !self.draft.reads_reference_alone() {
            if let Some(kinds) = types::to_split(members).filter(|_| self.profile.plain_values) {
                self.split(&mut out, members, &kinds, depth);
                return out;
            }
            self.types(&mut out, members);
            self.values(&mut out, members);
            self.bounds(&mut out, members);
            self.object(&mut out, members, depth);
            self.array(&mut out, members, depth);
            self.combinations(&mut out, members, depth);
            self.unshown(&mut out, members);
        }
        if let Some(reference) = reference {
            self.reference(&mut out, reference, depth);
        }
        out
    }

    fn reference(&mut self, out: &mut Copied, reference: &str, depth: usize) {
        let target = reference::follow(self.root, reference).filter(|_| !self.is_foreign);
        let Some(target) = target else {
            self.note("$ref", "this reference is not followed");
            return;
        };
        if self.profile.takes("$ref") {
            let name = self.name_of(target);
            out.put("$ref", Json::from(format!("#/$defs/{name}")));
            return;
        }
        if self.open.contains(&target.pointer) {
            self.note("$ref", "a recursive reference is cut here");
            out.absorb(members_of(bare(target.schema)));
            return;
        }
        let place = std::mem::replace(&mut self.place, target.pointer.clone());
        self.open.push(target.pointer);
        let copied = self.node(target.schema, depth.saturating_add(1));
        self.open.pop();
        self.place = place;
        out.absorb(members_of(copied));
    }

    /// The name in `$defs` of what a reference leads to; it is copied there later.
    fn name_of(&mut self, target: Target<'a>) -> String {
        if let Some(name) = self.names.get(&target.pointer) {
            return name.clone();
        }
        let last = target.pointer.rsplit('/').next().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let cleaned: String = last
            .chars()
            .map(|c| if plain(c) { c } else { '_' })
            .take(48)
            .collect();
        let plain = if cleaned.is_empty() {
            "root".to_owned()
        } else {
            cleaned
        };
        let mut name = plain.clone();
        let mut number = self.names.len();
        while !self.taken.insert(name.clone()) {
            number = number.saturating_add(1);
            name = format!("{plain}_{number}");
        }
        self.names.insert(target.pointer.clone(), name.clone());
        self.pending.push_back(target);
        name
    }

    fn combinations(&mut self, out: &mut Copied, members: &'a Members, depth: usize) {
        let list = |keyword: &str| members.get(keyword)?.as_array().filter(|it| !it.is_empty());
        let (any, one, all) = (list("anyOf"), list("oneOf"), list("allOf"));
        if let Some(any) = any {
            let alternatives = self.list("anyOf", any, depth);
            out.put("anyOf", Json::from(alternatives));
        }
        if let Some(one) = one {
            if any.is_some() {
                self.leave_out(out, "oneOf", &Json::Array(one.to_vec()));
            } else {
                // Weaker alternatives overlap, and then `oneOf` would refuse what it ought to take.
                self.note("oneOf", "`oneOf` is shown as `anyOf`");
                let alternatives = self.list("oneOf", one, depth);
                out.put("anyOf", Json::from(alternatives));
            }
        }
        if let Some(all) = all {
            let parts = self.list("allOf", all, depth);
            if self.profile.takes("allOf") {
                out.put("allOf", Json::from(parts));
            } else {
                self.note("allOf", "the parts of `allOf` are merged");
                for part in parts {
                    out.absorb(members_of(part));
                }
            }
        }
    }

    /// Keywords that nobody is shown: a part of them that says less would make them say more.
    fn unshown(&mut self, out: &mut Copied, members: &'a Members) {
        for keyword in [
            "not",
            "if",
            "then",
            "else",
            "contains",
            "minContains",
            "maxContains",
            "dependencies",
            "dependentSchemas",
            "unevaluatedItems",
            "unevaluatedProperties",
            "$dynamicRef",
            "$recursiveRef",
        ] {
            if let Some(value) = members.get(keyword).filter(|_| self.draft.knows(keyword)) {
                self.leave_out(out, keyword, value);
            }
        }
    }
}

pub(super) fn members_of(schema: Json) -> Members {
    match schema {
        Json::Object(members) => members,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            Members::new()
        }
    }
}

/// Nothing of a schema but its one type.
fn bare(schema: &Json) -> Json {
    let kind = schema.get("type").filter(|it| types::is_type(it));
    // What stands beside a reference may be ignored, and its target is what counts.
    let kind = kind.filter(|_| schema.get("$ref").is_none());
    Json::from_members(kind.map(|it| ("type", it.clone())))
}
