//! A contract with one keyword at one place made tighter or looser, so that the right answer is known
//! by construction. Knows nothing of how answers are found.

use std::collections::BTreeMap;

use spec::{Decimal, Json};

/// A name and a text that no contract has.
const NEW_NAME: &str = "zz_new";
const NEW_TEXT: &str = "zz new";
const DEPTH_MAX: usize = 60;

type Members = BTreeMap<String, Json>;

/// Whether a change leaves fewer values or more; where alternatives exclude each other, that of the
/// part says nothing of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Tighter,
    Looser,
    Unknown,
}

impl Way {
    fn turned(self) -> Self {
        match self {
            Way::Tighter => Way::Looser,
            Way::Looser => Way::Tighter,
            Way::Unknown => Way::Unknown,
        }
    }
}

/// One change of a contract.
pub(crate) struct Mutation {
    /// What was changed, and the JSON pointer to where.
    pub(crate) what: &'static str,
    pub(crate) keyword: String,
    pub(crate) pointer: String,
    pub(crate) way: Way,
    pub(crate) schema: Json,
}

/// Where a schema stands, and whether fewer values there are fewer values of the whole.
struct Place<'a> {
    path: Vec<String>,
    schema: &'a Members,
    sign: Sign,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Same,
    Turned,
    Unknown,
}

/// Every change of a contract, at most so many, spread evenly over it.
pub(crate) fn of(contract: &Json, most: usize) -> impl Iterator<Item = Mutation> {
    let mut places = Vec::new();
    collect(contract, &mut Vec::new(), Sign::Same, &mut places);
    let exclusive = contract.to_canonical();
    let exclusive = ["\"oneOf\":", "\"not\":", "\"if\":"]
        .iter()
        .any(|it| exclusive.contains(it));
    let mut changes = Vec::new();
    for (at, place) in places.iter().enumerate() {
        // Who refers to a definition is not looked up.
        let shared = matches!(
            place.path.first().map(String::as_str),
            Some("$defs" | "definitions")
        );
        let sign = if shared && exclusive {
            Sign::Unknown
        } else {
            place.sign
        };
        for change in changes_of(place.schema) {
            let way = match sign {
                Sign::Same => change.1,
                Sign::Turned => change.1.turned(),
                Sign::Unknown => Way::Unknown,
            };
            changes.push((at, way, change));
        }
    }
    let step = changes.len().div_ceil(most.max(1)).max(1);
    let picked = changes.into_iter().step_by(step);
    // A large contract a few hundred times over would fill the memory.
    picked.map(move |(at, way, (what, _, keyword, changed))| Mutation {
        what,
        keyword,
        pointer: format!("/{}", places[at].path.join("/")),
        way,
        schema: replaced(contract, &places[at].path, changed),
    })
}

fn replaced(schema: &Json, path: &[String], new: Json) -> Json {
    let Some((step, rest)) = path.split_first() else {
        return new;
    };
    match schema {
        Json::Object(members) => {
            let mut members = members.clone();
            let inner = replaced(&members[step], rest, new);
            members.insert(step.clone(), inner);
            Json::Object(members)
        }
        Json::Array(list) => {
            let at: usize = step.parse().expect("an index");
            let mut list = list.clone();
            list[at] = replaced(&list[at], rest, new);
            Json::Array(list)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => schema.clone(),
    }
}

fn collect<'a>(schema: &'a Json, path: &mut Vec<String>, sign: Sign, places: &mut Vec<Place<'a>>) {
    let Json::Object(members) = schema else {
        return;
    };
    if path.len() > DEPTH_MAX {
        return;
    }
    places.push(Place {
        path: path.clone(),
        schema: members,
        sign,
    });
    for (key, member) in members {
        let below = match (key.as_str(), sign) {
            ("oneOf" | "if" | "then" | "else" | "contains", _) | (_, Sign::Unknown) => {
                Sign::Unknown
            }
            ("not", Sign::Same) => Sign::Turned,
            ("not", Sign::Turned) => Sign::Same,
            (_, sign) => sign,
        };
        path.push(key.clone());
        match (key.as_str(), member) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Json::Object(map),
            ) => {
                for (name, it) in map {
                    path.push(name.clone());
                    collect(it, path, below, places);
                    path.pop();
                }
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Json::Array(list)) => {
                for (at, it) in list.iter().enumerate() {
                    path.push(at.to_string());
                    collect(it, path, below, places);
                    path.pop();
                }
            }
            (
                "items"
                | "additionalProperties"
                | "additionalItems"
                | "propertyNames"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains",
                it,
            ) => collect(it, path, below, places),
            _ => {}
        }
        path.pop();
    }
}

