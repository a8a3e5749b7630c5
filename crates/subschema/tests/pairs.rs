//! Pairs whose answer was argued by hand, and made-up ones that must not contradict a validator.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "helpers of tests, which stop at what is not as they expect; a seed can be given"
)]

use spec::Json;
use subschema::{Answer, Lint, Options, complete, contains, is_empty};
use validator::{Draft, Validator};

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).expect("JSON")
}

fn text<'a>(entry: &'a Json, key: &str) -> &'a str {
    entry.get(key).and_then(Json::as_str).unwrap_or("")
}

#[test]
fn every_pair_is_decided_and_none_wrong() {
    let pairs = json(include_str!("../testdata/pairs.json"));
    for entry in pairs.as_array().expect("a list") {
        let draft = if text(entry, "draft") == "draft-07" {
            Draft::D7
        } else {
            Draft::D2020
        };
        let options = Options {
            draft,
            formats_assert: text(entry, "format") == "assert",
            ..Options::default()
        };
        let expected = entry
            .get("expected")
            .and_then(Json::as_bool)
            .expect("expected");
        let sup = entry.get("sup").expect("sup");
        let mut subs = vec![entry.get("sub").expect("sub").clone()];
        subs.extend(entry.get("overlay").map(|it| complete(sup, it).schema));
        for sub in subs {
            let answer = contains(&sub, sup, &options);
            let agrees = matches!(
                (&answer, expected),
                (Answer::Proved(_), true) | (Answer::Refuted(_), false)
            );
            assert!(agrees, "{}: {answer:?}", text(entry, "id"));
        }
    }
}

