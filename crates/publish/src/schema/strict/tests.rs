//! What closing gives, and that it holds: nothing is accepted that was refused, and no unknown
//! property gets in at a level that declares its properties.

use expect_test::{Expect, expect};
use fastrand::Rng;
use spec::Json;
use validator::{Draft, Validator};

use super::close;
use crate::schema::walk;

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

#[track_caller]
fn check(schema: &str, expect: Expect) {
    let said = match close(&json(schema)) {
        Ok(closed) => closed.to_canonical(),
        Err(refused) => {
            let lines = refused.iter().map(|it| {
                let why = it.why.split(':').next().unwrap();
                format!("/{}: {why}", it.path.join("/"))
            });
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    expect.assert_eq(&said);
}

#[test]
fn every_level_is_closed() {
    check(
        r#"{"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": ["object", "null"]}}},
            "list": {"type": "array", "items": {"properties": {"c": {"type": "string"}}}},
            "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"d": {}}}},
            "any": {"description": "anything"}, "yes": true, "one": {"const": {"x": 1}}, "closed": {"additionalProperties": false}}}"#,
        expect![[
            r#"{"additionalProperties":false,"properties":{"a":{"additionalProperties":false,"properties":{"b":{"additionalProperties":false,"type":["object","null"]}},"type":"object"},"any":{"description":"anything"},"closed":{"additionalProperties":false},"list":{"items":{"additionalProperties":false,"properties":{"c":{"type":"string"}}},"type":"array"},"map":{"additionalProperties":{"additionalProperties":false,"properties":{"d":{}},"type":"object"},"type":"object"},"one":{"const":{"x":1}},"yes":true},"type":"object"}"#
        ]],
    );
}

#[test]
fn several_schemas_for_one_level() {
    check(
        r#"{"type": "object", "properties": {"a": {}}, "allOf": [{"properties": {"b": {"type": "object"}}}], "not": {"type": "object", "properties": {"x": {}}}}"#,
        expect![[
            r#"{"allOf":[{"properties":{"b":{"additionalProperties":false,"type":"object"}}}],"not":{"properties":{"x":{}},"type":"object"},"properties":{"a":{}},"type":"object","unevaluatedProperties":false}"#
        ]],
    );
    // Nobody says which properties there may be: what stands here is enough, in every draft.
    check(
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}"#,
        expect![[
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","additionalProperties":false,"anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{}}}"#
        ]],
    );
    check(
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"anyOf": [{"properties": {"x": {}}}, {"type": "null"}]}}}"#,
        expect![[
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","additionalProperties":false,"properties":{"a":{"anyOf":[{"additionalProperties":false,"properties":{"x":{}}},{"type":"null"}]}}}"#
        ]],
    );
}

#[test]
fn references() {
    check(
        r##"{"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}, "b": {"$ref": "#/$defs/node", "properties": {"more": {}}}},
            "$defs": {"node": {"$anchor": "n", "type": "object", "properties": {"next": {"$ref": "#n"}, "top": {"$ref": "#"}}}, "unused": {}}}"##,
        expect![[
            r##"{"$defs":{"node.closed":{"additionalProperties":false,"properties":{"next":{"$ref":"#/$defs/node.closed"},"top":{"$ref":"#"}},"type":"object"},"node.part":{"properties":{"next":{"$ref":"#/$defs/node.closed"},"top":{"$ref":"#"}},"type":"object"}},"additionalProperties":false,"properties":{"a":{"$ref":"#/$defs/node.closed"},"b":{"$ref":"#/$defs/node.part","properties":{"more":{}},"unevaluatedProperties":false}},"type":"object"}"##
        ]],
    );
    check(
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a",
            "definitions": {"a": {"type": "object", "properties": {"next": {"$ref": "#/definitions/a"}, "text": {"$ref": "#/definitions/t"}}}, "t": {"type": "string"}}}"##,
        expect![[
            r##"{"$ref":"#/definitions/a","$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"additionalProperties":false,"properties":{"next":{"$ref":"#/definitions/a"},"text":{"$ref":"#/definitions/t"}},"type":"object"},"t":{"type":"string"}}}"##
        ]],
    );
}

