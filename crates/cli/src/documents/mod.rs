//! What `tools` and `policies` have in common: both are documents of the catalog. One file for each
//! verb; the two groups only have words of their own.

pub(crate) mod deprecate;
pub(crate) mod inspect;
pub(crate) mod ls;
pub(crate) mod publish;
pub(crate) mod versions;

use proto::ordain::v1 as wire;
use spec::DocumentKind;

use crate::failure::Failure;
use crate::reference;
use crate::render::text::quoted;

/// A document by its id, and what follows the `@`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// A version or a constraint; empty when there is none.
    pub(crate) version: String,
}

impl Reference {
    /// Reads `namespace.name[@…]`, or `namespace/name[@…]`.
    pub(crate) fn parse(kind: DocumentKind, text: &str) -> Result<Self, Failure> {
        let word = word(kind);
        let (id, version) = match text.split_once('@') {
            Some((_, "")) => {
                let message = format!(
                    "{word} version must not be empty after @ in {}",
                    quoted(text)
                );
                return Err(Failure::usage(message));
            }
            Some((id, version)) => (id, version),
            None => (text, ""),
        };
        match reference::split(id) {
            Some((namespace, name)) => Ok(Self {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                version: version.to_owned(),
            }),
            None => Err(Failure::usage(format!(
                "{word} must be namespace.name, got {}",
                quoted(text)
            ))),
        }
    }

    /// Reads a reference that must not have a version.
    pub(crate) fn parse_id(kind: DocumentKind, text: &str) -> Result<Self, Failure> {
        let read = Self::parse(kind, text)?;
        if read.version.is_empty() {
            return Ok(read);
        }
        let word = word(kind);
        let text = quoted(text);
        Err(Failure::usage(format!(
            "{word} reference must not include @version here, got {text}"
        )))
    }

    /// Reads a reference that must have a version.
    pub(crate) fn parse_version(kind: DocumentKind, text: &str) -> Result<Self, Failure> {
        let read = Self::parse(kind, text)?;
        if !read.version.is_empty() {
            return Ok(read);
        }
        let word = word(kind);
        let text = quoted(text);
        Err(Failure::usage(format!(
            "{word} reference must include @version, got {text}"
        )))
    }
}

/// The kind as a word in a sentence.
pub(crate) fn word(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Tool => "tool",
        DocumentKind::Policy => "policy",
    }
}

pub(crate) fn wire_kind(kind: DocumentKind) -> wire::DocumentKind {
    match kind {
        DocumentKind::Tool => wire::DocumentKind::Tool,
        DocumentKind::Policy => wire::DocumentKind::Policy,
    }
}

/// `published`, or `deprecated`.
fn status(is_deprecated: bool) -> &'static str {
    if is_deprecated {
        "deprecated"
    } else {
        "published"
    }
}

#[cfg(test)]
mod tests {
    use spec::DocumentKind;

    use super::Reference;
    use crate::exit::Exit;

    #[test]
    fn both_writings() {
        for (text, namespace, name, version) in [
            ("pay.refund", "pay", "refund", ""),
            ("pay/refund", "pay", "refund", ""),
            ("acme.pay.refund@^1.2", "acme.pay", "refund", "^1.2"),
            ("acme.pay/refund@>=1 <2", "acme.pay", "refund", ">=1 <2"),
        ] {
            let read = Reference::parse(DocumentKind::Tool, text).unwrap();
            assert_eq!(
                (read.namespace.as_str(), read.name.as_str()),
                (namespace, name)
            );
            assert_eq!(read.version, version, "{text}");
        }
    }

    #[test]
    fn what_is_no_reference() {
        let kind = DocumentKind::Policy;
        for (failed, message) in [
            (
                Reference::parse(kind, "refund"),
                "policy must be namespace.name, got \"refund\"",
            ),
            (
                Reference::parse(kind, "pay.refund@"),
                "policy version must not be empty after @ in \"pay.refund@\"",
            ),
            (
                Reference::parse_version(kind, "pay.refund"),
                "policy reference must include @version, got \"pay.refund\"",
            ),
            (
                Reference::parse_id(kind, "pay.refund@1"),
                "policy reference must not include @version here, got \"pay.refund@1\"",
            ),
        ] {
            let failure = failed.unwrap_err();
            assert_eq!(
                (failure.exit, failure.message.as_str()),
                (Exit::Usage, message)
            );
        }
    }
}
