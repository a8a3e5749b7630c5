//! Values that come near a schema's borders: what it lists, just inside and outside its bounds, and
//! what it describes, spoiled a little. Knows nothing of whether they are valid.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use spec::Json;

const DEPTH_MAX: u32 = 6;
const FORMS: &[&str] = &[
    "",
    "a",
    "x",
    "ab",
    "b1",
    "1",
    "Q",
    "a b",
    "é",
    "2024-02-29",
    "2024-02-29T10:00:00Z",
    "10:00:00Z",
    "127.0.0.1",
    "::1",
    "a@example.com",
    "https://example.com/",
    "123e4567-e89b-12d3-a456-426614174000",
];

/// Makes values for some schemas.
pub(crate) struct Sampler {
    rng: Rng,
    numbers: Vec<Json>,
    texts: Vec<String>,
    names: Vec<String>,
    listed: Vec<Json>,
    roots: Vec<Json>,
}

fn read(text: &str) -> Option<Json> {
    Json::parse(text.as_bytes()).ok()
}

fn resolved<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    let mut here = schema;
    for _ in 0..8 {
        let Some(pointer) = here.get("$ref").and_then(Json::as_str) else {
            return here;
        };
        let Some(pointer) = pointer.strip_prefix('#') else {
            return here;
        };
        let target = pointer.split('/').skip(1).try_fold(root, |at, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match at {
                Json::Array(list) => list.get(step.parse::<usize>().ok()?),
                Json::Object(_)
                | Json::Null
                | Json::Bool(_)
                | Json::Number(_)
                | Json::String(_) => at.get(&step),
            }
        });
        let Some(target) = target else { return here };
        here = target;
    }
    here
}

impl Sampler {
    /// One that makes the same values for the same seed and schemas.
    pub(crate) fn new(seed: u64, schemas: &[&Json]) -> Self {
        let mut sampler = Self {
            rng: Rng::with_seed(seed),
            numbers: ["0", "1", "2", "-1", "0.5", "1.5", "3", "1000000"]
                .iter()
                .filter_map(|it| read(it))
                .collect(),
            texts: FORMS.iter().map(|it| (*it).to_owned()).collect(),
            names: Vec::new(),
            listed: Vec::new(),
            roots: schemas.iter().map(|it| (*it).clone()).collect(),
        };
        let mut names = BTreeSet::from(["a".to_owned(), "extra".to_owned()]);
        for schema in schemas {
            sampler.gather(schema, &mut names);
        }
        sampler.names = names.into_iter().collect();
        sampler
    }