#[test]
fn what_is_forbidden_or_asked_keeps_its_meaning() {
    check(
        r##"{"type": "object", "properties": {"a": {"$ref": "#/$defs/d"}}, "not": {"$ref": "#/$defs/d"}, "if": {"$ref": "#/$defs/d"},
            "$defs": {"d": {"properties": {"x": {"properties": {"y": {}}}}}}}"##,
        expect![[
            r##"{"$defs":{"d.closed":{"additionalProperties":false,"properties":{"x":{"additionalProperties":false,"properties":{"y":{}}}}},"d.open":{"properties":{"x":{"properties":{"y":{}}}}}},"if":{"$ref":"#/$defs/d.open"},"not":{"$ref":"#/$defs/d.open"},"properties":{"a":{"$ref":"#/$defs/d.closed"}},"type":"object","unevaluatedProperties":false}"##
        ]],
    );
}

#[test]
fn one_of_goes_on_deciding_what_it_decided() {
    // Never both: closed as they are.
    check(
        r#"{"oneOf": [{"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}, "x": {"type": "object"}}},
            {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "b"}}}, {"type": "null"}]}"#,
        expect![[
            r#"{"oneOf":[{"properties":{"kind":{"const":"a"},"x":{"additionalProperties":false,"type":"object"}},"required":["kind"],"type":"object"},{"properties":{"kind":{"const":"b"}},"required":["kind"],"type":"object"},{"type":"null"}],"unevaluatedProperties":false}"#
        ]],
    );
    // Perhaps both.
    check(
        r#"{"oneOf": [{"properties": {"a": {"type": "object", "properties": {"x": {}}}}}, {"properties": {"a": {"type": "object", "properties": {"y": {}}}}}]}"#,
        expect![[
            r#"{"allOf":[{"anyOf":[{"properties":{"a":{"additionalProperties":false,"properties":{"x":{}},"type":"object"}}},{"properties":{"a":{"additionalProperties":false,"properties":{"y":{}},"type":"object"}}}]}],"oneOf":[{"properties":{"a":{"properties":{"x":{}},"type":"object"}}},{"properties":{"a":{"properties":{"y":{}},"type":"object"}}}],"unevaluatedProperties":false}"#
        ]],
    );
}

#[test]
fn what_cannot_be_closed() {
    check(
        r#"{"type": "object", "additionalProperties": true, "properties": {"a": {"additionalProperties": {}},
            "b": {"properties": {"x": {}}, "anyOf": [{"properties": {"y": {}}, "additionalProperties": true}]}, "c": {"type": "string", "additionalProperties": true}}}"#,
        expect![[r#"
            /: it allows every property by name, which contradicts `strict`
            /properties/a: it allows every property by name, which contradicts `strict`
            /properties/b: it allows every property by name, which contradicts `strict`"#]],
    );
    check(
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}]}"#,
        expect!["/: its properties are spread over several schemas, which this draft cannot close"],
    );
    for alternatives in [
        r#""allOf": [{"properties": {"x": {}}}, {"properties": {"y": {}}}]"#,
        r#""anyOf": [{"properties": {"x": {}}}, {}]"#,
        r#""anyOf": [{"properties": {"x": {}}}], "oneOf": [{"properties": {"y": {}}}]"#,
        r#""dependencies": {"a": {"properties": {"y": {}}}}"#,
        r#""if": {"properties": {"x": {}}}, "then": {"required": ["x"]}"#,
    ] {
        let schema = format!(
            r#"{{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", {alternatives}}}"#
        );
        assert!(close(&json(&schema)).is_err(), "{alternatives}");
    }
    check(
        r##"{"$dynamicAnchor": "n", "properties": {"a": {"$dynamicRef": "#n"}}}"##,
        expect!["/properties/a: what `$dynamicRef` and `$recursiveRef` lead to cannot be told"],
    );
}

