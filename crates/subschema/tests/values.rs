//! One value is a schema of its own: `{enum: [v]}` lies within a schema exactly if a validator takes
//! `v`. So every keyword of every draft is read here as the validator reads it, over random schemas.
//!
//! `SUBSCHEMA_CASES` sets how many cases there are for each draft, `SUBSCHEMA_SEED` the seed.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

use fastrand::Rng;
use spec::Json;
use subschema::{Answer, Options, contains};
use validator::{Draft, Validator};

const NAMES: [&str; 4] = ["a", "b", "ab", "c"];
const PATTERNS: [&str; 5] = ["a", "^a", "b$", "^[ab]+$", "^.?$"];
/// Values are tried on a schema before it is given up.
const VALUES: usize = 8;

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |it| it.parse().unwrap())
}

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    *rng.choice(from).unwrap()
}

fn value(rng: &mut Rng, depth: usize) -> Json {
    let kinds = if depth == 0 { 4 } else { 8 };
    match rng.usize(0..kinds) {
        0 => json(pick(rng, &["null", "true", "false"])),
        1 | 2 => json(pick(
            rng,
            &["-1", "0", "1", "1.0", "1.5", "2", "3", "4", "1e1"],
        )),
        3 => Json::from(pick(rng, &["", "a", "b", "ab", "ba", "abc", "ä"])),
        4 | 5 => {
            let count = rng.usize(0..4);
            Json::Array((0..count).map(|_| value(rng, depth - 1)).collect())
        }
        _ => {
            let count = rng.usize(0..4);
            Json::from_members((0..count).map(|_| (pick(rng, &NAMES), value(rng, depth - 1))))
        }
    }
}

struct Maker<'r> {
    rng: &'r mut Rng,
    draft: Draft,
    /// Whether references may need more than a pointer to be followed.
    names: bool,
}

