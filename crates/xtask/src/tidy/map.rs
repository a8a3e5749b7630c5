//! The paths that the map of the project names exist. A map that lies is worse than none.

use super::{Offence, Tree};

const MAP: &str = "ARCHITECTURE.md";

pub(super) fn check(tree: &Tree) -> Vec<Offence> {
    let mut offences = Vec::new();
    for file in tree.files.iter().filter(|it| it.path == MAP) {
        for (number, line) in file.text.lines().enumerate() {
            for path in paths(line) {
                if !exists(tree, path) {
                    let text = format!("`{path}` does not exist");
                    offences.push(Offence::at(file, number, text));
                }
            }
        }
    }
    offences
}

/// The paths between backticks. One with a placeholder stands for many and is not looked up.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|it| {
        (it.starts_with("crates/") || it.starts_with("examples/")) && !it.contains(['<', '*', '{'])
    })
}

fn exists(tree: &Tree, path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let mut files = tree.files.iter();
    files.any(|it| {
        it.path
            .strip_prefix(path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::*;

    #[test]
    fn every_path_of_the_map_exists() {
        let map = "see `crates/a`, `crates/a/src/`, `crates/a/src/lib.rs` and `cargo`\n\
                   but `crates/b` and\n`examples/c.rs`, `crates/a/s`, not `crates/a/<code>.rs`\n";
        let tree = made::files(&[(MAP, map), ("crates/a/src/lib.rs", "")]);
        let expected = [
            "ARCHITECTURE.md:2",
            "ARCHITECTURE.md:3",
            "ARCHITECTURE.md:3",
        ];
        assert_eq!(made::places(check, &tree), expected);
    }

    #[test]
    fn other_texts_may_name_what_they_like() {
        let tree = made::files(&[("README.md", "`crates/b`")]);
        assert!(check(&tree).is_empty());
    }
}
