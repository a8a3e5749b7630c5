//! The documents of `tools/` and `policies/`, found by what their metadata says, and behind them
//! those of the catalog.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use semver::Version;
use spec::{DocumentKind, Json};

use crate::catalog::{Candidate, Filed, Lookups, is_filed, pick};
use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::{e0305, e0306, e0307, e0310, e0311};
use crate::document::Header;
use crate::document::policy::Policy;
use crate::document::tool::Tool;
use crate::files::is_document;
use crate::reference::{LogicalId, LogicalRef};
use crate::schema::Schema;
use crate::self_contained;
use crate::sources::{Document, Sources};

/// A kind of document that is found by its metadata.
pub(crate) trait Shelved: Sized {
    const KIND: DocumentKind;

    fn read(document: &Rc<Document>, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<Self>;
    fn header(&self) -> &Header;
    fn file(&self) -> &str;
    /// Whether nothing in the document was refused.
    fn is_sound(&self) -> bool;
    /// The fields of `spec` that may refer to schemas in other files, with what these declare.
    fn schemas(&self) -> [(&'static str, Option<&Json>); 2];
}

impl Shelved for Tool {
    const KIND: DocumentKind = DocumentKind::Tool;

    fn read(document: &Rc<Document>, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<Self> {
        Tool::read(document, sources, sink)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn file(&self) -> &str {
        &self.file
    }

    fn is_sound(&self) -> bool {
        self.sound
    }

    fn schemas(&self) -> [(&'static str, Option<&Json>); 2] {
        [
            ("input_schema", self.input.as_ref().map(Schema::declared)),
            ("output_schema", self.output.as_ref().map(Schema::declared)),
        ]
    }
}

impl Shelved for Policy {
    const KIND: DocumentKind = DocumentKind::Policy;

    fn read(document: &Rc<Document>, _: &mut Sources<'_>, sink: &mut Sink) -> Option<Self> {
        Policy::read(document, sink)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn file(&self) -> &str {
        &self.document.file
    }

    fn is_sound(&self) -> bool {
        self.sound
    }

    fn schemas(&self) -> [(&'static str, Option<&Json>); 2] {
        [("", None), ("", None)]
    }
}

/// A document, and where it comes from.
enum Slot<T> {
    Bundled { document: Rc<Document>, read: T },
    Filed(Filed<T>),
}

/// All documents of one kind.
pub(crate) struct Library<T> {
    /// Those of the catalog first, all versions of one beside each other.
    documents: Vec<Slot<T>>,
    /// Where the versions of each document of the catalog are.
    filed: BTreeMap<LogicalId, Range<usize>>,
    filed_count: usize,
    /// Some document of the bundle could not be read far enough to be found; what it is called is
    /// not known.
    has_unnamed: bool,
    lookups: Rc<Lookups>,
}

impl<T: Shelved> Library<T> {
    /// Reads every document of the kind's folder. Those of the catalog are read when they are
    /// referred to.
    pub(crate) fn load(sources: &mut Sources<'_>, sink: &mut Sink) -> Self {
        let mut library = Self::of_catalog(sources, sink);
        let folder = T::KIND.folder();
        for name in sources.list(folder, sink) {
            if is_document(&name) {
                library.add(&format!("{folder}/{name}"), sources, sink);
            }
        }
        library
    }

    /// What has been looked up in the catalog, and nothing of the bundle.
    pub(crate) fn of_catalog(sources: &Sources<'_>, sink: &mut Sink) -> Self {
        let lookups = Rc::clone(sources.lookups());
        let mut documents = Vec::new();
        let mut filed: BTreeMap<LogicalId, Range<usize>> = BTreeMap::new();
        for document in lookups.filed(sink) {
            let here = documents.len();
            let range = filed.entry(document.id.clone()).or_insert(here..here);
            range.end = here.saturating_add(1);
            documents.push(Slot::Filed(document));
        }
        Self {
            filed_count: documents.len(),
            documents,
            filed,
            has_unnamed: false,
            lookups,
        }
    }

    /// A document of the bundle, or one of the catalog that something refers to.
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        match self.documents.get(index)? {
            Slot::Bundled { read, .. } => Some(read),
            Slot::Filed(filed) => filed.get(),
        }
    }

    fn bundled(&self) -> impl Iterator<Item = (usize, &T)> {
        let documents = self.documents.iter().enumerate();
        let of_bundle = documents.skip(self.filed_count);
        of_bundle.filter_map(|(index, slot)| match slot {
            Slot::Bundled { read, .. } => Some((index, read)),
            Slot::Filed(_) => None,
        })
    }

    /// The document in the file `path`, read now if it has not been.
    pub(crate) fn in_file(
        &mut self,
        path: &str,
        sources: &mut Sources<'_>,
        sink: &mut Sink,
    ) -> Option<usize> {
        let known = self.bundled().find(|(_, it)| it.file() == path);
        let known = known.map(|(index, _)| index);
        let is_loaded = path
            .strip_prefix(T::KIND.folder())
            .and_then(|it| it.strip_prefix('/'))
            .is_some_and(|it| !it.contains('/'));
        let found = if known.is_some() || is_loaded {
            known
        } else {
            self.add(path, sources, sink)
        }?;
        if let Some((id, _)) = self.get(found).and_then(|it| it.header().identity.clone()) {
            self.check_against_catalog(&id, sink);
        }
        Some(found)
    }

    fn add(&mut self, path: &str, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<usize> {
        let document = sources.document(path, sink);
        let read = document.and_then(|it| Some((T::read(&it, sources, sink)?, it)));
        let Some((read, document)) = read else {
            self.has_unnamed = true;
            return None;
        };
        self.has_unnamed |= read.header().identity.is_none();
        self.refuse_twin(&read, sink);
        self.documents.push(Slot::Bundled { document, read });
        self.documents.len().checked_sub(1)
    }

    fn refuse_twin(&self, new: &T, sink: &mut Sink) {
        let Some((id, version)) = &new.header().identity else {
            return;
        };
        let same = |it: &&T| {
            it.header()
                .identity
                .as_ref()
                .is_some_and(|(other, its)| other == id && its == version)
        };
        if let Some(twin) = self.bundled().map(|(_, it)| it).find(same) {
            sink.push(e0307::same_identity(
                &place(new),
                T::KIND.as_str(),
                &format!("{id}@{version}"),
                twin.file(),
            ));
        }
    }

    /// The document that a reference means. If the bundle has versions that it allows, it is the
    /// highest of those; else the highest in the catalog. Without a constraint a stable version goes
    /// before a pre-release.
    ///
    /// What a document of the catalog refers to is looked for in the catalog first: whoever binds a
    /// governed Tool cannot put rules of their own in the place of those that it comes with.
    pub(crate) fn find(&self, reference: &At<LogicalRef>, sink: &mut Sink) -> Option<usize> {
        let LogicalRef { id, constraint } = &reference.value;
        let governed = is_filed(&reference.at.file);
        if governed {
            self.lookups.want(T::KIND, id, true);
        }
        let brought = governed
            && pick(
                &self.in_catalog(id),
                constraint.as_ref(),
                takes_prereleases::<T>(),
            )
            .is_some();
        let here = if brought {
            Vec::new()
        } else {
            self.in_bundle(id)
        };
        if let Some(found) = pick(&here, constraint.as_ref(), takes_prereleases::<T>()) {
            self.check_against_catalog(id, sink);
            let twin = self.same_in_catalog(found.index, id, sink);
            return Some(twin.unwrap_or(found.index));
        }
        // The one that is meant may be among those that could not be read.
        let is_unclear = here.is_empty() && self.has_unnamed;
        self.lookups.want(T::KIND, id, !is_unclear);
        let there = self.in_catalog(id);
        let Some(found) = pick(&there, constraint.as_ref(), takes_prereleases::<T>()) else {
            if !is_unclear {
                self.report_missing(reference, &here, &there, sink);
            }
            return None;
        };
        if found.deprecated {
            let constraint = constraint.as_ref().map(ToString::to_string);
            let label = format!("{id}@{}", found.version);
            sink.push(e0311::deprecated(
                &reference.at,
                &label,
                constraint.as_deref(),
            ));
        }
        match self.documents.get(found.index)? {
            Slot::Bundled { .. } => Some(found.index),
            Slot::Filed(filed) => filed.read(sink).map(|_| found.index),
        }
    }

    /// The catalog's document of which the bundle's is a copy. The governed one is taken, so that a
    /// copy changes nothing of what it refers to.
    fn same_in_catalog(&self, index: usize, id: &LogicalId, sink: &mut Sink) -> Option<usize> {
        let Slot::Bundled { document, read } = self.documents.get(index)? else {
            return None;
        };
        let (_, version) = read.header().identity.as_ref()?;
        let (at, twin) = self.filed(id).find(|(_, it)| it.version == *version)?;
        let text = self_contained::text(document, read, sink)?;
        (text == twin.entry.document).then_some(at)?;
        twin.read(sink).map(|_| at)
    }

    /// Whether the catalog has a document that a reference may mean.
    pub(crate) fn has(&self, reference: &LogicalRef) -> bool {
        let there = self.in_catalog(&reference.id);
        let constraint = reference.constraint.as_ref();
        pick(&there, constraint, takes_prereleases::<T>()).is_some()
    }

    fn report_missing(
        &self,
        reference: &At<LogicalRef>,
        here: &[Candidate<'_>],
        there: &[Candidate<'_>],
        sink: &mut Sink,
    ) {
        let LogicalRef { id, constraint } = &reference.value;
        let places = Places {
            answered: self.lookups.answered(T::KIND, id),
            unavailable: self.lookups.unavailable(),
        };
        if here.is_empty() && there.is_empty() {
            sink.push(e0305::unknown(
                &reference.at,
                T::KIND,
                &id.to_string(),
                [&self.ids(), &self.lookups.ids(T::KIND)],
                &places,
            ));
            return;
        }
        let versions = |all: &[Candidate<'_>]| -> Vec<String> {
            all.iter().map(|it| it.version.to_string()).collect()
        };
        let wanted = constraint
            .as_ref()
            .map_or_else(|| "*".to_owned(), ToString::to_string);
        sink.push(e0306::none_satisfies(
            &reference.at,
            &format!("{id}@{wanted}"),
            [&versions(here), &versions(there)],
            T::KIND.folder(),
            &places,
        ));
    }

    /// One version is one content, wherever it lies.
    fn check_against_catalog(&self, id: &LogicalId, sink: &mut Sink) {
        self.lookups.want(T::KIND, id, false);
        for slot in self.documents.iter().skip(self.filed_count) {
            let Slot::Bundled { document, read } = slot else {
                continue;
            };
            let identity = read.header().identity.as_ref();
            let Some((_, version)) = identity.filter(|(own, _)| own == id) else {
                continue;
            };
            let twin = self.filed(id).find(|(_, it)| it.version == *version);
            let Some((_, twin)) = twin else {
                continue;
            };
            let Some(text) = self_contained::text(document, read, sink) else {
                continue;
            };
            if text != twin.entry.document {
                let differ = self_contained::differences(&twin.entry.document, &text);
                sink.push(e0310::differs(
                    &place(read),
                    T::KIND,
                    &format!("{id}@{version}"),
                    &differ,
                ));
            }
        }
    }

    /// The bundle's versions of a document, lowest first.
    fn in_bundle(&self, id: &LogicalId) -> Vec<Candidate<'_>> {
        let of = |(index, it): (usize, &'_ T)| -> Option<usize> {
            let (own, _) = it.header().identity.as_ref()?;
            (own == id).then_some(index)
        };
        let mut versions: Vec<_> = self
            .bundled()
            .filter_map(of)
            .filter_map(|index| {
                let (_, version) = self.get(index)?.header().identity.as_ref()?;
                Some(candidate(version, index, false))
            })
            .collect();
        versions.sort();
        versions
    }

    /// The catalog's versions of a document, lowest first.
    fn in_catalog(&self, id: &LogicalId) -> Vec<Candidate<'_>> {
        let mut versions: Vec<_> = self
            .filed(id)
            .map(|(index, it)| candidate(&it.version, index, it.entry.deprecated))
            .collect();
        versions.sort();
        versions
    }

    fn filed(&self, id: &LogicalId) -> impl Iterator<Item = (usize, &Filed<T>)> {
        let range = self.filed.get(id).cloned().unwrap_or_default();
        range.filter_map(|index| match self.documents.get(index)? {
            Slot::Filed(filed) => Some((index, filed)),
            Slot::Bundled { .. } => None,
        })
    }

    /// The ids in the bundle.
    fn ids(&self) -> Vec<String> {
        let identities = self
            .bundled()
            .filter_map(|(_, it)| it.header().identity.as_ref());
        let mut ids: Vec<_> = identities.map(|(id, _)| id.to_string()).collect();
        ids.sort();
        ids.dedup();
        ids
    }
}

/// How far something that is missing was looked for, so that a message does not promise too much.
pub(crate) struct Places<'a> {
    /// Whether the catalog has said what it has of the id.
    pub(crate) answered: bool,
    /// Why the catalog could not be asked.
    pub(crate) unavailable: Option<&'a str>,
}

/// Of a policy without a constraint the highest version is meant, whatever it is.
fn takes_prereleases<T: Shelved>() -> bool {
    T::KIND == DocumentKind::Policy
}

fn candidate(version: &Version, index: usize, deprecated: bool) -> Candidate<'_> {
    Candidate {
        version,
        index,
        deprecated,
    }
}

/// Where a document says who it is.
fn place<T: Shelved>(document: &T) -> Location {
    let whole = || Location::top(&Rc::from(document.file()));
    document.header().at.clone().unwrap_or_else(whole)
}