impl Maker<'_> {
    fn defs(&self) -> &'static str {
        if self.draft >= Draft::D2019 {
            "$defs"
        } else {
            "definitions"
        }
    }

    fn schemas(&mut self, depth: usize) -> Json {
        let count = self.rng.usize(1..4);
        Json::Array((0..count).map(|_| self.schema(depth)).collect())
    }

    fn named(&mut self, keys: &[&str], depth: usize) -> Json {
        let count = self.rng.usize(1..3);
        Json::from_members((0..count).map(|_| {
            let key = pick(self.rng, keys);
            (key, self.schema(depth))
        }))
    }

    fn list(&mut self) -> Json {
        let mut names = NAMES.to_vec();
        self.rng.shuffle(&mut names);
        names.truncate(self.rng.usize(1..3));
        Json::Array(names.into_iter().map(Json::from).collect())
    }

    fn count(&mut self) -> Json {
        Json::from(self.rng.u64(0..4))
    }

    fn number(&mut self) -> Json {
        json(pick(self.rng, &["0", "1", "1.5", "2", "3"]))
    }

    fn types(&mut self) -> Json {
        const TYPES: [&str; 7] = [
            "null", "boolean", "integer", "number", "string", "array", "object",
        ];
        if self.rng.bool() {
            return Json::from(pick(self.rng, &TYPES));
        }
        let mut types = TYPES.to_vec();
        self.rng.shuffle(&mut types);
        types.truncate(self.rng.usize(1..5));
        Json::Array(types.into_iter().map(Json::from).collect())
    }

    fn reference(&mut self) -> (&'static str, Json) {
        let new = self.draft >= Draft::D2019;
        let mut known = if new {
            vec!["#", "#/$defs/a", "#/$defs/b"]
        } else {
            vec!["#", "#/definitions/a", "#/definitions/b"]
        };
        if self.names {
            known.extend(["#x", "inner", "inner#x", "http://e.org/root#x"]);
            if self.rng.usize(0..20) == 0 {
                return ("$ref", Json::from(self.draft.uri()));
            }
            match self.draft {
                Draft::D2020 if self.rng.bool() => {
                    return ("$dynamicRef", Json::from(pick(self.rng, &known)));
                }
                Draft::D2019 if self.rng.bool() => return ("$recursiveRef", Json::from("#")),
                Draft::D4 | Draft::D6 | Draft::D7 | Draft::D2019 | Draft::D2020 => {}
            }
        }
        ("$ref", Json::from(pick(self.rng, &known)))
    }

    fn keyword(&mut self, depth: usize) -> (&'static str, Json) {
        if self.names && self.rng.usize(0..4) == 0 {
            return self.reference();
        }
        if depth > 0 && self.rng.usize(0..3) > 0 {
            return self.deep_keyword(depth - 1);
        }
        match self.rng.usize(0..16) {
            0 | 1 => ("type", self.types()),
            2 => ("const", value(self.rng, 1)),
            3 => {
                let values = (0..3).map(|_| value(self.rng, 1));
                let mut values: Vec<_> = values.collect();
                values.dedup();
                ("enum", Json::Array(values))
            }
            4 => ("minimum", self.number()),
            5 => ("maximum", self.number()),
            6 if self.draft == Draft::D4 => ("exclusiveMinimum", Json::from(self.rng.bool())),
            7 if self.draft == Draft::D4 => ("exclusiveMaximum", Json::from(self.rng.bool())),
            6 => ("exclusiveMinimum", self.number()),
            7 => ("exclusiveMaximum", self.number()),
            8 => (
                "multipleOf",
                json(pick(self.rng, &["1", "2", "0.5", "1.5"])),
            ),
            9 => ("minLength", self.count()),
            10 => ("maxLength", self.count()),
            11 => ("pattern", Json::from(pick(self.rng, &PATTERNS))),
            12 => (
                pick(self.rng, &["minItems", "maxItems", "minProperties"]),
                self.count(),
            ),
            13 => ("maxProperties", self.count()),
            14 => ("required", self.list()),
            _ => ("uniqueItems", Json::from(self.rng.bool())),
        }
    }

    fn deep_keyword(&mut self, deep: usize) -> (&'static str, Json) {
        match self.rng.usize(16..44) {
            16 | 17 => ("properties", self.named(&NAMES, deep)),
            18 => ("patternProperties", self.named(&PATTERNS, deep)),
            19 => ("additionalProperties", self.schema(deep)),
            20 => ("propertyNames", self.schema(deep)),
            21 if self.draft < Draft::D2020 && self.rng.bool() => ("items", self.schemas(deep)),
            21 | 22 => ("items", self.schema(deep)),
            23 => ("additionalItems", self.schema(deep)),
            24 => ("prefixItems", self.schemas(deep)),
            25 | 26 => ("contains", self.schema(deep)),
            27 => (
                pick(self.rng, &["minContains", "maxContains"]),
                self.count(),
            ),
            28 => ("allOf", self.schemas(deep)),
            29 => ("anyOf", self.schemas(deep)),
            30 => ("oneOf", self.schemas(deep)),
            31 => ("not", self.schema(deep)),
            32 => ("if", self.schema(deep)),
            33 => ("then", self.schema(deep)),
            34 => ("else", self.schema(deep)),
            35 => ("dependentSchemas", self.named(&NAMES, deep)),
            36 => {
                let name = pick(self.rng, &NAMES);
                (
                    "dependentRequired",
                    Json::from_members([(name, self.list())]),
                )
            }
            37 if self.rng.bool() => {
                let name = pick(self.rng, &NAMES);
                ("dependencies", Json::from_members([(name, self.list())]))
            }
            37 => ("dependencies", self.named(&NAMES, deep)),
            38 | 39 => ("unevaluatedProperties", self.schema(deep.min(1))),
            40 | 41 => ("unevaluatedItems", self.schema(deep.min(1))),
            _ => self.reference(),
        }
    }

    fn schema(&mut self, depth: usize) -> Json {
        if self.draft > Draft::D4 && self.rng.usize(0..8) == 0 {
            return Json::from(self.rng.bool());
        }
        let count = self.rng.usize(0..4) + usize::from(depth > 1);
        Json::from_members((0..count).map(|_| self.keyword(depth)))
    }

    /// A schema with all that references may lead to.
    fn root(&mut self) -> Json {
        let (Json::Object(mut members), defs) = (self.object(3), self.defs()) else {
            panic!("an object");
        };
        let mut parts = vec![("a", self.schema(2)), ("b", self.schema(1))];
        if self.names {
            let id = if self.draft == Draft::D4 { "id" } else { "$id" };
            members.insert(id.to_owned(), Json::from("http://e.org/root"));
            let mut inner = self.object(2);
            let (mut here, mut there) = (self.object(1), self.object(1));
            add(&mut inner, id, "inner");
            // Beside a reference the id would say nothing in the older drafts.
            without(&mut inner, "$ref");
            without(&mut here, "$ref");
            without(&mut there, "$ref");
            members.remove("$ref");
            let anchor = match self.draft {
                Draft::D4 | Draft::D6 | Draft::D7 => id,
                Draft::D2020 if self.rng.bool() => "$dynamicAnchor",
                Draft::D2019 | Draft::D2020 => "$anchor",
            };
            let name = if anchor == id { "#x" } else { "x" };
            add(&mut here, anchor, name);
            add(&mut there, anchor, name);
            if self.draft == Draft::D2019 && self.rng.bool() {
                members.insert("$recursiveAnchor".to_owned(), Json::from(true));
            }
            if let Json::Object(inner) = &mut inner {
                if self.draft == Draft::D2019 && self.rng.bool() {
                    inner.insert("$recursiveAnchor".to_owned(), Json::from(true));
                }
                // The same pointers lead elsewhere within.
                let (a, b) = (self.schema(1), self.schema(1));
                let parts = [("a", a), ("b", b), ("x", there)];
                inner.insert(defs.to_owned(), Json::from_members(parts));
            }
            parts.push(("here", here));
            // The same part is met in its place and by its name, which are two ways to it.
            let (a, ab) = (self.reference(), self.reference());
            put(&mut inner, "additionalProperties", Json::from_members([a]));
            put(&mut inner, "items", Json::from_members([ab]));
            let by_name = Json::from_members([("$ref", Json::from("inner"))]);
            let both = [("a", inner), ("b", by_name)];
            members.insert("properties".to_owned(), Json::from_members(both));
        }
        members.insert(defs.to_owned(), Json::from_members(parts));
        members.insert("$schema".to_owned(), Json::from(self.draft.uri()));
        Json::Object(members)
    }

    fn object(&mut self, depth: usize) -> Json {
        match self.schema(depth) {
            schema @ Json::Object(_) => schema,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                Json::object()
            }
        }
    }
}