#[test]
fn a_large_schema_ends() {
    let ring = vec![r##"{"$ref": "#"}"##; 40].join(",");
    check(
        &format!(
            r#"{{"allOf": [{ring}], "anyOf": [{ring}], "properties": {{"a": {{"anyOf": [{ring}]}}}}}}"#
        ),
        expect!["/: the schema is too large to be closed"],
    );
}

/// Draws schemas and values from a small world, so that they meet.
struct Dice {
    rng: Rng,
    draft: Draft,
    /// Whether objects may say something about further properties.
    further: bool,
}

const NAMES: [&str; 3] = ["a", "b", "c"];

impl Dice {
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    fn definitions(&self) -> &'static str {
        match self.draft {
            Draft::D4 | Draft::D6 | Draft::D7 => "definitions",
            Draft::D2019 | Draft::D2020 => "$defs",
        }
    }

    fn root(&mut self) -> Json {
        let mut root = self.object(3);
        let defs: Vec<(String, Json)> = (0..3)
            .map(|it| (format!("d{it}"), self.schema(2)))
            .collect();
        if let Json::Object(members) = &mut root {
            members.insert("$schema".to_owned(), Json::from(self.draft.uri()));
            members.insert(self.definitions().to_owned(), Json::from_members(defs));
        }
        root
    }

    fn schemas(&mut self, depth: u32) -> Json {
        let count = self.rng.usize(1..4);
        Json::Array((0..count).map(|_| self.schema(depth)).collect())
    }

    fn schema(&mut self, depth: u32) -> Json {
        if depth == 0 {
            return self.leaf();
        }
        match self.rng.u32(0..14) {
            0 | 1 => self.leaf(),
            2 => Json::from_members([
                ("type", Json::from("array")),
                ("items", self.schema(depth - 1)),
            ]),
            3 => Json::from_members([("allOf", self.schemas(depth - 1))]),
            4 => Json::from_members([("anyOf", self.schemas(depth - 1))]),
            5 => Json::from_members([("oneOf", self.schemas(depth - 1))]),
            6 | 7 => {
                let target = format!("#/{}/d{}", self.definitions(), self.rng.u32(0..3));
                Json::from_members([("$ref", Json::String(target))])
            }
            8 => Json::from_members([("not", self.schema(depth - 1))]),
            _ => self.object(depth),
        }
    }

    fn leaf(&mut self) -> Json {
        let text = match self.rng.u32(0..7) {
            0 => r#"{"type": "string"}"#,
            1 => r#"{"type": "integer"}"#,
            2 => "{}",
            3 => r#"{"enum": ["a", 1, {"a": 1}]}"#,
            4 => r#"{"type": ["object", "null"]}"#,
            5 => r#"{"type": "null"}"#,
            _ => r#"{"minimum": 1}"#,
        };
        json(text)
    }

    fn object(&mut self, depth: u32) -> Json {
        let mut members = std::collections::BTreeMap::new();
        if self.chance(70) {
            members.insert("type".to_owned(), Json::from("object"));
        }
        let mut properties = Vec::new();
        for name in NAMES {
            if self.chance(50) {
                properties.push((name, self.schema(depth.saturating_sub(1))));
            }
        }
        if self.chance(85) {
            members.insert("properties".to_owned(), Json::from_members(properties));
        }
        if self.chance(25) {
            let name = NAMES[self.rng.usize(0..NAMES.len())];
            members.insert("required".to_owned(), Json::Array(vec![Json::from(name)]));
        }
        let below = depth.saturating_sub(1);
        for keyword in ["allOf", "anyOf", "oneOf"] {
            if self.chance(8) {
                members.insert(keyword.to_owned(), self.schemas(below));
            }
        }
        if self.draft >= Draft::D7 && self.chance(8) {
            for keyword in ["if", "then", "else"] {
                members.insert(keyword.to_owned(), self.schema(below));
            }
        }
        if self.draft >= Draft::D2019 && self.chance(6) {
            let target = format!("#/$defs/d{}", self.rng.u32(0..3));
            members.insert("$ref".to_owned(), Json::String(target));
        }
        if self.further && self.chance(15) {
            let further = match self.rng.u32(0..4) {
                0 => Json::Bool(true),
                1 => self.schema(below),
                _ => Json::Bool(false),
            };
            members.insert("additionalProperties".to_owned(), further);
        }
        Json::Object(members)
    }

    fn value(&mut self, depth: u32) -> Json {
        match self.rng.u32(0..9) {
            0 => Json::Null,
            1 => Json::from("a"),
            2 => Json::from(1_u64),
            3 if depth > 0 => {
                let count = self.rng.usize(0..3);
                Json::Array((0..count).map(|_| self.value(depth - 1)).collect())
            }
            _ if depth > 0 => {
                let names = ["a", "b", "c", "other"];
                let chosen: Vec<&str> = names.into_iter().filter(|_| self.chance(35)).collect();
                Json::from_members(
                    chosen
                        .into_iter()
                        .map(|it| (it, self.value(depth - 1)))
                        .collect::<Vec<_>>(),
                )
            }
            _ => Json::object(),
        }
    }

    /// A value that is likely to be valid.
    fn fitting(&mut self, root: &Json, schema: &Json, depth: u32) -> Json {
        if depth == 0 || self.chance(4) {
            return self.value(1);
        }
        if let Some(target) = schema.get("$ref").and_then(Json::as_str)
            && let Some(target) = walk::target(root, target.trim_start_matches('#'))
        {
            return self.fitting(root, target, depth - 1);
        }
        if let Some(listed) = schema.get("enum").and_then(Json::as_array) {
            return listed[self.rng.usize(0..listed.len())].clone();
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let parts = schema
                .get(keyword)
                .and_then(Json::as_array)
                .unwrap_or_default();
            if !parts.is_empty() && (schema.get("properties").is_none() || self.chance(20)) {
                let part = &parts[self.rng.usize(0..parts.len())];
                return self.fitting(root, part, depth - 1);
            }
        }
        let typed = match schema.get("type") {
            Some(Json::Array(types)) => types[self.rng.usize(0..types.len())].as_str().unwrap(),
            other => other.and_then(Json::as_str).unwrap_or("object"),
        };
        match typed {
            "null" => Json::Null,
            "boolean" => Json::Bool(true),
            "string" => Json::from("a"),
            "array" => {
                let items = schema.get("items").cloned().unwrap_or(Json::Bool(true));
                let count = self.rng.usize(0..3);
                Json::Array(
                    (0..count)
                        .map(|_| self.fitting(root, &items, depth - 1))
                        .collect(),
                )
            }
            "object" => {
                let properties = schema.get("properties").and_then(Json::as_object);
                let required = schema
                    .get("required")
                    .and_then(Json::as_array)
                    .unwrap_or_default();
                let mut members = Vec::new();
                for (name, property) in properties.into_iter().flatten() {
                    if required.contains(&Json::from(name.as_str())) || self.chance(60) {
                        members.push((name.clone(), self.fitting(root, property, depth - 1)));
                    }
                }
                Json::from_members(members)
            }
            _ => Json::from(5_u64),
        }
    }
}

