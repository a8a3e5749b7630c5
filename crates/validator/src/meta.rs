//! The drafts of JSON Schema, and what is wrong with a schema by the rules of its own. Knows
//! nothing of values.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;
use spec::Json;

use crate::{exact, violation};

/// A version of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    /// Draft 4.
    D4,
    /// Draft 6.
    D6,
    /// Draft 7.
    D7,
    /// 2019-09.
    D2019,
    /// 2020-12, which holds where a schema does not say.
    D2020,
}

impl Draft {
    /// Every draft, from the oldest on.
    pub const ALL: [Draft; 5] = [Self::D4, Self::D6, Self::D7, Self::D2019, Self::D2020];

    /// The draft of a schema; `None` if its `$schema` is not one of the known ones.
    #[must_use]
    pub fn of(schema: &Json) -> Option<Self> {
        match schema.get("$schema") {
            None => Some(Self::D2020),
            Some(named) => Self::named(named.as_str()?),
        }
    }

    /// The draft that a `$schema` of this text names.
    #[must_use]
    pub fn named(uri: &str) -> Option<Self> {
        let plain = uri.strip_suffix('#').unwrap_or(uri);
        Self::ALL.into_iter().find(|it| it.uri() == plain)
    }

    /// What `$schema` says for it, without a trailing `#`.
    #[must_use]
    pub fn uri(self) -> &'static str {
        match self {
            Self::D4 => "http://json-schema.org/draft-04/schema",
            Self::D6 => "http://json-schema.org/draft-06/schema",
            Self::D7 => "http://json-schema.org/draft-07/schema",
            Self::D2019 => "https://json-schema.org/draft/2019-09/schema",
            Self::D2020 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::D4 => "draft 4",
            Self::D6 => "draft 6",
            Self::D7 => "draft 7",
            Self::D2019 => "2019-09",
            Self::D2020 => "2020-12",
        }
    }

    pub(crate) fn library(self) -> jsonschema::Draft {
        match self {
            Self::D4 => jsonschema::Draft::Draft4,
            Self::D6 => jsonschema::Draft::Draft6,
            Self::D7 => jsonschema::Draft::Draft7,
            Self::D2019 => jsonschema::Draft::Draft201909,
            Self::D2020 => jsonschema::Draft::Draft202012,
        }
    }
}

/// Where a schema breaks the rules of its draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// JSON pointer to it.
    pub pointer: String,
    /// What is wrong, in the words of the rule.
    pub text: String,
    /// Whether it is a word for a type that there is not.
    pub unknown_type: bool,
}

/// What is wrong with `schema` by the meta-schema of `draft`, at most `max` things.
#[must_use]
pub fn mistakes(schema: &Json, draft: Draft, max: usize) -> Vec<Mistake> {
    let schema = exact::encode(schema).schema;
    // The library keeps these: each is built once in the life of a process.
    let validator = match draft {
        Draft::D4 => jsonschema::draft4::meta::validator(),
        Draft::D6 => jsonschema::draft6::meta::validator(),
        Draft::D7 => jsonschema::draft7::meta::validator(),
        Draft::D2019 => jsonschema::draft201909::meta::validator(),
        Draft::D2020 => jsonschema::draft202012::meta::validator(),
    };
    if validator.is_valid(&schema) {
        return Vec::new();
    }
    let errors = validator.iter_errors(&schema);
    errors.take(max).map(|error| mistake(&error)).collect()
}

fn mistake(error: &ValidationError<'_>) -> Mistake {
    let pointer = error.instance_path().as_str().to_owned();
    let unpinned = matches!(error.kind(), ValidationErrorKind::AnyOf { .. });
    let shown = match error.instance().as_ref() {
        Value::Object(_) => "this object",
        Value::Array(_) => "this array",
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => "",
    };
    let text = if shown.is_empty() {
        error.to_string()
    } else {
        error.masked_with(shown).to_string()
    };
    Mistake {
        unknown_type: unpinned && pointer.ends_with("/type"),
        text: violation::cut(&text),
        pointer,
    }
}
