//! References: logical ones to Tools and Policies, and paths of files. Knows how they are written;
//! not what is there.

use std::fmt;

use crate::constraint::{Constraint, Malformed};
use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0211, e0301, e0303, e0304};

/// The longest name, or segment of a namespace.
const NAME_CHARS_MAX: usize = 63;

/// `namespace.name`, without a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogicalId {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl fmt::Display for LogicalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.namespace, self.name)
    }
}

/// `namespace.name[@constraint]`
#[derive(Clone, Debug)]
pub(crate) struct LogicalRef {
    pub(crate) id: LogicalId,
    pub(crate) constraint: Option<Constraint>,
}

/// Whether `text` may be a document's name.
pub(crate) fn is_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=NAME_CHARS_MAX).contains(&text.len())
        && text.bytes().all(inner)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// Whether `text` may be a namespace: names with dots between.
pub(crate) fn is_namespace(text: &str) -> bool {
    text.split('.').all(is_name)
}

/// Splits a logical id at its last dot.
pub(crate) fn logical_id(text: &str) -> Option<LogicalId> {
    let (namespace, name) = text.rsplit_once('.')?;
    (is_namespace(namespace) && is_name(name)).then(|| LogicalId {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    })
}

/// Reads a logical reference.
pub(crate) fn logical(text: At<String>, sink: &mut Sink) -> Option<At<LogicalRef>> {
    let (id, constraint) = match text.value.split_once('@') {
        Some((id, constraint)) => (id, Some(constraint)),
        None => (text.value.as_str(), None),
    };
    let Some(id) = logical_id(id) else {
        sink.push(e0303::malformed(&text.at, &text.value));
        return None;
    };
    let constraint = match constraint.map(Constraint::parse).transpose() {
        Ok(constraint) => constraint,
        Err(Malformed { why, example }) => {
            let written = constraint.unwrap_or_default();
            sink.push(e0304::malformed(&text.at, written, &why, &example));
            return None;
        }
    };
    if let Some(constraint) = &constraint
        && let Some(plain) = constraint.without_prefix()
    {
        sink.push(e0211::prefixed(&text.at, &constraint.to_string(), &plain));
    }
    Some(At {
        value: LogicalRef { id, constraint },
        at: text.at,
    })
}

/// A file reference in its plain form, without `.` and `..`; `None` when it leaves the bundle.
pub(crate) fn path(text: &At<String>, sink: &mut Sink) -> Option<String> {
    match normalise(&text.value) {
        Ok(path) => Some(path),
        Err(why) => {
            sink.push(e0301::refused(&text.at, &text.value, why));
            None
        }
    }
}

/// The plain form, from the bundle's root, of a path that a file in `folder` has.
pub(crate) fn from_folder(folder: &str, path: &str) -> Result<String, &'static str> {
    let parts = folder.split('/').filter(|it| !it.is_empty());
    plain(parts.collect(), path)
}

/// Whether `path` is a path of a bundle's file in its plain form, as [`crate::Files`] are asked for it.
#[must_use]
pub fn is_plain_path(path: &str) -> bool {
    // What is in the catalog has names that begin so.
    !crate::catalog::is_filed(path) && normalise(path).as_deref() == Ok(path)
}

/// A path relative to the bundle root in its plain form, or why it is none.
pub(crate) fn normalise(path: &str) -> Result<String, &'static str> {
    plain(Vec::new(), path)
}

fn plain<'a>(mut parts: Vec<&'a str>, path: &'a str) -> Result<String, &'static str> {
    if path.contains(['\\', '\0']) {
        return Err("has a character that no path here may have; write forward slashes");
    }
    if path.starts_with('/') {
        return Err("is absolute");
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err("leaves the bundle");
                }
            }
            // `C:` and `https:` are no folders of the bundle.
            part if part.ends_with(':') => return Err("is not a relative path"),
            part => parts.push(part),
        }
    }
    if parts.is_empty() || path.ends_with('/') {
        return Err("names no file");
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{from_folder, is_name, is_namespace, logical_id, normalise};

    #[test]
    fn paths() {
        for (path, plain) in [
            ("schemas/a", "schemas/a"),
            ("./schemas//a.json", "schemas/a.json"),
            ("schemas/../prompts/a.md", "prompts/a.md"),
            ("a..b/c", "a..b/c"),
        ] {
            assert_eq!(normalise(path).as_deref(), Ok(plain), "{path}");
        }
        for path in [
            "",
            "/etc/passwd",
            "../a",
            "a/../../b",
            "a/..",
            "a/",
            "..\\a",
            "C:/a",
            "https://x/a",
            ".",
            "a\0",
        ] {
            assert!(normalise(path).is_err(), "{path}");
        }
    }

    #[test]
    fn paths_from_a_folder() {
        for (folder, path, plain) in [
            ("", "./a.yaml", "a.yaml"),
            ("sub", "./a.yaml", "sub/a.yaml"),
            ("sub/deep", "../../a.yaml", "a.yaml"),
            ("sub", "../other/a.yaml", "other/a.yaml"),
        ] {
            assert_eq!(from_folder(folder, path).as_deref(), Ok(plain), "{path}");
        }
        for (folder, path) in [("", "../a"), ("sub", "../../a"), ("sub", "/a"), ("a", "..")] {
            assert!(from_folder(folder, path).is_err(), "{folder} {path}");
        }
    }

    #[test]
    fn ids_split_at_the_last_dot() {
        let id = logical_id("shop.payments.issue-refund").unwrap();
        assert_eq!(
            (id.namespace.as_str(), id.name.as_str()),
            ("shop.payments", "issue-refund")
        );
        for text in [
            "refund", "", ".a", "a.", "a..b", "A.b", "a.b_c", "a.-b", "a.b-",
        ] {
            assert_eq!(logical_id(text), None, "{text}");
        }
    }

    #[test]
    fn names() {
        let long = "a".repeat(63);
        assert!(is_name(&long) && is_name("a") && is_name("9-a"));
        assert!(!is_name(&format!("{long}a")) && !is_name(""));
        assert!(is_namespace("a.b-c.d") && !is_namespace("a.") && !is_namespace(""));
    }
}