/// Finds the objects of a value that stand where a schema declares properties.
struct Levels<'a> {
    root: &'a Json,
    draft: Draft,
    found: Vec<Vec<String>>,
}

impl Levels<'_> {
    fn look(&mut self, schema: &Json, value: &Json, path: &[String]) {
        if path.len() > 6 || schema.get("enum").is_some() || schema.get("const").is_some() {
            return;
        }
        if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
            let target = walk::target(self.root, target.trim_start_matches('#')).unwrap();
            // One reference only: they may go round.
            if target.get("$ref").is_none() {
                self.look(target, value, path);
            }
            if self.draft <= Draft::D7 {
                return;
            }
        }
        let below = |step: &str| {
            let step = [step.to_owned()];
            path.iter().cloned().chain(step).collect::<Vec<_>>()
        };
        if let (Some(properties), Json::Object(members)) = (schema.get("properties"), value) {
            self.found.push(path.to_vec());
            for (name, member) in members {
                if let Some(property) = properties.get(name) {
                    self.look(property, member, &below(name));
                }
            }
        }
        if let (Some(items @ Json::Object(_)), Json::Array(elements)) = (schema.get("items"), value)
        {
            for (index, element) in elements.iter().enumerate() {
                self.look(items, element, &below(&index.to_string()));
            }
        }
    }
}

/// How often each thing was tried.
#[derive(Debug, Default)]
struct Tried {
    closed: u32,
    unclosable: u32,
    accepted: u32,
    lost: u32,
    strangers: u32,
}

