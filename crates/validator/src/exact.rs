//! The keywords that compare numbers, decided on exact decimals in place of the library's doubles.
//!
//! The library takes schemas as `serde_json` values, which hold 64-bit integers and doubles. Most
//! decimals survive that, since a double's shortest text says them again. For those that do not,
//! the exact text goes along beside the keyword, under a name that no author can write.

use std::cmp::Ordering;

use jsonschema::{Keyword, ValidationError, ValidationOptions};
use serde_json::{Map, Value};
use spec::{Decimal, Json};

use crate::meta::Draft;
use crate::value::{Exact, Looked, decimal, exact_double, nearest};

/// Keywords that hold a bound or a divisor.
const NUMERIC: [&str; 5] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maximum",
    "minimum",
    "multipleOf",
];
/// Keywords that hold values to be equal to.
const EQUAL: [&str; 2] = ["const", "enum"];
/// Keywords under which names stand and not keywords.
const NAMED: [&str; 6] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];
/// Beginning of the names under which exact texts go along.
const BESIDE: char = '\u{0}';

/// A schema as the library takes it.
pub(crate) struct Encoded {
    pub(crate) schema: Value,
    /// Whether some `const` or `enum` has a number that the library cannot hold.
    equality_is_ours: bool,
}

pub(crate) fn encode(schema: &Json) -> Encoded {
    let mut equality_is_ours = false;
    Encoded {
        schema: schema_value(schema, &mut equality_is_ours),
        equality_is_ours,
    }
}

fn schema_value(schema: &Json, equality: &mut bool) -> Value {
    let members = match schema {
        Json::Object(members) => members,
        Json::Array(elements) => {
            let elements = elements.iter().map(|it| schema_value(it, equality));
            return Value::Array(elements.collect());
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return plain(schema),
    };
    let mut out = Map::new();
    for (key, value) in members {
        let word = key.as_str();
        if word.starts_with(BESIDE) {
            // Not a keyword of any draft, and nobody shall set our exact texts.
            continue;
        }
        let equals = EQUAL.contains(&word);
        if equals || (NUMERIC.contains(&word) && matches!(value, Json::Number(_))) {
            if is_lossy(value) {
                *equality |= equals;
                out.insert(beside(word), Value::String(value.to_canonical()));
            }
            out.insert(key.clone(), plain(value));
        } else if let (true, Json::Object(named)) = (NAMED.contains(&word), value) {
            let named = named
                .iter()
                .map(|(name, it)| (name.clone(), schema_value(it, equality)));
            out.insert(key.clone(), Value::Object(named.collect()));
        } else {
            out.insert(key.clone(), schema_value(value, equality));
        }
    }
    Value::Object(out)
}

fn beside(keyword: &str) -> String {
    format!("{BESIDE}{keyword}")
}

fn plain(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => nearest(number),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(elements) => Value::Array(elements.iter().map(plain).collect()),
        Json::Object(members) => {
            let members = members.iter().map(|(name, it)| (name.clone(), plain(it)));
            Value::Object(members.collect())
        }
    }
}

/// Whether the library would hold another number somewhere in the value.
fn is_lossy(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(_) | Json::String(_) => false,
        Json::Number(number) => {
            number.to_i64().is_none() && number.to_u64().is_none() && exact_double(number).is_none()
        }
        Json::Array(elements) => elements.iter().any(is_lossy),
        Json::Object(members) => members.values().any(is_lossy),
    }
}

/// Has our own keywords take the place of the library's.
pub(crate) fn with_keywords<'o, R>(
    options: ValidationOptions<'o, R, Exact>,
    encoded: &Encoded,
    draft: Draft,
) -> ValidationOptions<'o, R, Exact> {
    let options = options
        .with_keyword("minimum", |parent, value, _| {
            let strict = is_strict(parent, "exclusiveMinimum");
            Ok(bound(parent, "minimum", value, At::Least { strict }))
        })
        .with_keyword("maximum", |parent, value, _| {
            let strict = is_strict(parent, "exclusiveMaximum");
            Ok(bound(parent, "maximum", value, At::Most { strict }))
        })
        .with_keyword("exclusiveMinimum", |parent, value, _| {
            let at = At::Least { strict: true };
            Ok(bound(parent, "exclusiveMinimum", value, at))
        })
        .with_keyword("exclusiveMaximum", |parent, value, _| {
            let at = At::Most { strict: true };
            Ok(bound(parent, "exclusiveMaximum", value, at))
        })
        .with_keyword("multipleOf", |parent, value, _| {
            Ok(bound(parent, "multipleOf", value, At::Multiple))
        });
    if !encoded.equality_is_ours {
        return options;
    }
    let options = options.with_keyword("enum", |parent, value, _| {
        let Json::Array(listed) = exact(parent, "enum", value) else {
            // Which its meta-schema refuses.
            return Ok(Box::new(OneOf(Vec::new())));
        };
        Ok(Box::new(OneOf(listed)))
    });
    if draft == Draft::D4 {
        // It has no `const`.
        return options;
    }
    options.with_keyword("const", |parent, value, _| {
        Ok(Box::new(OneOf(vec![exact(parent, "const", value)])))
    })
}

