//! Where sources come from. Knows paths and bytes; not disks, links or permissions.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// A bundle's files, as publish sees them.
pub trait Files {
    /// The bytes of `path`, or `None` when there is no such file. Paths are relative to the bundle
    /// root, with forward slashes.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileError>;

    /// The names of the files (not folders) directly in `dir`, sorted; empty when there is no such
    /// folder.
    ///
    /// # Errors
    /// The folder is there and cannot be listed.
    fn list(&self, dir: &str) -> Result<Vec<String>, FileError>;
}

/// Why a file or folder that exists cannot be read, in words for the author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FileError(pub String);

/// Files held in memory, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryFiles(BTreeMap<String, Vec<u8>>);

impl Files for MemoryFiles {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileError> {
        Ok(self.0.get(path).cloned())
    }

    fn list(&self, dir: &str) -> Result<Vec<String>, FileError> {
        let names = self.0.keys().filter_map(|path| {
            let rest = if dir.is_empty() {
                Some(path.as_str())
            } else {
                path.strip_prefix(dir)?.strip_prefix('/')
            };
            rest.filter(|name| !name.contains('/')).map(str::to_owned)
        });
        Ok(names.collect())
    }
}

impl<K: Into<String>, V: Into<Vec<u8>>> FromIterator<(K, V)> for MemoryFiles {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(files: I) -> Self {
        let files = files.into_iter();
        Self(files.map(|(k, v)| (k.into(), v.into())).collect())
    }
}

impl<I, K, V> From<I> for MemoryFiles
where
    I: IntoIterator<Item = (K, V)>,
    K: Into<String>,
    V: Into<Vec<u8>>,
{
    fn from(files: I) -> Self {
        files.into_iter().collect()
    }
}

/// Passes everything through to other files and keeps what was read, so that a client can send
/// exactly the sources that its own compilation saw.
///
/// The documents of a listed folder are kept too, read or not: whoever compiles the sources again
/// finds the same documents there.
#[derive(Debug)]
pub struct Recorder<'a, F: ?Sized> {
    inner: &'a F,
    sources: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl<'a, F: Files + ?Sized> Recorder<'a, F> {
    /// Starts with nothing recorded.
    #[must_use]
    pub fn new(inner: &'a F) -> Self {
        Self {
            inner,
            sources: RefCell::default(),
        }
    }

    /// Every file that was read, by path.
    #[must_use]
    pub fn into_sources(self) -> BTreeMap<String, Vec<u8>> {
        self.sources.into_inner()
    }
}

impl<F: Files + ?Sized> Files for Recorder<'_, F> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileError> {
        let bytes = self.inner.read(path)?;
        if let Some(bytes) = &bytes {
            self.sources
                .borrow_mut()
                .insert(path.to_owned(), bytes.clone());
        }
        Ok(bytes)
    }

    fn list(&self, dir: &str) -> Result<Vec<String>, FileError> {
        let names = self.inner.list(dir)?;
        for name in names.iter().filter(|name| is_document(name)) {
            self.read(&format!("{dir}/{name}"))?;
        }
        Ok(names)
    }
}

/// The files of a folder, as one that knows nothing of what is around it sees them.
pub(crate) struct Subfolder<'a> {
    files: &'a dyn Files,
    /// From the root of `files`; empty for that root itself.
    folder: &'a str,
}

impl<'a> Subfolder<'a> {
    pub(crate) fn new(files: &'a dyn Files, folder: &'a str) -> Self {
        Self { files, folder }
    }
}

impl Files for Subfolder<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileError> {
        self.files.read(&joined(self.folder, path))
    }

    fn list(&self, dir: &str) -> Result<Vec<String>, FileError> {
        self.files.list(&joined(self.folder, dir))
    }
}

/// The path of what is at `path` in `folder`.
pub(crate) fn joined(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// A path's folder, which is empty for the root, and its file name.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Whether a file of this name in `tools/` or `policies/` is taken for a document.
pub(crate) fn is_document(name: &str) -> bool {
    !name.starts_with('.') && (name.ends_with(".yaml") || name.ends_with(".yml"))
}

#[cfg(test)]
mod tests {
    use super::{FileError, Files, MemoryFiles, Recorder, Subfolder};

    fn sample() -> MemoryFiles {
        MemoryFiles::from([
            ("agent.yaml", "a"),
            ("tools/b.yaml", "b"),
            ("tools/a.yaml", "a"),
            ("tools/notes.txt", "n"),
            ("tools/deep/c.yaml", "c"),
            ("toolsmith.yaml", "t"),
        ])
    }

    #[test]
    fn lists_only_the_folder_itself() -> Result<(), FileError> {
        let files = sample();
        assert_eq!(files.list("tools")?, ["a.yaml", "b.yaml", "notes.txt"]);
        assert_eq!(files.list("")?, ["agent.yaml", "toolsmith.yaml"]);
        assert!(files.list("policies")?.is_empty());
        Ok(())
    }

    #[test]
    fn a_folder_of_its_own() -> Result<(), FileError> {
        let files = sample();
        let tools = Subfolder::new(&files, "tools");
        assert_eq!(tools.read("b.yaml")?, Some(b"b".to_vec()));
        assert_eq!(tools.read("agent.yaml")?, None);
        assert_eq!(tools.list("")?, ["a.yaml", "b.yaml", "notes.txt"]);
        assert_eq!(tools.list("deep")?, ["c.yaml"]);
        let all = Subfolder::new(&files, "");
        assert_eq!(all.read("tools/b.yaml")?, Some(b"b".to_vec()));
        assert_eq!(all.list("")?, files.list("")?);
        Ok(())
    }

    #[test]
    fn records_what_was_read_and_listed() -> Result<(), FileError> {
        let files = sample();
        let recorder = Recorder::new(&files);
        recorder.read("agent.yaml")?;
        recorder.read("missing.yaml")?;
        recorder.list("tools")?;
        let sources = recorder.into_sources();
        let paths: Vec<_> = sources.keys().map(String::as_str).collect();
        assert_eq!(paths, ["agent.yaml", "tools/a.yaml", "tools/b.yaml"]);
        assert_eq!(
            MemoryFiles::from(sources).read("tools/b.yaml")?,
            Some(b"b".to_vec())
        );
        Ok(())
    }
}
