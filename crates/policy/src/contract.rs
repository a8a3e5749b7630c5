//! What a tool's input schema says about a path: whether it knows it, whether it rules it out,
//! whether it demands it, and of which types its values are. Knows nothing of conditions.
//!
//! Where a schema cannot be followed (a reference that is not local, too deep a nesting) the answer
//! is the one that lets least through: the path is known, and may be left out.

use std::cell::Cell;

use spec::Json;

use crate::path::Step;
use crate::schema::{self, Below, Types};

/// How many schemas are looked at for one question.
const VISITS_MAX: u32 = 20_000;
/// How many references and nestings deep.
const DEPTH_MAX: u32 = 64;

/// One schema document, asked about paths into the values that it describes.
pub(crate) struct Contract<'a> {
    root: &'a Json,
    /// Before 2019-09 a reference hides whatever stands beside it.
    references_hide: bool,
    visits: Cell<u32>,
}

enum Target<'a> {
    Schema(&'a Json),
    /// Not to be found in this document.
    Lost,
}

impl<'a> Contract<'a> {
    pub(crate) fn new(root: &'a Json) -> Self {
        Self {
            root,
            references_hide: schema::is_before_2019(root),
            visits: Cell::new(0),
        }
    }

    /// Whether the schema mentions the path. An open object does not mention what it merely lets
    /// through; `additionalProperties` with a schema of its own does. The elements of an array that
    /// is mentioned are mentioned with it.
    pub(crate) fn knows(&self, steps: &[Step]) -> bool {
        self.visits.set(0);
        self.mentions(self.root, steps, 0)
    }

    /// Whether some valid value may carry the path; a `true` may be wrong, a `false` is not.
    pub(crate) fn permits(&self, steps: &[Step]) -> bool {
        self.visits.set(0);
        self.leaves_room(self.root, steps, 0)
    }

    /// Whether every valid value carries the path; a `false` may be wrong, a `true` is not.
    pub(crate) fn demands(&self, steps: &[Step]) -> bool {
        self.visits.set(0);
        self.guarantees(self.root, steps, Types::OBJECT, 0)
    }

    /// The types that a value at the path may have; perhaps too many, never too few.
    pub(crate) fn types(&self, steps: &[Step]) -> Types {
        self.visits.set(0);
        self.types_at(self.root, steps, 0)
    }

    /// Counts a visit; true when there were too many.
    fn is_spent(&self, depth: u32) -> bool {
        self.visits.set(self.visits.get().saturating_add(1));
        depth > DEPTH_MAX || self.visits.get() > VISITS_MAX
    }

