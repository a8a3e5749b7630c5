//! Schemas made up at random, over every keyword of a draft, small enough to meet each other often.
//! Knows nothing of what follows from them.

use std::collections::BTreeMap;

use fastrand::Rng;
use spec::Json;
use validator::Draft;

/// Texts that match some of [`PATTERNS`] and not others.
pub(crate) const TEXTS: &[&str] = &[
    "", "a", "b", "ab", "ba", "abc", "b1", "1", "a-b", "A", "é", "x_y", "a b", "zz", "12",
];
const PATTERNS: &[&str] = &[
    "^a",
    "b$",
    "^[a-b]+$",
    "^[a-z]{1,2}$",
    "[0-9]",
    "^.$",
    "^(?:ab|ba)*$",
    "^\\d+$",
    "\\w-\\w",
    "^[^a]*$",
];
const FORMATS: &[&str] = &["uuid", "date", "ipv4", "date-time", "email"];
pub(crate) const NAMES: &[&str] = &["a", "b", "c", "ab"];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "1.5",
    "-1",
    "6",
    "0.5",
    "9007199254740993",
    "1e3",
];
const TYPES: &[&str] = &[
    "integer", "number", "string", "object", "array", "boolean", "null",
];
const SHARED: &[&str] = &["x", "y"];

/// Schemas of one draft that share definitions, and that can be put together to larger ones.
pub(crate) struct Case {
    /// How all of them are read.
    pub(crate) draft: Draft,
    shared: BTreeMap<String, Json>,
    /// Three of them, of which the second is often close to the first, and the third to the second.
    pub(crate) parts: [Json; 3],
}

impl Case {
    /// A schema of its own, with its definitions and its draft.
    pub(crate) fn document(&self, part: &Json) -> Json {
        let mut members = match part {
            Json::Object(members) if !members.contains_key("$ref") => members.clone(),
            Json::Object(_)
            | Json::Array(_)
            | Json::Null
            | Json::Bool(_)
            | Json::Number(_)
            | Json::String(_) => {
                BTreeMap::from([("allOf".to_owned(), Json::from(vec![part.clone()]))])
            }
        };
        members.insert("$schema".to_owned(), Json::from(self.draft.uri()));
        let place = place_of_shared(self.draft).to_owned();
        members.insert(place, Json::Object(self.shared.clone()));
        Json::Object(members)
    }
}

/// Whether a definition leads back to itself at the same value.
fn is_itself(shared: &BTreeMap<String, Json>, name: &str) -> bool {
    let mut met = Vec::new();
    let mut open = vec![&shared[name]];
    while let Some(here) = open.pop() {
        let Json::Object(members) = here else {
            continue;
        };
        for (key, member) in members {
            match (key.as_str(), member) {
                ("$ref", Json::String(target)) => {
                    let target = target.rsplit('/').next().unwrap_or_default();
                    if target == name {
                        return true;
                    }
                    if let (Some(next), false) = (shared.get(target), met.contains(&target)) {
                        met.push(target);
                        open.push(next);
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Json::Array(list)) => open.extend(list),
                ("not" | "if" | "then" | "else", other) => open.push(other),
                ("dependentSchemas" | "dependencies", Json::Object(map)) => {
                    open.extend(map.values())
                }
                _ => {}
            }
        }
    }
    false
}

/// Puts parts under a keyword such as `allOf`.
pub(crate) fn under(keyword: &str, parts: &[&Json]) -> Json {
    let parts: Vec<Json> = parts.iter().map(|it| (*it).clone()).collect();
    Json::from_members([(keyword, Json::from(parts))])
}

fn place_of_shared(draft: Draft) -> &'static str {
    if draft >= Draft::D2019 {
        "$defs"
    } else {
        "definitions"
    }
}

/// Makes schemas up.
pub(crate) struct Maker {
    rng: Rng,
    draft: Draft,
}

fn read(text: &str) -> Json {
    Json::parse(text.as_bytes()).expect("JSON")
}

