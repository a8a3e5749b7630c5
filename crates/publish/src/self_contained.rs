//! A document by itself, as it goes into the catalog: everything that it refers to by file is in it,
//! the rest is as its author wrote it. Knows one document; not what others make of it.

use spec::snapshot::Identity;
use spec::{Digest, DocumentKind, Json};

use crate::catalog::{Catalog, Wanted};
use crate::diagnostic::{At, Diagnostic, Location, Sink};
use crate::diagnostics::{e0101, e0313, e0314, e0315};
use crate::document::PolicyRef;
use crate::document::policy::Policy;
use crate::document::tool::Tool;
use crate::files::{Files, MemoryFiles};
use crate::library::{Library, Shelved};
use crate::reference::LogicalRef;
use crate::sources::{Document, Sources};

/// The largest document in the catalog. Every version of a document is looked at when a reference
/// is resolved, so one has to stay far below what a file may have.
const DOCUMENT_BYTES_MAX: usize = 1024 * 1024;

/// How many differences are told.
const DIFFERENCES_MAX: usize = 8;

/// A document that can go into the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogDocument {
    /// Its kind.
    pub kind: DocumentKind,
    /// Who it is. The version has no build metadata.
    pub id: Identity,
    /// Its own text, canonical JSON, which says everything by itself.
    pub document: Vec<u8>,
    /// The digest of that text.
    pub digest: Digest,
}

/// What became of a file that should go into the catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledDocument {
    /// There exactly when no diagnostic is an error.
    pub entry: Option<CatalogDocument>,
    /// Everything that was found.
    pub diagnostics: Vec<Diagnostic>,
    /// What the catalog was asked for and has not answered yet.
    pub wanted: Vec<Wanted>,
}

/// Makes the Tool or Policy in the file `path` ready for the catalog.
#[must_use]
pub fn document(files: &dyn Files, catalog: &Catalog, path: &str) -> CompiledDocument {
    let mut sink = Sink::default();
    let mut sources = Sources::with(files, catalog);
    let entry = build(path, &mut sources, &mut sink);
    let sound = sink.errors() == 0;
    CompiledDocument {
        entry: entry.filter(|_| sound),
        diagnostics: sink.into_sorted(path),
        wanted: sources.lookups().wanted(),
    }
}

