//! Has a value that was found judged by a validator that knows nothing of the search, and made as
//! plain as it can be.

use spec::Json;
use validator::{Draft, Validator};

use crate::{Answer, Options, Reason, Witness};

/// The most values that are tried to find a plainer one.
const TRIES_MAX: usize = 64;

pub(crate) fn confirm(value: Json, sub: &Json, sup: Option<&Json>, options: &Options) -> Answer {
    match judged(value, sub, sup, options) {
        Ok(witness) => Answer::Refuted(witness),
        Err(reason) => Answer::Undecided(reason),
    }
}

fn judged(
    value: Json,
    sub: &Json,
    sup: Option<&Json>,
    options: &Options,
) -> Result<Witness, Reason> {
    let wrong = |which: &str| {
        let text = format!(
            "internal: a validator disagrees about {which} on {}",
            value.to_canonical()
        );
        Err(Reason::limit(&text.chars().take(400).collect::<String>()))
    };
    let inside = compiled(sub, options)?;
    if !inside.accepts(&value) {
        return wrong("the first schema");
    }
    let outside = sup.map(|it| compiled(it, options)).transpose()?;
    if outside.as_ref().is_some_and(|it| it.accepts(&value)) {
        return wrong("the second schema");
    }
    let mut tries = 0_usize;
    let mut tells = |value: &Json| {
        tries = tries.saturating_add(1);
        tries <= TRIES_MAX
            && inside.accepts(value)
            && !outside.as_ref().is_some_and(|it| it.accepts(value))
    };
    let value = plainer(value, sub, &mut tells);
    let violation = outside.and_then(|it| it.violations(&value, 1).into_iter().next());
    Ok(Witness { value, violation })
}

/// The value without members that it can do without, and with the values that the schema itself
/// names as examples, as long as it still tells the schemas apart.
fn plainer(value: Json, schema: &Json, tells: &mut dyn FnMut(&Json) -> bool) -> Json {
    let Json::Object(mut members) = value else {
        return value;
    };
    let names: Vec<String> = members.keys().cloned().collect();
    for name in &names {
        let Some(member) = members.remove(name) else {
            continue;
        };
        let rest = Json::Object(members.clone());
        if tells(&rest) {
            continue;
        }
        let mut with = |member: &Json| {
            let mut members = members.clone();
            members.insert(name.clone(), member.clone());
            tells(&Json::Object(members))
        };
        let own = schema.get("properties").and_then(|it| it.get(name));
        let member = match own.and_then(|own| examples(own).find(|it| with(it))) {
            Some(example) => example.clone(),
            None => plainer(member, own.unwrap_or(&Json::Null), &mut with),
        };
        members.insert(name.clone(), member);
    }
    Json::Object(members)
}

/// The values that a schema names as typical of it.
fn examples(schema: &Json) -> impl Iterator<Item = &Json> {
    let several = schema.get("examples").and_then(Json::as_array);
    let several = several.into_iter().flatten().take(3);
    let single = ["example", "default"];
    several.chain(single.into_iter().filter_map(|it| schema.get(it)))
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