impl Maker {
    /// One that makes up the same schemas for the same seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: Rng::with_seed(seed),
            draft: Draft::D2020,
        }
    }

    /// The next three schemas.
    pub(crate) fn case(&mut self) -> Case {
        self.draft = match self.rng.u8(..10) {
            0 => Draft::D4,
            1 => Draft::D6,
            2 | 3 => Draft::D7,
            4 => Draft::D2019,
            _ => Draft::D2020,
        };
        // A definition that is itself without anything between says nothing, and validators hang.
        let shared = loop {
            let shared = SHARED.iter().map(|it| ((*it).to_owned(), self.schema(2)));
            let shared: BTreeMap<_, _> = shared.collect();
            if SHARED.iter().all(|it| !is_itself(&shared, it)) {
                break shared;
            }
        };
        let first = self.schema(2);
        let second = self.near(&first);
        let third = self.near(&second);
        Case {
            draft: self.draft,
            shared,
            parts: [first, second, third],
        }
    }

    /// A schema that has something to do with another, or none.
    fn near(&mut self, schema: &Json) -> Json {
        match self.rng.u8(..8) {
            0 | 1 => self.schema(2),
            2 => {
                let other = self.schema(1);
                let mut parts = [schema, &other];
                self.rng.shuffle(&mut parts);
                under("anyOf", &parts)
            }
            3 => {
                let other = self.schema(1);
                under("allOf", &[schema, &other])
            }
            _ => self.changed(schema, 3),
        }
    }

    /// The schema with a keyword dropped, added or stated anew, at some place.
    fn changed(&mut self, schema: &Json, depth: u32) -> Json {
        let Json::Object(members) = schema else {
            return self.schema(1);
        };
        let mut members = members.clone();
        let deep: Vec<String> = members
            .iter()
            .filter(|(key, it)| {
                let data = ["enum", "const", "required", "type", "dependentRequired"];
                !data.contains(&key.as_str()) && matches!(it, Json::Object(_) | Json::Array(_))
            })
            .map(|(key, _)| key.clone())
            .collect();
        if let (Some(key), true) = (self.rng.choice(&deep), depth > 0 && self.rng.u8(..3) > 0) {
            let named = [
                "properties",
                "patternProperties",
                "dependentSchemas",
                "dependencies",
            ];
            let value = match &members[key] {
                Json::Array(list) if !list.is_empty() => {
                    let mut list = list.clone();
                    let at = self.rng.usize(..list.len());
                    list[at] = self.changed(&list[at], depth - 1);
                    Json::from(list)
                }
                Json::Object(map) if named.contains(&key.as_str()) && !map.is_empty() => {
                    let mut map = map.clone();
                    let names: Vec<String> = map.keys().cloned().collect();
                    let name = &names[self.rng.usize(..names.len())];
                    if !matches!(map[name], Json::Array(_)) {
                        map.insert(name.clone(), self.changed(&map[name], depth - 1));
                    }
                    Json::Object(map)
                }
                Json::Object(_)
                | Json::Array(_)
                | Json::Null
                | Json::Bool(_)
                | Json::Number(_)
                | Json::String(_) => self.changed(&members[key], depth - 1),
            };
            members.insert(key.clone(), value);
            return Json::Object(members);
        }
        let counted = |(key, it): (&String, &Json)| Some((key.clone(), it.as_number()?.to_i64()?));
        let counted: Vec<_> = members.iter().filter_map(counted).collect();
        if let (Some((key, number)), true) = (self.rng.choice(&counted), self.rng.u8(..4) > 0) {
            // The next number, where what is off by one shows.
            let up = self.rng.bool() || *number < 2;
            let next = if up { number + 1 } else { number - 1 };
            members.insert(key.clone(), Json::from(next));
            return Json::Object(members);
        }
        let keys: Vec<String> = members.keys().cloned().collect();
        if let (Some(key), true) = (self.rng.choice(&keys), self.rng.bool()) {
            members.remove(key);
        } else {
            self.keyword(1, None, &mut members);
        }
        Json::Object(members)
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.rng.usize(..from.len())]
    }

    /// A value.
    pub(crate) fn value(&mut self, depth: u32) -> Json {
        if depth == 0 || self.rng.u8(..3) == 0 {
            return match self.rng.u8(..6) {
                0 => Json::Null,
                1 => Json::Bool(self.rng.bool()),
                2 | 3 => read(self.pick(NUMBERS)),
                _ => Json::from(self.pick(TEXTS)),
            };
        }
        let count = self.rng.usize(..4);
        let values: Vec<_> = (0..count).map(|_| self.value(depth - 1)).collect();
        if self.rng.bool() {
            return Json::from(values);
        }
        Json::from_members(NAMES.iter().copied().zip(values))
    }

    fn schema(&mut self, depth: u32) -> Json {
        match self.rng.u8(..24) {
            0 => return Json::object(),
            1 if self.draft >= Draft::D6 => return Json::Bool(self.rng.bool()),
            2 | 3 if depth < 2 => {
                let place = place_of_shared(self.draft);
                let name = self.pick(SHARED);
                let target = Json::from(format!("#/{place}/{name}"));
                return Json::from_members([("$ref", target)]);
            }
            4 => return self.tiny(),
            _ => {}
        }
        let mut members = BTreeMap::new();
        // Mostly about one kind of values, as schemas are.
        let kind = (self.rng.u8(..4) > 0).then(|| self.pick(TYPES));
        if let Some(kind) = kind
            && self.rng.u8(..4) > 0
        {
            members.insert("type".to_owned(), Json::from(kind));
        }
        for _ in 0..self.rng.usize(1..4) {
            self.keyword(depth, kind, &mut members);
        }
        Json::Object(members)
    }

    /// A schema of so few values that lists of some of them matter.
    fn tiny(&mut self) -> Json {
        let values = |maker: &mut Self| {
            let lists: [&[&str]; 3] = [&["1"], &["1", "2"], &["2"]];
            let some = lists[maker.rng.usize(..3)];
            let values: Vec<Json> = some.iter().map(|it| read(it)).collect();
            Json::from_members([("enum", Json::from(values))])
        };
        let mut members = BTreeMap::new();
        let most = self.rng.u64(1..3);
        let least = self.rng.u64(0..=most);
        let of = values(self);
        let mut set = |key: &str, value: Json| members.insert(key.to_owned(), value);
        if self.rng.bool() {
            set("type", Json::from("array"));
            set("items", of);
            set("minItems", Json::from(least));
            set("maxItems", Json::from(most));
            if self.rng.u8(..3) == 0 {
                set("uniqueItems", Json::Bool(true));
            }
            return Json::Object(members);
        }
        set("type", Json::from("object"));
        set("minProperties", Json::from(least));
        set("maxProperties", Json::from(most));
        let key = self.rng.choice(["properties", "patternProperties"]);
        let names = if key == Some("properties") {
            NAMES
        } else {
            &["^[ab]$", "^c$", "^ab$"]
        };
        let named = (0..3).map(|_| (self.pick(names), of.clone()));
        let named: Vec<_> = named.collect();
        set(key.unwrap_or("properties"), Json::from_members(named));
        set("additionalProperties", Json::Bool(false));
        if self.draft == Draft::D4 || self.rng.bool() {
            return Json::Object(members);
        }
        // Any name, where the one before knows a few.
        members.remove("additionalProperties");
        members.remove(key.unwrap_or("properties"));
        members.insert("additionalProperties".to_owned(), values(self));
        let names = Json::from_members([("pattern", Json::from("^[ab]$"))]);
        members.insert("propertyNames".to_owned(), names);
        Json::Object(members)
    }

    fn list(&mut self, depth: u32) -> Json {
        let count = self.rng.usize(1..4);
        Json::from((0..count).map(|_| self.schema(depth)).collect::<Vec<_>>())
    }

    fn count(&mut self) -> Json {
        Json::from(self.rng.u64(..4))
    }

    fn names(&mut self) -> Json {
        let mut names = NAMES.to_vec();
        self.rng.shuffle(&mut names);
        names.truncate(self.rng.usize(1..3));
        Json::from(names.into_iter().map(Json::from).collect::<Vec<_>>())
    }

    fn keyword(
        &mut self,
        depth: u32,
        kind: Option<&'static str>,
        members: &mut BTreeMap<String, Json>,
    ) {
        let of_kind = match kind {
            Some("integer" | "number") => 0,
            Some("string") => 1,
            Some("array") => 2,
            Some("object") => 3,
            _ => self.rng.u8(..4),
        };
        let deep = depth > 0;
        match self.rng.u8(..10) {
            0 | 1 => self.about_values(members),
            2 | 3 if deep => self.about_alternatives(depth - 1, members),
            _ => match of_kind {
                0 => self.about_numbers(members),
                1 => self.about_texts(members),
                2 => self.about_arrays(depth, members),
                _ => self.about_objects(depth, members),
            },
        }
    }

    fn about_values(&mut self, members: &mut BTreeMap<String, Json>) {
        let (key, value) = match self.rng.u8(..4) {
            0 => {
                let mut types = TYPES.to_vec();
                self.rng.shuffle(&mut types);
                types.truncate(self.rng.usize(1..4));
                let types = types.into_iter().map(Json::from).collect::<Vec<_>>();
                ("type", Json::from(types))
            }
            1 if self.draft >= Draft::D6 => ("const", self.value(2)),
            _ => {
                let mut values = vec![self.value(1)];
                for _ in 0..self.rng.usize(..4) {
                    let value = self.value(2);
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                ("enum", Json::from(values))
            }
        };
        members.insert(key.to_owned(), value);
    }

    fn about_numbers(&mut self, members: &mut BTreeMap<String, Json>) {
        let (plain, strict) = if self.rng.bool() {
            ("minimum", "exclusiveMinimum")
        } else {
            ("maximum", "exclusiveMaximum")
        };
        let number = read(self.pick(NUMBERS));
        match self.rng.u8(..3) {
            0 => {
                let by = read(self.pick(&["2", "3", "0.5", "1", "1.5"]));
                members.insert("multipleOf".to_owned(), by);
            }
            1 if self.draft == Draft::D4 => {
                members.insert(strict.to_owned(), Json::Bool(self.rng.bool()));
                members.insert(plain.to_owned(), number);
            }
            1 => {
                members.insert(strict.to_owned(), number);
            }
            _ => {
                members.insert(plain.to_owned(), number);
            }
        }
    }

    fn about_texts(&mut self, members: &mut BTreeMap<String, Json>) {
        let old = (Draft::D6..=Draft::D7).contains(&self.draft);
        let (key, value) = match self.rng.u8(..6) {
            0 if old && self.rng.u8(..4) == 0 => {
                if self.rng.bool() {
                    ("contentEncoding", Json::from("base64"))
                } else {
                    ("contentMediaType", Json::from("application/json"))
                }
            }
            0 => ("minLength", self.count()),
            1 => ("maxLength", self.count()),
            2 if self.rng.u8(..3) == 0 => ("format", Json::from(self.pick(FORMATS))),
            _ => ("pattern", Json::from(self.pick(PATTERNS))),
        };
        members.insert(key.to_owned(), value);
    }

    fn about_arrays(&mut self, depth: u32, members: &mut BTreeMap<String, Json>) {
        let new = self.draft >= Draft::D2019;
        let (key, value) = match self.rng.u8(..10) {
            0 => ("minItems", self.count()),
            1 => ("maxItems", self.count()),
            2 => ("uniqueItems", Json::Bool(self.rng.u8(..5) > 0)),
            _ if depth == 0 => ("maxItems", self.count()),
            3 | 4 if self.draft == Draft::D2020 => ("prefixItems", self.list(depth - 1)),
            3 | 4 => {
                if self.rng.u8(..3) > 0 {
                    members.insert("additionalItems".to_owned(), self.schema(depth - 1));
                }
                ("items", self.list(depth - 1))
            }
            5 | 6 if self.draft >= Draft::D6 => {
                for key in ["minContains", "maxContains"] {
                    if new && self.rng.u8(..3) == 0 {
                        members.insert(key.to_owned(), self.count());
                    }
                }
                ("contains", self.schema(depth - 1))
            }
            7 if new => ("unevaluatedItems", self.schema(depth - 1)),
            _ => ("items", self.schema(depth - 1)),
        };
        members.insert(key.to_owned(), value);
    }

    fn by_name(&mut self, depth: u32, names: &'static [&'static str]) -> Json {
        let count = self.rng.usize(1..3);
        let members: Vec<_> = (0..count)
            .map(|_| (self.pick(names), self.schema(depth)))
            .collect();
        Json::from_members(members)
    }

    fn about_objects(&mut self, depth: u32, members: &mut BTreeMap<String, Json>) {
        let new = self.draft >= Draft::D2019;
        let (key, value) = match self.rng.u8(..14) {
            0 => ("minProperties", self.count()),
            1 => ("maxProperties", self.count()),
            2 | 3 => ("required", self.names()),
            4 => {
                let key = if new {
                    "dependentRequired"
                } else {
                    "dependencies"
                };
                (key, Json::from_members([(self.pick(NAMES), self.names())]))
            }
            _ if depth == 0 => ("required", self.names()),
            5 => {
                let key = if new {
                    "dependentSchemas"
                } else {
                    "dependencies"
                };
                (key, self.by_name(depth - 1, NAMES))
            }
            6 if self.draft >= Draft::D6 => ("propertyNames", self.schema(depth - 1)),
            7 | 8 => ("patternProperties", self.by_name(depth - 1, PATTERNS)),
            9 if new => ("unevaluatedProperties", self.schema(depth - 1)),
            10 | 11 => ("additionalProperties", self.schema(depth - 1)),
            _ => ("properties", self.by_name(depth - 1, NAMES)),
        };
        members.insert(key.to_owned(), value);
    }

    fn about_alternatives(&mut self, depth: u32, members: &mut BTreeMap<String, Json>) {
        match self.rng.u8(..6) {
            0 => {
                members.insert("not".to_owned(), self.schema(depth));
            }
            1 if self.draft >= Draft::D7 => {
                members.insert("if".to_owned(), self.schema(depth));
                for key in ["then", "else"] {
                    if self.rng.u8(..3) > 0 {
                        members.insert(key.to_owned(), self.schema(depth));
                    }
                }
            }
            2 => {
                members.insert("allOf".to_owned(), self.list(depth));
            }
            3 | 4 => {
                members.insert("oneOf".to_owned(), self.list(depth));
            }
            _ => {
                members.insert("anyOf".to_owned(), self.list(depth));
            }
        }
    }
}
