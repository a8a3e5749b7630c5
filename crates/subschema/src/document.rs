//! A schema document as its draft reads it: which keywords count, and where references lead.
//! Knows nothing of what keywords mean.

use std::collections::BTreeMap;

use referencing::Resolver;
use spec::Json;
use validator::Draft;

use crate::Reason;
use crate::references::Named;

/// How deep a document is searched for names.
const DEPTH_MAX: usize = 200;

/// How many ways through resources are told apart.
const SCOPES_MAX: usize = 256;

pub(crate) struct Document<'a> {
    pub(crate) root: &'a Json,
    pub(crate) draft: Draft,
    references: References<'a>,
    /// Whether all of it is one resource, in which a reference means the same everywhere.
    is_one_resource: bool,
}

/// How the references of a document are resolved.
enum References<'a> {
    /// They are pointers into it.
    Pointers,
    Named(Box<Named<'a>>),
    Unreadable(Reason),
}

/// What references are read against: which resource it is, and the way to it.
#[derive(Clone)]
pub(crate) struct Scope<'a> {
    resolver: Option<Resolver<'a>>,
    /// Equal for scopes in which every reference means the same.
    pub(crate) key: usize,
}

/// The scopes that were met.
#[derive(Default)]
pub(crate) struct Scopes(BTreeMap<Vec<String>, usize>);

/// A part of a document, with what its own references are read against.
#[derive(Clone)]
pub(crate) struct Place<'a> {
    pub(crate) schema: &'a Json,
    pub(crate) scope: Scope<'a>,
}

/// What stands in a document that pointers do not settle.
#[derive(Default)]
struct Survey {
    names: bool,
    resources: bool,
    too_deep: bool,
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

impl Survey {
    fn read(&mut self, here: &Json, draft: Draft, depth: usize) {
        let members = match here {
            Json::Object(members) => members,
            Json::Array(elements) => {
                for it in elements {
                    self.read(it, draft, depth.saturating_add(1));
                }
                return;
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return,
        };
        if depth > DEPTH_MAX {
            self.too_deep = true;
            return;
        }
        for (key, value) in members {
            let Json::String(text) = value else {
                self.read(value, draft, depth.saturating_add(1));
                continue;
            };
            match key.as_str() {
                "$ref" => self.names |= text != "#" && !text.starts_with("#/"),
                "$dynamicRef" | "$recursiveRef" => self.resources = true,
                "id" if draft == Draft::D4 && depth > 0 => self.resources |= !text.starts_with('#'),
                "$id" if draft > Draft::D4 && depth > 0 => {
                    self.resources |= draft > Draft::D7 || !text.starts_with('#');
                }
                _ => {}
            }
        }
    }
}

impl<'a> Document<'a> {
    pub(crate) fn new(root: &'a Json, draft: Draft) -> Self {
        let mut survey = Survey::default();
        survey.read(root, draft, 0);
        let references = if survey.too_deep {
            References::Unreadable(Reason::limit("a schema nested too deep"))
        } else if survey.names || survey.resources {
            match Named::new(root, draft) {
                Ok(named) => References::Named(Box::new(named)),
                Err(reason) => References::Unreadable(reason),
            }
        } else {
            References::Pointers
        };
        Self {
            root,
            draft,
            references,
            is_one_resource: !survey.resources && !survey.too_deep,
        }
    }

    /// What the references at the root are read against, before its own id.
    pub(crate) fn scope(&'a self) -> Scope<'a> {
        let resolver = match &self.references {
            References::Named(named) => Some(named.resolver()),
            References::Pointers | References::Unreadable(_) => None,
        };
        Scope { resolver, key: 0 }
    }

    /// A part of what is read in a scope.
    pub(crate) fn part(
        &'a self,
        outside: &Scope<'a>,
        schema: &'a Json,
        scopes: &mut Scopes,
    ) -> Result<Place<'a>, Reason> {
        let inside = match (&self.references, &outside.resolver) {
            (References::Named(named), Some(resolver)) => named.within(resolver, schema)?,
            _ => None,
        };
        let scope = match inside {
            Some(inside) => self.entered(inside, scopes)?,
            None => outside.clone(),
        };
        Ok(Place { schema, scope })
    }

