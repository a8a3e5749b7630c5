//! The bundle's files, read once each, the catalog behind them, and the search for the file that a
//! reference means.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::catalog::{Catalog, Lookups};
use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::{e0101, e0205, e0206, e0302, e0309};
use crate::files::Files;
use crate::reference;
use crate::yaml::{self, Cursor, Fields, Node, Shape};

/// Extensions that may be left out of a reference, in the order in which they are tried.
pub(crate) const DOCUMENT_EXTENSIONS: &[&str] = &["yaml", "yml"];
pub(crate) const SCHEMA_EXTENSIONS: &[&str] = &["json", "yaml"];
pub(crate) const INSTRUCTION_EXTENSIONS: &[&str] = &["yaml", "yml", "md", "txt"];

/// The fields of a file reference.
pub(crate) const FILE_REF: Shape = Shape {
    what: "a file reference",
    known: &["ref", "version"],
    elsewhere: &[],
    unsupported: &[],
};

/// A parsed file.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) file: Rc<str>,
    root: Node,
}

impl Document {
    /// A document that is no file of the bundle: JSON text under the name that diagnostics show.
    pub(crate) fn from_json(name: &str, bytes: &[u8], sink: &mut Sink) -> Option<Rc<Self>> {
        let file: Rc<str> = Rc::from(name);
        let root = yaml::read_json(&file, bytes, sink)?;
        Some(Rc::new(Self { file, root }))
    }

    pub(crate) fn cursor(&self) -> Cursor<'_> {
        Cursor::root(&self.file, &self.root)
    }
}

/// Reads files of the bundle and remembers them.
pub(crate) struct Sources<'a> {
    files: &'a dyn Files,
    documents: BTreeMap<String, Option<Rc<Document>>>,
    /// The versions that references ask for, by file and field of the reference.
    versions: BTreeMap<(String, String), String>,
    lookups: Rc<Lookups>,
}

impl<'a> Sources<'a> {
    /// Files with nothing behind them.
    pub(crate) fn new(files: &'a dyn Files) -> Self {
        Self::with(files, &Catalog::default())
    }

    /// Files, and the catalog behind them.
    pub(crate) fn with(files: &'a dyn Files, catalog: &Catalog) -> Self {
        Self {
            files,
            documents: BTreeMap::new(),
            versions: BTreeMap::new(),
            lookups: Rc::new(Lookups::new(catalog.clone())),
        }
    }

    /// The catalog, and what is asked of it.
    pub(crate) fn lookups(&self) -> &Rc<Lookups> {
        &self.lookups
    }

