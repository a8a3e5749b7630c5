//! Has a value that was found judged by a validator that knows nothing of the search.

use spec::Json;
use validator::{Draft, Validator};

use crate::{Answer, Options, Reason, Witness};

pub(crate) fn confirm(value: Json, sub: &Json, sup: Option<&Json>, options: &Options) -> Answer {
    match judged(&value, sub, sup, options) {
        Ok(violation) => Answer::Refuted(Witness { value, violation }),
        Err(reason) => Answer::Undecided(reason),
    }
}

fn judged(
    value: &Json,
    sub: &Json,
    sup: Option<&Json>,
    options: &Options,
) -> Result<Option<validator::Violation>, Reason> {
    let wrong = |which: &str| {
        let text = format!(
            "internal: a validator disagrees about {which} on {}",
            value.to_canonical()
        );
        Err(Reason::limit(&text.chars().take(400).collect::<String>()))
    };
    if !compiled(sub, options)?.accepts(value) {
        return wrong("the first schema");
    }
    let Some(sup) = sup else {
        return Ok(None);
    };
    let sup = compiled(sup, options)?;
    if sup.accepts(value) {
        return wrong("the second schema");
    }
    Ok(sup.violations(value, 1).into_iter().next())
}

fn compiled(schema: &Json, options: &Options) -> Result<Validator, Reason> {
    let mut schema = schema.clone();
    if !options.formats_assert {
        without_formats(&mut schema);
    }
    if let Json::Object(members) = &mut schema
        && options.draft != Draft::D2020
        && !members.contains_key("$schema")
    {
        members.insert("$schema".to_owned(), Json::from(options.draft.uri()));
    }
    Validator::compile(&schema).map_err(|error| {
        let text = format!("no validator could confirm what was found: {error}");
        Reason::limit(&text)
    })
}

/// A `format` that is a text is a keyword or stands in data, where it is left as it is.
fn without_formats(schema: &mut Json) {
    match schema {
        Json::Object(members) => {
            if matches!(members.get("format"), Some(Json::String(_))) {
                members.remove("format");
            }
            for (key, member) in members {
                if !matches!(key.as_str(), "const" | "enum" | "default" | "examples") {
                    without_formats(member);
                }
            }
        }
        Json::Array(elements) => elements.iter_mut().for_each(without_formats),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}
