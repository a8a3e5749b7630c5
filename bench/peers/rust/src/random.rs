//! Made-up pairs and values, small enough to meet each other often. The same seed makes the same.

use serde_json::{Map, Value, json};

pub(crate) struct Maker {
    random: fastrand::Rng,
    is_draft7: bool,
}

const NAMES: [&str; 4] = ["a", "b", "c", "ab"];
const PATTERNS: [&str; 6] = ["^a", "b$", "^[ab]*$", "^.{2}$", "c", "^(ab|c)+$"];
const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// Keywords of which a schema gets some.
const ANY: [&str; 2] = ["enum", "const"];
const NUMBERS: [&str; 5] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];
const TEXTS: [&str; 3] = ["minLength", "maxLength", "pattern"];
const ARRAYS: [&str; 7] = [
    "items",
    "tuple",
    "rest",
    "contains",
    "minItems",
    "maxItems",
    "uniqueItems",
];
const OBJECTS: [&str; 9] = [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependent",
    "unevaluatedProperties",
];
/// Those of the arrays that hold schemas.
const NESTING: [&str; 4] = ["items", "tuple", "rest", "contains"];
const LOGIC: [&str; 6] = ["allOf", "anyOf", "oneOf", "not", "if", "$ref"];

impl Maker {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            is_draft7: false,
        }
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let at = self.random.usize(..words.len().max(1));
        words.get(at).copied().unwrap_or("a")
    }

    /// True once in so many.
    fn seldom(&mut self, many: u32) -> bool {
        self.random.u32(0..many) == 0
    }

    fn list(&mut self, most: u32, mut make: impl FnMut(&mut Self) -> Value) -> Value {
        let count = self.random.u32(1..=most);
        Value::Array((0..count).map(|_| make(self)).collect())
    }

    fn members(&mut self, names: &[&str], mut make: impl FnMut(&mut Self) -> Value) -> Value {
        let mut members = Map::new();
        for _ in 0..self.random.u32(1..=2) {
            let name = self.of(names).to_owned();
            let made = make(self);
            members.insert(name, made);
        }
        Value::Object(members)
    }

    fn names(&mut self) -> Value {
        let mut names: Vec<&str> = NAMES.into_iter().collect();
        self.random.shuffle(&mut names);
        names.truncate(self.random.usize(1..3));
        json!(names)
    }

    pub(crate) fn value(&mut self, depth: u32) -> Value {
        let deeper = depth.saturating_sub(1);
        match self.random.u32(0..if depth == 0 { 5 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.random.bool()),
            2 => json!(self.random.i32(-2..8)),
            3 => json!(f64::from(self.random.i32(-4..12)) / 2.0),
            4 => {
                let length = self.random.u32(0..4);
                json!(
                    (0..length)
                        .map(|_| self.of(&["a", "b", "c", "d"]))
                        .collect::<String>()
                )
            }
            5 | 6 => {
                let count = self.random.u32(0..4);
                Value::Array((0..count).map(|_| self.value(deeper)).collect())
            }
            _ => {
                let mut members = Map::new();
                for _ in 0..self.random.u32(0..4) {
                    let name = self.of(&["a", "b", "c", "ab", "d"]).to_owned();
                    let value = self.value(deeper);
                    members.insert(name, value);
                }
                Value::Object(members)
            }
        }
    }

    fn schema(&mut self, depth: u32) -> Value {
        if self.seldom(12) {
            return json!(self.random.bool());
        }
        let mut schema = Map::new();
        let kind = self.of(&TYPES);
        if !self.seldom(5) {
            let other = self.of(&TYPES);
            let is_list = self.seldom(5) && other != kind;
            let stated = if is_list {
                json!([kind, other])
            } else {
                json!(kind)
            };
            schema.insert("type".to_owned(), stated);
        }
        for _ in 0..self.random.u32(0..3) {
            let words: &[&str] = match kind {
                "integer" | "number" => &NUMBERS,
                "string" => &TEXTS,
                "array" => &ARRAYS,
                "object" => &OBJECTS,
                _ => &ANY,
            };
            let words = if self.seldom(8) {
                ANY.as_slice()
            } else {
                words
            };
            let word = self.of(words);
            self.state(&mut schema, word, depth);
        }
        if depth > 0 && self.seldom(4) {
            let word = self.of(&LOGIC);
            self.state(&mut schema, word, depth);
        }
        Value::Object(schema)
    }

    /// Gives a schema a keyword, spelled as its draft does.
    fn state(&mut self, schema: &mut Map<String, Value>, word: &str, depth: u32) {
        let deeper = depth.saturating_sub(1);
        if depth == 0 && (NESTING.contains(&word) || LOGIC.contains(&word)) {
            return;
        }
        let value = match word {
            "enum" => self.list(3, |it| it.value(1)),
            "const" => self.value(1),
            "multipleOf" => json!(self.random.i32(1..4)),
            "pattern" => json!(self.of(&PATTERNS)),
            "uniqueItems" => json!(true),
            "required" => self.names(),
            "allOf" | "anyOf" | "oneOf" | "tuple" => self.list(3, |it| it.schema(deeper)),
            "properties" => self.members(&NAMES, |it| it.schema(deeper)),
            "patternProperties" => self.members(&PATTERNS, |it| it.schema(deeper)),
            "additionalProperties" | "unevaluatedProperties" if self.seldom(2) => json!(false),
            "propertyNames" if self.seldom(2) => json!({"enum": self.names()}),
            "dependent" => self.members(&NAMES, Self::names),
            "$ref" => json!(if self.seldom(4) {
                "#"
            } else {
                "#/definitions/d"
            }),
            "items"
            | "rest"
            | "contains"
            | "not"
            | "if"
            | "propertyNames"
            | "additionalProperties"
            | "unevaluatedProperties" => self.schema(deeper),
            _ => json!(self.random.i32(0..4)),
        };
        let spelled = match (word, self.is_draft7) {
            ("tuple", true) | ("rest", false) => "items",
            ("tuple", false) => "prefixItems",
            ("rest", true) => "additionalItems",
            ("dependent", true) => "dependencies",
            ("dependent", false) => "dependentRequired",
            ("unevaluatedProperties", true) => "additionalProperties",
            (other, _) => other,
        };
        schema.insert(spelled.to_owned(), value);
        if word == "if" {
            let branch = if self.random.bool() { "then" } else { "else" };
            let made = self.schema(deeper);
            schema.insert(branch.to_owned(), made);
        }
    }

    /// The same schema with a keyword more, less or changed somewhere.
    fn changed(&mut self, schema: &Value, depth: u32) -> Value {
        let Some(members) = schema.as_object() else {
            return self.schema(depth);
        };
        let mut members = members.clone();
        let names: Vec<String> = members.keys().cloned().collect();
        let at = self.random.usize(..names.len().max(1));
        match (self.random.u32(0..4), names.get(at)) {
            (0, Some(name)) => {
                members.remove(name);
            }
            (1 | 2, Some(name)) => {
                let old = members.get(name).cloned().unwrap_or_default();
                let new = self.changed_part(name, &old, depth);
                members.insert(name.clone(), new);
            }
            _ => {
                let more = self.schema(depth);
                for (name, value) in more.as_object().cloned().unwrap_or_default() {
                    members.entry(name).or_insert(value);
                }
            }
        }
        Value::Object(members)
    }

    fn changed_part(&mut self, name: &str, old: &Value, depth: u32) -> Value {
        let deeper = depth.saturating_sub(1);
        match (name, old) {
            ("multipleOf" | "const" | "type" | "enum" | "required", _) => old.clone(),
            (_, Value::Number(number)) => {
                let number = number.as_i64().unwrap_or(0).saturating_add(1);
                json!(number)
            }
            ("properties" | "patternProperties", Value::Object(members)) => {
                let each = members.iter();
                let each = each.map(|(name, it)| (name.clone(), self.changed(it, deeper)));
                Value::Object(each.collect())
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(parts)) => {
                Value::Array(parts.iter().map(|it| self.changed(it, deeper)).collect())
            }
            ("dependencies" | "dependentRequired", _) => old.clone(),
            (_, Value::Object(_)) => self.changed(old, deeper),
            (_, Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_)) => old.clone(),
        }
    }

    /// Whatever a reference in it may mean is defined.
    fn document(schema: &Value, shared: &Value) -> Value {
        let mut schema = schema.clone();
        if let (true, Some(members)) = (has_reference(&schema), schema.as_object_mut()) {
            members.insert("definitions".to_owned(), json!({"d": shared}));
        }
        schema
    }

    pub(crate) fn pair(&mut self, is_draft7: bool) -> (Value, Value) {
        self.is_draft7 = is_draft7;
        let one = self.schema(3);
        let mut other = if self.seldom(4) {
            self.schema(3)
        } else {
            self.changed(&one, 3)
        };
        while self.seldom(2) {
            other = self.changed(&other, 3);
        }
        let mut first = self.schema(1);
        while has_reference(&first) {
            first = self.schema(1);
        }
        let second = if self.seldom(3) {
            json!({"type": "integer"})
        } else {
            first.clone()
        };
        let (one, other) = (
            Self::document(&one, &first),
            Self::document(&other, &second),
        );
        if self.random.bool() {
            (one, other)
        } else {
            (other, one)
        }
    }
}

fn has_reference(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key("$ref") || members.values().any(has_reference)
        }
        Value::Array(parts) => parts.iter().any(has_reference),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
