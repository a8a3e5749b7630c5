//! What is known of the catalog: the documents that were looked up, and what else is wanted of it.
//! Knows versions and bytes; not where the catalog is or how it is asked.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use semver::Version;
use spec::DocumentKind;

use crate::constraint::{Constraint, Malformed};
use crate::diagnostic::{Location, Sink};
use crate::diagnostics::e0312;
use crate::files::MemoryFiles;
use crate::library::Shelved;
use crate::reference::{LogicalId, logical_id};
use crate::sources::{Document, Sources};

/// A document that a compilation would like to see: every version of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// Its kind.
    pub kind: DocumentKind,
    /// Its logical id, `namespace.name`.
    pub id: String,
    /// Whether nothing can be compiled without the answer. Otherwise the bundle has what is needed,
    /// and the answer only shows whether the catalog says something else.
    pub required: bool,
}

/// One version of a document in the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The version, without build metadata.
    pub version: String,
    /// The document by itself, canonical JSON.
    pub document: Vec<u8>,
    /// Whether it has been deprecated.
    pub deprecated: bool,
}

/// What has been looked up so far. Empty, it is a catalog that nobody has asked.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    entries: BTreeMap<(DocumentKind, String), Vec<Arc<Entry>>>,
    others: BTreeSet<(DocumentKind, String)>,
    unavailable: Option<Arc<str>>,
}

impl Catalog {
    /// Adds an answer: every version of the document, or none when there is no such document.
    pub fn insert(&mut self, wanted: &Wanted, entries: Vec<Entry>) {
        let key = (wanted.kind, wanted.id.clone());
        let entries = entries.into_iter().map(Arc::new).collect();
        self.entries.insert(key, entries);
    }

    /// Adds ids of documents that were not looked up, to offer one to whoever has mistyped it.
    pub fn add_names(&mut self, kind: DocumentKind, ids: impl IntoIterator<Item = String>) {
        self.others.extend(ids.into_iter().map(|id| (kind, id)));
    }

    /// Says that the catalog could not be asked, and why, so that what is missing is not taken for
    /// what does not exist.
    pub fn set_unavailable(&mut self, why: &str) {
        self.unavailable = Some(Arc::from(why));
    }

    /// Whether the catalog is known to have this very version of a document.
    pub(crate) fn has_version(&self, kind: DocumentKind, id: &str, version: &str) -> bool {
        let entries = self.entries.get(&(kind, id.to_owned()));
        let version = plain_version(version);
        entries.is_some_and(|it| it.iter().any(|it| Some(&it.version) == version.as_ref()))
    }

    /// Whether there is an answer about this document.
    #[must_use]
    pub fn has(&self, wanted: &Wanted) -> bool {
        self.entries.contains_key(&(wanted.kind, wanted.id.clone()))
    }
}

/// Of `versions`, each with whether it is deprecated, the one that `constraint` means: as in a
/// reference, the highest that it accepts, deprecated ones last. Without a constraint it is the
/// highest stable one, and the highest of all when none is stable.
///
/// # Errors
/// What is wrong with the constraint, in words.
pub fn choose(
    constraint: Option<&str>,
    versions: &[(&str, bool)],
) -> Result<Option<usize>, String> {
    let constraint = constraint.map(Constraint::parse).transpose();
    let constraint =
        constraint.map_err(|Malformed { why, example }| format!("{why}; write `{example}`"))?;
    let parsed = versions.iter().enumerate().filter_map(|(index, it)| {
        let (version, deprecated) = *it;
        let version = Version::parse(version).ok()?;
        Some((version, index, deprecated))
    });
    let parsed: Vec<_> = parsed.collect();
    let mut candidates: Vec<_> = parsed
        .iter()
        .map(|(version, index, deprecated)| Candidate {
            version,
            index: *index,
            deprecated: *deprecated,
        })
        .collect();
    candidates.sort();
    let chosen = pick(&candidates, constraint.as_ref(), true);
    Ok(chosen.map(|it| it.index))
}

/// A whole version by the spelling that is compared: without a leading `v` and build metadata;
/// `None` when it is none.
#[must_use]
pub fn plain_version(text: &str) -> Option<String> {
    let bare = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let mut version = Version::parse(bare).ok()?;
    version.build = semver::BuildMetadata::EMPTY;
    Some(version.to_string())
}

/// A version that a reference may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate<'a> {
    pub(crate) version: &'a Version,
    pub(crate) index: usize,
    pub(crate) deprecated: bool,
}

/// The highest of `candidates`, lowest first, that `constraint` accepts; deprecated ones are passed
/// over unless there is nothing else. Without a constraint a stable version, or, where
/// `prereleases` may stand in, the highest.
pub(crate) fn pick<'a>(
    candidates: &[Candidate<'a>],
    constraint: Option<&Constraint>,
    prereleases: bool,
) -> Option<Candidate<'a>> {
    let highest = |accepts: &dyn Fn(&Version) -> bool| {
        let mut accepted = candidates.iter().rev().filter(|it| accepts(it.version));
        let last_resort = accepted.clone().next();
        accepted.find(|it| !it.deprecated).or(last_resort).copied()
    };
    match constraint {
        Some(constraint) => highest(&|it| constraint.accepts(it)),
        None => {
            highest(&|it| it.pre.is_empty()).or_else(|| highest(&|_| true).filter(|_| prereleases))
        }
    }
}

/// The catalog as one compilation sees it, and what it wants of it.
pub(crate) struct Lookups {
    catalog: Catalog,
    /// Whether each is required.
    wanted: RefCell<BTreeMap<(DocumentKind, String), bool>>,
}

impl Lookups {
    pub(crate) fn new(catalog: Catalog) -> Self {
        Self {
            catalog,
            wanted: RefCell::default(),
        }
    }

