//! Judges JSON values by JSON Schemas, and schemas by the rules of their draft.
//!
//! Publish asks whether a schema is sound, the runtime whether a value is valid, and both must get
//! their answer from the same place: this one. Invariant: pure; the same schema and value give the
//! same answer everywhere, and nothing is ever fetched. It knows nothing of tools or documents.
//!
//! What is decided here once, for every draft:
//! - Numbers are exact decimals and are never rounded to doubles. `1.0` and `1e3` are integers, in
//!   draft 4 as well.
//! - Patterns run in time linear in their input; what cannot is refused.
//! - The formats in [`FORMATS`] are enforced; every other `format` is a note.

mod exact;
mod format;
mod meta;
mod value;
mod violation;

use jsonschema::PatternOptions;
use spec::Json;

pub use format::FORMATS;
pub use meta::{Draft, Mistake, mistakes};
pub use violation::Violation;

use value::Exact;

/// The most memory that one compiled pattern may take, in bytes.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;

/// The most parts of a value whose faults are listed; those of a larger one could fill the memory.
const LISTED_PARTS_MAX: usize = 100_000;

/// A schema, ready to judge with.
pub struct Validator(jsonschema::Validator<Exact>);

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(String);

impl std::fmt::Display for SchemaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SchemaError {}

impl Validator {
    /// Compiles a schema by the draft that its `$schema` names, 2020-12 if none.
    ///
    /// # Errors
    /// The schema breaks the rules of its draft, has a pattern that does not run in linear time,
    /// or refers to something that is not in it.
    pub fn compile(schema: &Json) -> Result<Self, SchemaError> {
        let draft = Draft::of(schema)
            .ok_or_else(|| SchemaError("the draft in `$schema` is unknown".to_owned()))?;
        let encoded = exact::encode(schema);
        let options = jsonschema::options_for::<Exact>()
            .with_draft(draft.library())
            .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES_MAX))
            .should_validate_formats(true);
        let options = exact::with_keywords(format::with_formats(options), &encoded, draft);
        options
            .build(&encoded.schema)
            .map(Self)
            .map_err(|error| SchemaError(violation::cut(&error.to_string())))
    }

    /// Whether `value` is valid.
    #[must_use]
    pub fn accepts(&self, value: &Json) -> bool {
        self.0.is_valid(value)
    }

    /// What is wrong with `value`, at most `max` things; empty if and only if it is valid.
    #[must_use]
    pub fn violations(&self, value: &Json, max: usize) -> Vec<Violation> {
        if self.accepts(value) {
            return Vec::new();
        }
        if parts(value) > LISTED_PARTS_MAX {
            return vec![Violation::unlisted()];
        }
        let errors = self.0.iter_errors(value);
        let mut found: Vec<_> = errors
            .take(max)
            .map(|error| Violation::new(&error, value))
            .collect();
        if found.is_empty() {
            // The library changed its mind between two questions; the value stays refused.
            found.push(Violation::unlisted());
        }
        found
    }
}

/// How many values there are in a value, itself included; stops counting beyond the limit.
fn parts(value: &Json) -> usize {
    let mut open = vec![value];
    let mut count = 0_usize;
    while let Some(here) = open.pop() {
        count = count.saturating_add(1);
        if count.saturating_add(open.len()) > LISTED_PARTS_MAX {
            return LISTED_PARTS_MAX.saturating_add(1);
        }
        match here {
            Json::Array(elements) => open.extend(elements),
            Json::Object(members) => open.extend(members.values()),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    count
}

/// Whether a pattern can be used: it compiles, within bounds, and runs in linear time.
#[must_use]
pub fn takes_pattern(pattern: &str) -> bool {
    let schema = serde_json::json!({ "pattern": pattern });
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES_MAX);
    let options = jsonschema::options().with_pattern_options(patterns);
    options.build(&schema).is_ok()
}
