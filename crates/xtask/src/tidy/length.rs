//! A file fits a sitting. Tests do not count: they are read one at a time.

use super::{File, Offence, Tree};

const LINES_MAX: usize = 500;

pub(super) fn check(tree: &Tree) -> Vec<Offence> {
    let long = tree.files.iter().filter(|it| it.is_rust() && !is_test(it));
    long.filter_map(|file| {
        let lines = lines_without_tests(&file.text);
        let text = format!("has {lines} lines without its tests, {LINES_MAX} at most");
        (lines > LINES_MAX).then(|| Offence::at(file, 0, text))
    })
    .collect()
}

fn is_test(file: &File) -> bool {
    file.path.contains("/tests/") || file.path.ends_with("/tests.rs")
}

fn lines_without_tests(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines
        .windows(2)
        .position(|it| matches!(it, ["#[cfg(test)]", next] if next.starts_with("mod tests")));
    tests.unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::*;

    #[test]
    fn a_long_file_is_an_offence() {
        let (fits, long) = ("x\n".repeat(LINES_MAX), "x\n".repeat(LINES_MAX + 1));
        let tree = made::files(&[
            ("crates/a/src/fits.rs", &fits),
            ("crates/a/src/long.rs", &long),
            ("crates/a/tests/long.rs", &long),
            ("crates/a/src/b/tests.rs", &long),
            ("README.md", &long),
        ]);
        assert_eq!(made::places(check, &tree), ["crates/a/src/long.rs:1"]);
    }

    #[test]
    fn trailing_tests_do_not_count() {
        let text = format!("x\n#[cfg(test)]\nmod tests {{\n{}}}\n", "x\n".repeat(999));
        assert_eq!(lines_without_tests(&text), 1);
        assert_eq!(lines_without_tests("#[cfg(test)]\nfn helper() {}\n"), 2);
    }
}
