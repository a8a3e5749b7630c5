//! What is wrong with a document, as a value. Knows positions and words; not how they are drawn.

use std::fmt;
use std::rc::Rc;

/// One thing that an author should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind of mistake; see [`crate::explain`].
    pub code: Code,
    /// Whether it keeps the bundle from being published.
    pub severity: Severity,
    /// Path of the file, relative to the bundle root.
    pub file: String,
    /// Where in the file, when that is known.
    pub span: Option<Span>,
    /// Path of the field, such as `spec.tools[1].ref`; empty for the file as a whole.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Other places that one should look at.
    pub related: Vec<Related>,
}

/// A place that has to do with a mistake elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Path of the file, relative to the bundle root.
    pub file: String,
    /// Where in the file, when that is known.
    pub span: Option<Span>,
    /// Path of the field; empty for the file as a whole.
    pub field: String,
    /// What is to be seen there.
    pub message: String,
}

impl Diagnostic {
    pub(crate) fn with_related(mut self, at: &Location, message: impl Into<String>) -> Self {
        self.related.push(Related {
            file: at.file.to_string(),
            span: at.span,
            field: at.field.clone(),
            message: shortened(message.into()),
        });
        self
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(shortened(help.into()));
        self
    }
}

/// A stable name of a kind of mistake, such as `E0203`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub(crate) &'static str);

impl Code {
    /// The code as text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// There will be no snapshot.
    Error,
    /// Worth a look.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// A stretch of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in characters, from 1.
    pub column: u32,
}

/// Where a diagnostic points: a stretch of a file and the field that it holds.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) file: Rc<str>,
    pub(crate) span: Option<Span>,
    pub(crate) field: String,
}

impl Location {
    /// A file as a whole.
    pub(crate) fn file(file: &Rc<str>) -> Self {
        Self {
            file: Rc::clone(file),
            span: None,
            field: String::new(),
        }
    }

    /// A file as a whole, shown at its beginning.
    pub(crate) fn top(file: &Rc<str>) -> Self {
        let first = Span {
            start: 0,
            end: 0,
            line: 1,
            column: 1,
        };
        Self {
            span: Some(first),
            ..Self::file(file)
        }
    }

    pub(crate) fn error(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        self.diagnostic(code, Severity::Error, message.into())
    }

    pub(crate) fn warning(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        self.diagnostic(code, Severity::Warning, message.into())
    }

    fn diagnostic(&self, code: Code, severity: Severity, message: String) -> Diagnostic {
        Diagnostic {
            code,
            severity,
            file: self.file.to_string(),
            span: self.span,
            field: self.field.clone(),
            message: shortened(message),
            help: None,
            related: Vec::new(),
        }
    }
}

fn shortened(mut text: String) -> String {
    clip(&mut text, CHARS_MAX);
    text
}

/// A value and the place that it was read from.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) at: Location,
}

/// The most errors, and the most warnings, that are kept. A hostile file has no more to say.
const KEPT_MAX: usize = 1000;

/// The most characters of a message, of a help and of a field: documents quote themselves in them.
const CHARS_MAX: usize = 2000;

/// Cuts a text that is too long, with a mark.
pub(crate) fn clip(text: &mut String, chars_max: usize) {
    if let Some((end, _)) = text.char_indices().nth(chars_max) {
        text.truncate(end);
        text.push('…');
    }
}

/// Collects what is found.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    found: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Sink {
    pub(crate) fn push(&mut self, mut diagnostic: Diagnostic) {
        clip(&mut diagnostic.message, CHARS_MAX);
        clip(&mut diagnostic.field, CHARS_MAX);
        if let Some(help) = &mut diagnostic.help {
            clip(help, CHARS_MAX);
        }
        for related in &mut diagnostic.related {
            clip(&mut related.message, CHARS_MAX);
            clip(&mut related.field, CHARS_MAX);
        }
        // INVARIANT: whoever is told what is wrong is told what to write instead.
        debug_assert!(diagnostic.help.is_some(), "{diagnostic:?}");
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count = count.saturating_add(1);
        if *count <= KEPT_MAX {
            self.found.push(diagnostic);
        }
    }

    /// How many errors there are so far; a caller compares two counts to see whether a step failed.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Everything found, in an order that does not depend on the order of the checks: the manifest
    /// first, then file by file, top to bottom.
    pub(crate) fn into_sorted(self, manifest: &str) -> Vec<Diagnostic> {
        let mut found = self.found;
        let key = |it: &Diagnostic| {
            let start = it.span.map_or(0, |span| span.start);
            (
                it.file != manifest,
                it.file.clone(),
                start,
                it.code,
                it.field.clone(),
            )
        };
        found.sort_by_cached_key(key);
        found.dedup();
        found
    }
}