fn build(path: &str, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<CatalogDocument> {
    let whole = Location::top(&path.into());
    let before = sink.errors();
    if sources.bytes(path, sink).is_none() {
        if sink.errors() == before {
            sink.push(e0101::no_document(&whole));
        }
        return None;
    }
    let document = sources.document(path, sink)?;
    let kind = document.cursor().child("kind");
    let kind = kind.map_or(Some(String::new()), |it| Some(it.text(sink)?.value))?;
    let known = DocumentKind::ALL.into_iter();
    match known.into_iter().find(|it| it.as_str() == kind) {
        Some(DocumentKind::Tool) => {
            let tool = Tool::read(&document, sources, sink)?;
            warn_of_what_is_missing(&tool, sources, sink);
            finish(&document, &tool, &whole, sink)
        }
        Some(DocumentKind::Policy) => {
            let policy = Policy::read(&document, sink)?;
            finish(&document, &policy, &whole, sink)
        }
        None => {
            let at = document.cursor().locate("kind");
            sink.push(e0313::neither(&at, &kind));
            None
        }
    }
}

fn finish<T: Shelved>(
    document: &Document,
    read: &T,
    whole: &Location,
    sink: &mut Sink,
) -> Option<CatalogDocument> {
    let bytes = text(document, read, sink)?;
    if bytes.len() > DOCUMENT_BYTES_MAX {
        sink.push(e0314::too_large(whole, bytes.len(), DOCUMENT_BYTES_MAX));
        return None;
    }
    // Whoever compiles against it later cannot mend it, so it has to read back here.
    let mut again = Sink::default();
    let reread = Document::from_json(&whole.file, &bytes, &mut again);
    let nothing = MemoryFiles::default();
    let reread = reread.and_then(|it| T::read(&it, &mut Sources::new(&nothing), &mut again));
    if reread.is_none() || again.errors() > 0 {
        let found = again.into_sorted("");
        let first = found.first().map(|it| it.message.as_str());
        sink.push(e0314::does_not_read_back(whole, first.unwrap_or_default()));
        return None;
    }
    Some(CatalogDocument {
        kind: T::KIND,
        id: read.header().recorded(),
        digest: Digest::of(&bytes),
        document: bytes,
    })
}

/// The document by itself; `None` when it is not sound, which has been reported. Schemas stand in it
/// whole, and the version is the one that is compared.
pub(crate) fn text<T: Shelved>(document: &Document, read: &T, sink: &mut Sink) -> Option<Vec<u8>> {
    let (_, version) = read
        .header()
        .identity
        .as_ref()
        .filter(|_| read.is_sound())?;
    let mut json = document.cursor().json(sink)?;
    set(&mut json, "metadata", "version", version.to_string());
    for (key, schema) in read.schemas() {
        if let Some(schema) = schema {
            let inline = Json::from_members([("inline", schema.clone())]);
            set(&mut json, "spec", key, inline);
        }
    }
    Some(json.to_canonical().into_bytes())
}

fn set(document: &mut Json, part: &str, key: &str, value: impl Into<Json>) {
    if let Json::Object(members) = document
        && let Some(Json::Object(part)) = members.get_mut(part)
    {
        part.insert(key.to_owned(), value.into());
    }
}

/// A Tool in the catalog reaches bundles that may not have what it refers to.
fn warn_of_what_is_missing(tool: &Tool, sources: &Sources<'_>, sink: &mut Sink) {
    let policies = Library::<Policy>::of_catalog(sources, sink);
    for reference in &tool.default_policies {
        if let PolicyRef::Logical(reference) = reference {
            warn_if_missing(reference, &policies, sources, sink);
        }
    }
    let tools = Library::<Tool>::of_catalog(sources, sink);
    if let Some(probe) = &tool.probe {
        warn_if_missing(&probe.tool, &tools, sources, sink);
    }
}

fn warn_if_missing<T: Shelved>(
    reference: &At<LogicalRef>,
    library: &Library<T>,
    sources: &Sources<'_>,
    sink: &mut Sink,
) {
    let At { value, at } = reference;
    sources.lookups().want(T::KIND, &value.id, false);
    if sources.lookups().answered(T::KIND, &value.id) && !library.has(value) {
        sink.push(e0315::not_there(at, T::KIND, &value.id.to_string()));
    }
}

/// Where two documents differ: JSON pointers, in order. Of many, the first, and how many more.
#[must_use]
pub fn differences(existing: &[u8], offered: &[u8]) -> Vec<String> {
    let (Ok(existing), Ok(offered)) = (Json::parse(existing), Json::parse(offered)) else {
        return vec!["/".to_owned()];
    };
    let mut found = Vec::new();
    let mut path = String::new();
    compare(Some(&existing), Some(&offered), &mut path, &mut found);
    let more = found.len().saturating_sub(DIFFERENCES_MAX);
    found.truncate(DIFFERENCES_MAX);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    found
}

fn compare(a: Option<&Json>, b: Option<&Json>, path: &mut String, found: &mut Vec<String>) {
    let length = path.len();
    let mut step = |key: &str, a: Option<&Json>, b: Option<&Json>| {
        path.push('/');
        path.push_str(&key.replace('~', "~0").replace('/', "~1"));
        compare(a, b, path, found);
        path.truncate(length);
    };
    match (a, b) {
        (Some(Json::Object(a)), Some(Json::Object(b))) => {
            let added = b.keys().filter(|key| !a.contains_key(*key));
            let mut keys: Vec<&String> = a.keys().chain(added).collect();
            keys.sort();
            for key in keys {
                step(key, a.get(key), b.get(key));
            }
        }
        (Some(Json::Array(a)), Some(Json::Array(b))) => {
            for index in 0..a.len().max(b.len()) {
                step(&index.to_string(), a.get(index), b.get(index));
            }
        }
        (a, b) if a == b => {}
        _ => {
            let here = if path.is_empty() { "/" } else { path.as_str() };
            found.push(here.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::differences;

    #[test]
    fn where_documents_differ() {
        let a = br#"{"kind":"Tool","spec":{"a/b":1,"list":[1,2],"same":{"x":null}}}"#;
        let b = br#"{"kind":"Tool","spec":{"a/b":1.5,"list":[1],"new":true,"same":{"x":null}}}"#;
        assert_eq!(
            differences(a, b),
            ["/spec/a~1b", "/spec/list/1", "/spec/new"]
        );
        assert!(differences(a, a).is_empty());
        assert_eq!(differences(b"[]", b"{}"), ["/"]);
        let long: Vec<String> = (0..20).map(|it| it.to_string()).collect();
        let long = format!("[{}]", long.join(","));
        let told = differences(b"[]", long.as_bytes());
        assert_eq!((told.len(), told[8].as_str()), (9, "and 12 more"));
    }
}
