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

use std::cell::Cell;

use jsonschema::PatternOptions;
use spec::Json;

pub use format::FORMATS;
pub use meta::{Draft, Mistake, mistakes};
pub use violation::Violation;

use value::{Exact, Looked};

/// The most memory that one compiled pattern may take, in bytes.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;

/// The most parts of a value whose faults are listed; those of a larger one could fill the memory.
const LISTED_PARTS_MAX: usize = 100_000;

/// How often objects and arrays are looked at to judge one value, and to list its faults, which
/// takes more memory. No value and schema that belong together come near.
const LOOKS_MAX: u64 = 20_000_000;
const LISTING_LOOKS_MAX: u64 = 200_000;

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

    /// Whether `value` is valid; false as well when that takes too long to tell.
    #[must_use]
    pub fn accepts(&self, value: &Json) -> bool {
        self.judge(value) == Verdict::Valid
    }

    fn judge(&self, value: &Json) -> Verdict {
        let fuel = Cell::new(LOOKS_MAX);
        let valid = self.0.is_valid(Looked::new(value, &fuel));
        match (fuel.get(), valid) {
            (0, _) => Verdict::Endless,
            (_, true) => Verdict::Valid,
            (_, false) => Verdict::Invalid,
        }
    }

    /// What is wrong with `value`, at most `max` things; empty if and only if it is valid.
    #[must_use]
    pub fn violations(&self, value: &Json, max: usize) -> Vec<Violation> {
        match self.judge(value) {
            Verdict::Valid => return Vec::new(),
            Verdict::Endless => {
                return vec![Violation::of_all("the value takes too long to check")];
            }
            Verdict::Invalid if parts(value) > LISTED_PARTS_MAX => {
                return vec![Violation::of_all(TOO_LARGE)];
            }
            Verdict::Invalid => {}
        }
        let fuel = Cell::new(LISTING_LOOKS_MAX);
        let errors: Vec<_> = self
            .0
            .iter_errors(Looked::new(value, &fuel))
            .take(max)
            .collect();
        if errors.is_empty() || fuel.get() == 0 {
            // What was found after the last look was found in values that looked empty.
            return vec![Violation::of_all(TOO_LARGE)];
        }
        errors
            .iter()
            .map(|error| Violation::new(error, value))
            .collect()
    }
}

#[derive(PartialEq, Eq)]
enum Verdict {
    Valid,
    Invalid,
    Endless,
}

const TOO_LARGE: &str =
    "the value is not valid, and there is too much in it for its faults to be listed";

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
