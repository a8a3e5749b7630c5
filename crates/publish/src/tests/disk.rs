//! Files of the repository, for tests that hold them against the code.

use std::path::{Path, PathBuf};

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a file, by its path from the repository's root.
pub(crate) fn text(path: &str) -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "the crate reads no file; its tests read the repository"
    )]
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// The path of every file below `folder`, both from the repository's root, sorted.
pub(crate) fn below(folder: &str) -> Vec<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the crate reads no file; its tests read the repository"
    )]
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            paths.extend(below(&path));
        } else {
            paths.push(path);
        }
    }
    paths.sort();
    paths
}