/// Draft 4 writes an exclusive bound as a flag beside the bound.
fn is_strict(parent: &Map<String, Value>, flag: &str) -> bool {
    parent.get(flag) == Some(&Value::Bool(true))
}

/// The value of a keyword, exact.
fn exact(parent: &Map<String, Value>, keyword: &str, value: &Value) -> Json {
    let beside = parent.get(&beside(keyword)).and_then(Value::as_str);
    let text = beside.map_or_else(|| value.to_string(), str::to_owned);
    Json::parse(text.as_bytes()).unwrap_or(Json::Null)
}

type Judge = Box<dyn for<'i> Keyword<'i, Exact>>;

fn bound(parent: &Map<String, Value>, keyword: &str, value: &Value, at: At) -> Judge {
    let beside = parent.get(&beside(keyword)).and_then(Value::as_str);
    let limit = match (beside, value) {
        (Some(text), _) => text.parse().ok(),
        (None, Value::Number(number)) => decimal(number),
        // The flag of draft 4, which the bound beside it reads.
        (None, _) => return Box::new(Anything),
    };
    Box::new(Bound { at, limit })
}

enum At {
    Least { strict: bool },
    Most { strict: bool },
    Multiple,
}

struct Bound {
    at: At,
    /// None when it could not be read, which refuses every number.
    limit: Option<Decimal>,
}

impl Bound {
    fn allows(&self, value: &Json) -> bool {
        let Json::Number(number) = value else {
            return true;
        };
        let Some(limit) = &self.limit else {
            return false;
        };
        match self.at {
            At::Least { strict: false } => number >= limit,
            At::Least { strict: true } => number.cmp(limit) == Ordering::Greater,
            At::Most { strict: false } => number <= limit,
            At::Most { strict: true } => number.cmp(limit) == Ordering::Less,
            At::Multiple => number.is_multiple_of(limit),
        }
    }

    /// What is wrong with a number, to go after it.
    fn complaint(&self) -> String {
        let Some(limit) = &self.limit else {
            return "cannot be compared with a limit that is not a number".to_owned();
        };
        match self.at {
            At::Least { strict: false } => format!("is less than the minimum of {limit}"),
            At::Least { strict: true } => format!("is not greater than {limit}"),
            At::Most { strict: false } => format!("is greater than the maximum of {limit}"),
            At::Most { strict: true } => format!("is not less than {limit}"),
            At::Multiple => format!("is not a multiple of {limit}"),
        }
    }
}

impl<'i> Keyword<'i, Exact> for Bound {
    fn validate(&self, instance: Looked<'i>) -> Result<(), ValidationError<'i>> {
        if self.allows(instance.json) {
            return Ok(());
        }
        Err(ValidationError::custom(self.complaint()))
    }

    fn is_valid(&self, instance: Looked<'i>) -> bool {
        self.allows(instance.json)
    }
}

/// `const` and `enum`.
struct OneOf(Vec<Json>);

impl<'i> Keyword<'i, Exact> for OneOf {
    fn validate(&self, instance: Looked<'i>) -> Result<(), ValidationError<'i>> {
        if self.0.contains(instance.json) {
            return Ok(());
        }
        let listed = self.0.iter().map(crate::violation::preview);
        Err(ValidationError::custom(crate::violation::not_listed(
            listed,
        )))
    }

    fn is_valid(&self, instance: Looked<'i>) -> bool {
        self.0.contains(instance.json)
    }
}

/// A keyword that says nothing by itself.
struct Anything;

impl<'i> Keyword<'i, Exact> for Anything {
    fn validate(&self, _: Looked<'i>) -> Result<(), ValidationError<'i>> {
        Ok(())
    }

    fn is_valid(&self, _: Looked<'i>) -> bool {
        true
    }
}
