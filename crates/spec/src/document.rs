//! The kinds of documents that stand on their own in a catalog.

use std::fmt;

/// What kind of document one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKind {
    /// The contract of one capability.
    Tool,
    /// When a rule applies, and what happens then.
    Policy,
}

impl DocumentKind {
    /// Both kinds.
    pub const ALL: [DocumentKind; 2] = [DocumentKind::Tool, DocumentKind::Policy];

    /// The word that documents of the kind have as their `kind`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            DocumentKind::Tool => "Tool",
            DocumentKind::Policy => "Policy",
        }
    }

    /// The folder of a bundle in which documents of the kind lie.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            DocumentKind::Tool => "tools",
            DocumentKind::Policy => "policies",
        }
    }
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
