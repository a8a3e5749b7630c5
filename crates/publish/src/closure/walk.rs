//! The walk from a Bundle's root through `spec.agents`, depth first. Knows whom the entries lead to;
//! compiles nothing.

use std::collections::BTreeMap;
use std::rc::Rc;

use spec::snapshot::Identity;

use super::External;
use crate::delegate::{Callee, Callees};
use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::{e0302, e0803, e0804, e0805, e0807};
use crate::document::Header;
use crate::document::delegation::{self, Target};
use crate::files::{Files, split};
use crate::reference;
use crate::sources::{Document, Sources};

/// The most members of a Bundle.
const MEMBERS_MAX: usize = 256;
/// The most files that stand one below the other.
const DEPTH_MAX: usize = 64;

/// A member, before it is compiled.
pub(super) struct Found {
    pub(super) child_name: String,
    /// Where it was first referred to.
    pub(super) at: Location,
    pub(super) place: Place,
}

/// Where a member is.
pub(super) enum Place {
    File {
        /// From the Bundle's folder.
        path: String,
        /// `None` when it cannot be read, which is reported where it is compiled.
        document: Option<Rc<Document>>,
        header: Box<Header>,
        purpose: Option<String>,
        /// Whom its own entries lead to.
        callees: Callees,
    },
    External(Identity),
}

impl Found {
    /// How the member is referred to from the Bundle's folder.
    pub(super) fn reference(&self) -> String {
        match &self.place {
            Place::File { path, .. } => format!("./{path}"),
            Place::External(id) => id.to_string(),
        }
    }

    pub(super) fn pin(&self) -> Option<&Identity> {
        match &self.place {
            Place::File { .. } => None,
            Place::External(id) => Some(id),
        }
    }

    /// Which agent it is, as far as that can be read.
    pub(super) fn identity(&self) -> Option<Identity> {
        match &self.place {
            Place::File { header, .. } => header.identity.as_ref().map(|_| header.recorded()),
            Place::External(id) => Some(id.clone()),
        }
    }

    /// Where it says who it is.
    pub(super) fn own_at(&self) -> &Location {
        match &self.place {
            Place::File { header, .. } => header.at.as_ref().unwrap_or(&self.at),
            Place::External(_) => &self.at,
        }
    }
}

