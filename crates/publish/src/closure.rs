//! A Bundle and everything that belongs to it: walked, compiled and locked. Knows nothing of a
//! runtime; what published versions contain, the caller looks up.

mod walk;

use std::collections::{BTreeMap, BTreeSet};

use spec::snapshot::Identity;
use spec::{Digest, DocumentKind, Snapshot};

use crate::catalog::{Catalog, Wanted, is_filed};
use crate::compile;
use crate::diagnostic::{At, Diagnostic, Location, Sink};
use crate::diagnostics::{e0806, e0808};
use crate::document::bundle::Bundle;
use crate::files::{Files, Subfolder, joined, split};
use crate::lock::{Lock, LockedMember, LockedOrigin};
use crate::sources::Sources;
use crate::yaml::Cursor;
use walk::{Found, Place, Walk};

/// What the runtime has of a published version that a Bundle pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// Of its snapshot.
    pub content_hash: Digest,
    /// `spec.purpose`, which describes it to the model of the agent that hands work to it.
    pub purpose: String,
    /// The environment variable of each of its secrets.
    pub secrets: BTreeMap<String, String>,
}

/// A Bundle with all its members.
#[derive(Clone, Debug, PartialEq)]
pub struct Closure {
    /// The Bundle itself, as far as its document says.
    pub bundle: Option<Identity>,
    /// Everything that was found, the root first, each member before those that it leads to.
    pub members: Vec<Member>,
    /// Versions that are pinned and were not handed in. Look them up and ask again.
    pub wanted: Vec<Identity>,
    /// What the catalog was asked for and has not answered yet.
    pub wanted_documents: Vec<Wanted>,
    /// There exactly when no diagnostic is an error and nothing is wanted.
    pub lock: Option<Lock>,
    /// Everything that was found: the Bundle's first, then file by file, top to bottom. Files are
    /// named by their path from the Bundle's folder.
    pub diagnostics: Vec<Diagnostic>,
}

/// An agent of a Bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Unique in the Bundle: the file's name without its extension, or `namespace.name` of a
    /// published version.
    pub child_name: String,
    /// How it is referred to from the Bundle's folder: `./path.yaml` or `namespace.name@1.2.3`.
    pub reference: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a member comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// A file of the Bundle, and what became of it; `None` when it has errors.
    Vendored(Option<Box<Snapshot>>),
    /// A version that was published before.
    External(Identity),
}

/// Walks and compiles the Bundle in the file `manifest`, with no catalog behind it. `externals` holds
/// what is known of published versions; each one that is missing there is `wanted`.
#[must_use]
pub fn closure(
    files: &dyn Files,
    manifest: &str,
    externals: &BTreeMap<Identity, External>,
) -> Closure {
    closure_with(files, &Catalog::default(), manifest, externals)
}

/// The same with what has been looked up in the catalog so far: what members refer to and do not
/// have is among `wanted_documents`.
#[must_use]
pub fn closure_with(
    files: &dyn Files,
    catalog: &Catalog,
    manifest: &str,
    externals: &BTreeMap<Identity, External>,
) -> Closure {
    let mut sink = Sink::default();
    let mut sources = Sources::new(files);
    let document = compile::open(manifest, &mut sources, &mut sink);
    let bundle = document.and_then(|it| Bundle::read(&it, &mut sink));
    let root = bundle.as_ref().and_then(|it| it.root.as_ref());
    let found = match root {
        Some(root) => Walk::new(files, externals).run(root, &mut sink),
        None => Vec::new(),
    };
    refuse_twins(&found, &mut sink);
    refuse_torn_secrets(&found, externals, &mut sink);
    let mut documents = BTreeMap::new();
    let members = members((files, catalog), &found, &mut documents, &mut sink);
    let pins = found.iter().filter_map(Found::pin);
    let wanted: BTreeSet<&Identity> = pins.filter(|it| !externals.contains_key(*it)).collect();
    let is_sound = sink.errors() == 0 && wanted.is_empty();
    Closure {
        bundle: bundle
            .filter(|it| it.header.identity.is_some())
            .map(|it| it.header.recorded()),
        lock: is_sound.then(|| lock(&members, externals)).flatten(),
        wanted: wanted.into_iter().cloned().collect(),
        wanted_documents: documents.into_values().collect(),
        members,
        diagnostics: sink.into_sorted(manifest),
    }
}