#[test]
fn a_name_that_could_mean_two_things_proves_nothing() {
    let sup = json(r#"{"type": "string"}"#);
    for sub in [
        r##"{"$ref": "#a", "$defs": {"x": {"$anchor": "a", "type": "string"}, "y": {"$anchor": "a", "type": "number"}}}"##,
        r##"{"$ref": "#a", "$defs": {"x": {"const": {"$anchor": "a", "type": "string"}}}}"##,
    ] {
        let answer = contains(&json(sub), &sup, &Options::default());
        assert!(matches!(answer, Answer::Undecided(_)), "{sub}: {answer:?}");
    }
    // What stands within data names nothing.
    for one in [
        r##"{"$ref": "#a", "$defs": {"x": {"$anchor": "a", "type": "string"}}}"##,
        r##"{"$ref": "#a", "$defs": {"x": {"enum": [{"$anchor": "a", "type": "number"}]}, "y": {"$anchor": "a", "type": "string"}}}"##,
    ] {
        let answer = contains(&json(one), &sup, &Options::default());
        assert!(matches!(answer, Answer::Proved(_)), "{one}: {answer:?}");
    }
}

/// Schemas and values small enough to meet each other often.
struct Maker(fastrand::Rng);

impl Maker {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.0.usize(..from.len())]
    }

    fn value(&mut self, depth: u32) -> String {
        let leaves = [
            "null", "true", "false", "0", "1", "2", "1.5", "-1", "6", r#""""#, r#""a""#, r#""ab""#,
            r#""b1""#,
        ];
        if depth == 0 || self.0.u8(..3) == 0 {
            return self.pick(&leaves).to_owned();
        }
        let count = self.0.usize(..4);
        let values: Vec<_> = (0..count).map(|_| self.value(depth - 1)).collect();
        if self.0.bool() {
            return format!("[{}]", values.join(","));
        }
        let names = ["a", "b", "c", "ab"];
        let members = values
            .iter()
            .zip(names)
            .map(|(it, name)| format!("\"{name}\":{it}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }

    fn schema(&mut self, depth: u32) -> String {
        if self.0.u8(..12) == 0 {
            return self.pick(&["true", "false", "{}"]).to_owned();
        }
        let mut parts = std::collections::BTreeMap::new();
        for _ in 0..self.0.usize(1..4) {
            let (key, value) = self.keyword(depth);
            parts.insert(key, value);
        }
        let parts = parts
            .iter()
            .map(|(key, value)| format!("\"{key}\":{value}"));
        format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
    }

    fn list(&mut self, depth: u32) -> String {
        let parts: Vec<_> = (0..self.0.usize(1..4))
            .map(|_| self.schema(depth))
            .collect();
        format!("[{}]", parts.join(","))
    }

    fn keyword(&mut self, depth: u32) -> (&'static str, String) {
        let plain = [
            "type",
            "enum",
            "minimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "pattern",
            "required",
            "minProperties",
            "maxProperties",
            "minItems",
            "maxItems",
            "uniqueItems",
            "dependentRequired",
        ];
        let deep = [
            "properties",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "items",
            "prefixItems",
            "contains",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "unevaluatedProperties",
            "unevaluatedItems",
            "then",
            "else",
        ];
        if depth == 0 || self.0.bool() {
            let key = self.pick(&plain);
            let value = match key {
                "type" => self
                    .pick(&[
                        r#""integer""#,
                        r#""string""#,
                        r#""object""#,
                        r#""array""#,
                        r#"["number","null"]"#,
                        r#""boolean""#,
                    ])
                    .to_owned(),
                "enum" => format!("[{},{}]", self.value(1), self.value(1)),
                "minimum" | "exclusiveMaximum" => self.pick(&["0", "1", "1.5", "3"]).to_owned(),
                "multipleOf" => self.pick(&["2", "3", "0.5", "1"]).to_owned(),
                "pattern" => self
                    .pick(&[
                        r#""^a""#,
                        r#""b$""#,
                        r#""^[a-b]+$""#,
                        r#""^[a-z]{1,2}$""#,
                        r#""[0-9]""#,
                    ])
                    .to_owned(),
                "required" => self
                    .pick(&[r#"["a"]"#, r#"["a","b"]"#, r#"["c"]"#])
                    .to_owned(),
                "uniqueItems" => "true".to_owned(),
                "dependentRequired" => r#"{"a":["b"]}"#.to_owned(),
                _ => self.pick(&["0", "1", "2", "3"]).to_owned(),
            };
            return (key, value);
        }
        let key = self.pick(&deep);
        let value = match key {
            "properties" => format!(
                "{{\"a\":{},\"b\":{}}}",
                self.schema(depth - 1),
                self.schema(depth - 1)
            ),
            "patternProperties" => format!("{{\"^a\":{}}}", self.schema(depth - 1)),
            "prefixItems" | "allOf" | "anyOf" | "oneOf" => self.list(depth - 1),
            _ => self.schema(depth - 1),
        };
        (key, value)
    }
}

/// A proof is contradicted by no value tried, and a schema is within itself and what it is cut from.
#[test]
fn no_answer_contradicts_a_validator() {
    let cases = std::env::var("CASES")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(600);
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(7);
    let mut maker = Maker(fastrand::Rng::with_seed(seed));
    let options = Options {
        steps_max: 20_000,
        ..Options::default()
    };
    let (mut proved, mut refuted, mut undecided) = (0, 0, 0);
    for case in 0..cases {
        let a = json(&maker.schema(2));
        let b = if case % 3 == 0 {
            json(&format!(
                "{{\"anyOf\":[{},{}]}}",
                a.to_canonical(),
                maker.schema(1)
            ))
        } else {
            json(&maker.schema(2))
        };
        let both = Json::from_members([("allOf", Json::from(vec![a.clone(), b.clone()]))]);
        for (sub, sup) in [(&a, &a), (&both, &a)] {
            let answer = contains(sub, sup, &options);
            assert!(
                !matches!(answer, Answer::Refuted(_)),
                "{sub:?} in {sup:?}: {answer:?}"
            );
        }
        let answer = contains(&a, &b, &options);
        match &answer {
            Answer::Refuted(_) => refuted += 1,
            Answer::Undecided(reason) => {
                undecided += 1;
                assert!(
                    !reason.text.starts_with("internal"),
                    "{} in {}: {reason}",
                    a.to_canonical(),
                    b.to_canonical()
                );
            }
            Answer::Proved(_) => {
                proved += 1;
                let (inner, outer) = (
                    Validator::compile(&a).expect("a"),
                    Validator::compile(&b).expect("b"),
                );
                for _ in 0..60 {
                    let value = json(&maker.value(2));
                    let broken = inner.accepts(&value) && !outer.accepts(&value);
                    assert!(
                        !broken,
                        "{} in {}: {}",
                        a.to_canonical(),
                        b.to_canonical(),
                        value.to_canonical()
                    );
                }
            }
        }
    }
    assert!(
        proved * 10 > cases && refuted * 10 > cases,
        "{proved} proved, {refuted} refuted"
    );
    assert!(undecided * 100 <= cases, "{undecided} undecided of {cases}");
}

#[test]
fn a_narrowing_that_leaves_nothing_is_empty() {
    let dead = json(r#"{"type":"string","const":"Q","pattern":"^[a-z]+$"}"#);
    assert!(matches!(
        is_empty(&dead, &Options::default()),
        Answer::Proved(_)
    ));
    let alive = json(r#"{"type":"string","pattern":"^[a-z]+$"}"#);
    assert!(matches!(
        is_empty(&alive, &Options::default()),
        Answer::Refuted(_)
    ));
}

#[test]
fn what_an_author_may_not_have_meant_is_listed() {
    let tool = json(r#"{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}"#);
    let overlay = json(r#"{"required":["b"],"properties":{"a":{"maximum":3},"zz":{}}}"#);
    let lints = complete(&tool, &overlay).lints;
    let has = |it: fn(&Lint) -> bool| lints.iter().any(it);
    assert!(has(
        |it| matches!(it, Lint::StaysRequired { name, .. } if name == "a")
    ));
    assert!(has(
        |it| matches!(it, Lint::UnknownProperty { name, .. } if name == "zz")
    ));
    assert!(has(
        |it| matches!(it, Lint::CannotApply { keyword, .. } if keyword == "maximum")
    ));
}