    /// What the schema refers to.
    fn target(&self, schema: &'a Json) -> Option<Target<'a>> {
        if schema.get("$dynamicRef").is_some() {
            return Some(Target::Lost);
        }
        let reference = schema.get("$ref").or_else(|| schema.get("$recursiveRef"))?;
        let found = reference
            .as_str()
            .and_then(|text| schema::resolve(self.root, text));
        Some(found.map_or(Target::Lost, Target::Schema))
    }

    /// The schema without its reference.
    fn own(&self, schema: &'a Json) -> &'a Json {
        if self.references_hide && schema.get("$ref").is_some() {
            &schema::ANYTHING
        } else {
            schema
        }
    }

    fn mentions(&self, schema: &'a Json, steps: &[Step], depth: u32) -> bool {
        if self.is_spent(depth) {
            return true;
        }
        if schema.as_bool() == Some(false) {
            return false;
        }
        let Some((step, rest)) = steps.split_first() else {
            return true;
        };
        let depth = depth + 1;
        let own = self.own(schema);
        let below = Below::new(own, step);
        let elements_next = matches!(rest, [Step::Index(_) | Step::Each]);
        below.is_lost
            || (rest.is_empty() && schema::lists_as_required(own, step))
            || below.mentioned(own, step).any(|child| {
                self.mentions(child, rest, depth)
                    || (elements_next && self.types_at(child, &[], depth).contains(Types::ARRAY))
            })
            || schema::in_place(own).any(|part| self.mentions(part, steps, depth))
            || match self.target(schema) {
                Some(Target::Schema(target)) => self.mentions(target, steps, depth),
                Some(Target::Lost) => true,
                None => false,
            }
    }

    fn leaves_room(&self, schema: &'a Json, steps: &[Step], depth: u32) -> bool {
        if self.is_spent(depth) {
            return true;
        }
        if schema.as_bool() == Some(false) {
            return false;
        }
        let depth = depth + 1;
        let own = self.own(schema);
        let here = steps.split_first().is_none_or(|(step, rest)| {
            schema::own_types(own).contains(schema::container_of(step))
                && !self.is_shut(own, step, depth)
                && Below::new(own, step).every(step, |child| self.leaves_room(child, rest, depth))
        });
        here && schema::list(own, "allOf").all(|part| self.leaves_room(part, steps, depth))
            && schema::choices(own)
                .all(|mut choice| choice.any(|part| self.leaves_room(part, steps, depth)))
            && match self.target(schema) {
                Some(Target::Schema(target)) => self.leaves_room(target, steps, depth),
                Some(Target::Lost) | None => true,
            }
    }

    /// Whether `unevaluatedProperties: false` keeps the key out.
    fn is_shut(&self, schema: &'a Json, step: &Step, depth: u32) -> bool {
        let keyword = match step {
            Step::Key(_) => "unevaluatedProperties",
            Step::Index(_) | Step::Each => return false,
        };
        schema.get(keyword).and_then(Json::as_bool) == Some(false)
            && !Below::new(schema, step).is_open()
            && !self.mentions(schema, std::slice::from_ref(step), depth)
    }

    /// `types` are those that the value can have by what surrounds this schema.
    fn guarantees(&self, schema: &'a Json, steps: &[Step], types: Types, depth: u32) -> bool {
        if self.is_spent(depth) {
            return false;
        }
        let Some((step, rest)) = steps.split_first() else {
            return true;
        };
        let depth = depth + 1;
        let own = self.own(schema);
        let types = types.meet(self.types_at(schema, &[], depth));
        let here = types.is_within(schema::container_of(step))
            && schema::requires(own, step)
            && (rest.is_empty()
                || Below::new(own, step).some(step, |child| {
                    self.guarantees(child, rest, Types::ALL, depth)
                }));
        here || schema::list(own, "allOf").any(|part| self.guarantees(part, steps, types, depth))
            || schema::choices(own)
                .any(|mut choice| choice.all(|part| self.guarantees(part, steps, types, depth)))
            || match self.target(schema) {
                Some(Target::Schema(target)) => self.guarantees(target, steps, types, depth),
                Some(Target::Lost) | None => false,
            }
    }

    fn types_at(&self, schema: &'a Json, steps: &[Step], depth: u32) -> Types {
        if self.is_spent(depth) {
            return Types::ALL;
        }
        let depth = depth + 1;
        let own = self.own(schema);
        let mut types = match steps.split_first() {
            None => schema::own_types(own),
            Some((step, rest)) => {
                Below::new(own, step).types(step, |child| self.types_at(child, rest, depth))
            }
        };
        for part in schema::list(own, "allOf") {
            types = types.meet(self.types_at(part, steps, depth));
        }
        for choice in schema::choices(own) {
            types = types.meet(choice.fold(Types::NONE, |join, part| {
                join.join(self.types_at(part, steps, depth))
            }));
        }
        match self.target(schema) {
            Some(Target::Schema(target)) => types.meet(self.types_at(target, steps, depth)),
            Some(Target::Lost) | None => types,
        }
    }
}

#[cfg(test)]
mod tests {
    use spec::Json;

    use super::Contract;
    use crate::path;
    use crate::schema::Types;

    fn ask(schema: &str, field: &str) -> (bool, bool, bool) {
        let schema = Json::parse(schema.as_bytes()).unwrap();
        let steps = path::parse(field).unwrap().steps;
        let contract = Contract::new(&schema);
        (
            contract.knows(&steps),
            contract.permits(&steps),
            contract.demands(&steps),
        )
    }

    const ORDER: &str = r##"{
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "note": {},
            "tags": {"type": "array"},
            "pair": {"prefixItems": [{"type": "object", "properties": {"a": true}}], "type": "array", "minItems": 1},
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            "loose": {"type": "object"},
            "map": {"type": "object", "additionalProperties": {"type": "number"}},
            "open": {"type": "object", "additionalProperties": {}},
            "never": false,
            "tree": {"$ref": "#/$defs/tree"},
            "gone": {"$ref": "other.json"}
        },
        "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": false,
        "required": ["id", "items", "pair"],
        "$defs": {
            "item": {"type": "object", "properties": {"price": {"type": "number"}, "sku": {}}, "required": ["price"]},
            "tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "size": {"type": "integer"}}}
        }
    }"##;