    pub(crate) fn want(&self, kind: DocumentKind, id: &LogicalId, required: bool) {
        let mut wanted = self.wanted.borrow_mut();
        *wanted.entry((kind, id.to_string())).or_default() |= required;
    }

    /// What has been asked for and not answered.
    pub(crate) fn wanted(&self) -> Vec<Wanted> {
        let wanted = self.wanted.borrow();
        let open = wanted
            .iter()
            .filter(|(key, _)| !self.catalog.entries.contains_key(*key));
        open.map(|((kind, id), required)| Wanted {
            kind: *kind,
            id: id.clone(),
            required: *required,
        })
        .collect()
    }

    /// Whether the catalog has said what it has of this document.
    pub(crate) fn answered(&self, kind: DocumentKind, id: &LogicalId) -> bool {
        let key = (kind, id.to_string());
        self.catalog.entries.contains_key(&key)
    }

    /// The ids that are known to be in the catalog.
    pub(crate) fn ids(&self, kind: DocumentKind) -> Vec<String> {
        let filled = self.catalog.entries.iter();
        let filled = filled.filter_map(|(key, entries)| (!entries.is_empty()).then_some(key));
        let of_kind = filled
            .chain(&self.catalog.others)
            .filter(|it| it.0 == kind)
            .map(|(_, id)| id.clone());
        let ids: BTreeSet<String> = of_kind.collect();
        ids.into_iter().collect()
    }

    pub(crate) fn unavailable(&self) -> Option<&str> {
        self.catalog.unavailable.as_deref()
    }

    /// Everything of one kind, ready to be read.
    pub(crate) fn filed<T: Shelved>(&self, sink: &mut Sink) -> Vec<Filed<T>> {
        let mut filed = Vec::new();
        for ((kind, id), entries) in &self.catalog.entries {
            if *kind != T::KIND {
                continue;
            }
            for entry in entries {
                let name = file_name(id, &entry.version);
                match (logical_id(id), Version::parse(&entry.version)) {
                    (Some(id), Ok(version)) => filed.push(Filed {
                        id,
                        version,
                        entry: Arc::clone(entry),
                        read: OnceCell::new(),
                    }),
                    _ => sink.push(e0312::misfiled(&Location::file(&Rc::from(name)), None)),
                }
            }
        }
        filed
    }
}

/// What stands before the name of a document of the catalog. No path of a bundle begins so.
const FILED: &str = "catalog:";

/// The name under which diagnostics speak of a document of the catalog.
pub(crate) fn file_name(id: &str, version: &str) -> String {
    format!("{FILED}{id}@{version}")
}

/// Whether what a diagnostic names as its file is a document of the catalog.
#[must_use]
pub fn is_filed(file: &str) -> bool {
    file.starts_with(FILED)
}

/// A document of the catalog, which is read when something refers to it.
pub(crate) struct Filed<T> {
    pub(crate) id: LogicalId,
    pub(crate) version: Version,
    pub(crate) entry: Arc<Entry>,
    read: OnceCell<Option<T>>,
}

impl<T: Shelved> Filed<T> {
    /// The document, if it has been read.
    pub(crate) fn get(&self) -> Option<&T> {
        self.read.get()?.as_ref()
    }

    /// Reads it by the reader of files. What is wrong with it is reported the first time.
    pub(crate) fn read(&self, sink: &mut Sink) -> Option<&T> {
        let read = || {
            let name = file_name(&self.id.to_string(), &self.version.to_string());
            let document = Document::from_json(&name, &self.entry.document, sink)?;
            // It stands by itself: no file of any bundle is within its reach.
            let nothing = MemoryFiles::default();
            let read = T::read(&document, &mut Sources::new(&nothing), sink)?;
            let identity = read.header().identity.as_ref();
            if identity.is_none_or(|(id, version)| *id != self.id || *version != self.version) {
                let says = identity.map(|(id, version)| format!("{id}@{version}"));
                sink.push(e0312::misfiled(
                    &Location::file(&document.file),
                    says.as_deref(),
                ));
                return None;
            }
            Some(read)
        };
        self.read.get_or_init(read).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::{choose, plain_version};

    #[test]
    fn one_spelling_of_versions() {
        for text in ["1.2.0", "v1.2.0", "1.2.0+b"] {
            assert_eq!(plain_version(text).as_deref(), Some("1.2.0"), "{text}");
        }
        for text in ["", "1.2", "^1.2.0", "latest", "=1.2.0"] {
            assert_eq!(plain_version(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_constraint_means() {
        let versions = [
            ("1.0.0", false),
            ("1.10.0", false),
            ("1.9.0", false),
            ("2.0.0", true),
            ("3.0.0-rc.1", false),
        ];
        for (constraint, chosen) in [
            (None, Some("1.10.0")),
            (Some("^1"), Some("1.10.0")),
            (Some("1.9"), Some("1.9.0")),
            (Some("^2"), Some("2.0.0")),
            (Some("v2.0.0"), Some("2.0.0")),
            (Some("^1 || ^2"), Some("1.10.0")),
            (Some("^3"), None),
            (Some("3.0.0-rc.1"), Some("3.0.0-rc.1")),
        ] {
            let index = choose(constraint, &versions).unwrap();
            let found = index.map(|it| versions[it].0);
            assert_eq!(found, chosen, "{constraint:?}");
        }
        let alone = [("1.0.0-rc.1", false), ("1.0.0-rc.2", true)];
        assert_eq!(choose(None, &alone), Ok(Some(0)));
        assert_eq!(choose(None, &[]), Ok(None));
        assert!(choose(Some("latest"), &versions).is_err());
    }
}
