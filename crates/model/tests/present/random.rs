//! Schemas that nobody would write, against the one law: what the original accepts, the copy does.

use fastrand::Rng;
use model::present::PROFILES;
use serde_json::{Map, Value, json};

use crate::sample::{accepted, anything};
use crate::support::{accepts_all, validator};

const SCHEMAS: usize = 300;
const NAMES: [&str; 5] = ["a", "b", "c", "x-1", "$c"];
const DRAFTS: [&str; 4] = [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

#[test]
fn nothing_valid_is_refused() {
    let mut rng = Rng::with_seed(7);
    let (mut schemas, mut samples) = (0, 0);
    while schemas < SCHEMAS {
        let schema = root(&mut rng);
        if !jsonschema::meta::is_valid(&schema) || validator(&schema).is_none() {
            continue;
        }
        schemas += 1;
        let valid = accepted(&schema, 12, &mut rng);
        samples += valid.len();
        for profile in PROFILES {
            accepts_all(&schema, &valid, profile);
        }
    }
    assert!(samples > 2 * SCHEMAS, "{samples}");
}

fn root(rng: &mut Rng) -> Value {
    let mut out = object(0, rng);
    if rng.u8(0..4) > 0 {
        out.insert("type".to_owned(), json!("object"));
    }
    for keyword in ["$defs", "definitions"] {
        let defs = ["n", "m"].map(|name| (name.to_owned(), schema(1, rng)));
        out.insert(
            keyword.to_owned(),
            Value::Object(defs.into_iter().collect()),
        );
    }
    if rng.bool() {
        out.insert("$schema".to_owned(), json!(rng.choice(&DRAFTS).unwrap()));
    }
    combine(&mut out, 0, rng);
    Value::Object(out)
}

fn schema(depth: usize, rng: &mut Rng) -> Value {
    let drawn = rng.u8(0..if depth < 4 { 16 } else { 10 });
    let mut out = match drawn {
        0 => return json!(rng.u8(0..4) > 0),
        1 => return json!({}),
        2 => {
            let refs = [
                "#/$defs/n",
                "#/$defs/m",
                "#/definitions/n",
                "#",
                "#/properties/a",
            ];
            let mut out = string(rng);
            out.insert("$ref".to_owned(), json!(rng.choice(&refs).unwrap()));
            out
        }
        3 | 4 => string(rng),
        5 | 6 => number(rng),
        7 => values(rng),
        8 => several(rng),
        9 => Map::from_iter([("type".to_owned(), json!("boolean"))]),
        10 | 11 => array(depth, rng),
        _ => object(depth, rng),
    };
    if depth < 4 {
        combine(&mut out, depth, rng);
    }
    Value::Object(out)
}

fn maybe(
    out: &mut Map<String, Value>,
    odds: u8,
    keyword: &str,
    rng: &mut Rng,
    value: impl FnOnce(&mut Rng) -> Value,
) {
    if rng.u8(0..odds) == 0 {
        let value = value(rng);
        out.insert(keyword.to_owned(), value);
    }
}

fn list(depth: usize, rng: &mut Rng) -> Value {
    let count = rng.usize(1..4);
    (0..count).map(|_| schema(depth + 1, rng)).collect()
}

fn combine(out: &mut Map<String, Value>, depth: usize, rng: &mut Rng) {
    // The top is where combinations are taken apart.
    let odds = if depth == 0 { 3 } else { 8 };
    for keyword in ["anyOf", "oneOf", "allOf"] {
        maybe(out, odds, keyword, rng, |rng| list(depth, rng));
    }
    for keyword in ["not", "if", "then", "else"] {
        maybe(out, 16, keyword, rng, |rng| schema(depth + 2, rng));
    }
}

fn object(depth: usize, rng: &mut Rng) -> Map<String, Value> {
    let mut out = Map::new();
    maybe(&mut out, 2, "type", rng, |_| json!("object"));
    let some = |rng: &mut Rng| {
        let names = NAMES.iter().filter(|_| rng.u8(0..3) == 0);
        names.map(|it| (*it).to_owned()).collect::<Vec<String>>()
    };
    let mut properties = Map::new();
    for name in NAMES {
        if rng.bool() {
            properties.insert(name.to_owned(), schema(depth + 1, rng));
        }
    }
    out.insert("properties".to_owned(), Value::Object(properties));
    maybe(&mut out, 2, "required", rng, |rng| json!(some(rng)));
    maybe(&mut out, 3, "additionalProperties", rng, |rng| {
        if rng.bool() {
            json!(false)
        } else {
            schema(depth + 1, rng)
        }
    });
    maybe(
        &mut out,
        5,
        "patternProperties",
        rng,
        |rng| json!({*rng.choice(&["^x-", "(?i)^C", "1$"]).unwrap(): schema(depth + 1, rng)}),
    );
    maybe(&mut out, 8, "propertyNames", rng, |rng| {
        schema(depth + 1, rng)
    });
    maybe(&mut out, 8, "minProperties", rng, |_| json!(1));
    maybe(&mut out, 8, "maxProperties", rng, |_| json!(2));
    maybe(
        &mut out,
        8,
        "dependentRequired",
        rng,
        |rng| json!({"a": some(rng)}),
    );
    maybe(
        &mut out,
        10,
        "dependentSchemas",
        rng,
        |rng| json!({"a": schema(depth + 1, rng)}),
    );
    maybe(&mut out, 10, "unevaluatedProperties", rng, |_| json!(false));
    out
}

fn array(depth: usize, rng: &mut Rng) -> Map<String, Value> {
    let mut out = Map::from_iter([("type".to_owned(), json!("array"))]);
    maybe(&mut out, 2, "items", rng, |rng| {
        if rng.u8(0..4) == 0 {
            list(depth, rng)
        } else {
            schema(depth + 1, rng)
        }
    });
    maybe(&mut out, 4, "prefixItems", rng, |rng| list(depth, rng));
    maybe(&mut out, 6, "additionalItems", rng, |rng| {
        schema(depth + 1, rng)
    });
    maybe(&mut out, 6, "contains", rng, |rng| schema(depth + 1, rng));
    maybe(&mut out, 8, "uniqueItems", rng, |rng| json!(rng.bool()));
    maybe(&mut out, 4, "minItems", rng, |_| json!(1));
    maybe(&mut out, 4, "maxItems", rng, |_| json!(2));
    out
}

fn string(rng: &mut Rng) -> Map<String, Value> {
    let mut out = Map::new();
    maybe(&mut out, 2, "type", rng, |_| json!("string"));
    maybe(&mut out, 4, "minLength", rng, |_| json!(1));
    maybe(&mut out, 4, "maxLength", rng, |_| json!(3));
    maybe(&mut out, 4, "pattern", rng, |rng| {
        json!(rng.choice(&["^[ab]*$", "(?i)A"]).unwrap())
    });
    maybe(&mut out, 6, "format", rng, |rng| {
        json!(rng.choice(&["email", "date-time"]).unwrap())
    });
    maybe(&mut out, 4, "description", rng, |_| json!("A text."));
    out
}

fn number(rng: &mut Rng) -> Map<String, Value> {
    let kind = *rng.choice(&["number", "integer"]).unwrap();
    let mut out = Map::from_iter([("type".to_owned(), json!(kind))]);
    maybe(&mut out, 3, "minimum", rng, |_| json!(0));
    maybe(&mut out, 3, "maximum", rng, |_| json!(2));
    let exclusive = |rng: &mut Rng| {
        if rng.bool() {
            json!(true)
        } else {
            json!(rng.i32(-2..2))
        }
    };
    maybe(&mut out, 4, "exclusiveMinimum", rng, exclusive);
    maybe(&mut out, 6, "exclusiveMaximum", rng, |rng| {
        json!(rng.i32(1..3))
    });
    maybe(&mut out, 6, "multipleOf", rng, |_| json!(0.5));
    out
}

fn values(rng: &mut Rng) -> Map<String, Value> {
    let mut out = Map::new();
    let count = rng.usize(1..4);
    let some = (0..count).map(|_| anything(3, rng)).collect();
    out.insert("enum".to_owned(), some);
    maybe(&mut out, 3, "type", rng, |_| json!("string"));
    maybe(&mut out, 3, "const", rng, |rng| anything(3, rng));
    out
}

fn several(rng: &mut Rng) -> Map<String, Value> {
    let mut out = string(rng);
    out.extend(number(rng));
    let kinds = ["string", "null", "integer", "array", "object", "boolean"];
    let kinds: Vec<&str> = kinds.into_iter().filter(|_| rng.bool()).collect();
    out.insert("type".to_owned(), json!(kinds));
    maybe(&mut out, 3, "items", rng, |rng| schema(4, rng));
    maybe(
        &mut out,
        3,
        "properties",
        rng,
        |rng| json!({"a": schema(4, rng)}),
    );
    maybe(&mut out, 3, "enum", rng, |_| json!(["a", "", null, 1, 1.5]));
    out
}
