//! Turns the files of a bundle into a snapshot, or into diagnostics that say what to mend.
//!
//! Invariant: pure. Files come through the [`Files`] trait; nothing here touches a disk, a clock,
//! the environment or the network, and the same sources give the same bytes on every machine. It
//! knows nothing of sessions, workers or of what a runtime does with a snapshot.
//!
//! The way: `yaml` reads trees with places, `document` and `schema` turn them into what authors
//! mean, `library` finds documents by identity, in the bundle and in what has been looked up in a
//! `catalog`, `bound` and `attach` tie them together, `rules` has the policies judged, `compile` puts
//! the snapshot together. `closure` does that for all agents of a Bundle, and `lock` says what they
//! came to; `self_contained` makes a document ready for the catalog. `diagnostics` holds a file for
//! each kind of mistake. Beside the way, `format` describes documents to editors, `policy_test` reads
//! what an author expects of policies, and `overlay` what a deployment adds.

mod analysis;
mod attach;
mod bound;
mod catalog;
mod closure;
mod compile;
mod constraint;
mod delegate;
mod diagnostic;
mod diagnostics;
mod document;
mod files;
mod format;
mod instructions;
mod library;
mod lock;
mod manifest;
mod narrowing;
mod overlay;
mod policy_test;
mod reference;
mod render;
mod resolved;
mod rules;
mod schema;
mod self_contained;
mod sources;
mod stub_script;
mod suggest;
mod yaml;

#[cfg(test)]
mod tests;

pub use catalog::{Catalog, Entry, Wanted, choose, is_filed, plain_version};
pub use closure::{Closure, External, Member, Origin, closure, closure_with};
pub use compile::{Compiled, compile, compile_allowing, compile_with};
pub use diagnostic::{Code, Diagnostic, Related, Severity, Span};
pub use diagnostics::explain;
pub use files::{FileError, Files, MemoryFiles, Recorder};
pub use format::{FormatKind, format_schema};
pub use lock::{LOCK_FILE, Lock, LockError, LockedMember, LockedOrigin};
pub use manifest::manifest;
pub use overlay::{Overlaid, overlay};
pub use policy_test::{
    CaseContext, Expectation, ExpectedVerdict, PolicyCase, PolicyTests, policy_tests,
};
pub use reference::is_plain_path;
pub use render::render;
pub use resolved::{compile_resolved, compile_resolved_with};
pub use schema::schema_file;
pub use self_contained::{CatalogDocument, CompiledDocument, differences, document};
pub use suggest::nearest;
