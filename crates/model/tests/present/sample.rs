//! Values that a schema may accept: drawn from its own words, then sifted by a validator.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::support::validator;

/// Which properties an object is given.
#[derive(Clone, Copy)]
enum Fill {
    Required,
    All,
    Some,
}

/// Distinct objects that `schema` accepts, of `tries` that are drawn, or of up to ten times as many
/// where it takes so many to find one.
pub(crate) fn accepted(schema: &Value, tries: usize, rng: &mut Rng) -> Vec<Value> {
    let check = validator(schema).expect("the schema compiles");
    let mut kept: Vec<Value> = Vec::new();
    for index in 0..tries.saturating_mul(10) {
        if index >= tries && !kept.is_empty() {
            break;
        }
        let fill = [Fill::Required, Fill::All, Fill::Some][index % 3];
        let drawn = value(schema, schema, fill, 0, rng);
        if drawn.is_object() && check.is_valid(&drawn) && !kept.contains(&drawn) {
            kept.push(drawn);
        }
    }
    kept
}

fn value(schema: &Value, root: &Value, fill: Fill, depth: usize, rng: &mut Rng) -> Value {
    let Some(members) = schema.as_object().filter(|_| depth < 12) else {
        return anything(depth, rng);
    };
    let pointer = members.get("$ref").and_then(Value::as_str);
    if let Some(target) = pointer.and_then(|it| root.pointer(it.strip_prefix('#')?)) {
        return value(target, root, fill, depth + 1, rng);
    }
    if let Some(constant) = members.get("const") {
        return constant.clone();
    }
    if let Some(one) = members.get("enum").and_then(Value::as_array)
        && let Some(it) = rng.choice(one)
    {
        return it.clone();
    }
    let mut drawn = own(members, root, fill, depth, rng);
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let Some(list) = members.get(keyword).and_then(Value::as_array) else {
            continue;
        };
        let (from, to) = match rng.usize(0..list.len().max(1)) {
            _ if keyword == "allOf" => (0, list.len()),
            at => (at, (at + 1).min(list.len())),
        };
        for part in &list[from..to] {
            let more = value(part, root, fill, depth + 1, rng);
            match (&mut drawn, more) {
                (Value::Object(have), Value::Object(more)) => have.extend(more),
                (drawn, more) if !members.contains_key("type") => *drawn = more,
                _ => {}
            }
        }
    }
    drawn
}

fn own(
    members: &Map<String, Value>,
    root: &Value,
    fill: Fill,
    depth: usize,
    rng: &mut Rng,
) -> Value {
    let kind = match members.get("type") {
        Some(Value::Array(kinds)) => rng.choice(kinds).and_then(Value::as_str),
        other => other.and_then(Value::as_str),
    };
    let has = |keyword: &str| members.contains_key(keyword);
    match kind {
        Some("object") => object(members, root, fill, depth, rng),
        Some("array") => array(members, root, fill, depth, rng),
        Some("string") => string(members, rng),
        Some("integer" | "number") => number(members, kind == Some("integer"), rng),
        Some("boolean") => json!(rng.bool()),
        Some("null") => Value::Null,
        _ if has("properties") || has("required") || has("patternProperties") || depth == 0 => {
            object(members, root, fill, depth, rng)
        }
        _ if has("items") || has("prefixItems") => array(members, root, fill, depth, rng),
        _ => anything(depth, rng),
    }
}

fn object(
    members: &Map<String, Value>,
    root: &Value,
    fill: Fill,
    depth: usize,
    rng: &mut Rng,
) -> Value {
    let required = members.get("required").and_then(Value::as_array);
    let required: Vec<&str> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut out = Map::new();
    let properties = members.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let wanted = match fill {
            Fill::Required => false,
            Fill::All => depth < 6,
            Fill::Some => rng.bool(),
        };
        if wanted || required.contains(&name.as_str()) {
            out.insert(name.clone(), value(schema, root, fill, depth + 1, rng));
        }
    }
    for name in required {
        let more = anything(depth, rng);
        out.entry(name).or_insert(more);
    }
    if rng.bool() && members.get("additionalProperties") != Some(&json!(false)) {
        let name = *rng.choice(&["a", "b", "x-1", "$c", "other"]).unwrap();
        let schema = members.get("additionalProperties");
        let more = value(schema.unwrap_or(&Value::Null), root, fill, depth + 1, rng);
        out.entry(name).or_insert(more);
    }
    Value::Object(out)
}

