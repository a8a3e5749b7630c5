//! Words that must not stay in Rust code: unfinished work, skipped tests, lints switched off without a
//! reason, and waiting for a clock.

use super::{Offence, Tree};

// Put together from parts, or this file would hold them itself.
const WORDS: [&str; 8] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("#[ig", "nore"),
    concat!("thread::", "sleep"),
    concat!("#[al", "low("),
    concat!("#![al", "low("),
];

pub(super) fn check(tree: &Tree) -> Vec<Offence> {
    let mut offences = Vec::new();
    for file in tree.files.iter().filter(|it| it.is_rust()) {
        for (number, line) in file.text.lines().enumerate() {
            for word in WORDS {
                if line.contains(word) {
                    let text = format!("`{word}` may not stay");
                    offences.push(Offence::at(file, number, text));
                }
            }
        }
    }
    offences
}

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::*;

    #[test]
    fn each_word_is_found() {
        for word in WORDS {
            let text = format!("fn a() {{}}\n    {word}\n");
            let tree = made::files(&[("crates/a/tests/a.rs", &text)]);
            assert_eq!(made::places(check, &tree), ["crates/a/tests/a.rs:2"]);
        }
    }

    #[test]
    fn texts_outside_the_crates_are_free() {
        let tree = made::files(&[("NOTES.md", WORDS[0])]);
        assert!(check(&tree).is_empty());
    }
}
