//! Paths as people write them. Knows their steps; not what is at them.

use std::path::{Component, Path, PathBuf};

/// The path without the steps that lead nowhere: `./a/../b` is `b`.
pub(crate) fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(plain.components().next_back(), Some(Component::Normal(_))) =>
            {
                plain.pop();
            }
            Component::ParentDir
            | Component::Normal(_)
            | Component::RootDir
            | Component::Prefix(_) => plain.push(part),
        }
    }
    if plain.as_os_str().is_empty() {
        plain.push(".");
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::plain_path;

    #[test]
    fn paths_are_shown_plainly() {
        for (path, shown) in [
            ("./a/agent.yaml", "a/agent.yaml"),
            ("a/../b/./c", "b/c"),
            ("../a", "../a"),
            ("/x//y/", "/x/y"),
            (".", "."),
        ] {
            assert_eq!(plain_path(Path::new(path)), PathBuf::from(shown), "{path}");
        }
    }
}