fn array(
    members: &Map<String, Value>,
    root: &Value,
    fill: Fill,
    depth: usize,
    rng: &mut Rng,
) -> Value {
    let least = members.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    let count = usize::try_from(least).unwrap().min(20) + rng.usize(0..3);
    let first = ["prefixItems", "items"].map(|it| members.get(it).and_then(Value::as_array));
    let first = first.into_iter().flatten().next();
    let rest = members.get("items").unwrap_or(&Value::Null);
    let mut out = Vec::new();
    for index in 0..count {
        let schema = first.and_then(|it| it.get(index)).unwrap_or(rest);
        out.push(value(schema, root, fill, depth + 1, rng));
    }
    Value::Array(out)
}

/// Words for the patterns that real contracts have.
const WORDS: [&str; 17] = [
    "",
    "a",
    "b",
    "aa",
    "ab-1",
    "AB",
    "AB-12",
    "12",
    "today",
    "=A",
    "#000000",
    "x.io",
    "10.0.0.1",
    "https://x.io",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "00000000-0000-0000-0000-000000000000",
];

fn string(members: &Map<String, Value>, rng: &mut Rng) -> Value {
    let bound = |keyword: &str| members.get(keyword).and_then(Value::as_u64);
    let least = usize::try_from(bound("minLength").unwrap_or(0)).unwrap();
    let most = bound("maxLength").map_or(least + 3, |it| usize::try_from(it).unwrap());
    let pattern = members.get("pattern");
    let check = pattern.map(|it| validator(&json!({"pattern": it})).unwrap());
    let matches = |text: &str| check.as_ref().is_none_or(|it| it.is_valid(&json!(text)));
    let words = WORDS.iter();
    let words = words.filter(|it| it.len() >= least && matches(it));
    let words: Vec<&str> = words.copied().collect();
    let long = "a".repeat(if rng.bool() {
        least
    } else {
        most.min(least + 50)
    });
    match rng.choice(&words) {
        Some(word) if rng.bool() || !matches(&long) => json!(word),
        _ => json!(long),
    }
}

fn number(members: &Map<String, Value>, is_whole: bool, rng: &mut Rng) -> Value {
    let keywords = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    let bounds = keywords.iter().filter_map(|it| members.get(*it)?.as_f64());
    let bounds: Vec<f64> = bounds.collect();
    let base = rng.choice(&bounds).copied().unwrap_or(0.0);
    let step = *rng.choice(&[0.0, 1.0, -1.0, 0.5, -0.5, 3.0]).unwrap();
    let drawn: f64 = base + step;
    if is_whole {
        return serde_json::from_str(&format!("{:.0}", drawn.trunc())).unwrap();
    }
    json!(drawn)
}

/// Any value.
pub(crate) fn anything(depth: usize, rng: &mut Rng) -> Value {
    match rng.u8(0..if depth < 4 { 9 } else { 7 }) {
        0 => Value::Null,
        1 => json!(rng.bool()),
        2 => json!(rng.i32(-2..4)),
        3 => json!(1.5),
        4 | 5 => json!(*rng.choice(&["", "a", "b", "x-1"]).unwrap()),
        6 => json!([]),
        7 => {
            let count = rng.usize(0..3);
            (0..count).map(|_| anything(depth + 1, rng)).collect()
        }
        _ => {
            let mut out = Map::new();
            for _ in 0..rng.usize(0..3) {
                let name = *rng.choice(&["a", "b", "c", "x-1", "$c"]).unwrap();
                out.insert(name.to_owned(), anything(depth + 1, rng));
            }
            Value::Object(out)
        }
    }
}
