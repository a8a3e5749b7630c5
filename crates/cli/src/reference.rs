//! How an agent is named on the command line: `namespace/name[@version]`, or `namespace.name`. Knows
//! the writing; not which agents there are.

use proto::runtime::v1::AgentRef;

use crate::failure::Failure;
use crate::render::text::quoted;

/// Reads a reference whose version may be missing.
pub(crate) fn parse(text: &str) -> Result<AgentRef, Failure> {
    let (id, version) = match text.split_once('@') {
        Some((_, "")) => {
            let message = format!(
                "agent version must not be empty after @ in {}",
                quoted(text)
            );
            return Err(Failure::usage(message));
        }
        Some((id, version)) => (id, without_prefix(version)),
        None => (text, ""),
    };
    match split(id) {
        Some((namespace, name)) => Ok(AgentRef {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
        }),
        None => Err(Failure::usage(format!(
            "agent must be namespace/name, got {}",
            quoted(text)
        ))),
    }
}

/// Versions are published without the `v` that some write before them.
fn without_prefix(version: &str) -> &str {
    let rest = version.strip_prefix(['v', 'V']);
    let rest = rest.filter(|it| it.starts_with(|c: char| c.is_ascii_digit()));
    rest.unwrap_or(version)
}

/// Splits `namespace/name`, or `namespace.name`, into its two parts.
pub(crate) fn split(id: &str) -> Option<(&str, &str)> {
    // A namespace may have dots of its own, so the name begins at the last one.
    let parts = id.split_once('/').or_else(|| id.rsplit_once('.'));
    parts.filter(|(namespace, name)| !namespace.is_empty() && !name.is_empty())
}

/// Reads a reference that must have a version.
pub(crate) fn parse_version(text: &str) -> Result<AgentRef, Failure> {
    let agent = parse(text)?;
    if agent.version.is_empty() {
        let message = format!(
            "agent reference must include @version, got {}",
            quoted(text)
        );
        return Err(Failure::usage(message));
    }
    Ok(agent)
}

/// `namespace/name`
pub(crate) fn id(agent: &AgentRef) -> String {
    format!("{}/{}", agent.namespace, agent.name)
}

/// `namespace/name@version`, without the version where there is none.
pub(crate) fn label(agent: &AgentRef) -> String {
    if agent.version.is_empty() {
        id(agent)
    } else {
        format!("{}@{}", id(agent), agent.version)
    }
}

#[cfg(test)]
mod tests {
    use super::{label, parse, parse_version};
    use crate::exit::Exit;

    fn read(text: &str) -> Result<(String, String, String), String> {
        match parse(text) {
            Ok(it) => Ok((it.namespace, it.name, it.version)),
            Err(failure) => {
                assert_eq!(failure.exit, Exit::Usage);
                Err(failure.message)
            }
        }
    }

    #[test]
    fn both_writings() {
        let table = [
            ("support/refunds", ("support", "refunds", "")),
            ("support/refunds@1.2.0", ("support", "refunds", "1.2.0")),
            ("support.refunds@1.2.0", ("support", "refunds", "1.2.0")),
            ("acme.eu.refunds", ("acme.eu", "refunds", "")),
            ("acme.eu/refunds", ("acme.eu", "refunds", "")),
            ("a/b/c", ("a", "b/c", "")),
            ("a/b@1@2", ("a", "b", "1@2")),
            ("a/b@sha256:00", ("a", "b", "sha256:00")),
            ("a/b@v1.2.3", ("a", "b", "1.2.3")),
            ("a/b@vague", ("a", "b", "vague")),
        ];
        for (text, (namespace, name, version)) in table {
            let expected = (namespace.to_owned(), name.to_owned(), version.to_owned());
            assert_eq!(read(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_reference() {
        for text in [
            "", "refunds", "/refunds", "support/", ".refunds", "@1.0.0", "a\"b",
        ] {
            let message = format!("agent must be namespace/name, got {text:?}");
            assert_eq!(read(text), Err(message), "{text}");
        }
        let empty = "agent version must not be empty after @ in \"a/b@\"";
        assert_eq!(read("a/b@"), Err(empty.to_owned()));
    }

    #[test]
    fn a_version_can_be_demanded() {
        let failure = parse_version("a/b").unwrap_err();
        assert_eq!(
            failure.message,
            "agent reference must include @version, got \"a/b\""
        );
        assert_eq!(label(&parse_version("a/b@1.0.0").unwrap()), "a/b@1.0.0");
        assert_eq!(label(&parse("a/b").unwrap()), "a/b");
    }
}