    fn gather(&mut self, schema: &Json, names: &mut BTreeSet<String>) {
        match schema {
            Json::Object(members) => {
                for (key, member) in members {
                    self.gather_keyword(key, member, names);
                    self.gather(member, names);
                }
            }
            Json::Array(list) => list.iter().for_each(|it| self.gather(it, names)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }

    fn gather_keyword(&mut self, key: &str, member: &Json, names: &mut BTreeSet<String>) {
        match (key, member) {
            ("enum", Json::Array(list)) => self.listed.extend(list.iter().take(12).cloned()),
            ("const", value) => self.listed.push(value.clone()),
            ("required", Json::Array(list)) => {
                names.extend(list.iter().filter_map(|it| it.as_str().map(str::to_owned)));
            }
            ("properties" | "dependentRequired" | "dependentSchemas", Json::Object(map)) => {
                names.extend(map.keys().cloned());
            }
            ("minLength" | "maxLength", Json::Number(number)) => {
                let length = number.to_u64().unwrap_or(0).min(300);
                let lengths = [length.saturating_sub(1), length, length + 1];
                let text = |it: u64| "a".repeat(usize::try_from(it).unwrap_or(0));
                self.texts.extend(lengths.into_iter().map(text));
            }
            (_, Json::Number(number)) => {
                self.numbers.push(member.clone());
                if let Some(whole) = number.to_i64() {
                    let near = [whole.saturating_sub(1), whole.saturating_add(1)];
                    self.numbers.extend(near.map(Json::from));
                    self.numbers.extend(read(&format!("{whole}.5")));
                }
            }
            _ => {}
        }
    }

    fn pick<T: Clone>(&mut self, from: impl Fn(&Self) -> &Vec<T>) -> Option<T> {
        let length = from(self).len();
        if length == 0 {
            return None;
        }
        let at = self.rng.usize(..length);
        from(self).get(at).cloned()
    }

    fn name(&mut self) -> String {
        if self.rng.u8(..6) == 0 {
            return self.text();
        }
        self.pick(|it| &it.names).unwrap_or_default()
    }

    fn text(&mut self) -> String {
        self.pick(|it| &it.texts).unwrap_or_default()
    }

    /// Some value, of which the schemas say nothing in particular.
    fn any(&mut self, depth: u32) -> Json {
        match self.rng.u8(..if depth == 0 { 6 } else { 8 }) {
            0 => Json::Null,
            1 => Json::Bool(self.rng.bool()),
            2 => self.pick(|it| &it.numbers).unwrap_or(Json::Null),
            3 => Json::from(self.text()),
            4 | 5 => self.pick(|it| &it.listed).unwrap_or(Json::Bool(true)),
            6 => {
                let count = self.rng.usize(..4);
                Json::from((0..count).map(|_| self.any(depth - 1)).collect::<Vec<_>>())
            }
            _ => {
                let count = self.rng.usize(..3);
                let members: Vec<_> = (0..count)
                    .map(|_| (self.name(), self.any(depth - 1)))
                    .collect();
                Json::from_members(members)
            }
        }
    }

    /// A value for one of the schemas, spoiled now and then.
    pub(crate) fn next(&mut self) -> Json {
        let at = self.rng.usize(..self.roots.len() + 1);
        let mut value = match self.roots.get(at).cloned() {
            Some(root) => self.of(&root, &root, DEPTH_MAX),
            None => self.any(2),
        };
        for _ in 0..self.rng.usize(..3) {
            value = self.spoiled(value);
        }
        value
    }

    /// The value with something in it changed.
    pub(crate) fn spoiled(&mut self, value: Json) -> Json {
        if self.rng.u8(..3) == 0 {
            return self.any(1);
        }
        match value {
            Json::Object(mut members) => {
                let keys: Vec<String> = members.keys().cloned().collect();
                let key = self.rng.choice(&keys).cloned();
                match (self.rng.u8(..4), key) {
                    (0, Some(key)) => {
                        members.remove(&key);
                    }
                    (1 | 2, Some(key)) => {
                        let old = members.remove(&key).unwrap_or(Json::Null);
                        let new = self.spoiled(old);
                        members.insert(key, new);
                    }
                    (_, _) => {
                        let (name, value) = (self.name(), self.any(1));
                        members.insert(name, value);
                    }
                }
                Json::Object(members)
            }
            Json::Array(mut list) if !list.is_empty() => {
                let at = self.rng.usize(..list.len());
                match self.rng.u8(..4) {
                    0 => {
                        list.remove(at);
                    }
                    1 => list.push(list[at].clone()),
                    2 => list.push(self.any(1)),
                    _ => list[at] = self.spoiled(list[at].clone()),
                }
                Json::Array(list)
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                self.any(1)
            }
        }
    }

    /// The schema with one way of its alternatives taken into it.
    fn merged(&mut self, root: &Json, schema: &Json, depth: u32) -> BTreeMap<String, Json> {
        let Json::Object(own) = resolved(root, schema) else {
            return BTreeMap::new();
        };
        let mut merged = own.clone();
        let mut ways = Vec::new();
        ways.extend(
            own.get("allOf")
                .and_then(Json::as_array)
                .into_iter()
                .flatten(),
        );
        for key in ["anyOf", "oneOf"] {
            let list = own.get(key).and_then(Json::as_array).unwrap_or(&[]);
            ways.extend(self.rng.choice(list));
        }
        let branches: &[&str] = if self.rng.bool() {
            &["if", "then"]
        } else {
            &["else"]
        };
        ways.extend(branches.iter().filter_map(|it| own.get(*it)));
        if depth == 0 {
            return merged;
        }
        for way in ways {
            for (key, value) in self.merged(root, way, depth - 1) {
                let both = match (merged.get(&key), &value) {
                    (Some(Json::Object(old)), Json::Object(new)) if key == "properties" => {
                        let mut both = old.clone();
                        both.extend(new.clone());
                        Json::Object(both)
                    }
                    (Some(Json::Array(old)), Json::Array(new)) if key == "required" => {
                        Json::from([old.clone(), new.clone()].concat())
                    }
                    _ => value,
                };
                merged.insert(key, both);
            }
        }
        merged
    }

    fn of(&mut self, root: &Json, schema: &Json, depth: u32) -> Json {
        let schema = Json::Object(self.merged(root, schema, 4));
        if depth == 0 || self.rng.u8(..24) == 0 {
            return self.any(1);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema.get("enum").and_then(Json::as_array) {
            return self.rng.choice(values).cloned().unwrap_or(Json::Null);
        }
        let kind = match schema.get("type") {
            Some(Json::String(kind)) => kind.clone(),
            Some(Json::Array(kinds)) => {
                let kind = self.rng.choice(kinds).and_then(Json::as_str);
                kind.unwrap_or("null").to_owned()
            }
            _ => guessed(&schema).to_owned(),
        };
        match kind.as_str() {
            "null" => Json::Null,
            "boolean" => Json::Bool(self.rng.bool()),
            "number" | "integer" => self.pick(|it| &it.numbers).unwrap_or(Json::Null),
            "string" => Json::from(self.text()),
            "array" => self.array(root, &schema, depth - 1),
            "object" => self.object(root, &schema, depth - 1),
            _ => self.any(2),
        }
    }

    fn array(&mut self, root: &Json, schema: &Json, depth: u32) -> Json {
        let count = |key| {
            let number = schema.get(key).and_then(Json::as_number);
            number.and_then(spec::Decimal::to_u64).map(|it| it.min(40))
        };
        let least = count("minItems").unwrap_or(0);
        let most = count("maxItems").unwrap_or(least + 3).max(least);
        let length = self.rng.u64(least..=most.min(least + 4));
        let first = schema.get("prefixItems").or_else(|| schema.get("items"));
        let first = first.and_then(Json::as_array).unwrap_or(&[]);
        let rest = [
            schema.get("items"),
            schema.get("additionalItems"),
            schema.get("contains"),
        ];
        let rest = rest.into_iter().flatten();
        let rest: Vec<_> = rest.filter(|it| !matches!(it, Json::Array(_))).collect();
        let mut items = Vec::new();
        for at in 0..usize::try_from(length).unwrap_or(0) {
            let item = first.get(at).or_else(|| self.rng.choice(&rest).copied());
            items.push(match item {
                Some(item) => self.of(root, item, depth),
                None => self.any(1),
            });
        }
        Json::from(items)
    }

    fn object(&mut self, root: &Json, schema: &Json, depth: u32) -> Json {
        let known = schema.get("properties").and_then(Json::as_object);
        let required = schema.get("required").and_then(Json::as_array);
        let required: Vec<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .collect();
        let mut names: BTreeSet<String> = BTreeSet::new();
        for name in known.into_iter().flat_map(BTreeMap::keys) {
            if required.contains(&name.as_str()) || self.rng.u8(..4) == 0 {
                names.insert(name.clone());
            }
        }
        names.extend(required.iter().map(|it| (*it).to_owned()));
        if self.rng.u8(..3) == 0 {
            names.insert(self.name());
        }
        let patterned = schema.get("patternProperties").and_then(Json::as_object);
        let patterned: Vec<&Json> = patterned.into_iter().flat_map(BTreeMap::values).collect();
        let mut members = BTreeMap::new();
        for name in names {
            let other = || schema.get("additionalProperties");
            let of = known.and_then(|it| it.get(&name));
            let of = of
                .or_else(|| self.rng.choice(&patterned).copied())
                .or_else(other);
            let value = match of {
                Some(of) => self.of(root, of, depth),
                None => self.any(1),
            };
            members.insert(name, value);
        }
        Json::Object(members)
    }
}

/// The kind of values that the keywords of a schema without `type` are about.
fn guessed(schema: &Json) -> &'static str {
    let has = |keys: &[&str]| keys.iter().any(|it| schema.get(it).is_some());
    if has(&[
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
    ]) || has(&[
        "minProperties",
        "maxProperties",
        "propertyNames",
        "dependentRequired",
    ]) {
        "object"
    } else if has(&["items", "prefixItems", "contains", "minItems", "maxItems"]) {
        "array"
    } else if has(&["minLength", "maxLength", "pattern", "format"]) {
        "string"
    } else if has(&["minimum", "maximum", "multipleOf", "exclusiveMinimum"]) {
        "number"
    } else {
        ""
    }
}
