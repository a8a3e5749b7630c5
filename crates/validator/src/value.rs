//! How the library reads our JSON: in place, numbers as the exact decimals that they are. Knows
//! nothing of schemas.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jsonschema::JsonType;
use jsonschema::json::{self, JsonNumber, Node, NodeIdentity};
use serde_json::Value;
use spec::{Decimal, Json};

/// Up to this many elements, comparing each with each is the fastest way to find equal ones.
const PAIRWISE_MAX: usize = 15;

/// The way to read values.
pub(crate) struct Exact;

impl json::Json for Exact {
    type Node<'a> = &'a Json;
    type PreparedKey = String;
    type StringBuffer = Option<Json>;

    const KEYS_PER_LOOKUP: usize = 2;
    const ACYCLIC: bool = true;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Option<Json>,
        string: &str,
        f: impl FnOnce(&Json) -> T,
    ) -> T {
        f(buffer.insert(Json::from(string)))
    }
}

/// A number of a value.
pub(crate) struct Number<'a>(&'a Decimal);

impl JsonNumber for Number<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.to_u64()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.to_i64()
    }

    /// Only what a double's own decimal text says exactly, so that no comparison is of a rounded
    /// number; the library takes what has none for unequal to every number that it knows, which is
    /// right: the numbers of a schema that have none never reach it.
    fn as_f64(&self) -> Option<f64> {
        exact_double(self.0)
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.0.to_string())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        let Value::Number(number) = nearest(self.0) else {
            return Cow::Owned(0.into());
        };
        Cow::Owned(number)
    }

    fn is_integer(&self) -> bool {
        self.0.is_integer()
    }

    /// How a number was written is not kept: equal numbers are one number.
    fn is_written_as_integer(&self) -> bool {
        self.0.is_integer()
    }
}

impl<'a> Node<'a, Exact> for &'a Json {
    type Object = &'a BTreeMap<String, Json>;
    type Array = &'a [Json];
    type Number = Number<'a>;

    fn as_object(&self) -> Option<&'a BTreeMap<String, Json>> {
        (*self).as_object()
    }

    fn as_array(&self) -> Option<&'a [Json]> {
        (*self).as_array()
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        (*self).as_str().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<Number<'a>> {
        (*self).as_number().map(Number)
    }

    fn as_boolean(&self) -> Option<bool> {
        (*self).as_bool()
    }

    fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    fn json_type(&self) -> JsonType {
        match self {
            Json::Null => JsonType::Null,
            Json::Bool(_) => JsonType::Boolean,
            Json::Number(_) => JsonType::Number,
            Json::String(_) => JsonType::String,
            Json::Array(_) => JsonType::Array,
            Json::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        equal(self, expected)
    }

    /// Asked for only to put it into errors, whose texts we write ourselves from the value: what is
    /// not short is left out. Names of properties can be had in no other way.
    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(match self {
            Json::String(text) => Value::String(crate::violation::cut(text)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                Value::Null
            }
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref(*self).addr()))
    }
}

/// The members of an object.
pub(crate) struct Members<'a>(std::collections::btree_map::Iter<'a, String, Json>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a Json);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name.as_str(), value))
    }
}

impl<'a> json::Object<'a, Exact> for &'a BTreeMap<String, Json> {
    type Node = &'a Json;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        (*self).len()
    }

    fn get(&self, key: &String) -> Option<&'a Json> {
        (*self).get(key)
    }

    fn members(&self) -> Members<'a> {
        Members((*self).iter())
    }
}

impl<'a> json::Array<'a, Exact> for &'a [Json] {
    type Node = &'a Json;
    type ElementsIter = std::slice::Iter<'a, Json>;

    fn len(&self) -> usize {
        (*self).len()
    }

    fn elements(&self) -> std::slice::Iter<'a, Json> {
        (*self).iter()
    }

    fn is_unique(&self) -> bool {
        if <[Json]>::len(self) > PAIRWISE_MAX {
            let mut seen = BTreeSet::new();
            return (*self).iter().all(|it| seen.insert(it.to_canonical()));
        }
        let mut before: &[Json] = &[];
        for (index, element) in (*self).iter().enumerate() {
            if before.contains(element) {
                return false;
            }
            before = (*self).get(..=index).unwrap_or_default();
        }
        true
    }
}

/// Whether a value is the one that a schema names.
fn equal(value: &Json, expected: &Value) -> bool {
    match (value, expected) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(left), Value::Bool(right)) => left == right,
        (Json::String(left), Value::String(right)) => left == right,
        (Json::Number(left), Value::Number(right)) => decimal(right).as_ref() == Some(left),
        (Json::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| equal(a, b))
        }
        (Json::Object(left), Value::Object(right)) => {
            let same = |(name, member)| right.get(name).is_some_and(|it| equal(member, it));
            left.len() == right.len() && left.iter().all(same)
        }
        (
            Json::Null
            | Json::Bool(_)
            | Json::String(_)
            | Json::Number(_)
            | Json::Array(_)
            | Json::Object(_),
            _,
        ) => false,
    }
}

/// What the shortest text of a number of the library says.
pub(crate) fn decimal(number: &serde_json::Number) -> Option<Decimal> {
    number.to_string().parse().ok()
}

/// The double whose shortest text is exactly this number.
pub(crate) fn exact_double(number: &Decimal) -> Option<f64> {
    let nearest = number.to_f64_lossy();
    let back = serde_json::Number::from_f64(nearest)?;
    (decimal(&back).as_ref() == Some(number)).then_some(nearest)
}

/// The nearest number that the library can hold; of the same sign, and never zero unless it is.
pub(crate) fn nearest(number: &Decimal) -> Value {
    if let Some(value) = number.to_i64() {
        return value.into();
    }
    if let Some(value) = number.to_u64() {
        return value.into();
    }
    let mut value = number.to_f64_lossy().clamp(f64::MIN, f64::MAX);
    if value == 0.0 {
        value = f64::MIN_POSITIVE.copysign(if number.is_negative() { -1.0 } else { 1.0 });
    }
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}