type Change = (&'static str, Way, String, Json);

/// Collects the changes of one schema.
struct Changes<'a> {
    schema: &'a Members,
    done: Vec<Change>,
}

impl Changes<'_> {
    fn set(&mut self, what: &'static str, way: Way, key: &str, value: Json) {
        let mut changed = self.schema.clone();
        changed.insert(key.to_owned(), value);
        self.done
            .push((what, way, key.to_owned(), Json::Object(changed)));
    }

    fn dropped(&mut self, key: &str) {
        let mut changed = self.schema.clone();
        changed.remove(key);
        let change = (
            "dropped",
            Way::Looser,
            key.to_owned(),
            Json::Object(changed),
        );
        self.done.push(change);
    }

    fn without(&mut self, way: Way, key: &str, list: &[Json]) {
        for at in 0..list.len() {
            // The ends of a long list, and one in the middle.
            if list.len() > 6 && ![0, list.len() / 2, list.len() - 1].contains(&at) {
                continue;
            }
            let mut fewer = list.to_vec();
            fewer.remove(at);
            self.set("one fewer", way, key, Json::from(fewer));
        }
    }

    fn with(&mut self, way: Way, key: &str, list: &[Json], new: Json) {
        if !list.contains(&new) {
            let more = [list.to_vec(), vec![new]].concat();
            self.set("one more", way, key, Json::from(more));
        }
    }

    fn number(&mut self, key: &str, number: &Decimal) {
        let lower = key.starts_with("min") || key == "exclusiveMinimum";
        let (up, down) = if lower {
            (Way::Tighter, Way::Looser)
        } else {
            (Way::Looser, Way::Tighter)
        };
        let count = !matches!(
            key,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"
        );
        let Some(whole) = number.to_i64() else { return };
        if let Some(next) = whole.checked_add(1) {
            self.set("one up", up, key, Json::from(next));
        }
        if let Some(last) = whole.checked_sub(1).filter(|it| !count || *it >= 0) {
            self.set("one down", down, key, Json::from(last));
        }
        self.dropped(key);
    }

    fn keyword(&mut self, key: &str, value: &Json) {
        match (key, value) {
            ("type" | "enum" | "const", _) => self.values(key, value),
            ("required", Json::Array(list)) => {
                self.without(Way::Looser, key, list);
                self.with(Way::Tighter, key, list, Json::from(NEW_NAME));
            }
            ("anyOf" | "allOf", Json::Array(list)) => {
                let any = key == "anyOf";
                let (fewer, more) = if any {
                    (Way::Tighter, Way::Looser)
                } else {
                    (Way::Looser, Way::Tighter)
                };
                if list.len() > 1 {
                    self.without(fewer, key, list);
                }
                let new = Json::from_members([("const", Json::from(NEW_TEXT))]);
                self.with(more, key, list, new);
                self.dropped(key);
            }
            ("oneOf", Json::Array(list)) => {
                self.without(Way::Unknown, key, list);
                self.dropped(key);
            }
            ("pattern", Json::String(pattern)) => {
                let wider = format!("(?:{pattern})|^zz$");
                self.set("or another", Way::Looser, key, Json::from(wider));
                let and = Json::from_members([(key, Json::from("^[a-m]*$"))]);
                self.set("and another", Way::Tighter, "allOf", Json::from(vec![and]));
                self.dropped(key);
            }
            (
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "minLength"
                | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties",
                Json::Number(number),
            ) => self.number(key, number),
            ("additionalProperties" | "items", value) => {
                if value != &Json::Bool(false) {
                    self.set("false", Way::Tighter, key, Json::Bool(false));
                }
                if !matches!(value, Json::Bool(true)) {
                    self.dropped(key);
                    if value == &Json::Bool(false) {
                        let text = Json::from_members([("type", Json::from("string"))]);
                        self.set("texts", Way::Looser, key, text);
                    }
                }
            }
            ("properties", Json::Object(map)) => self.properties(map),
            ("format" | "uniqueItems" | "multipleOf" | "propertyNames" | "$ref" | "not", _) => {
                self.dropped(key);
            }
            _ => {}
        }
    }

    fn values(&mut self, key: &str, value: &Json) {
        match (key, value) {
            ("type", Json::Array(list)) => {
                if list.len() > 1 {
                    self.without(Way::Tighter, key, list);
                }
                for kind in ["null", "boolean", "object"] {
                    self.with(Way::Looser, key, list, Json::from(kind));
                }
                self.dropped(key);
            }
            ("type", Json::String(kind)) => {
                let other = if kind == "null" { "boolean" } else { "null" };
                self.with(
                    Way::Looser,
                    key,
                    std::slice::from_ref(value),
                    Json::from(other),
                );
                match kind.as_str() {
                    "number" => self.set("integer", Way::Tighter, key, Json::from("integer")),
                    "integer" => self.set("number", Way::Looser, key, Json::from("number")),
                    _ => {}
                }
                self.dropped(key);
            }
            ("enum", Json::Array(list)) => {
                self.without(Way::Tighter, key, list);
                self.with(Way::Looser, key, list, Json::from(NEW_TEXT));
                if let Some(first) = list.first() {
                    self.set("a const of it", Way::Tighter, "const", first.clone());
                }
                self.dropped(key);
            }
            ("const", value) => {
                let list = Json::from(vec![value.clone(), Json::from(NEW_TEXT)]);
                let mut changed = self.schema.clone();
                changed.remove(key);
                changed.insert("enum".to_owned(), list);
                self.done.push((
                    "an enum",
                    Way::Looser,
                    key.to_owned(),
                    Json::Object(changed),
                ));
                self.dropped(key);
            }
            _ => {}
        }
    }

    fn properties(&mut self, map: &Members) {
        for name in map.keys() {
            for (what, way, of) in [
                ("a property forbidden", Way::Tighter, Json::Bool(false)),
                ("a property opened", Way::Looser, Json::object()),
            ] {
                let mut changed = map.clone();
                changed.insert(name.clone(), of);
                self.set(what, way, "properties", Json::Object(changed));
            }
            let required = self.schema.get("required").and_then(Json::as_array);
            let required = required.unwrap_or(&[]).to_vec();
            self.with(
                Way::Tighter,
                "required",
                &required,
                Json::from(name.as_str()),
            );
        }
    }

    /// A keyword that does not stand there yet.
    fn added(&mut self) {
        let pattern = Json::from("^[a-m]*$");
        let new = [
            ("string", "maxLength", Json::from(3_u64)),
            ("string", "minLength", Json::from(2_u64)),
            ("string", "pattern", pattern.clone()),
            ("integer", "multipleOf", Json::from(2_u64)),
            ("integer", "minimum", Json::from(1_u64)),
            ("number", "exclusiveMaximum", Json::from(3_u64)),
            ("array", "maxItems", Json::from(1_u64)),
            ("array", "uniqueItems", Json::Bool(true)),
            ("array", "minItems", Json::from(1_u64)),
            ("object", "additionalProperties", Json::Bool(false)),
            ("object", "minProperties", Json::from(1_u64)),
            ("object", "maxProperties", Json::from(2_u64)),
            (
                "object",
                "propertyNames",
                Json::from_members([("pattern", pattern)]),
            ),
        ];
        for (kind, key, value) in new {
            let types = self.schema.get("type");
            let listed = types.and_then(Json::as_array);
            let mut words = listed
                .into_iter()
                .flatten()
                .chain(types)
                .filter_map(Json::as_str);
            if words.any(|it| it == kind) && !self.schema.contains_key(key) {
                self.set("added", Way::Tighter, key, value);
            }
        }
    }
}

fn changes_of(schema: &Members) -> Vec<Change> {
    let mut changes = Changes {
        schema,
        done: Vec::new(),
    };
    for (key, value) in schema {
        changes.keyword(key, value);
    }
    changes.added();
    changes.done
}
