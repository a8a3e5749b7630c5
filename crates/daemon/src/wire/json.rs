//! JSON to `google.protobuf.Value`, whose numbers are doubles: one that a double cannot hold
//! exactly goes as its text, since a rounded id is another customer.

use std::sync::Arc;

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};
use spec::{Decimal, Digest, Json};

pub(crate) fn value(json: &Json) -> Value {
    let kind = match json {
        Json::Null => Kind::NullValue(0),
        Json::Bool(value) => Kind::BoolValue(*value),
        Json::Number(number) => number_kind(number),
        Json::String(text) => Kind::StringValue(text.clone()),
        Json::Array(elements) => Kind::ListValue(ListValue {
            values: elements.iter().map(value).collect(),
        }),
        Json::Object(members) => Kind::StructValue(Struct {
            fields: members
                .iter()
                .map(|(key, member)| (key.clone(), value(member)))
                .collect(),
        }),
    };
    Value { kind: Some(kind) }
}

fn number_kind(number: &Decimal) -> Kind {
    const EXACT_MAX: u64 = 1 << 53;
    let double = number.to_f64_lossy();
    let exact = if number.is_integer() {
        number
            .to_i64()
            .is_some_and(|it| it.unsigned_abs() <= EXACT_MAX)
    } else {
        // Shortest text that reads back as the same double: equal text, equal number.
        double.to_string().parse::<Decimal>().as_ref() == Ok(number)
    };
    if exact {
        Kind::NumberValue(double)
    } else {
        Kind::StringValue(number.to_string())
    }
}

/// The largest payload shown in one message, in bytes: what is sent to a worker fits, and clients
/// receive no more than 4 MiB.
pub(crate) const SHOWN_BYTES_MAX: usize = 4 * 1024 * 1024 - 64 * 1024;

/// The largest message that clients receive by default, less some room.
const MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024 - 16 * 1024;
/// Below this, payloads are not cut any further.
const SHOWN_BYTES_MIN: usize = 256;

/// Builds a message with payloads up to `max` bytes, and again with smaller ones as long as it is
/// larger than clients receive: what is sent is not as long as what it shows, since every number
/// of a `google.protobuf.Value` takes eleven bytes.
pub(crate) fn fitting<M: prost::Message>(mut max: usize, build: impl Fn(usize) -> M) -> M {
    loop {
        let message = build(max);
        if message.encoded_len() <= MESSAGE_BYTES_MAX || max <= SHOWN_BYTES_MIN {
            return message;
        }
        max = (max / 4).max(SHOWN_BYTES_MIN);
    }
}

/// A payload as it is shown: whole, or a mark that says how large it is and what its digest is. In
/// the store it is whole.
pub(crate) fn within(bytes: &Arc<[u8]>, max: usize) -> Arc<[u8]> {
    if bytes.len() <= max {
        return Arc::clone(bytes);
    }
    let cut = Json::from_members([
        ("bytes", Json::from(bytes.len() as u64)),
        ("sha256", Json::from(Digest::of(bytes).to_string())),
    ]);
    let mark = Json::from_members([("ordain.dev/cut", cut)]);
    Arc::from(mark.to_canonical().into_bytes())
}

/// Bytes that are meant to be JSON; text where they are not.
pub(crate) fn of_bytes(bytes: &[u8]) -> Json {
    Json::parse(bytes).unwrap_or_else(|_| Json::from(String::from_utf8_lossy(bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Kind, value};
    use spec::Json;

    #[test]
    fn numbers_stay_exact() {
        let kind = |text: &str| value(&Json::parse(text.as_bytes()).unwrap()).kind.unwrap();
        assert_eq!(kind("19.99"), Kind::NumberValue(19.99));
        assert_eq!(kind("-3"), Kind::NumberValue(-3.0));
        assert_eq!(
            kind("9007199254740992"),
            Kind::NumberValue(9_007_199_254_740_992.0)
        );
        let text = |t: &str| Kind::StringValue(t.to_owned());
        assert_eq!(kind("9007199254740993"), text("9007199254740993"));
        assert_eq!(kind("0.1000000000000000055"), text("0.1000000000000000055"));
    }
}