fn try_out(schema: &Json, dice: &mut Dice, values: u32, tried: &mut Tried) {
    let Ok(before) = Validator::compile(schema) else {
        return;
    };
    let Ok(closed) = close(schema) else {
        tried.unclosable += 1;
        return;
    };
    tried.closed += 1;
    let text = || format!("{}\n{}", schema.to_canonical(), closed.to_canonical());
    let after = Validator::compile(&closed).unwrap_or_else(|why| panic!("{why}\n{}", text()));
    for round in 0..values {
        let value = if round % 3 == 0 {
            dice.value(3)
        } else {
            dice.fitting(schema, schema, 6)
        };
        let was = before.accepts(&value);
        if after.accepts(&value) {
            tried.accepted += 1;
            assert!(
                was,
                "{} is newly accepted:\n{}",
                value.to_canonical(),
                text()
            );
        } else {
            tried.lost += u32::from(was);
        }
        if dice.further {
            continue;
        }
        let mut levels = Levels {
            root: schema,
            draft: dice.draft,
            found: Vec::new(),
        };
        levels.look(schema, &value, &[]);
        for level in levels.found {
            let mut strange = value.clone();
            let Some(Json::Object(members)) = walk::at_mut(&mut strange, &level) else {
                panic!("{level:?} of {}", value.to_canonical());
            };
            members.insert("stranger".to_owned(), Json::from("a"));
            if before.accepts(&strange) {
                tried.strangers += 1;
                assert!(
                    !after.accepts(&strange),
                    "{} is accepted:\n{}",
                    strange.to_canonical(),
                    text()
                );
            }
        }
    }
}

#[test]
fn closing_only_takes_away() {
    for further in [false, true] {
        for draft in Draft::ALL {
            let seed = 7 + u64::from(further);
            let rng = Rng::with_seed(seed);
            let mut dice = Dice {
                rng,
                draft,
                further,
            };
            let mut tried = Tried::default();
            for _ in 0..120 {
                let schema = dice.root();
                try_out(&schema, &mut dice, 10, &mut tried);
            }
            assert!(
                tried.closed > 25 && tried.accepted > 80 && tried.lost > 15,
                "{draft:?} {tried:?}"
            );
            assert!(further || tried.strangers > 80, "{draft:?} {tried:?}");
        }
    }
}

#[test]
fn real_contracts() {
    let lines = include_str!("../../../testdata/contracts.jsonl").lines();
    let mut tried = Tried::default();
    let mut unclosable = Vec::new();
    for line in lines {
        let contract = json(line);
        let schema = contract.get("schema").unwrap();
        let draft = Draft::of(schema).unwrap();
        let rng = Rng::with_seed(1);
        let mut dice = Dice {
            rng,
            draft,
            further: schema.to_canonical().contains("additionalProperties\":{"),
        };
        if let Err(refused) = close(schema) {
            let from = contract.get("from").unwrap().as_str().unwrap();
            let refused = &refused[0];
            unclosable.push(format!("{from} /{}", refused.path.join("/")));
        }
        try_out(schema, &mut dice, 40, &mut tried);
    }
    expect![[r#"
        Tried { closed: 67, unclosable: 12, accepted: 1337, lost: 62, strangers: 1249 }
        clickhouse/run_query#inputSchema /properties/params
        atlassian-jira/jira_post#inputSchema /properties/body
        atlassian-jira/jira_put#inputSchema /properties/body
        atlassian-jira/jira_patch#inputSchema /properties/body
        notion/API-post-search#inputSchema /properties/filter
        mongodb/aggregate#inputSchema /properties/pipeline/items
        mongodb/create-index#inputSchema /properties/definition/items
        mongodb/explain#inputSchema /properties/method/items/oneOf/0/properties/arguments/properties/pipeline/items
        google-workspace/get_gmail_thread_content#outputSchema /properties/result
        google-workspace/manage_event#inputSchema /properties/attendees/items
        google-workspace/modify_sheet_values#inputSchema /properties/chips
        aws-cloudwatch/analyze_log_group#outputSchema /properties/top_patterns"#]].assert_eq(&format!("{tried:?}\n{}", unclosable.join("\n")));
}
