//! Checks of the source tree that the compiler does not make. Knows which rules there are; each lives
//! in a file of its own, reads a `Tree` in memory and touches no disk.

mod arrows;
mod dependencies;
mod diagnostics;
mod length;
mod machine;
mod map;
mod openings;
mod read;
mod words;

use std::path::Path;

use crate::say::say;

/// A text file of the project.
struct File {
    /// From the root, with forward slashes.
    path: String,
    text: String,
}

impl File {
    /// A Rust file of one of the crates.
    fn is_rust(&self) -> bool {
        self.path.starts_with("crates/") && self.path.ends_with(".rs")
    }
}

struct Dependency {
    name: String,
    is_workspace: bool,
    is_dev: bool,
}

/// A crate of the workspace.
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

struct Tree {
    files: Vec<File>,
    packages: Vec<Package>,
}

/// What is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
struct Offence {
    place: String,
    text: String,
}

impl Offence {
    fn new(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            text: text.into(),
        }
    }

    fn at(file: &File, line: usize, text: impl Into<String>) -> Self {
        Self::new(format!("{}:{}", file.path, line + 1), text)
    }
}

type Rule = fn(&Tree) -> Vec<Offence>;

const RULES: [(&str, Rule); 8] = [
    ("arrows", arrows::check),
    ("dependencies", dependencies::check),
    ("openings", openings::check),
    ("length", length::check),
    ("diagnostics", diagnostics::check),
    ("map", map::check),
    ("words", words::check),
    ("machine", machine::check),
];

/// Says every offence. `false`: there are some, or the tree could not be read.
pub(crate) fn report(root: &Path) -> bool {
    let tree = match read::tree(root) {
        Ok(tree) => tree,
        Err(why) => {
            say(&format!("tidy cannot read the tree: {why}"));
            return false;
        }
    };
    let mut count = 0;
    for (name, rule) in RULES {
        for offence in rule(&tree) {
            count += 1;
            say(&format!("{}: {} [{name}]", offence.place, offence.text));
        }
    }
    say(&format!(
        "tidy: {} files, {count} offences",
        tree.files.len()
    ));
    count == 0
}

/// Builders of small trees.
#[cfg(test)]
mod made {
    use super::{Dependency, File, Offence, Package, Rule, Tree};

    pub(super) fn files(files: &[(&str, &str)]) -> Tree {
        let files = files.iter().map(|(path, text)| File {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        });
        Tree {
            files: files.collect(),
            packages: Vec::new(),
        }
    }

    /// A crate that depends on others; `+x` is a workspace crate, `~x` one for tests only.
    pub(super) fn package(name: &str, dependencies: &[&str]) -> Tree {
        let dependencies = dependencies.iter().map(|it| Dependency {
            name: it.trim_start_matches(['+', '~']).to_owned(),
            is_workspace: it.starts_with(['+', '~']),
            is_dev: it.starts_with('~'),
        });
        Tree {
            files: Vec::new(),
            packages: vec![Package {
                name: name.to_owned(),
                dependencies: dependencies.collect(),
            }],
        }
    }

    pub(super) fn places(rule: Rule, tree: &Tree) -> Vec<String> {
        let offences: Vec<Offence> = rule(tree);
        offences.into_iter().map(|it| it.place).collect()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_project_is_tidy() {
        assert!(super::report(&crate::root()));
    }
}