    #[test]
    fn one_schema() {
        // field, known, possible, demanded
        for (field, known, possible, demanded) in [
            ("id", true, true, true),
            ("note", true, true, false),
            ("note.deep", false, true, false),
            ("note[*]", true, true, false),
            ("idd", false, false, false),
            ("id.sub", false, false, false),
            ("id[0]", false, false, false),
            ("tags", true, true, false),
            ("tags[*]", true, true, false),
            ("tags[3]", true, true, false),
            ("tags.x", false, false, false),
            ("pair[0]", true, true, true),
            ("pair[0].a", true, true, false),
            ("pair[1]", true, true, false),
            ("items[*].price", true, true, true),
            ("items[*].sku", true, true, false),
            ("items[0].price", true, true, false),
            ("items[*].colour", false, true, false),
            ("loose.any", false, true, false),
            ("map.any", true, true, false),
            ("map.any.more", false, false, false),
            ("open.any", false, true, false),
            ("never", false, false, false),
            ("x-id", true, true, false),
            ("y-id", false, false, false),
            ("tree.left.left.size", true, true, false),
            ("tree.left.right", false, true, false),
            ("gone.anything[2]", true, true, false),
        ] {
            assert_eq!(ask(ORDER, field), (known, possible, demanded), "{field}");
        }
    }

