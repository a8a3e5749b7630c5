//! What is told beside an answer: the grounds of a proof, who says what about a witness, what would
//! help to decide. Knows answers; asks no question of its own.

use spec::Json;
use subschema::{Ground, Lint, Reason, Witness};

use super::place;
use crate::render::text::compact;
use crate::render::{escape, table};

/// The most characters of a keyword's value that are shown.
const VALUE_CHARS_MAX: usize = 160;

/// The grounds, a line each, under a head.
pub(super) fn grounds(grounds: &[Ground]) -> String {
    let row = |it: &Ground| {
        let place = if it.place.is_empty() { "/" } else { &it.place };
        [place.to_owned(), it.keyword.to_owned(), it.rule.to_string()]
    };
    let rows: Vec<_> = grounds.iter().map(row).collect();
    table(["PLACE", "KEYWORD OF SUP", "HOLDS"], &rows)
}

/// What each of the schemas says with the keyword that refuses, where it refuses.
pub(super) fn both(witness: &Witness, sub: &Json, sup: &Json) -> String {
    let Some(violation) = &witness.violation else {
        return String::new();
    };
    let mut text = String::new();
    for (name, schema) in [("SUB", sub), ("SUP", sup)] {
        let said = place::said(schema, &violation.path, &violation.rule);
        let line = if said.is_empty() {
            format!("does not say `{}` there", violation.rule)
        } else {
            let said = said.iter().map(|it| {
                let (word, value) = summed(*it);
                format!("{word}: {}", cut(&compact(&value)))
            });
            format!("says {}", said.collect::<Vec<_>>().join(", "))
        };
        text.push_str(&format!("  {name} {}\n", escape::inline(&line)));
    }
    text
}

/// A keyword and its value; of the schemas of members only the names, since it is they that matter
/// where a member is refused.
fn summed<'a>((word, value): (&'a str, &Json)) -> (&'a str, Json) {
    let value = match (word, value) {
        ("properties" | "patternProperties", Json::Object(members)) => Json::from(
            members
                .keys()
                .map(|it| Json::from(it.as_str()))
                .collect::<Vec<_>>(),
        ),
        (_, _) => value.clone(),
    };
    (word, value)
}

fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(VALUE_CHARS_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// What would help to decide.
pub(super) fn help(reason: &Reason) -> &'static str {
    match reason.keyword.as_deref() {
        Some("pattern" | "patternProperties") => {
            "write the pattern without word boundaries, back-references and lookarounds and with small counts, or the very same pattern in both schemas; where few texts are meant, list them in an `enum`"
        }
        Some("format") => {
            "write the same `format` in both schemas, or say what is meant with a `pattern`; with --formats note no format counts"
        }
        Some("$ref" | "$dynamicRef" | "$recursiveRef" | "$id" | "id" | "$anchor") => {
            "put what the reference leads to in its place, or under `$defs` with a reference to a plain pointer"
        }
        Some("unevaluatedProperties" | "unevaluatedItems") => {
            "write `additionalProperties` or `items` where the properties and items are listed"
        }
        Some(_) => {
            "say it in the same words in both schemas, list the values in an `enum`, or allow a longer search with --steps"
        }
        None => {
            "allow a longer search with --steps, or take the schemas apart and compare the parts that differ"
        }
    }
}

/// A remark about an overlay, with what to do.
pub(super) fn remark(lint: &Lint) -> String {
    match lint {
        Lint::StaysRequired { pointer, name } => format!(
            "{}: {name} stays required: an overlay's `required` adds to the list and takes nothing away",
            at(pointer)
        ),
        Lint::UnknownProperty { pointer, name } => format!(
            "{}: SUP has no property {name}; if it is a misspelling, the overlay says nothing",
            at(pointer)
        ),
        Lint::ForbiddenProperty { pointer, name } => {
            format!("{}: SUP forbids the property {name}", at(pointer))
        }
        Lint::CannotApply { pointer, keyword } => format!(
            "{}: `{keyword}` says nothing about values of the type there",
            at(pointer)
        ),
    }
}

pub(super) fn at(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}

/// The grounds as data.
pub(super) fn grounds_json(grounds: &[Ground]) -> Json {
    let one = |it: &Ground| {
        Json::from_members([
            ("place", Json::from(it.place.as_str())),
            ("keyword", Json::from(it.keyword)),
            ("holds", Json::from(it.rule.to_string())),
        ])
    };
    Json::from(grounds.iter().map(one).collect::<Vec<_>>())
}

/// What each of the schemas says, as data.
pub(super) fn both_json(witness: &Witness, sub: &Json, sup: &Json) -> Json {
    let said = |schema: &Json| {
        let Some(it) = &witness.violation else {
            return Json::object();
        };
        let said = place::said(schema, &it.path, &it.rule);
        Json::from_members(said.into_iter().map(summed))
    };
    Json::from_members([("sub", said(sub)), ("sup", said(sup))])
}
