//! JSON as it comes off the wire: in bytes, or as a protobuf value. Knows those two shapes; not what
//! the values mean.

use prost_types::value::Kind;
use spec::Json;

/// Bytes that carry JSON text. Empty ones mean absent; what is no JSON is kept as text.
pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Json> {
    if bytes.is_empty() {
        return None;
    }
    let text = || Json::from(String::from_utf8_lossy(bytes).into_owned());
    Some(Json::parse(bytes).unwrap_or_else(|_| text()))
}

/// A protobuf value. Its numbers are doubles.
pub(crate) fn from_value(value: &prost_types::Value) -> Json {
    match &value.kind {
        None | Some(Kind::NullValue(_)) => Json::Null,
        Some(Kind::BoolValue(it)) => Json::from(*it),
        Some(Kind::StringValue(it)) => Json::from(it.as_str()),
        // A double is never drawn with an exponent, so this is JSON, but for NaN and infinities.
        Some(Kind::NumberValue(it)) => Json::parse(it.to_string().as_bytes()).unwrap_or(Json::Null),
        Some(Kind::ListValue(list)) => Json::Array(list.values.iter().map(from_value).collect()),
        Some(Kind::StructValue(it)) => Json::from_members(
            it.fields
                .iter()
                .map(|(key, member)| (key.as_str(), from_value(member))),
        ),
    }
}

/// `from_value` of a field that may be missing.
pub(crate) fn from_field(value: Option<&prost_types::Value>) -> Option<Json> {
    value.filter(|it| it.kind.is_some()).map(from_value)
}

/// A count off the wire.
pub(crate) fn count(value: i32) -> Json {
    Json::from(i64::from(value))
}

/// Text, or null for the empty text that stands for absence on the wire.
pub(crate) fn text_or_null(text: &str) -> Json {
    Json::from(Some(text).filter(|it| !it.is_empty()))
}

/// The shape of every list: its items, and where the next page would begin.
pub(crate) fn list(items: Vec<Json>) -> Json {
    Json::from_members([
        ("items", Json::from(items)),
        ("next_page_token", Json::from("")),
    ])
}

#[cfg(test)]
mod tests {
    use prost_types::value::Kind;
    use prost_types::{ListValue, Value};

    use super::{from_bytes, from_value};

    fn number(value: f64) -> Value {
        Value {
            kind: Some(Kind::NumberValue(value)),
        }
    }

    #[test]
    fn integral_doubles_have_no_point() {
        let values = vec![number(450.0), number(0.5), number(-1e21), number(f64::NAN)];
        let list = Value {
            kind: Some(Kind::ListValue(ListValue { values })),
        };
        assert_eq!(from_value(&list).to_canonical(), "[450,0.5,-1e+21,null]");
    }

    #[test]
    fn bytes_are_json_or_text() {
        assert_eq!(from_bytes(b""), None);
        assert_eq!(
            from_bytes(b"{\"a\":1.10}").unwrap().to_canonical(),
            r#"{"a":1.1}"#
        );
        assert_eq!(from_bytes(b"{").unwrap().to_canonical(), r#""{""#);
    }
}