/// Compiles every vendored member, each in its own folder. What they want of the catalog together is
/// added to `wanted`, by kind and id.
fn members(
    (files, catalog): (&dyn Files, &Catalog),
    found: &[Found],
    wanted: &mut BTreeMap<(DocumentKind, String), Wanted>,
    sink: &mut Sink,
) -> Vec<Member> {
    // Members of one folder share its documents, and what is wrong with those is said once.
    let mut said = BTreeSet::new();
    let mut one = |found: &Found| {
        let origin = match &found.place {
            Place::External(id) => Origin::External(id.clone()),
            Place::File { path, callees, .. } => {
                let (folder, file) = split(path);
                let own = Subfolder::new(files, folder);
                let sources = Sources::with(&own, catalog);
                let compiled = compile::compile_member(sources, file, callees);
                for it in compiled.wanted {
                    let known = wanted.entry((it.kind, it.id.clone())).or_insert(it.clone());
                    known.required |= it.required;
                }
                for mut it in compiled.diagnostics {
                    if !is_filed(&it.file) {
                        it.file = joined(folder, &it.file);
                    }
                    let start = it.span.map(|span| span.start);
                    if said.insert((it.file.clone(), start, it.code, it.message.clone())) {
                        sink.push(it);
                    }
                }
                Origin::Vendored(compiled.snapshot.map(Box::new))
            }
        };
        Member {
            child_name: found.child_name.clone(),
            reference: found.reference(),
            origin,
        }
    };
    found.iter().map(&mut one).collect()
}

/// `None` when a snapshot has no canonical form, which publish never makes.
fn lock(members: &[Member], externals: &BTreeMap<Identity, External>) -> Option<Lock> {
    let one = |member: &Member| {
        let (content_hash, origin) = match &member.origin {
            Origin::Vendored(snapshot) => {
                let (_, hash) = snapshot.as_ref()?.to_canonical().ok()?;
                (hash, LockedOrigin::Vendored(member.reference.clone()))
            }
            Origin::External(id) => {
                let hash = externals.get(id)?.content_hash;
                (hash, LockedOrigin::External(id.clone()))
            }
        };
        let member = (
            member.child_name.clone(),
            LockedMember {
                content_hash,
                origin,
            },
        );
        Some(member)
    };
    let root = members.first()?.child_name.clone();
    let members = members.iter().map(one).collect::<Option<_>>()?;
    Some(Lock::new(&root, members))
}

/// One version of one agent has one content.
fn refuse_twins(found: &[Found], sink: &mut Sink) {
    let mut known: BTreeMap<Identity, &Found> = BTreeMap::new();
    for member in found {
        let Some(id) = member.identity() else {
            continue;
        };
        if let Some(other) = known.get(&id) {
            let at = member.own_at();
            let (this, other) = (member.reference(), other.reference());
            sink.push(e0808::same_identity(at, &id.to_string(), &this, &other));
        }
        known.entry(id).or_insert(member);
    }
}

/// A run is given each secret once, by name, for all members.
fn refuse_torn_secrets(found: &[Found], externals: &BTreeMap<Identity, External>, sink: &mut Sink) {
    let mut known: BTreeMap<String, (&str, String)> = BTreeMap::new();
    for member in found {
        for (secret, variable, at) in secrets(member, externals) {
            let Some((other, others)) = known.get(&secret) else {
                known.insert(secret, (&member.child_name, variable));
                continue;
            };
            if *others != variable {
                let one = (*other, others.as_str());
                let this = (member.child_name.as_str(), variable.as_str());
                sink.push(e0806::differs(&at, &secret, one, this));
            }
        }
    }
}

/// Names, variables and places of a member's secrets. What is wrong with them is reported where the
/// member is compiled.
fn secrets(
    member: &Found,
    externals: &BTreeMap<Identity, External>,
) -> Vec<(String, String, Location)> {
    match &member.place {
        Place::External(id) => {
            let secrets = externals
                .get(id)
                .map(|it| &it.secrets)
                .into_iter()
                .flatten();
            secrets
                .map(|(name, variable)| (name.clone(), variable.clone(), member.at.clone()))
                .collect()
        }
        Place::File { document, .. } => {
            let quiet = &mut Sink::default();
            let secrets = document
                .as_ref()
                .and_then(|it| it.cursor().child("secrets")?.entries(quiet));
            let read = |(name, secret): (At<String>, Cursor<'_>)| {
                let variable = secret.child("fromEnv")?.filled(quiet)?;
                Some((name.value, variable.value, variable.at))
            };
            secrets.into_iter().flatten().filter_map(read).collect()
        }
    }
}
