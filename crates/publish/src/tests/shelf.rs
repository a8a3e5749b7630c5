//! A catalog for tests, and the rounds in which it is asked.

use std::collections::BTreeMap;

use expect_test::Expect;
use spec::DocumentKind;

use super::bundle::Bundle;
use super::sample;
use crate::{Catalog, Compiled, Entry, Wanted, compile_with, document};

/// How many rounds any bundle may take.
const ROUNDS_MAX: usize = 8;

/// What is in the catalog.
#[derive(Clone, Default)]
pub(crate) struct Shelf(BTreeMap<(DocumentKind, String), Vec<Entry>>);

/// A file of `bundle` as it goes into the catalog.
pub(crate) fn filed(bundle: &Bundle, path: &str) -> Vec<u8> {
    let compiled = document(&bundle.files(), &Catalog::default(), path);
    match compiled.entry {
        Some(entry) => entry.document,
        None => panic!("{:?}", compiled.diagnostics),
    }
}

impl Shelf {
    pub(crate) fn entry(mut self, kind: DocumentKind, id: &str, entry: Entry) -> Self {
        let entries = self.0.entry((kind, id.to_owned())).or_default();
        entries.push(entry);
        self
    }

    /// Adds a Tool or Policy as a file of `bundle` has it.
    pub(crate) fn file(self, bundle: &Bundle, path: &str) -> Self {
        let compiled = document(&bundle.files(), &Catalog::default(), path);
        let entry = compiled.entry.unwrap();
        let id = entry.id.logical_id();
        let filed = Entry {
            version: entry.id.version,
            document: entry.document,
            deprecated: false,
        };
        self.entry(entry.kind, &id, filed)
    }

    /// Adds the sample's Tool in these versions.
    pub(crate) fn tools(self, versions: &[&str]) -> Self {
        let bundles = versions.iter().map(|it| versioned(it));
        bundles.fold(self, |shelf, it| shelf.file(&it, "tools/refund.yaml"))
    }

    /// Adds the sample's Tool in this version, deprecated.
    pub(crate) fn deprecated(self, version: &str) -> Self {
        let mut shelf = self.tools(&[version]);
        let key = (DocumentKind::Tool, "pay.refund".to_owned());
        let entries = shelf.0.get_mut(&key).unwrap();
        entries.last_mut().unwrap().deprecated = true;
        shelf
    }

    /// Adds the sample's Tool in version `says` under another version.
    pub(crate) fn misfiled(self, version: &str, says: &str) -> Self {
        let bundle = versioned(says);
        let entry = Entry {
            version: version.to_owned(),
            document: filed(&bundle, "tools/refund.yaml"),
            deprecated: false,
        };
        self.entry(DocumentKind::Tool, "pay.refund", entry)
    }

    /// Adds the sample's Policy under these ids.
    pub(crate) fn policies(self, ids: &[&str]) -> Self {
        let of = |id: &&str| {
            let (namespace, name) = id.rsplit_once('.').unwrap();
            sample()
                .edit(
                    "policies/limit.yaml",
                    "name: limit",
                    &format!("name: {name}"),
                )
                .edit(
                    "policies/limit.yaml",
                    "namespace: pay",
                    &format!("namespace: {namespace}"),
                )
        };
        let bundles = ids.iter().map(of);
        bundles.fold(self, |shelf, it| shelf.file(&it, "policies/limit.yaml"))
    }

    /// Asks until nothing new is wanted.
    pub(crate) fn answer(&self, ask: impl Fn(&Catalog) -> Vec<Wanted>) -> Catalog {
        let mut catalog = Catalog::default();
        for _ in 0..ROUNDS_MAX {
            let wanted = ask(&catalog);
            if wanted.is_empty() {
                return catalog;
            }
            for it in wanted {
                assert!(!catalog.has(&it), "{it:?} is asked for twice");
                let key = (it.kind, it.id.clone());
                let entries = self.0.get(&key).cloned().unwrap_or_default();
                if entries.is_empty() {
                    let names = self.0.keys().filter(|(kind, _)| *kind == it.kind);
                    catalog.add_names(it.kind, names.map(|(_, id)| id.clone()));
                }
                catalog.insert(&it, entries);
            }
        }
        panic!("still wanted: {:?}", ask(&catalog));
    }

    pub(crate) fn compile(&self, bundle: &Bundle) -> Compiled {
        let files = bundle.files();
        let catalog = self.answer(|it| compile_with(&files, it, "agent.yaml").wanted);
        compile_with(&files, &catalog, "agent.yaml")
    }

    /// Compares everything that is said about the bundle in front of this catalog.
    #[track_caller]
    pub(crate) fn check(&self, bundle: &Bundle, expect: Expect) {
        let files = bundle.files();
        let catalog = self.answer(|it| compile_with(&files, it, "agent.yaml").wanted);
        bundle.check_with(&catalog, expect);
    }

    /// Compares everything that is said about one file on its way into this catalog.
    #[track_caller]
    pub(crate) fn check_document(&self, bundle: &Bundle, path: &str, expect: Expect) {
        let files = bundle.files();
        let catalog = self.answer(|it| document(&files, it, path).wanted);
        bundle.check_document(&catalog, path, expect);
    }
}

/// The sample with its Tool in this version.
fn versioned(version: &str) -> Bundle {
    let version = format!("version: {version}");
    sample().edit("tools/refund.yaml", "version: 1.2.0", &version)
}
