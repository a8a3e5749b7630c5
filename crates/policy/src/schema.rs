//! Small questions to one JSON Schema object: its keywords, one at a time. Knows nothing of
//! references or of whole paths.

use regex::Regex;
use spec::Json;

use crate::path::Step;

/// The schema that everything satisfies.
pub(crate) static ANYTHING: Json = Json::Bool(true);

/// Applicators that speak about the very value.
const IN_PLACE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const IN_PLACE_SINGLES: [&str; 3] = ["if", "then", "else"];
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Drafts in which a reference hides what stands beside it.
const OLD_DRAFTS: [&str; 3] = ["draft-04", "draft-06", "draft-07"];

/// A set of JSON types; integers are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Types = Types(0);
    pub(crate) const NULL: Types = Types(1);
    pub(crate) const BOOLEAN: Types = Types(2);
    pub(crate) const NUMBER: Types = Types(4);
    pub(crate) const STRING: Types = Types(8);
    pub(crate) const ARRAY: Types = Types(16);
    pub(crate) const OBJECT: Types = Types(32);
    pub(crate) const ALL: Types = Types(63);

    pub(crate) fn meet(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    pub(crate) fn join(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    /// Whether all of `other` are here.
    pub(crate) fn contains(self, other: Types) -> bool {
        self.meet(other) == other
    }

    /// Whether all of these are in `other`.
    pub(crate) fn is_within(self, other: Types) -> bool {
        other.contains(self)
    }

    /// The type of a value.
    pub(crate) fn of(value: &Json) -> Types {
        Types::of_word(value.kind())
    }

    fn of_word(word: &str) -> Types {
        match word {
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "number" | "integer" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => Types::ALL,
        }
    }
}

/// What a value must be to have the step below it.
pub(crate) fn container_of(step: &Step) -> Types {
    match step {
        Step::Key(_) => Types::OBJECT,
        Step::Index(_) | Step::Each => Types::ARRAY,
    }
}

/// The types that the schema's own `type`, `enum` and `const` leave.
pub(crate) fn own_types(schema: &Json) -> Types {
    if schema.as_bool() == Some(false) {
        return Types::NONE;
    }
    let join = |values: &[Json], of: fn(&Json) -> Types| {
        values
            .iter()
            .fold(Types::NONE, |types, value| types.join(of(value)))
    };
    let word = |value: &Json| value.as_str().map_or(Types::ALL, Types::of_word);
    let mut types = Types::ALL;
    if let Some(written) = schema.get("type") {
        types = match written.as_array() {
            Some(words) => join(words, word),
            None => word(written),
        };
    }
    if let Some(values) = schema.get("enum").and_then(Json::as_array) {
        types = types.meet(join(values, Types::of));
    }
    if let Some(value) = schema.get("const") {
        types = types.meet(Types::of(value));
    }
    types
}

/// Whether the root's `$schema` is of a draft before 2019-09.
pub(crate) fn is_before_2019(root: &Json) -> bool {
    root.get("$schema")
        .and_then(Json::as_str)
        .is_some_and(|uri| OLD_DRAFTS.into_iter().any(|draft| uri.contains(draft)))
}

/// Follows a reference into `root`; only a fragment with a JSON pointer can be followed.
pub(crate) fn resolve<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    let pointer = percent_decode(reference.strip_prefix('#')?)?;
    if pointer.is_empty() {
        return Some(root);
    }
    pointer
        .strip_prefix('/')?
        .split('/')
        .try_fold(root, |value, token| {
            let key = token.replace("~1", "/").replace("~0", "~");
            match value.as_array() {
                Some(elements) => elements.get(key.parse::<usize>().ok()?),
                None => value.get(&key),
            }
        })
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let value = digit(bytes.next()?)? * 16 + digit(bytes.next()?)?;
            out.push(u8::try_from(value).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

/// The schemas in the list `key`.
pub(crate) fn list<'a>(schema: &'a Json, key: &str) -> impl Iterator<Item = &'a Json> + use<'a> {
    schema
        .get(key)
        .and_then(Json::as_array)
        .unwrap_or(&[])
        .iter()
}

/// `anyOf` and `oneOf`, each as the schemas of which one holds.
pub(crate) fn choices<'a>(
    schema: &'a Json,
) -> impl Iterator<Item = impl Iterator<Item = &'a Json> + use<'a>> + use<'a> {
    ["anyOf", "oneOf"]
        .into_iter()
        .filter(move |key| schema.get(key).is_some())
        .map(move |key| list(schema, key))
}

/// Every schema that may speak about the very value.
pub(crate) fn in_place(schema: &Json) -> impl Iterator<Item = &Json> {
    let lists = IN_PLACE_LISTS.into_iter().flat_map(|key| list(schema, key));
    let singles = IN_PLACE_SINGLES
        .into_iter()
        .filter_map(|key| schema.get(key));
    let maps = IN_PLACE_MAPS
        .into_iter()
        .filter_map(|key| schema.get(key).and_then(Json::as_object))
        .flat_map(std::collections::BTreeMap::values)
        .filter(|value| value.as_array().is_none());
    lists.chain(singles).chain(maps)
}

/// Whether a list of required keys, conditional ones too, has the step.
pub(crate) fn lists_as_required(schema: &Json, step: &Step) -> bool {
    let conditional = ["dependentRequired", "dependencies"]
        .into_iter()
        .filter_map(|key| schema.get(key).and_then(Json::as_object))
        .flat_map(std::collections::BTreeMap::values);
    match step {
        Step::Key(key) => schema
            .get("required")
            .into_iter()
            .chain(conditional)
            .filter_map(Json::as_array)
            .flatten()
            .any(|name| name.as_str() == Some(key)),
        Step::Index(_) | Step::Each => false,
    }
}

