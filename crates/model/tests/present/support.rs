//! Tools made of schemas, and the two properties that every copy has.

use jsonschema::{PatternOptions, Validator};
use model::present::{Offered, Profile, offer};
use serde_json::Value;
use spec::snapshot::{Backend, Identity, Metadata, OnFailure, Standing, Tool};
use spec::{Json, SideEffectClass};

use crate::fits;

/// A tool of a name with a schema.
pub(crate) fn tool(wire_name: &str, description: &str, schema: &Value) -> Tool {
    let schema = Json::parse(schema.to_string().as_bytes()).unwrap();
    Tool {
        wire_name: wire_name.to_owned(),
        contract: Identity {
            namespace: "test".to_owned(),
            name: "tool".to_owned(),
            version: "1.0.0".to_owned(),
        },
        metadata: Metadata::default(),
        description: description.to_owned(),
        side_effect_class: SideEffectClass::ReadOnly,
        contract_schema: schema.clone(),
        input_schema: schema,
        contract_output_schema: None,
        output_schema: None,
        input_standing: Standing::Same,
        output_standing: Standing::Same,
        strict: false,
        available_when: Vec::new(),
        on_failure: OnFailure::ReturnToAgent,
        probe: None,
        terminal: false,
        backend: Backend::Worker,
    }
}

/// The validator that sessions use.
pub(crate) fn validator(schema: &Value) -> Option<Validator> {
    let patterns = PatternOptions::regex();
    let options = jsonschema::options().with_pattern_options(patterns);
    options.build(schema).ok()
}

/// What one profile is shown of a schema; it fits the profile.
pub(crate) fn presented(schema: &Value, profile: &Profile) -> Offered {
    let tool = tool("probe", "", schema);
    let mut offer = offer(&[&tool], profile);
    assert_eq!(offer.tools.len(), 1);
    let offered = offer.tools.remove(0);
    let wrong = fits::violations(&offered, profile.provider);
    assert!(
        wrong.is_empty(),
        "{}: {wrong:?}\n{schema}\n{}",
        profile.provider,
        offered.schema.to_canonical()
    );
    offered
}

/// Asserts that the copy takes every one of the samples, which the original takes.
pub(crate) fn accepts_all(schema: &Value, samples: &[Value], profile: &Profile) {
    let offered = presented(schema, profile);
    let copy = crate::support::serde(&offered.schema);
    let check = validator(&copy).unwrap_or_else(|| panic!("{copy} of {schema} does not compile"));
    for sample in samples {
        if let Err(error) = check.validate(sample) {
            let provider = profile.provider;
            panic!("{provider}: {sample} is refused: {error}\noriginal {schema}\ncopy {copy}");
        }
    }
}

/// The same value for validators that know only doubles.
pub(crate) fn serde(json: &Json) -> serde_json::Value {
    serde_json::from_str(&json.to_canonical()).unwrap()
}
