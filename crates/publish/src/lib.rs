//! Turns the files of a bundle into a snapshot, or into diagnostics that say what to mend.
//!
//! Invariant: pure. Files come through the [`Files`] trait; nothing here touches a disk, a clock,
//! the environment or the network, and the same sources give the same bytes on every machine. It
//! knows nothing of sessions, workers or of what a runtime does with a snapshot.

mod diagnostic;
mod files;

pub use diagnostic::{Code, Diagnostic, Severity, Span};
pub use files::{FileError, Files, MemoryFiles, Recorder};

/// What became of a bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// There exactly when no diagnostic is an error.
    pub snapshot: Option<spec::Snapshot>,
    /// Everything that was found, by file and position.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the bundle whose Agent is the file `manifest`.
#[must_use]
pub fn compile(_files: &dyn Files, manifest: &str) -> Compiled {
    Compiled {
        snapshot: None,
        diagnostics: vec![Diagnostic {
            code: Code("E0000"),
            severity: Severity::Error,
            file: manifest.to_owned(),
            span: None,
            field: String::new(),
            message: "not written yet".to_owned(),
            help: None,
        }],
    }
}

/// Draws diagnostics for people, with the lines that they are about.
#[must_use]
pub fn render(
    diagnostics: &[Diagnostic],
    _source: &dyn Fn(&str) -> Option<String>,
    _color: bool,
) -> String {
    diagnostics.iter().map(|d| d.message.clone() + "\n").collect()
}

/// What a code means, why it matters and how to mend it.
#[must_use]
pub fn explain(_code: &str) -> Option<&'static str> {
    None
}
