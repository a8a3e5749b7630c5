//! Numbered cases of schemas and names that made providers refuse whole requests (B-061 to B-070),
//! as far as they are about what a provider is shown. What publish refuses is tried there.

use model::present::{PROFILES, offer};
use serde_json::json;

use crate::support::{accepts_all, presented, serde, tool};

#[test]
fn b_061_one_odd_tool_does_not_spoil_the_others() {
    let odd = json!({"anyOf": [
        {"type": "object", "required": ["a"]},
        {"type": "object", "required": ["b"]},
    ]});
    let plain = json!({"type": "object", "properties": {"x": {"type": "string"}}});
    let tools = [
        tool("odd", "", &odd),
        tool("one", "", &plain),
        tool("two", "", &plain),
        tool("three", "", &plain),
    ];
    let all: Vec<_> = tools.iter().collect();
    for profile in PROFILES {
        let offer = offer(&all, profile);
        assert_eq!(offer.tools.len(), 4);
        let shown = serde(&offer.tools[0].schema);
        assert_eq!(shown["type"], "object", "{}", profile.provider);
        assert!(shown.get("anyOf").is_none(), "{}", profile.provider);
        accepts_all(
            &odd,
            &[json!({"a": 1}), json!({"b": 2}), json!({"a": 1, "b": 2})],
            profile,
        );
    }
}

#[test]
fn b_062_schemas_without_properties_or_type_stay_callable() {
    for schema in [json!({"type": "object"}), json!({}), json!(true)] {
        for profile in PROFILES {
            let shown = serde(&presented(&schema, profile).schema);
            assert_eq!(shown["type"], "object", "{schema}");
            assert!(shown["properties"].is_object(), "{schema}");
            accepts_all(&schema, &[json!({}), json!({"any": 1})], profile);
        }
    }
}

#[test]
fn b_063_bounds_of_old_drafts_are_shown_in_the_new_form() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": true}},
    });
    for profile in PROFILES {
        let shown = serde(&presented(&schema, profile).schema);
        let bound = &shown["properties"]["n"]["exclusiveMinimum"];
        assert!(!bound.is_boolean(), "{}: {shown}", profile.provider);
        accepts_all(&schema, &[json!({"n": 0.5})], profile);
    }
}

#[test]
fn b_065_a_pattern_that_a_provider_may_not_read_is_not_shown_as_one() {
    let schema = json!({"type": "object", "properties": {
        "user": {"type": "string", "pattern": "^\\p{Lu}[a-z]+$"},
    }});
    for profile in PROFILES {
        let offered = presented(&schema, profile);
        let shown = serde(&offered.schema);
        let dropped = shown["properties"]["user"].get("pattern").is_none();
        // What is left out is said.
        assert!(
            !dropped || !offered.notes.is_empty(),
            "{}",
            profile.provider
        );
    }
}

#[test]
fn b_068_optional_properties_stay_optional() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": false,
    });
    for profile in PROFILES {
        let shown = serde(&presented(&schema, profile).schema);
        assert_eq!(shown["required"], json!(["a"]), "{}", profile.provider);
        accepts_all(&schema, &[json!({"a": "x"})], profile);
    }
}

#[test]
fn b_069_names_lead_back_to_their_tools() {
    let schema = json!({"type": "object"});
    let long = "x".repeat(64);
    let tools = [
        tool("billing_invoices_create", "", &schema),
        tool(&long, "", &schema),
        tool("9-lives", "", &schema),
    ];
    let all: Vec<_> = tools.iter().collect();
    for profile in PROFILES {
        let offer = offer(&all, profile);
        for (shown, tool) in offer.tools.iter().zip(&tools) {
            assert_eq!(offer.wire_name(&shown.name), Some(tool.wire_name.as_str()));
            assert_eq!(offer.name(&tool.wire_name), Some(shown.name.as_str()));
        }
        assert_eq!(offer.wire_name("unheard-of"), None);
    }
}