    #[test]
    fn other_keywords() {
        for (schema, field, answer) in [
            (r#"{}"#, "a", (false, true, false)),
            ("true", "a", (false, true, false)),
            (
                r#"{"additionalProperties": true}"#,
                "a",
                (false, true, false),
            ),
            (
                r#"{"additionalProperties": false}"#,
                "a",
                (false, false, false),
            ),
            (r#"{"required": ["a"]}"#, "a", (true, true, true)),
            (r#"{"required": ["a"]}"#, "a.b", (false, true, false)),
            (
                r#"{"allOf": [{"properties": {"a": {}}}, {"required": ["a"]}]}"#,
                "a",
                (true, true, true),
            ),
            (
                r#"{"anyOf": [{"properties": {"a": {}}}, {}]}"#,
                "a",
                (true, true, false),
            ),
            (
                r#"{"oneOf": [{"required": ["a"]}, {"required": ["a", "b"]}]}"#,
                "a",
                (true, true, true),
            ),
            (
                r#"{"oneOf": [{"required": ["a"]}, {"required": ["a", "b"]}]}"#,
                "b",
                (true, true, false),
            ),
            (
                r#"{"if": {"properties": {"a": {}}}}"#,
                "a",
                (true, true, false),
            ),
            (
                r#"{"if": {}, "then": {"properties": {"a": {}}}}"#,
                "a",
                (true, true, false),
            ),
            (
                r#"{"if": {}, "else": {"properties": {"a": {}}}}"#,
                "a",
                (true, true, false),
            ),
            (
                r#"{"dependentSchemas": {"b": {"properties": {"a": {}}}}}"#,
                "a",
                (true, true, false),
            ),
            (
                r#"{"dependentRequired": {"b": ["a"]}}"#,
                "a",
                (true, true, false),
            ),
            (
                r#"{"anyOf": [{"additionalProperties": false}, {"properties": {"b": {}}, "additionalProperties": false}]}"#,
                "a",
                (false, false, false),
            ),
            (
                r#"{"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}"#,
                "a",
                (true, true, false),
            ),
            (
                r#"{"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}"#,
                "b",
                (false, false, false),
            ),
            (
                r#"{"unevaluatedProperties": {"type": "string"}}"#,
                "a",
                (true, true, false),
            ),
            (r##"{"$dynamicRef": "#x"}"##, "a", (true, true, false)),
            (r##"{"allOf": [{"$ref": "#"}]}"##, "a", (true, true, false)),
            (
                r##"{"$ref": "#/%24defs/a~1b", "$defs": {"a/b": {"properties": {"a": {}}}}}"##,
                "a",
                (true, true, false),
            ),
            (
                r#"{"patternProperties": {"(?!x)": {}}, "additionalProperties": false}"#,
                "a",
                (true, true, false),
            ),
            (
                r#"{"properties": {"a": {"items": [{"properties": {"b": {}}}], "additionalItems": false}}}"#,
                "a[0].b",
                (true, true, false),
            ),
            (
                r#"{"properties": {"a": {"items": [{}], "additionalItems": false}}}"#,
                "a[1].b",
                (false, false, false),
            ),
            (
                r#"{"properties": {"a": {"contains": {"properties": {"b": {}}}}}}"#,
                "a[*].b",
                (true, true, false),
            ),
            (
                r#"{"properties": {"a": {"type": "string", "allOf": [{"minLength": 1}]}}}"#,
                "a[*]",
                (false, false, false),
            ),
        ] {
            assert_eq!(ask(schema, field), answer, "{field} in {schema}");
        }
    }

    #[test]
    fn before_2019_a_reference_hides_its_neighbours() {
        for (draft, possible) in [
            ("http://json-schema.org/draft-07/schema#", true),
            ("https://json-schema.org/draft/2020-12/schema", false),
        ] {
            let schema = format!(
                r##"{{"$schema": "{draft}", "properties": {{"a": {{"$ref": "#/d", "additionalProperties": false}}}}, "d": {{"properties": {{"b": {{}}}}}}}}"##
            );
            assert_eq!(ask(&schema, "a.b"), (true, possible, false), "{draft}");
        }
    }

    #[test]
    fn types() {
        let schema = Json::parse(
            br##"{"properties": {
                "a": {"type": "integer"},
                "b": {"type": ["string", "null"]},
                "c": {"enum": [1, "x"]},
                "d": {"const": []},
                "e": {"anyOf": [{"type": "string"}, {"type": "number"}], "allOf": [{"type": ["number", "array"]}]},
                "f": {"type": "array", "items": {"type": "boolean"}},
                "g": {"prefixItems": [{"type": "string"}], "items": {"type": "number"}},
                "h": {"$ref": "#/properties/a"},
                "i": {}
            }}"##,
        )
        .unwrap();
        let contract = Contract::new(&schema);
        for (field, types) in [
            ("a", Types::NUMBER),
            ("b", Types::STRING.join(Types::NULL)),
            ("c", Types::STRING.join(Types::NUMBER)),
            ("d", Types::ARRAY),
            ("e", Types::NUMBER),
            ("f[*]", Types::BOOLEAN),
            ("g[*]", Types::STRING.join(Types::NUMBER)),
            ("g[0]", Types::STRING),
            ("g[1]", Types::NUMBER),
            ("h", Types::NUMBER),
            ("i", Types::ALL),
            ("z", Types::ALL),
        ] {
            let steps = path::parse(field).unwrap().steps;
            assert_eq!(contract.types(&steps), types, "{field}");
        }
    }
}
