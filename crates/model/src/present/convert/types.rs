//! `type`, `enum` and `const`.

use spec::Json;

use super::super::words;
use super::{Copied, Members, Writer};

/// The types of JSON Schema.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Keywords that are about the values of some types only.
const OF_TYPE: [(&str, &[&str]); 5] = [
    (
        "array",
        &[
            "additionalItems",
            "contains",
            "items",
            "maxContains",
            "maxItems",
            "minContains",
            "minItems",
            "prefixItems",
            "unevaluatedItems",
            "uniqueItems",
        ],
    ),
    ("integer", NUMERIC),
    ("number", NUMERIC),
    (
        "object",
        &[
            "additionalProperties",
            "dependencies",
            "dependentRequired",
            "dependentSchemas",
            "maxProperties",
            "minProperties",
            "patternProperties",
            "properties",
            "propertyNames",
            "required",
            "unevaluatedProperties",
        ],
    ),
    ("string", &["format", "maxLength", "minLength", "pattern"]),
];

const NUMERIC: &[&str] = &[
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maximum",
    "minimum",
    "multipleOf",
];

/// Whether `kind` is the name of a type.
pub(super) fn is_type(kind: &Json) -> bool {
    kind.as_str().is_some_and(|it| TYPES.contains(&it))
}

/// The types of a schema that has several.
pub(super) fn to_split(members: &Members) -> Option<Vec<&str>> {
    let kinds = members.get("type")?.as_array()?;
    let kinds: Vec<&str> = kinds.iter().filter_map(Json::as_str).collect();
    let is_sound = kinds.len() > 1 && kinds.iter().all(|it| TYPES.contains(it));
    is_sound.then_some(kinds)
}

/// Whether a value may be of a type.
fn is_of(value: &Json, kind: &str) -> bool {
    value.kind() == kind || (value.kind() == "number" && kind == "integer")
}

/// The one type that all values have.
fn common_type(values: &[Json]) -> Option<&'static str> {
    let first = values.first()?.kind();
    let is_common = values.iter().all(|it| it.kind() == first);
    let is_whole = |it: &Json| it.as_number().is_some_and(spec::Decimal::is_integer);
    let kind = if values.iter().all(is_whole) {
        "integer"
    } else {
        first
    };
    is_common.then_some(kind)
}

impl<'a> Writer<'a> {
    pub(super) fn types(&mut self, out: &mut Copied, members: &'a Members) {
        let kind = match members.get("type") {
            Some(Json::Array(kinds)) => match kinds.as_slice() {
                [only] if is_type(only) => Some(only.clone()),
                several if several.iter().all(is_type) && !several.is_empty() => {
                    Some(Json::Array(several.to_vec()))
                }
                _ => None,
            },
            Some(kind) if is_type(kind) => Some(kind.clone()),
            Some(_) | None => None,
        };
        if let Some(kind) = kind {
            out.put("type", kind);
        }
        let choice = members.get("enum").and_then(Json::as_array);
        if let Some(choice) = choice.filter(|it| !it.is_empty()) {
            self.choice(out, "enum", choice);
        }
        let constant = members.get("const").filter(|_| self.draft.knows("const"));
        if let Some(constant) = constant {
            if self.profile.takes("const") {
                if self.has_room(constant) {
                    out.put("const", constant.clone());
                }
            } else if out.members.contains_key("enum") {
                self.leave_out(out, "const", constant);
            } else {
                self.choice(out, "const", std::slice::from_ref(constant));
            }
        }
    }

    /// Shows one value of several, as far as the provider takes such values.
    fn choice(&mut self, out: &mut Copied, keyword: &str, values: &[Json]) {
        let is_text = |it: &Json| it.as_str().is_some_and(|text| !text.is_empty());
        if self.profile.plain_values {
            if !out.members.contains_key("type")
                && let Some(kind) = common_type(values)
            {
                out.put("type", Json::from(kind));
            }
            let is_string = out.members.get("type") == Some(&Json::from("string"));
            if !is_string || !values.iter().all(is_text) {
                self.note(keyword, format!("`{keyword}` is not shown"));
                let words = words::list("one of", values);
                out.said.extend(words);
                return;
            }
        }
        if keyword == "const" {
            self.note(keyword, "`const` is shown as `enum`");
        }
        if values.iter().all(|it| self.has_room(it)) {
            out.put("enum", Json::Array(values.to_vec()));
        }
    }

    /// A schema with several types as an alternative for each.
    pub(super) fn split(
        &mut self,
        out: &mut Copied,
        members: &'a Members,
        kinds: &[&str],
        depth: usize,
    ) {
        self.note("type", "several types are shown as `anyOf`");
        let mut alternatives = Vec::new();
        for kind in kinds {
            if let Some(one) = self.of_type(members, kind, depth) {
                alternatives.push(one);
            }
        }
        match alternatives.as_slice() {
            [] => {}
            [Json::Object(only)] => out.absorb(only.clone()),
            _ => out.put("anyOf", Json::from(alternatives)),
        }
        for keyword in ["allOf", "anyOf", "oneOf", "$ref"] {
            if let Some(value) = members.get(keyword) {
                self.leave_out(out, keyword, value);
            }
        }
        if let Some(constant) = members.get("const").filter(|_| self.draft.knows("const")) {
            self.leave_out(out, "const", constant);
        }
        self.unshown(out, members);
    }

    /// The alternative of one type; `None` when no value of it is accepted.
    fn of_type(&mut self, members: &'a Members, kind: &str, depth: usize) -> Option<Json> {
        let mut out = Copied::default();
        out.put("type", Json::from(kind));
        let allowed = members.get("enum").and_then(Json::as_array);
        if let Some(allowed) = allowed.filter(|it| !it.is_empty()) {
            let allowed = allowed.iter().filter(|it| is_of(it, kind));
            let allowed: Vec<Json> = allowed.cloned().collect();
            if allowed.is_empty() {
                return None;
            }
            // That something is null needs no list.
            if kind != "null" {
                self.choice(&mut out, "enum", &allowed);
            }
        }
        if kind == "array" {
            self.array(&mut out, members, depth.saturating_add(1));
        }
        if kind == "object" {
            self.object(&mut out, members, depth.saturating_add(1));
        }
        self.bounds_of(&mut out, members, |keyword| {
            let kinds = OF_TYPE.iter().filter(|(_, it)| it.contains(&keyword));
            kinds.into_iter().any(|(it, _)| *it == kind)
        });
        Some(out.into_schema())
    }
}