fn add(schema: &mut Json, keyword: &str, text: &str) {
    put(schema, keyword, Json::from(text));
}

fn put(schema: &mut Json, keyword: &str, value: Json) {
    if let Json::Object(members) = schema {
        members.insert(keyword.to_owned(), value);
    }
}

fn without(schema: &mut Json, keyword: &str) {
    if let Json::Object(members) = schema {
        members.remove(keyword);
    }
}

#[derive(Debug, Default)]
struct Tally {
    valid: u64,
    invalid: u64,
    /// A schema that says of a value what it says of that value.
    circular: u64,
    undecided: u64,
}

fn one_value_each(draft: Draft, names: bool) -> Tally {
    let cases = setting("SUBSCHEMA_CASES", 400);
    let mut rng = Rng::with_seed(setting("SUBSCHEMA_SEED", 11) + u64::from(names));
    let mut tally = Tally::default();
    while tally.valid + tally.invalid < cases {
        let schema = Maker {
            rng: &mut rng,
            draft,
            names,
        }
        .root();
        let Ok(judge) = Validator::compile(&schema) else {
            continue;
        };
        for _ in 0..VALUES {
            let value = value(&mut rng, 3);
            let only = Json::from_members([
                ("enum", Json::Array(vec![value.clone()])),
                ("$schema", Json::from(draft.uri())),
            ]);
            let accepted = judge.accepts(&value);
            match contains(&only, &schema, &Options::default()) {
                Answer::Proved(_) if accepted => tally.valid += 1,
                Answer::Refuted(_) if !accepted => tally.invalid += 1,
                Answer::Undecided(reason) if reason.text == "a reference to itself" => {
                    tally.circular += 1;
                }
                Answer::Undecided(reason) if !reason.text.contains("internal") => {
                    tally.undecided += 1;
                }
                answer @ (Answer::Proved(_) | Answer::Refuted(_) | Answer::Undecided(_)) => panic!(
                    "{answer:?} of {} in {}",
                    value.to_canonical(),
                    schema.to_canonical()
                ),
            }
        }
    }
    tally
}

#[test]
fn a_value_lies_within_a_schema_if_a_validator_takes_it() {
    for draft in Draft::ALL {
        let tally = one_value_each(draft, false);
        assert!(tally.valid.min(tally.invalid) > 60, "{draft:?} {tally:?}");
        // Mostly `contains` beside `unevaluatedItems` in 2019-09.
        assert!(tally.undecided * 10 < tally.valid, "{draft:?} {tally:?}");
    }
}

#[test]
fn it_does_so_where_references_go_by_names() {
    for draft in Draft::ALL {
        let tally = one_value_each(draft, true);
        assert!(tally.valid.min(tally.invalid) > 60, "{draft:?} {tally:?}");
    }
}

#[test]
fn what_is_proved_holds_for_values() {
    let cases = setting("SUBSCHEMA_CASES", 400) / 5;
    let mut rng = Rng::with_seed(setting("SUBSCHEMA_SEED", 11));
    let mut held = 0_u64;
    for case in 0..cases {
        for draft in Draft::ALL {
            let mut maker = Maker {
                rng: &mut rng,
                draft,
                names: case % 3 == 0,
            };
            let (sub, sup) = (maker.root(), maker.root());
            let both = Json::from_members([
                ("$schema", Json::from(draft.uri())),
                (
                    "not",
                    Json::from_members([("enum", Json::Array(vec![value(&mut rng, 2)]))]),
                ),
            ]);
            for (sub, sup) in [(&sub, &sup), (&sub, &both), (&both, &sup)] {
                let judges = (Validator::compile(sub), Validator::compile(sup));
                let (Ok(inside), Ok(outside)) = judges else {
                    continue;
                };
                match contains(sub, sup, &Options::default()) {
                    Answer::Proved(_) => {}
                    Answer::Undecided(reason) => {
                        assert!(
                            !reason.text.contains("internal"),
                            "{reason} of {} in {}",
                            sub.to_canonical(),
                            sup.to_canonical()
                        );
                        continue;
                    }
                    Answer::Refuted(_) => continue,
                }
                for _ in 0..30 {
                    let value = value(&mut rng, 3);
                    if inside.accepts(&value) {
                        held += 1;
                        assert!(
                            outside.accepts(&value),
                            "{} of {} in {}",
                            value.to_canonical(),
                            sub.to_canonical(),
                            sup.to_canonical()
                        );
                    }
                }
            }
        }
    }
    assert!(held > cases, "{held} values were tried in {cases} cases");
}
