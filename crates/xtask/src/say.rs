//! Writes lines to the terminal. Knows nothing of what they say.

/// Writes one line to the standard output, at once.
#[expect(
    clippy::print_stdout,
    reason = "the one place that prints; the macro's output is captured in tests, where a summary \
              line that got out would be counted by the check that runs them"
)]
pub(crate) fn say(line: &str) {
    println!("{line}");
}
