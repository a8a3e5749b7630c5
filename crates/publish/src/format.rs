//! The format of documents as JSON Schema, for editors. Knows the files in `format/`, which are
//! written by hand, and how they make one schema; nothing that is published is checked with it.

use std::collections::{BTreeMap, BTreeSet};

use spec::Json;

/// The files, each a map of definitions by name.
const FILES: [&str; 5] = [
    include_str!("../format/agent.json"),
    include_str!("../format/bundle.json"),
    include_str!("../format/policy.json"),
    include_str!("../format/shared.json"),
    include_str!("../format/tool.json"),
];

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
const ID: &str = "https://ordain.dev/schemas/v1";
const PREFIX: &str = "#/$defs/";

/// A kind of document that authors write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatKind {
    /// `kind: Agent`
    Agent,
    /// `kind: Tool`
    Tool,
    /// `kind: Policy`
    Policy,
    /// `kind: Bundle`
    Bundle,
}

impl FormatKind {
    /// All of them.
    pub const ALL: [FormatKind; 4] = [
        FormatKind::Agent,
        FormatKind::Tool,
        FormatKind::Policy,
        FormatKind::Bundle,
    ];

    /// The value of `kind`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            FormatKind::Agent => "Agent",
            FormatKind::Tool => "Tool",
            FormatKind::Policy => "Policy",
            FormatKind::Bundle => "Bundle",
        }
    }
}

/// The JSON Schema (2020-12) of one kind of document, or of all, told apart by their `kind`.
///
/// It describes the whole format, whether or not this version supports a field yet. What it cannot
/// say (that a reference leads somewhere, that a binding is narrower than its Tool) only compiling
/// tells.
#[must_use]
pub fn format_schema(kind: Option<FormatKind>) -> Json {
    let definitions = definitions();
    let mut root = BTreeMap::from([("$schema".to_owned(), Json::from(DRAFT))]);
    match kind {
        Some(kind) => {
            let name = kind.as_str();
            let id = format!("{ID}/{}.json", name.to_ascii_lowercase());
            root.insert("$id".to_owned(), Json::from(id));
            root.insert("$ref".to_owned(), Json::from(format!("{PREFIX}{name}")));
            root.insert("$defs".to_owned(), reachable(name, &definitions));
        }
        None => {
            root.insert("$id".to_owned(), Json::from(format!("{ID}.json")));
            root.extend(dispatch());
            root.insert("$defs".to_owned(), Json::Object(definitions));
        }
    }
    Json::Object(root)
}

/// A document of any kind. `if` and not `oneOf`, so that an editor complains about the one kind that
/// is meant.
fn dispatch() -> [(String, Json); 5] {
    let of = |kind: FormatKind| {
        let name = kind.as_str();
        let is_meant = Json::from_members([
            (
                "properties",
                Json::from_members([("kind", Json::from_members([("const", Json::from(name))]))]),
            ),
            ("required", Json::from(vec![Json::from("kind")])),
        ]);
        let target = Json::from(format!("{PREFIX}{name}"));
        Json::from_members([
            ("if", is_meant),
            ("then", Json::from_members([("$ref", target)])),
        ])
    };
    let names: Vec<_> = FormatKind::ALL
        .iter()
        .map(|it| Json::from(it.as_str()))
        .collect();
    let kind = Json::from_members([
        ("description", Json::from("What the document is.")),
        ("enum", Json::from(names)),
    ]);
    let branches: Vec<_> = FormatKind::ALL.into_iter().map(of).collect();
    [
        (
            "description".to_owned(),
            Json::from("A document of the format phrony.com/v1."),
        ),
        ("type".to_owned(), Json::from("object")),
        (
            "properties".to_owned(),
            Json::from_members([("kind", kind)]),
        ),
        ("required".to_owned(), Json::from(vec![Json::from("kind")])),
        ("allOf".to_owned(), Json::from(branches)),
    ]
}

/// Everything in the files. They are part of the program and a test reads them.
fn definitions() -> BTreeMap<String, Json> {
    let mut all = BTreeMap::new();
    for file in FILES {
        if let Ok(Json::Object(some)) = Json::parse(file.as_bytes()) {
            all.extend(some);
        }
    }
    all
}

/// The definitions that the one called `name` needs, itself among them.
fn reachable(name: &str, definitions: &BTreeMap<String, Json>) -> Json {
    let mut found = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        if let Some(definition) = definitions.get(&name)
            && found.insert(name)
        {
            references(definition, &mut open);
        }
    }
    let some = definitions.iter().filter(|(name, _)| found.contains(*name));
    Json::from_members(some.map(|(name, it)| (name.clone(), it.clone())))
}

/// The names of the definitions that `schema` refers to.
fn references(schema: &Json, into: &mut Vec<String>) {
    if let Some(elements) = schema.as_array() {
        elements.iter().for_each(|it| references(it, into));
    }
    for (key, value) in schema.as_object().into_iter().flatten() {
        let target = value.as_str().filter(|_| key == "$ref");
        match target.and_then(|it| it.strip_prefix(PREFIX)) {
            Some(name) => into.push(name.to_owned()),
            None => references(value, into),
        }
    }
}
