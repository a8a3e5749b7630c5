//! A schema document as its draft reads it: which keywords count, and where references lead.
//! Knows nothing of what keywords mean.

use spec::Json;
use validator::Draft;

use crate::Reason;

/// How deep a document is searched for anchors.
const DEPTH_MAX: usize = 200;

/// Keywords that hold values, not schemas.
const DATA: &[&str] = &["const", "default", "enum", "examples"];

pub(crate) struct Document<'a> {
    pub(crate) root: &'a Json,
    pub(crate) draft: Draft,
    /// Whether some part of it has an id of its own, against which references would be read.
    nested_ids: bool,
}

/// The drafts in which a keyword counts, first and last.
fn drafts(keyword: &str) -> (Draft, Draft) {
    match keyword {
        "const" | "contains" | "propertyNames" => (Draft::D6, Draft::D2020),
        "if" | "then" | "else" => (Draft::D7, Draft::D2020),
        "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "minContains"
        | "maxContains"
        | "$anchor" => (Draft::D2019, Draft::D2020),
        "$recursiveRef" => (Draft::D2019, Draft::D2019),
        "prefixItems" | "$dynamicRef" => (Draft::D2020, Draft::D2020),
        "additionalItems" => (Draft::D4, Draft::D2019),
        _ => (Draft::D4, Draft::D2020),
    }
}

impl<'a> Document<'a> {
    pub(crate) fn new(root: &'a Json, draft: Draft) -> Self {
        let mut document = Self {
            root,
            draft,
            nested_ids: false,
        };
        document.nested_ids = document.has_nested_id(root, 0);
        document
    }

    /// The value of a keyword, if it stands there and counts in the draft.
    pub(crate) fn keyword(&self, schema: &'a Json, name: &str) -> Option<&'a Json> {
        let (first, last) = drafts(name);
        let counts = first <= self.draft && self.draft <= last;
        schema.get(name).filter(|_| counts)
    }

    /// Whether what stands beside a reference is ignored.
    pub(crate) fn reference_stands_alone(&self) -> bool {
        self.draft <= Draft::D7
    }

    fn id_keyword(&self) -> &'static str {
        if self.draft == Draft::D4 { "id" } else { "$id" }
    }

    fn has_nested_id(&self, here: &Json, depth: usize) -> bool {
        if depth > DEPTH_MAX {
            return true;
        }
        match here {
            Json::Object(members) => members.iter().any(|(key, value)| {
                let is_id = depth > 0
                    && key == self.id_keyword()
                    && value.as_str().is_some_and(|it| !it.starts_with('#'));
                is_id || self.has_nested_id(value, depth.saturating_add(1))
            }),
            Json::Array(elements) => elements
                .iter()
                .any(|it| self.has_nested_id(it, depth.saturating_add(1))),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
        }
    }

    /// Where a reference leads.
    pub(crate) fn resolve(&self, reference: &str) -> Result<&'a Json, Reason> {
        if self.nested_ids {
            return Err(Reason::keyword("$id", "a part with an id of its own"));
        }
        let unknown = || Reason::keyword("$ref", "a reference that leads out of the document");
        let fragment = match reference.split_once('#') {
            Some(("", fragment)) => fragment,
            Some((base, fragment)) if self.is_own_id(base) => fragment,
            None if reference.is_empty() || self.is_own_id(reference) => "",
            Some(_) | None => return Err(unknown()),
        };
        let fragment = decoded(fragment).ok_or_else(unknown)?;
        if fragment.is_empty() {
            return Ok(self.root);
        }
        if fragment.starts_with('/') {
            return pointed(self.root, &fragment).ok_or_else(unknown);
        }
        self.anchored(&fragment).ok_or_else(unknown)
    }

    fn is_own_id(&self, base: &str) -> bool {
        let id = self.root.get(self.id_keyword()).and_then(Json::as_str);
        id.is_some_and(|it| it.trim_end_matches('#') == base)
    }

    /// The one schema that is called so. A name that stands twice, or within data, is nobody's: which
    /// of them a validator means is not for us to guess.
    fn anchored(&self, name: &str) -> Option<&'a Json> {
        let mut open = vec![(self.root, false)];
        let mut found = None;
        while let Some((here, in_data)) = open.pop() {
            match here {
                Json::Object(members) => {
                    if self.anchor_of(here) == Some(name)
                        && found.replace((here, in_data)).is_some()
                    {
                        return None;
                    }
                    open.extend(
                        members
                            .iter()
                            .map(|(key, it)| (it, in_data || DATA.contains(&key.as_str()))),
                    );
                }
                Json::Array(elements) => open.extend(elements.iter().map(|it| (it, in_data))),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
            }
        }
        let (schema, in_data) = found?;
        (!in_data).then_some(schema)
    }

    fn anchor_of(&self, schema: &'a Json) -> Option<&'a str> {
        let text = |keyword: &str| schema.get(keyword).and_then(Json::as_str);
        if self.draft >= Draft::D2019 {
            text("$anchor")
        } else {
            text(self.id_keyword()).and_then(|it| it.strip_prefix('#'))
        }
    }
}

/// Percent-encoding undone.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |it: Option<u8>| char::from(it?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high.checked_mul(16)?.checked_add(low)?).ok()?);
    }
    String::from_utf8(bytes).ok()
}

fn pointed<'a>(root: &'a Json, pointer: &str) -> Option<&'a Json> {
    let mut here = root;
    for step in pointer.split('/').skip(1) {
        here = match here {
            Json::Object(members) => members.get(&step.replace("~1", "/").replace("~0", "~"))?,
            Json::Array(elements) => elements.get(step.parse::<usize>().ok()?)?,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
        };
    }
    Some(here)
}