    fn entered(&self, resolver: Resolver<'a>, scopes: &mut Scopes) -> Result<Scope<'a>, Reason> {
        let key = match &self.references {
            References::Named(named) => scopes.key(named.scope(&resolver))?,
            References::Pointers | References::Unreadable(_) => 0,
        };
        let resolver = Some(resolver);
        Ok(Scope { resolver, key })
    }

    /// Where a reference leads.
    pub(crate) fn follow(
        &'a self,
        from: &Scope<'a>,
        (keyword, reference): (&str, &str),
        scopes: &mut Scopes,
    ) -> Result<Place<'a>, Reason> {
        match (&self.references, &from.resolver) {
            (References::Unreadable(reason), _) => Err(reason.clone()),
            (References::Named(named), Some(resolver)) => {
                let (schema, resolver) = named.follow(resolver, keyword, reference)?;
                let scope = self.entered(resolver, scopes)?;
                Ok(Place { schema, scope })
            }
            (References::Pointers | References::Named(_), _) => {
                let schema = self.pointed(reference);
                let out = || Reason::keyword(keyword, "a reference that leads out of the document");
                let scope = from.clone();
                Ok(Place {
                    schema: schema.ok_or_else(out)?,
                    scope,
                })
            }
        }
    }

    /// Where a reference leads that means the same everywhere in the document.
    pub(crate) fn resolved(&'a self, reference: &str) -> Option<&'a Json> {
        match &self.references {
            References::Pointers => self.pointed(reference),
            References::Named(named) if self.is_one_resource => named.own(reference),
            References::Named(_) | References::Unreadable(_) => None,
        }
    }

    /// Whether a part that is cut out of the document still means what it meant.
    pub(crate) fn has_plain_references(&self) -> bool {
        matches!(self.references, References::Pointers)
    }

    fn pointed(&self, reference: &str) -> Option<&'a Json> {
        let fragment = decoded(reference.strip_prefix('#')?)?;
        pointed(self.root, &fragment)
    }

    /// The value of a keyword, if it stands there and counts in the draft.
    pub(crate) fn keyword(&self, schema: &'a Json, name: &str) -> Option<&'a Json> {
        let (first, last) = drafts(name);
        let counts = first <= self.draft && self.draft <= last;
        schema.get(name).filter(|_| counts)
    }

    /// # Errors
    /// The schema is one of another draft than the document around it.
    pub(crate) fn check_draft(&self, schema: &Json) -> Result<(), Reason> {
        let Some(named) = schema.get("$schema") else {
            return Ok(());
        };
        let is_same = named.as_str().and_then(Draft::named) == Some(self.draft);
        if is_same || std::ptr::eq(schema, self.root) {
            return Ok(());
        }
        let text = "a part of another draft than the schema around it";
        Err(Reason::keyword("$schema", text))
    }

    /// Whether what stands beside a reference is ignored.
    pub(crate) fn reference_stands_alone(&self) -> bool {
        self.draft <= Draft::D7
    }
}

impl Place<'_> {
    /// By which it is known: the address, and what its references mean.
    pub(crate) fn key(&self) -> (usize, usize) {
        let address = std::ptr::from_ref(self.schema).addr();
        (address, self.scope.key)
    }
}

impl Scopes {
    fn key(&mut self, name: Vec<String>) -> Result<usize, Reason> {
        let next = self.0.len().saturating_add(1);
        if next > SCOPES_MAX && !self.0.contains_key(&name) {
            return Err(Reason::limit(
                "references that lead through too many resources",
            ));
        }
        Ok(*self.0.entry(name).or_insert(next))
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

/// An index as JSON Pointer writes it: digits alone, and no zero before others.
fn index(step: &str) -> Option<usize> {
    let plain = step == "0" || !step.starts_with('0');
    let digits = step.bytes().all(|byte| byte.is_ascii_digit());
    step.parse().ok().filter(|_| plain && digits)
}

fn pointed<'a>(root: &'a Json, pointer: &str) -> Option<&'a Json> {
    let mut here = root;
    for step in pointer.split('/').skip(1) {
        here = match here {
            Json::Object(members) => members.get(&step.replace("~1", "/").replace("~0", "~"))?,
            Json::Array(elements) => elements.get(index(step)?)?,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
        };
    }
    Some(here)
}
