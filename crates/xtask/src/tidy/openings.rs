//! A crate's first file opens by saying what the crate does and what it knows nothing of.

use super::{Offence, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Offence> {
    let roots = tree.files.iter().filter(|it| {
        it.is_rust() && (it.path.ends_with("/lib.rs") || it.path.ends_with("/main.rs"))
    });
    roots
        .filter(|it| !it.text.starts_with("//! "))
        .map(|it| Offence::at(it, 0, "does not open with `//!`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::*;

    #[test]
    fn a_crate_opens_with_what_it_does() {
        let tree = made::files(&[
            ("crates/a/src/lib.rs", "//! Does a.\n"),
            ("crates/b/src/lib.rs", "mod b;\n"),
            ("crates/c/src/main.rs", "// Does c.\n"),
            ("crates/c/src/other.rs", "fn main() {}\n"),
        ]);
        let expected = ["crates/b/src/lib.rs:1", "crates/c/src/main.rs:1"];
        assert_eq!(made::places(check, &tree), expected);
    }
}
