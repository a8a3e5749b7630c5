//! Schemas put together from schemas. Knows nothing of policies.

use spec::Json;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

pub(super) fn document(schema: Json) -> Json {
    let draft = [("$schema", Json::from(DRAFT))];
    match schema {
        Json::Object(mut members) => {
            members.extend(draft.map(|(key, value)| (key.to_owned(), value)));
            Json::Object(members)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            let all = [("allOf", Json::Array(vec![schema]))];
            Json::from_members(draft.into_iter().chain(all))
        }
    }
}

pub(super) fn not(schema: Json) -> Json {
    match schema.as_bool() {
        Some(takes) => Json::Bool(!takes),
        None => Json::from_members([("not", schema)]),
    }
}

pub(super) fn all_of(schemas: Vec<Json>) -> Json {
    joined("allOf", schemas, true)
}

pub(super) fn any_of(schemas: Vec<Json>) -> Json {
    joined("anyOf", schemas, false)
}

/// The schemas under one keyword, without those that `neutral` stands for.
fn joined(keyword: &str, mut schemas: Vec<Json>, neutral: bool) -> Json {
    schemas.retain(|it| *it != Json::Bool(neutral));
    if schemas.contains(&Json::Bool(!neutral)) {
        return Json::Bool(!neutral);
    }
    match schemas.len() {
        0 => Json::Bool(neutral),
        1 => schemas.pop().unwrap_or(Json::Bool(neutral)),
        _ => Json::from_members([(keyword, Json::Array(schemas))]),
    }
}

/// A schema of one type.
pub(super) fn typed<const N: usize>(kind: &str, members: [(&str, Json); N]) -> Json {
    let kind = std::iter::once(("type", Json::from(kind)));
    Json::from_members(kind.chain(members))
}
