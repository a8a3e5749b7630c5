//! The documents of `tools/` and `policies/`, found by what their metadata says.

use std::rc::Rc;

use semver::Version;

use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::{e0305, e0306, e0307};
use crate::document::Header;
use crate::document::policy::Policy;
use crate::document::tool::Tool;
use crate::files::is_document;
use crate::reference::{LogicalId, LogicalRef};
use crate::sources::{Document, Sources};

/// A kind of document that is found by its metadata.
pub(crate) trait Shelved: Sized {
    const KIND: &'static str;
    const FOLDER: &'static str;

    fn read(document: &Rc<Document>, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<Self>;
    fn header(&self) -> &Header;
    fn file(&self) -> &str;
}

impl Shelved for Tool {
    const KIND: &'static str = "Tool";
    const FOLDER: &'static str = "tools";

    fn read(document: &Rc<Document>, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<Self> {
        Tool::read(document, sources, sink)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn file(&self) -> &str {
        &self.file
    }
}

impl Shelved for Policy {
    const KIND: &'static str = "Policy";
    const FOLDER: &'static str = "policies";

    fn read(document: &Rc<Document>, _: &mut Sources<'_>, sink: &mut Sink) -> Option<Self> {
        Policy::read(document, sink)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn file(&self) -> &str {
        &self.document.file
    }
}

/// All documents of one kind.
pub(crate) struct Library<T> {
    documents: Vec<T>,
    /// Some document could not be read far enough to be found; what it is called is not known.
    has_unnamed: bool,
}

impl<T: Shelved> Library<T> {
    /// Reads every document of the kind's folder.
    pub(crate) fn load(sources: &mut Sources<'_>, sink: &mut Sink) -> Self {
        let mut library = Self {
            documents: Vec::new(),
            has_unnamed: false,
        };
        for name in sources.list(T::FOLDER, sink) {
            if is_document(&name) {
                library.add(&format!("{}/{name}", T::FOLDER), sources, sink);
            }
        }
        library
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.documents.iter()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.documents.get(index)
    }

    /// The document in the file `path`, read now if it has not been.
    pub(crate) fn in_file(
        &mut self,
        path: &str,
        sources: &mut Sources<'_>,
        sink: &mut Sink,
    ) -> Option<usize> {
        let known = self.documents.iter().position(|it| it.file() == path);
        if known.is_some()
            || path.starts_with(&format!("{}/", T::FOLDER)) && path.matches('/').count() == 1
        {
            return known;
        }
        self.add(path, sources, sink)
    }

    fn add(&mut self, path: &str, sources: &mut Sources<'_>, sink: &mut Sink) -> Option<usize> {
        let document = sources.document(path, sink);
        let read = document.and_then(|it| T::read(&it, sources, sink));
        let Some(read) = read else {
            self.has_unnamed = true;
            return None;
        };
        self.has_unnamed |= read.header().identity.is_none();
        self.refuse_twin(&read, sink);
        self.documents.push(read);
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
        if let Some(twin) = self.documents.iter().find(same) {
            let whole = Location::file(&Rc::from(new.file()));
            let at = new.header().at.clone().unwrap_or(whole);
            sink.push(e0307::same_identity(
                &at,
                T::KIND,
                &format!("{id}@{version}"),
                twin.file(),
            ));
        }
    }

    /// The document that a reference means: of the versions that it allows the highest. Without a
    /// constraint a stable version goes before a pre-release.
    pub(crate) fn find(&self, reference: &At<LogicalRef>, sink: &mut Sink) -> Option<usize> {
        let id = &reference.value.id;
        let versions = self.versions(id);
        if versions.is_empty() {
            // The one that is meant may be among those that could not be read.
            if !self.has_unnamed {
                sink.push(e0305::unknown(
                    &reference.at,
                    T::KIND,
                    T::FOLDER,
                    &id.to_string(),
                    &self.ids(),
                ));
            }
            return None;
        }
        let found = match &reference.value.constraint {
            Some(constraint) => versions
                .iter()
                .rev()
                .find(|(version, _)| constraint.accepts(version)),
            None => {
                let stable = versions
                    .iter()
                    .rev()
                    .find(|(version, _)| version.pre.is_empty());
                stable.or_else(|| versions.last().filter(|_| T::KIND == Policy::KIND))
            }
        };
        let Some((_, index)) = found else {
            let there: Vec<_> = versions
                .iter()
                .map(|(version, _)| version.to_string())
                .collect();
            let constraint = reference.value.constraint.as_ref();
            let wanted = constraint.map_or_else(|| "*".to_owned(), ToString::to_string);
            sink.push(e0306::none_satisfies(
                &reference.at,
                &id.to_string(),
                &wanted,
                &there,
            ));
            return None;
        };
        Some(*index)
    }

    /// The versions of a document, lowest first, and where they are.
    fn versions(&self, id: &LogicalId) -> Vec<(&Version, usize)> {
        let of = |(index, it): (usize, &'_ T)| -> Option<usize> {
            let (own, _) = it.header().identity.as_ref()?;
            (own == id).then_some(index)
        };
        let indices = self.documents.iter().enumerate().filter_map(of);
        let mut versions: Vec<_> = indices
            .filter_map(|index| {
                let (_, version) = self.documents.get(index)?.header().identity.as_ref()?;
                Some((version, index))
            })
            .collect();
        versions.sort();
        versions
    }

    fn ids(&self) -> Vec<String> {
        let identities = self
            .documents
            .iter()
            .filter_map(|it| it.header().identity.as_ref());
        let mut ids: Vec<_> = identities.map(|(id, _)| id.to_string()).collect();
        ids.sort();
        ids.dedup();
        ids
    }
}
