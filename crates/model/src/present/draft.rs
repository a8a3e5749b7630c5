//! Which keywords mean something in the draft that a schema is written in. One that does not must
//! not be shown, since it would mean something in the copy.

use spec::Json;

/// A draft of JSON Schema, in order of age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    Draft4,
    Draft6,
    Draft7,
    Draft2019,
    Draft2020,
}

impl Draft {
    /// The draft that a schema says it is written in; 2020-12 without a word.
    pub(super) fn of(schema: &Json) -> Self {
        let declared = schema.get("$schema").and_then(Json::as_str);
        let declared = declared.unwrap_or_default();
        let drafts = [
            ("draft-04", Draft::Draft4),
            ("draft-06", Draft::Draft6),
            ("draft-07", Draft::Draft7),
            ("2019-09", Draft::Draft2019),
        ];
        let found = drafts.iter().find(|(name, _)| declared.contains(name));
        found.map_or(Draft::Draft2020, |(_, draft)| *draft)
    }

    /// Whether the keyword means something in this draft.
    pub(super) fn knows(self, keyword: &str) -> bool {
        match keyword {
            "const" | "contains" | "examples" | "propertyNames" => self >= Draft::Draft6,
            "if" | "then" | "else" | "readOnly" | "writeOnly" => self >= Draft::Draft7,
            "dependentRequired"
            | "dependentSchemas"
            | "deprecated"
            | "maxContains"
            | "minContains"
            | "unevaluatedItems"
            | "unevaluatedProperties" => self >= Draft::Draft2019,
            "prefixItems" => self >= Draft::Draft2020,
            "additionalItems" => self <= Draft::Draft2019,
            _ => true,
        }
    }

    /// Whether what stands beside a `$ref` is ignored.
    pub(super) fn reads_reference_alone(self) -> bool {
        self <= Draft::Draft7
    }
}
