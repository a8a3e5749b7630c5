//! Which keywords constrain values, in which drafts. Knows nothing of places.

use spec::Json;
use validator::Draft;

use crate::suggest;

/// What a keyword holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Number,
    Text,
    Flag,
    Names,
    Schema,
    List,
    Map,
    Any,
}

impl Holds {
    fn fits(self, value: &Json) -> bool {
        match self {
            Self::Number => matches!(value, Json::Number(_)),
            Self::Text => matches!(value, Json::String(_)),
            Self::Flag => matches!(value, Json::Bool(_)),
            Self::Names => matches!(value, Json::Array(_) | Json::String(_)),
            Self::Schema => matches!(value, Json::Object(_) | Json::Bool(_)),
            Self::List => matches!(value, Json::Array(_)),
            Self::Map => matches!(value, Json::Object(_)),
            Self::Any => true,
        }
    }
}

/// Keywords that constrain values, with the first and the last draft that has them.
const CONSTRAINING: &[(&str, Draft, Draft, Holds)] = &[
    ("$dynamicRef", Draft::D2020, Draft::D2020, Holds::Text),
    ("$recursiveRef", Draft::D2019, Draft::D2019, Holds::Text),
    ("$ref", Draft::D4, Draft::D2020, Holds::Text),
    ("additionalItems", Draft::D4, Draft::D2019, Holds::Schema),
    (
        "additionalProperties",
        Draft::D4,
        Draft::D2020,
        Holds::Schema,
    ),
    ("allOf", Draft::D4, Draft::D2020, Holds::List),
    ("anyOf", Draft::D4, Draft::D2020, Holds::List),
    ("const", Draft::D6, Draft::D2020, Holds::Any),
    ("contains", Draft::D6, Draft::D2020, Holds::Schema),
    // Still enforced in the drafts that have better words for it.
    ("dependencies", Draft::D4, Draft::D2020, Holds::Map),
    ("dependentRequired", Draft::D2019, Draft::D2020, Holds::Map),
    ("dependentSchemas", Draft::D2019, Draft::D2020, Holds::Map),
    ("else", Draft::D7, Draft::D2020, Holds::Schema),
    ("enum", Draft::D4, Draft::D2020, Holds::List),
    ("exclusiveMaximum", Draft::D4, Draft::D2020, Holds::Number),
    ("exclusiveMinimum", Draft::D4, Draft::D2020, Holds::Number),
    ("format", Draft::D4, Draft::D2020, Holds::Text),
    ("if", Draft::D7, Draft::D2020, Holds::Schema),
    ("items", Draft::D4, Draft::D2020, Holds::Schema),
    ("maxContains", Draft::D2019, Draft::D2020, Holds::Number),
    ("maxItems", Draft::D4, Draft::D2020, Holds::Number),
    ("maxLength", Draft::D4, Draft::D2020, Holds::Number),
    ("maxProperties", Draft::D4, Draft::D2020, Holds::Number),
    ("maximum", Draft::D4, Draft::D2020, Holds::Number),
    ("minContains", Draft::D2019, Draft::D2020, Holds::Number),
    ("minItems", Draft::D4, Draft::D2020, Holds::Number),
    ("minLength", Draft::D4, Draft::D2020, Holds::Number),
    ("minProperties", Draft::D4, Draft::D2020, Holds::Number),
    ("minimum", Draft::D4, Draft::D2020, Holds::Number),
    ("multipleOf", Draft::D4, Draft::D2020, Holds::Number),
    ("not", Draft::D4, Draft::D2020, Holds::Schema),
    ("oneOf", Draft::D4, Draft::D2020, Holds::List),
    ("pattern", Draft::D4, Draft::D2020, Holds::Text),
    ("patternProperties", Draft::D4, Draft::D2020, Holds::Map),
    ("prefixItems", Draft::D2020, Draft::D2020, Holds::List),
    ("properties", Draft::D4, Draft::D2020, Holds::Map),
    ("propertyNames", Draft::D6, Draft::D2020, Holds::Schema),
    ("required", Draft::D4, Draft::D2020, Holds::List),
    ("then", Draft::D7, Draft::D2020, Holds::Schema),
    ("type", Draft::D4, Draft::D2020, Holds::Names),
    (
        "unevaluatedItems",
        Draft::D2019,
        Draft::D2020,
        Holds::Schema,
    ),
    (
        "unevaluatedProperties",
        Draft::D2019,
        Draft::D2020,
        Holds::Schema,
    ),
    ("uniqueItems", Draft::D4, Draft::D2020, Holds::Flag),
];