    /// The bytes of a file; a failure to read is reported.
    pub(crate) fn bytes(&self, path: &str, sink: &mut Sink) -> Option<Vec<u8>> {
        match self.files.read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                sink.push(e0101::unreadable(&Location::file(&Rc::from(path)), &error));
                None
            }
        }
    }

    /// The tree of a file that is there; `None` when it cannot be read, which has been reported.
    pub(crate) fn document(&mut self, path: &str, sink: &mut Sink) -> Option<Rc<Document>> {
        if let Some(known) = self.documents.get(path) {
            return known.clone();
        }
        let bytes = self.bytes(path, sink);
        let file: Rc<str> = Rc::from(path);
        let document = bytes.and_then(|bytes| {
            let root = yaml::read(&file, &bytes, sink)?;
            Some(Rc::new(Document { file, root }))
        });
        self.documents.insert(path.to_owned(), document.clone());
        document
    }

    /// The names of the files in a folder.
    pub(crate) fn list(&self, folder: &str, sink: &mut Sink) -> Vec<String> {
        match self.files.list(folder) {
            Ok(mut names) => {
                names.sort();
                names
            }
            Err(error) => {
                sink.push(e0101::unreadable(
                    &Location::file(&Rc::from(folder)),
                    &error,
                ));
                Vec::new()
            }
        }
    }

    /// The versions that references in a file ask for, by the field of the reference.
    /// A place in what stands at `whole`, as far along the steps as the document goes.
    pub(crate) fn place(&mut self, whole: &Location, steps: &[&str]) -> Location {
        // It has been read before, or it is of the catalog and no file of the bundle.
        match self.documents.get(&*whole.file) {
            Some(Some(document)) => document.cursor().locate_below(&whole.field, steps),
            Some(None) | None => Location::file(&whole.file),
        }
    }

    pub(crate) fn versions_in(&self, file: &str) -> BTreeMap<String, String> {
        let own = self.versions.iter().filter(|((of, _), _)| of == file);
        own.map(|((_, field), version)| (field.clone(), version.clone()))
            .collect()
    }

    /// The path of the file that `ref` and `version` mean.
    pub(crate) fn find(
        &mut self,
        reference: &FileRef,
        extensions: &[&str],
        sink: &mut Sink,
    ) -> Option<String> {
        let path = reference::path(&reference.path, sink)?;
        let plain = candidates(&path, extensions);
        let versioned = reference.version.as_ref().map(|version| {
            let shapes = [
                format!("-{version}"),
                format!("/{version}"),
                format!("/v{version}"),
            ];
            let of = |shape: &String| {
                let (stem, exts) = split_extension(&path, extensions);
                candidates(&format!("{stem}{shape}"), &exts)
            };
            shapes.iter().flat_map(of).collect::<Vec<_>>()
        });
        let tried: Vec<String> = versioned.iter().flatten().chain(&plain).cloned().collect();
        let before = sink.errors();
        let Some(found) = tried.iter().find(|path| self.bytes(path, sink).is_some()) else {
            if sink.errors() > before {
                // One is there and cannot be read, which has been reported.
                return None;
            }
            sink.push(e0302::not_found(
                &reference.path.at,
                &reference.path.value,
                &tried,
            ));
            return None;
        };
        if let Some(version) = reference.version.as_ref().filter(|_| plain.contains(found)) {
            sink.push(e0309::plain_file(&reference.path.at, version, found));
        }
        let found = found.clone();
        if let Some(version) = &reference.version {
            let Location { file, field, .. } = &reference.path.at;
            let field = field.strip_suffix(".ref").unwrap_or(field);
            self.versions
                .insert((file.to_string(), field.to_owned()), version.clone());
        }
        Some(found)
    }
}

/// `{ref: path, version: N}`
pub(crate) struct FileRef {
    pub(crate) path: At<String>,
    version: Option<String>,
}

impl FileRef {
    /// Reads `ref` and `version` of a map that may have other fields too.
    pub(crate) fn read(fields: &Fields<'_>, sink: &mut Sink) -> Option<Self> {
        let path = fields.required("ref", sink)?.filled(sink);
        let version = match fields.get("version") {
            // Which files are meant cannot be told without it.
            Some(cursor) => Some(Self::label(&cursor, sink)?),
            None => None,
        };
        Some(Self {
            path: path?,
            version,
        })
    }
}

impl FileRef {
    fn label(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<String> {
        let label = cursor.label(sink)?;
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if label.value.chars().all(allowed) && !label.value.starts_with('.') {
            return Some(label.value);
        }
        sink.push(e0205::malformed(
            &label.at,
            "a version of a file",
            &label.value,
            "write letters, digits, `.`, `-` and `_`",
        ));
        None
    }

    /// A version is of a file; beside what is written in place (under `key`) it would say nothing.
    pub(crate) fn refuse_version(fields: &Fields<'_>, key: &str, sink: &mut Sink) {
        if let Some(version) = fields.get("version") {
            let place = format!("it goes with `ref`; leave it out beside `{key}`");
            sink.push(e0206::belongs_elsewhere(
                &version.key_at(),
                "version",
                "what is written in place",
                &place,
            ));
        }
    }
}

/// A path with the known extension that it ends with, if any, taken off.
fn split_extension<'p, 'e>(path: &'p str, extensions: &[&'e str]) -> (&'p str, Vec<&'e str>) {
    let written = extensions.iter().find_map(|it| {
        let stem = path.strip_suffix(it)?.strip_suffix('.')?;
        Some((stem, vec![*it]))
    });
    written.unwrap_or((path, extensions.to_vec()))
}

fn candidates(path: &str, extensions: &[&str]) -> Vec<String> {
    let (stem, extensions) = split_extension(path, extensions);
    extensions.iter().map(|it| format!("{stem}.{it}")).collect()
}
