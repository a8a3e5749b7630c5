//! Counts what passed and failed. Knows the summary line of a Rust test program; not how it was run.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Tally {
    pub(crate) fn of(passed: bool) -> Self {
        Self {
            passed: u64::from(passed),
            failed: u64::from(!passed),
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// Reads `test result: ok. 3 passed; 1 failed; …`; any other line is `None`.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |word: &str| {
            let mut parts = counts.split(';').map(str::trim);
            parts.find_map(|it| it.strip_suffix(word)?.trim().parse().ok())
        };
        Some(Self {
            passed: count("passed")?,
            failed: count("failed")?,
        })
    }

    /// The last line of a check.
    pub(crate) fn line(self) -> String {
        format!("{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_read() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.51s";
        let expected = Tally {
            passed: 12,
            failed: 3,
        };
        assert_eq!(Tally::from_line(line), Some(expected));
    }

    #[test]
    fn other_lines_are_not() {
        for line in [
            "",
            "running 3 tests",
            "test result: pending",
            "a test result: ok. 1 passed; 0 failed",
        ] {
            assert_eq!(Tally::from_line(line), None, "{line}");
        }
    }

    #[test]
    fn the_last_line_has_both_counts() {
        let mut tally = Tally::of(true);
        tally.add(Tally::of(false));
        tally.add(Tally::of(true));
        assert_eq!(tally.line(), "2 passed, 1 failed");
    }
}