/// Words that say something about a schema and constrain no value.
const NOTES: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$recursiveAnchor",
    "$schema",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "example",
    "examples",
    "id",
    "readOnly",
    "title",
    "writeOnly",
];

/// Why a word in a schema is passed over, though its author may count on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ignored {
    /// A misspelling of this keyword.
    Misspelt(&'static str),
    /// A keyword of other drafts only, from this one to that one.
    OtherDraft(Draft, Draft),
    /// `nullable: true` of OpenAPI.
    Nullable,
}

/// Whether `word` is a keyword that constrains values, in some draft.
pub(super) fn constrains(word: &str) -> bool {
    CONSTRAINING.iter().any(|it| it.0 == word)
}

/// Whether `word` is passed over in `draft` and why its author should know.
pub(super) fn ignored(word: &str, value: &Json, draft: Draft) -> Option<Ignored> {
    if let Some((_, from, to, _)) = CONSTRAINING.iter().find(|it| it.0 == word) {
        let known = (*from..=*to).contains(&draft);
        return (!known).then_some(Ignored::OtherDraft(*from, *to));
    }
    if NOTES.contains(&word) || word.starts_with("x-") || word.starts_with("x_") {
        return None;
    }
    if word == "nullable" {
        return (value.as_bool() == Some(true)).then_some(Ignored::Nullable);
    }
    let words = CONSTRAINING
        .iter()
        .map(|it| it.0)
        .chain(NOTES.iter().copied());
    let meant = suggest::nearest(word, words)?;
    let (keyword, _, _, holds) = CONSTRAINING.iter().find(|it| it.0 == meant)?;
    holds.fits(value).then_some(Ignored::Misspelt(keyword))
}

#[cfg(test)]
mod tests {
    use spec::Json;
    use validator::Draft;

    use super::{CONSTRAINING, Ignored, ignored};

    #[test]
    fn words() {
        for (word, value, draft, why) in [
            (
                "maximun",
                "3",
                Draft::D2020,
                Some(Ignored::Misspelt("maximum")),
            ),
            (
                "max_length",
                "3",
                Draft::D7,
                Some(Ignored::Misspelt("maxLength")),
            ),
            (
                "Required",
                "[]",
                Draft::D4,
                Some(Ignored::Misspelt("required")),
            ),
            (
                "additionalProperty",
                "false",
                Draft::D7,
                Some(Ignored::Misspelt("additionalProperties")),
            ),
            ("note", "\"see there\"", Draft::D2020, None),
            ("label", "\"Amount\"", Draft::D2020, None),
            ("x-maximum", "3", Draft::D2020, None),
            ("example", "[1]", Draft::D2020, None),
            ("id", "7", Draft::D2020, None),
            ("nullable", "true", Draft::D7, Some(Ignored::Nullable)),
            ("nullable", "false", Draft::D7, None),
            (
                "const",
                "1",
                Draft::D4,
                Some(Ignored::OtherDraft(Draft::D6, Draft::D2020)),
            ),
            ("const", "1", Draft::D6, None),
            (
                "additionalItems",
                "false",
                Draft::D2020,
                Some(Ignored::OtherDraft(Draft::D4, Draft::D2019)),
            ),
            (
                "prefixItems",
                "[]",
                Draft::D7,
                Some(Ignored::OtherDraft(Draft::D2020, Draft::D2020)),
            ),
        ] {
            let value = Json::parse(value.as_bytes()).unwrap();
            assert_eq!(ignored(word, &value, draft), why, "{word} in {draft:?}");
        }
    }

    #[test]
    fn keywords_are_listed_once_and_in_order() {
        for pair in CONSTRAINING.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{}", pair[1].0);
        }
    }
}
