//! JSON values with exact numbers, a strict reader and the canonical form.
//!
//! The reader refuses what two components could read differently (a repeated key, trailing text)
//! and what is not JSON (NaN). Half of a surrogate pair is replaced by U+FFFD, since no store and no
//! provider takes it back.

mod parse;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

pub use parse::{DEPTH_MAX, JsonError};

use crate::Decimal;

/// A JSON value. Objects keep no order of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, exact.
    Number(Decimal),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Reads exactly one JSON value from UTF-8 `bytes`.
    ///
    /// # Errors
    /// What is wrong and at which byte.
    pub fn parse(bytes: &[u8]) -> Result<Self, JsonError> {
        parse::parse(bytes)
    }

    /// The empty object.
    #[must_use]
    pub fn object() -> Self {
        Json::Object(BTreeMap::new())
    }

    /// An object of the given members; a later one replaces an earlier one of the same key.
    pub fn from_members<K: Into<String>>(members: impl IntoIterator<Item = (K, Json)>) -> Self {
        Json::Object(
            members
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    /// A value of ours in the word or the shape that it is stored as.
    #[must_use]
    pub fn word(value: &impl serde::Serialize) -> Self {
        // What serde writes is JSON; a value that it cannot write has no word.
        let text = serde_json::to_string(value).unwrap_or_default();
        Self::parse(text.as_bytes()).unwrap_or(Self::Null)
    }

    /// The member `key`, if this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object().and_then(|members| members.get(key))
    }

    /// The text, if this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Json::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// The truth value, if this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(value) = self {
            Some(*value)
        } else {
            None
        }
    }

    /// The number, if this is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Decimal> {
        if let Json::Number(number) = self {
            Some(number)
        } else {
            None
        }
    }

    /// The elements, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        if let Json::Array(elements) = self {
            Some(elements)
        } else {
            None
        }
    }

    /// The members, if this is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&BTreeMap<String, Json>> {
        if let Json::Object(members) = self {
            Some(members)
        } else {
            None
        }
    }

    /// The word that JSON Schema has for this kind of value.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }

    /// Canonical text: RFC 8785 for keys and strings, numbers as exact decimals.
    #[must_use]
    pub fn to_canonical(&self) -> String {
        let mut out = String::new();
        write_canonical(self, &mut out);
        out
    }
}

fn write_canonical(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(number) => {
            // Writing into a string cannot fail.
            let _infallible: Result<(), std::fmt::Error> = write!(out, "{number}");
        }
        Json::String(text) => write_string(text, out),
        Json::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(element, out);
            }
            out.push(']');
        }
        Json::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            // RFC 8785 sorts by UTF-16 code units, which differs from byte order beyond U+FFFF.
            sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (index, (key, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_canonical(member, out);
            }
            out.push('}');
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if u32::from(c) < 0x20 => {
                let _infallible: Result<(), std::fmt::Error> =
                    write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json::Bool(value)
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Json::Number(value.into())
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        Json::Number(u64::from(value).into())
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Json::Number(value.into())
    }
}

impl From<Vec<Json>> for Json {
    fn from(elements: Vec<Json>) -> Self {
        Json::Array(elements)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Json::Null, Into::into)
    }
}

/// Passes through `serde_json`'s text as it is, so numbers stay exact. Works only with
/// `serde_json`, and not inside tagged or flattened types (their buffering would round).
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_canonical())
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Json::parse(raw.get().as_bytes()).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    fn canonical(text: &str) -> String {
        Json::parse(text.as_bytes()).unwrap().to_canonical()
    }

    #[test]
    fn one_canonical_form() {
        assert_eq!(
            canonical(r#" {"b":1.0,"a":"\u00e9","c":[1e2,null]} "#),
            r#"{"a":"é","b":1,"c":[100,null]}"#
        );
        assert_eq!(
            canonical(r#"{"\ud83d\ude00":1,"\ufb33":2}"#),
            "{\"😀\":1,\"\u{fb33}\":2}"
        );
        assert_eq!(canonical(r#""\u0000\u001f\b\/""#), r#""\u0000\u001f\b/""#);
    }

    #[test]
    fn numbers_survive_serde_json() {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Row {
            value: Json,
        }
        let text = r#"{"value":{"id":9007199254740993.000000000000000001}}"#;
        let row: Row = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&row).unwrap(), text);
    }
}