/// A walk under way.
pub(super) struct Walk<'a> {
    files: &'a dyn Files,
    sources: Sources<'a>,
    externals: &'a BTreeMap<Identity, External>,
    found: Vec<Found>,
    /// The files from the root to where the walk is.
    way: Vec<String>,
    /// There are too many members, which has been reported.
    is_full: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(files: &'a dyn Files, externals: &'a BTreeMap<Identity, External>) -> Self {
        Self {
            files,
            sources: Sources::new(files),
            externals,
            found: Vec::new(),
            way: Vec::new(),
            is_full: false,
        }
    }

    /// Everything that belongs to the root, itself first; nothing if it is not there.
    pub(super) fn run(mut self, root: &At<String>, sink: &mut Sink) -> Vec<Found> {
        self.file("", root, sink);
        self.found
    }

    /// Visits the file that a reference in `folder` means, and tells which member it is.
    fn file(&mut self, folder: &str, reference: &At<String>, sink: &mut Sink) -> Option<usize> {
        let At { value: written, at } = reference;
        let path = match reference::from_folder(folder, written) {
            Ok(path) => path,
            Err(why) => {
                sink.push(e0803::refused(at, written, why));
                return None;
            }
        };
        if let Some(start) = self.way.iter().position(|it| *it == path) {
            let way = self.way.iter().skip(start).chain([&path]);
            let way: Vec<&str> = way.map(String::as_str).collect();
            sink.push(e0804::cycle(at, &way));
            return None;
        }
        let is_it = |it: &Found| matches!(&it.place, Place::File { path: its, .. } if *its == path);
        if let Some(index) = self.found.iter().position(is_it) {
            return Some(index);
        }
        if self.way.len() >= DEPTH_MAX {
            sink.push(e0807::deep(at, DEPTH_MAX));
            return None;
        }
        match self.files.read(&path) {
            Ok(Some(_)) => {}
            Ok(None) => {
                sink.push(e0302::not_found(at, written, &[path]));
                return None;
            }
            Err(error) => {
                sink.push(e0803::unreadable(at, written, &error));
                return None;
            }
        }
        self.enter(path, at, sink)
    }

    /// Takes a file that is there for a member, and goes on to those that it leads to.
    fn enter(&mut self, path: String, at: &Location, sink: &mut Sink) -> Option<usize> {
        // What is wrong in the file is reported where it is compiled.
        let quiet = &mut Sink::default();
        let document = self.sources.document(&path, quiet);
        let cursor = document.as_ref().map(|it| it.cursor());
        let part = |key: &str| cursor.as_ref().and_then(|it| it.child(key));
        let purpose = part("spec").and_then(|it| it.child("purpose")?.filled(quiet));
        let place = Place::File {
            path: path.clone(),
            header: Box::new(Header::read(part("metadata").as_ref(), "Agent", quiet)),
            purpose: purpose.map(|it| it.value),
            callees: Callees::new(),
            document: document.clone(),
        };
        let index = self.add(stem(&path).to_owned(), at, place, sink)?;
        let (folder, _) = split(&path);
        self.way.push(path.clone());
        let mut callees = Callees::new();
        for target in document.iter().flat_map(|it| delegation::targets(it)) {
            if let Some(callee) = self.callee(folder, &target, sink) {
                callees.insert(target.value, callee);
            }
        }
        self.way.pop();
        if let Some(Found {
            place: Place::File { callees: its, .. },
            ..
        }) = self.found.get_mut(index)
        {
            *its = callees;
        }
        Some(index)
    }

    /// The agent that an entry leads to.
    fn callee(&mut self, folder: &str, target: &At<Target>, sink: &mut Sink) -> Option<Callee> {
        let At { value, at } = target;
        match value {
            Target::Late(id) => Some(Callee {
                id: id.clone(),
                version: None,
                purpose: None,
            }),
            Target::Pinned(id, version) => {
                let pin = Identity {
                    namespace: id.namespace.clone(),
                    name: id.name.clone(),
                    version: version.to_string(),
                };
                self.external(&pin, at, sink);
                Some(Callee {
                    id: id.clone(),
                    purpose: self.externals.get(&pin).map(|it| it.purpose.clone()),
                    version: Some(pin.version),
                })
            }
            Target::File(written) => {
                let reference = At {
                    value: written.clone(),
                    at: at.clone(),
                };
                let index = self.file(folder, &reference, sink)?;
                let Place::File {
                    header, purpose, ..
                } = &self.found.get(index)?.place
                else {
                    return None;
                };
                let (id, version) = header.identity.as_ref()?;
                Some(Callee {
                    id: id.clone(),
                    version: Some(version.to_string()),
                    purpose: purpose.clone(),
                })
            }
        }
    }

    fn external(&mut self, pin: &Identity, at: &Location, sink: &mut Sink) {
        if self.found.iter().any(|it| it.pin() == Some(pin)) {
            return;
        }
        let place = Place::External(pin.clone());
        // Whether there was room for it is no matter to whoever refers to it.
        let _reported = self.add(pin.logical_id(), at, place, sink);
    }

    fn add(
        &mut self,
        child_name: String,
        at: &Location,
        place: Place,
        sink: &mut Sink,
    ) -> Option<usize> {
        if self.found.len() >= MEMBERS_MAX {
            if !self.is_full {
                sink.push(e0807::many(at, MEMBERS_MAX));
            }
            self.is_full = true;
            return None;
        }
        let found = Found {
            child_name,
            at: at.clone(),
            place,
        };
        let same = |it: &&Found| it.child_name == found.child_name;
        if let Some(other) = self.found.iter().find(same) {
            let (this, other) = (found.reference(), other.reference());
            sink.push(e0805::taken(at, &found.child_name, &this, &other));
        }
        self.found.push(found);
        self.found.len().checked_sub(1)
    }
}

/// A file's name without its extension.
fn stem(path: &str) -> &str {
    let (_, file) = split(path);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => file,
    }
}