/// Whether a value of the right type must have the step. No element of `[*]` is ever missing.
pub(crate) fn requires(schema: &Json, step: &Step) -> bool {
    match step {
        Step::Key(key) => list(schema, "required").any(|name| name.as_str() == Some(key)),
        Step::Index(index) => schema
            .get("minItems")
            .and_then(Json::as_number)
            .and_then(spec::Decimal::to_u64)
            .is_some_and(|least| u64::try_from(*index).is_ok_and(|index| index < least)),
        Step::Each => true,
    }
}

/// The schemas that describe what lies one step below a value.
pub(crate) struct Below<'a> {
    /// All that a value there must satisfy; for `[*]`, one for each kind of place.
    schemas: Vec<&'a Json>,
    /// Whether the step is named (by `properties`, a pattern or a position), not just allowed.
    is_named: bool,
    /// Whether a pattern cannot be read, so that nothing is certain.
    pub(crate) is_lost: bool,
}

impl<'a> Below<'a> {
    pub(crate) fn new(schema: &'a Json, step: &Step) -> Self {
        match step {
            Step::Key(key) => Self::member(schema, key),
            Step::Index(index) => {
                let (tuple, rest) = items(schema);
                Self::elements(schema, vec![tuple.get(*index).unwrap_or(rest)])
            }
            Step::Each => {
                let (tuple, rest) = items(schema);
                Self::elements(schema, tuple.iter().chain([rest]).collect())
            }
        }
    }

    fn elements(schema: &'a Json, schemas: Vec<&'a Json>) -> Self {
        Self {
            schemas,
            is_named: ["items", "prefixItems"]
                .into_iter()
                .any(|key| schema.get(key).is_some()),
            is_lost: false,
        }
    }

    fn member(schema: &'a Json, key: &str) -> Self {
        let mut below = Self {
            schemas: Vec::new(),
            is_named: false,
            is_lost: false,
        };
        below
            .schemas
            .extend(schema.get("properties").and_then(|it| it.get(key)));
        let patterns = schema.get("patternProperties").and_then(Json::as_object);
        for (pattern, child) in patterns.into_iter().flatten() {
            match Regex::new(pattern) {
                Ok(regex) if regex.is_match(key) => below.schemas.push(child),
                Ok(_) => {}
                Err(_) => below.is_lost = true,
            }
        }
        below.is_named = !below.schemas.is_empty();
        if !below.is_named && !below.is_lost {
            below.schemas.extend(schema.get("additionalProperties"));
        }
        below
    }

    /// Whether some schema here takes the step in.
    pub(crate) fn is_open(&self) -> bool {
        self.is_lost || !self.schemas.is_empty()
    }

    /// The schemas by which the step counts as mentioned. A mere `true` for everything that is not
    /// named is openness, not a mention.
    pub(crate) fn mentioned(
        &self,
        schema: &'a Json,
        step: &Step,
    ) -> impl Iterator<Item = &'a Json> {
        let others: &[&str] = match step {
            Step::Key(_) if self.is_named => &[],
            Step::Key(_) => &["unevaluatedProperties"],
            Step::Index(_) | Step::Each => &["contains", "unevaluatedItems"],
        };
        let is_named = self.is_named;
        self.schemas
            .iter()
            .copied()
            .filter(move |child| is_named || says_something(child))
            .chain(
                others
                    .iter()
                    .filter_map(|key| schema.get(key))
                    .filter(|child| says_something(child)),
            )
    }

    /// Whether `holds` of all that rules there; for `[*]`, of some kind of place.
    pub(crate) fn every(&self, step: &Step, mut holds: impl FnMut(&'a Json) -> bool) -> bool {
        let mut schemas = self.schemas.iter();
        match step {
            Step::Key(_) | Step::Index(_) => schemas.all(|child| holds(child)),
            Step::Each => schemas.any(|child| holds(child)),
        }
    }

    /// Whether one rule there is enough to say that `holds`; for `[*]`, for each kind of place.
    pub(crate) fn some(&self, step: &Step, mut holds: impl FnMut(&'a Json) -> bool) -> bool {
        let mut schemas = self.schemas.iter();
        match step {
            Step::Key(_) | Step::Index(_) => schemas.any(|child| holds(child)),
            Step::Each => schemas.all(|child| holds(child)),
        }
    }

    /// The types of what is there.
    pub(crate) fn types(&self, step: &Step, mut of: impl FnMut(&'a Json) -> Types) -> Types {
        let schemas = self.schemas.iter();
        match step {
            Step::Key(_) | Step::Index(_) => {
                schemas.fold(Types::ALL, |types, child| types.meet(of(child)))
            }
            Step::Each => schemas.fold(Types::NONE, |types, child| types.join(of(child))),
        }
    }
}

/// A schema that says something: neither `true`, nor an empty one, which is the same, nor `false`.
fn says_something(schema: &Json) -> bool {
    schema
        .as_object()
        .is_some_and(|members| !members.is_empty())
}

/// The schemas by position, and the one for all further elements.
fn items(schema: &Json) -> (&[Json], &Json) {
    let prefix = schema.get("prefixItems").and_then(Json::as_array);
    let (tuple, rest) = match (prefix, schema.get("items")) {
        (Some(prefix), rest) => (prefix, rest),
        (None, Some(items)) if items.as_array().is_some() => (
            items.as_array().unwrap_or(&[]),
            schema.get("additionalItems"),
        ),
        (None, rest) => (&[][..], rest),
    };
    (tuple, rest.unwrap_or(&ANYTHING))
}
