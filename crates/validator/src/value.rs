//! How the library reads our JSON: in place, numbers as the exact decimals that they are, and only so
//! often. Knows nothing of schemas.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use jsonschema::JsonType;
use jsonschema::json::{self, JsonNumber, Node, NodeIdentity};
use serde_json::Value;
use spec::{Decimal, Json};

/// Up to this many elements, comparing each with each is the fastest way to find equal ones.
const PAIRWISE_MAX: usize = 15;

/// The way to read values.
pub(crate) struct Exact;

/// A value, and how often values may still be looked at in this judgement. Schemas can be written
/// whose alternatives double at every level of a value; beyond the bound every value looks empty,
/// so that the judgement ends, and whoever asked for it must refuse.
#[derive(Clone, Copy)]
pub(crate) struct Looked<'a> {
    pub(crate) json: &'a Json,
    fuel: Option<&'a Cell<u64>>,
}

impl<'a> Looked<'a> {
    pub(crate) fn new(json: &'a Json, fuel: &'a Cell<u64>) -> Self {
        Self {
            json,
            fuel: Some(fuel),
        }
    }

    /// One that has no parts, so that it costs nothing to look at it.
    pub(crate) fn leaf(json: &'a Json) -> Self {
        Self { json, fuel: None }
    }

    fn is_spent(&self) -> bool {
        let Some(fuel) = self.fuel else {
            return false;
        };
        fuel.set(fuel.get().saturating_sub(1));
        fuel.get() == 0
    }

    fn part(&self, json: &'a Json) -> Self {
        Self {
            json,
            fuel: self.fuel,
        }
    }
}

impl json::Json for Exact {
    type Node<'a> = Looked<'a>;
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
        f: impl FnOnce(Looked<'_>) -> T,
    ) -> T {
        f(Looked::leaf(buffer.insert(Json::from(string))))
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

impl<'a> Node<'a, Exact> for Looked<'a> {
    type Object = Object<'a>;
    type Array = Array<'a>;
    type Number = Number<'a>;

    fn as_object(&self) -> Option<Object<'a>> {
        let members = self.json.as_object()?;
        (!self.is_spent()).then_some(Object {
            members,
            whole: *self,
        })
    }

    fn as_array(&self) -> Option<Array<'a>> {
        let elements = self.json.as_array()?;
        (!self.is_spent()).then_some(Array {
            elements,
            whole: *self,
        })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.json.as_str().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<Number<'a>> {
        self.json.as_number().map(Number)
    }

    fn as_boolean(&self) -> Option<bool> {
        self.json.as_bool()
    }

    fn is_null(&self) -> bool {
        matches!(self.json, Json::Null)
    }

    fn json_type(&self) -> JsonType {
        match self.json {
            Json::Null => JsonType::Null,
            Json::Bool(_) => JsonType::Boolean,
            Json::Number(_) => JsonType::Number,
            Json::String(_) => JsonType::String,
            Json::Array(_) => JsonType::Array,
            Json::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        equal(self.json, expected)
    }

    /// Asked for only to put it into errors, whose texts we write ourselves from the value: what is
    /// not short is left out. Names of properties can be had in no other way.
    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(match self.json {
            Json::String(text) => Value::String(crate::violation::cut(text)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                Value::Null
            }
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref(self.json).addr()))
    }
}

/// An object that is looked at.
pub(crate) struct Object<'a> {
    members: &'a BTreeMap<String, Json>,
    whole: Looked<'a>,
}

/// Its members.
pub(crate) struct Members<'a> {
    members: std::collections::btree_map::Iter<'a, String, Json>,
    whole: Looked<'a>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, Looked<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.members.next()?;
        Some((name.as_str(), self.whole.part(value)))
    }
}

impl<'a> json::Object<'a, Exact> for Object<'a> {
    type Node = Looked<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        self.members.len()
    }

    fn get(&self, key: &String) -> Option<Looked<'a>> {
        self.members.get(key).map(|it| self.whole.part(it))
    }

    fn members(&self) -> Members<'a> {
        Members {
            members: self.members.iter(),
            whole: self.whole,
        }
    }
}

/// An array that is looked at.
pub(crate) struct Array<'a> {
    elements: &'a [Json],
    whole: Looked<'a>,
}

/// Its elements.
pub(crate) struct Elements<'a> {
    elements: std::slice::Iter<'a, Json>,
    whole: Looked<'a>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Looked<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.elements.next().map(|it| self.whole.part(it))
    }
}

impl<'a> json::Array<'a, Exact> for Array<'a> {
    type Node = Looked<'a>;
    type ElementsIter = Elements<'a>;

    fn len(&self) -> usize {
        self.elements.len()
    }

    fn elements(&self) -> Elements<'a> {
        Elements {
            elements: self.elements.iter(),
            whole: self.whole,
        }
    }

    fn is_unique(&self) -> bool {
        if self.elements.len() > PAIRWISE_MAX {
            let mut seen = BTreeSet::new();
            return self
                .elements
                .iter()
                .all(|it| seen.insert(it.to_canonical()));
        }
        let mut rest = self.elements;
        while let Some((first, others)) = rest.split_first() {
            if others.contains(first) {
                return false;
            }
            rest = others;
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
