//! What providers refuse, written down apart from the code that avoids it.

use model::present::Offered;
use serde_json::{Map, Value};

/// What the portable kind of provider knows.
const PORTABLE: [&str; 17] = [
    "additionalProperties",
    "anyOf",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "properties",
    "required",
    "title",
    "type",
];

struct Check<'a> {
    provider: &'a str,
    root: &'a Value,
    wrong: Vec<String>,
}

/// Why the provider would refuse the tool, or the whole request for it.
pub(crate) fn violations(offered: &Offered, provider: &str) -> Vec<String> {
    let schema = crate::support::serde(&offered.schema);
    let mut check = Check {
        provider,
        root: &schema,
        wrong: Vec::new(),
    };
    let is_portable = check.is_portable();
    let name = offered.name.as_str();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    check.must(
        "name",
        !name.is_empty() && name.len() <= 64 && name.chars().all(is_name),
    );
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    check.must("start of the name", begins || !is_portable);
    let chars = offered.description.chars().count();
    check.must("description", chars <= 1024 || provider == "anthropic");
    check.must("type at the top", schema["type"] == "object");
    check.must("properties at the top", schema["properties"].is_object());
    for keyword in [
        "$schema", "$id", "anyOf", "allOf", "oneOf", "enum", "const", "not", "$ref",
    ] {
        check.must(keyword, schema.get(keyword).is_none());
    }
    check.must("meta-schema", jsonschema::meta::is_valid(&schema));
    let bytes_max = if is_portable { 64 } else { 128 } * 1024;
    check.must("size", schema.to_string().len() <= bytes_max);
    check.schema(&schema, 0);
    check.wrong
}

impl Check<'_> {
    fn must(&mut self, what: &str, holds: bool) {
        if !holds {
            self.wrong.push(what.to_owned());
        }
    }

    fn is_portable(&self) -> bool {
        matches!(self.provider, "openai-compatible" | "openrouter")
    }

    fn schema(&mut self, schema: &Value, depth: usize) {
        self.must("depth", depth <= 32);
        let Some(members) = schema.as_object() else {
            self.must("a schema that is no object", schema.is_boolean());
            return;
        };
        for keyword in ["oneOf", "not", "if", "$id", "$schema", "$comment"] {
            self.must(keyword, !members.contains_key(keyword));
        }
        if let Some(reference) = members.get("$ref") {
            let pointer = reference.as_str().and_then(|it| it.strip_prefix('#'));
            let target = pointer.and_then(|it| self.root.pointer(it));
            self.must("reference", target.is_some());
        }
        if let Some(pattern) = members.get("pattern").and_then(Value::as_str) {
            let plain = pattern.replace("(?:", "(");
            self.must("pattern", !plain.contains("(?") && !plain.contains("[["));
        }
        if self.provider != "anthropic" {
            let is_array = members.get("type").is_some_and(|it| it == "array");
            self.must("items", !is_array || members.contains_key("items"));
        }
        if self.provider != "openai" {
            self.property_names(members);
        }
        if self.is_portable() {
            self.portable(members);
        }
        self.parts(members, depth);
    }

    fn property_names(&mut self, members: &Map<String, Value>) {
        let properties = members.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Map::keys) {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
            let is_fine = (1..=64).contains(&name.len()) && name.chars().all(is_plain);
            self.must(&format!("property name {name}"), is_fine);
        }
    }

    fn portable(&mut self, members: &Map<String, Value>) {
        for keyword in members.keys() {
            self.must(keyword, PORTABLE.contains(&keyword.as_str()));
        }
        if let Some(kind) = members.get("type") {
            self.must("one type", kind.is_string());
        }
        if let Some(values) = members.get("enum").and_then(Value::as_array) {
            let is_text = |it: &Value| it.as_str().is_some_and(|it| !it.is_empty());
            self.must(
                "enum of texts",
                values.iter().all(is_text) && !values.is_empty(),
            );
            self.must(
                "type of enum",
                members.get("type").is_some_and(|it| it == "string"),
            );
        }
        if let Some(additional) = members.get("additionalProperties") {
            self.must("additionalProperties", additional.is_boolean());
        }
        if let Some(format) = members.get("format") {
            self.must("format", format == "date-time");
        }
        let properties = members.get("properties").and_then(Value::as_object);
        let required = members.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let is_listed = properties.is_some_and(|it| it.contains_key(name));
            self.must(&format!("required {name}"), is_listed);
        }
    }

    fn parts(&mut self, members: &Map<String, Value>, depth: usize) {
        for (keyword, value) in members {
            match keyword.as_str() {
                "properties" | "patternProperties" | "$defs" => {
                    for it in value.as_object().into_iter().flat_map(Map::values) {
                        self.schema(it, depth + 1);
                    }
                }
                "anyOf" | "allOf" | "prefixItems" => {
                    let list = value.as_array().into_iter().flatten();
                    list.for_each(|it| self.schema(it, depth + 1));
                    self.must(keyword, value.as_array().is_some_and(|it| !it.is_empty()));
                }
                "items" | "additionalProperties" | "propertyNames" => {
                    self.schema(value, depth + 1);
                }
                _ => {}
            }
        }
    }
}
