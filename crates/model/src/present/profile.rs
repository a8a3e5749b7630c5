//! What each provider takes. Data only: what becomes of the rest is decided elsewhere.

/// What a provider accepts as the tools of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The provider, as `spec.model.provider` names it.
    pub provider: &'static str,
    /// The longest name of a tool: letters, digits, `_` and `-`.
    pub name_chars_max: usize,
    /// Whether a name may begin with a digit or `-`.
    pub name_starts_freely: bool,
    /// The longest description of a tool, in characters.
    pub description_chars_max: usize,
    /// The most tools in one request.
    pub tools_max: usize,
    /// The keywords that are shown. Without `$ref`, references are followed and inlined; without
    /// `allOf`, its parts are merged; what is left of the others is said in words.
    pub keywords: &'static [&'static str],
    /// Whether only what every converter of schemas knows is shown in these keywords' values: one
    /// type each, `enum` of texts, `additionalProperties` as a truth value, `required` within
    /// `properties`.
    pub plain_values: bool,
    /// Whether names of properties are bound to 64 letters, digits, `_`, `.` and `-`.
    pub plain_property_names: bool,
    /// Whether `type: array` needs `items`.
    pub arrays_need_items: bool,
    /// How deep schemas may nest.
    pub depth_max: usize,
    /// How many schemas there may be in one.
    pub nodes_max: usize,
    /// The largest schema, in bytes of JSON.
    pub bytes_max: usize,
}

impl Profile {
    /// Whether the provider is shown this keyword.
    #[must_use]
    pub fn takes(&self, keyword: &str) -> bool {
        self.keywords.contains(&keyword)
    }

    /// Whether a property may have this name.
    #[must_use]
    pub fn takes_property(&self, name: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        !self.plain_property_names || ((1..=64).contains(&name.len()) && name.chars().all(is_plain))
    }
}

/// What validates in 2020-12 and is safe to weaken piece by piece. Missing are `oneOf`, which is
/// shown as `anyOf`, and what would say more as soon as a part of it says less (`not`, `if`).
const FULL: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
];

/// What converters to grammars and to other vendors' schemas have in common.
const PORTABLE: &[&str] = &[
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

/// Anthropic's Messages API.
pub const ANTHROPIC: Profile = Profile {
    provider: "anthropic",
    name_chars_max: 64,
    name_starts_freely: true,
    description_chars_max: 16 * 1024,
    tools_max: 512,
    keywords: FULL,
    plain_values: false,
    plain_property_names: true,
    arrays_need_items: false,
    depth_max: 24,
    nodes_max: 8_000,
    bytes_max: 128 * 1024,
};

/// OpenAI's Chat Completions, never in strict mode.
pub const OPENAI: Profile = Profile {
    provider: "openai",
    description_chars_max: 1024,
    tools_max: 128,
    plain_property_names: false,
    arrays_need_items: true,
    ..ANTHROPIC
};

/// Servers that speak OpenAI's protocol: the least that they have in common.
pub const OPENAI_COMPATIBLE: Profile = Profile {
    provider: "openai-compatible",
    name_starts_freely: false,
    keywords: PORTABLE,
    plain_values: true,
    plain_property_names: true,
    depth_max: 16,
    nodes_max: 4_000,
    bytes_max: 64 * 1024,
    ..OPENAI
};

/// OpenRouter, which hands tools on to any vendor.
pub const OPENROUTER: Profile = Profile {
    provider: "openrouter",
    ..OPENAI_COMPATIBLE
};

/// Every profile.
pub const PROFILES: [&Profile; 4] = [&ANTHROPIC, &OPENAI, &OPENAI_COMPATIBLE, &OPENROUTER];

/// The profile of a provider by its name in manifests; the most careful one for any other.
#[must_use]
pub fn profile_of(provider: &str) -> &'static Profile {
    let found = PROFILES.into_iter().find(|it| it.provider == provider);
    found.unwrap_or(&OPENAI_COMPATIBLE)
}
