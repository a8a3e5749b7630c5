//! Which formats are enforced: the same ones in every draft. Knows nothing of what is in a schema.

use std::sync::OnceLock;

use jsonschema::{Draft, ValidationOptions};
use spec::Json;

use crate::value::{Exact, Looked};

/// The values of `format` that are enforced; every other one is a note and constrains nothing.
pub const FORMATS: &[&str] = &[
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Those that the library has not in every draft, or not the same.
const LATER: [&str; 11] = [
    "duration",
    "hostname",
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Makes the formats of the newest draft hold in all of them.
pub(crate) fn with_formats<R>(
    mut options: ValidationOptions<'_, R, Exact>,
) -> ValidationOptions<'_, R, Exact> {
    for (index, name) in LATER.into_iter().enumerate() {
        options = options.with_format(name, move |text| holds(index, text));
    }
    options
}

fn holds(index: usize, text: &str) -> bool {
    static NEWEST: OnceLock<Vec<Option<jsonschema::Validator<Exact>>>> = OnceLock::new();
    let newest = NEWEST.get_or_init(|| {
        let of = |name: &&str| {
            jsonschema::options_for::<Exact>()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(true)
                .build(&serde_json::json!({ "format": name }))
                .ok()
        };
        LATER.iter().map(of).collect()
    });
    let validator = newest.get(index).and_then(Option::as_ref);
    validator.is_some_and(|it| it.is_valid(Looked::leaf(&Json::from(text))))
}
