//! What a `$ref` leads to. Follows JSON pointers into the schema itself; anchors, names and other
//! documents are not followed.

use spec::Json;

/// A place in the schema that a reference leads to.
pub(super) struct Target<'a> {
    /// Its JSON pointer, decoded from the URL; empty for the whole schema.
    pub(super) pointer: String,
    pub(super) schema: &'a Json,
}

/// The place that `reference` leads to; `None` where it is not a pointer into `root`, leads nowhere,
/// or goes through a schema with a name of its own, inside which pointers start elsewhere.
pub(super) fn follow<'a>(root: &'a Json, reference: &str) -> Option<Target<'a>> {
    let pointer = percent_decoded(reference.strip_prefix('#')?)?;
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    let mut here = root;
    for step in pointer.split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        here = match here {
            Json::Object(members) => members.get(&key)?,
            Json::Array(elements) => elements.get(key.parse::<usize>().ok()?)?,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
        };
        if is_resource(here) {
            return None;
        }
    }
    let is_schema = matches!(here, Json::Object(_) | Json::Bool(_));
    is_schema.then_some(Target {
        pointer,
        schema: here,
    })
}

/// Whether a schema has a name of its own, so that references in it start from there.
pub(super) fn is_resource(schema: &Json) -> bool {
    let names = ["$id", "id"].into_iter();
    let mut names = names.filter_map(|key| schema.get(key)?.as_str());
    names.any(|name| !name.starts_with('#'))
}

/// A key as a step of a JSON pointer.
pub(super) fn step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| {
                let value = char::from(byte).to_digit(16)?;
                u8::try_from(value).ok()
            };
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            bytes.push(high * 16 + low);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
