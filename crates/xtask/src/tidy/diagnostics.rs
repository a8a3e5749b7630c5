//! A file for each diagnostic code: it is named after the code, holds it and explains it.

use super::{File, Offence, Tree};

const FOLDER: &str = "crates/publish/src/diagnostics/";
const SOURCES: &str = "crates/publish/src/";

pub(super) fn check(tree: &Tree) -> Vec<Offence> {
    let mut offences = Vec::new();
    let mut codes = Vec::new();
    for file in &tree.files {
        let Some(code) = code_of(file) else { continue };
        if !file.text.contains(&format!("\"{code}\"")) {
            offences.push(Offence::at(file, 0, format!("does not hold {code}")));
        }
        if !file.text.starts_with("//! ") {
            let text = format!("does not explain {code} in a `//!` paragraph");
            offences.push(Offence::at(file, 0, text));
        }
        codes.push(code);
    }
    if codes.is_empty() {
        return offences;
    }
    for file in tree.files.iter().filter(|it| it.path.starts_with(SOURCES)) {
        for (number, line) in file.text.lines().enumerate() {
            for code in used(line) {
                if !codes.contains(&code) {
                    offences.push(Offence::at(file, number, format!("{code} has no file")));
                }
            }
        }
    }
    offences
}

/// The code that a file is named after.
fn code_of(file: &File) -> Option<String> {
    let name = file.path.strip_prefix(FOLDER)?.strip_suffix(".rs")?;
    is_code(name, 'e').then(|| name.to_uppercase())
}

/// The codes that a line makes, as in `Code("E0101")`.
fn used(line: &str) -> Vec<String> {
    let quoted = line.split("Code(\"").skip(1);
    let words = quoted.filter_map(|it| Some(it.split_once('"')?.0.to_owned()));
    words.filter(|it| is_code(it, 'E')).collect()
}

fn is_code(word: &str, letter: char) -> bool {
    word.strip_prefix(letter)
        .is_some_and(|it| it.len() == 4 && it.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::*;

    const GOOD: (&str, &str) = (
        "crates/publish/src/diagnostics/e0101.rs",
        "//! Why.\nconst CODE: Code = Code(\"E0101\");\n",
    );

    #[test]
    fn a_code_has_a_file_that_explains_it() {
        assert!(check(&made::files(&[GOOD])).is_empty());
    }

    #[test]
    fn a_file_holds_the_code_of_its_name() {
        let tree = made::files(&[("crates/publish/src/diagnostics/e0102.rs", GOOD.1), GOOD]);
        let expected = ["crates/publish/src/diagnostics/e0102.rs:1"];
        assert_eq!(made::places(check, &tree), expected);
    }

    #[test]
    fn a_file_explains_its_code() {
        let tree = made::files(&[(GOOD.0, "const CODE: Code = Code(\"E0101\");\n")]);
        assert_eq!(made::places(check, &tree).len(), 1);
    }

    #[test]
    fn a_code_without_a_file_is_an_offence() {
        let tree = made::files(&[GOOD, ("crates/publish/src/a.rs", "\nCode(\"E0999\")\n")]);
        assert_eq!(made::places(check, &tree), ["crates/publish/src/a.rs:2"]);
    }

    #[test]
    fn other_files_of_the_folder_are_left_alone() {
        let tree = made::files(&[("crates/publish/src/diagnostics/list.rs", "")]);
        assert!(check(&tree).is_empty());
    }
}
