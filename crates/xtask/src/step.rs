//! Runs one program and passes its output on line by line. Knows processes; not what the program is
//! for.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::say::say;
use crate::tally::Tally;

/// How long output may still come after the program has ended: a process that it left behind would
/// otherwise keep the pipe, and the check, open for ever.
const OUTPUT_WAIT: Duration = Duration::from_secs(10);

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) success: bool,
    /// The sum of the test summaries among its output.
    pub(crate) tests: Tally,
    /// How many tests a Python test program says that it ran.
    pub(crate) ran: Option<u64>,
    pub(crate) last_line: String,
}

impl Ended {
    fn badly() -> Self {
        Self {
            success: false,
            tests: Tally::default(),
            ran: None,
            last_line: String::new(),
        }
    }
}

pub(crate) fn run(root: &Path, program: &str, args: &[&str]) -> Ended {
    let spawned = Command::new(program)
        .args(args)
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(why) => {
            say(&format!("{program} cannot be started: {why}"));
            return Ended::badly();
        }
    };
    let (sender, receiver) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || sender.send(pass_on(output)).ok());
    }
    let success = match child.wait() {
        Ok(status) => status.success(),
        Err(why) => {
            say(&format!("{program} cannot be waited for: {why}"));
            false
        }
    };
    match receiver.recv_timeout(OUTPUT_WAIT) {
        Ok(said) => Ended { success, ..said },
        Err(_) => {
            say(&format!("{program} left a process behind"));
            Ended::badly()
        }
    }
}

/// What a program said; how it ended is not known yet.
fn pass_on(output: impl Read) -> Ended {
    let mut said = Ended::badly();
    for line in BufReader::new(output).split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        say(&line);
        if let Some(tally) = Tally::from_line(&line) {
            said.tests.add(tally);
        }
        said.ran = ran(&line).or(said.ran);
        if !line.is_empty() {
            said.last_line = line;
        }
    }
    said
}

/// Reads `Ran 28 tests in 9.124s`.
fn ran(line: &str) -> Option<u64> {
    let (count, _) = line.strip_prefix("Ran ")?.split_once(" test")?;
    count.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_added_up_and_the_last_line_is_kept() {
        let output = b"test result: ok. 2 passed; 0 failed;\n\xff\ntest result: FAILED. 1 passed; 1 failed;\nbye\n\n";
        let said = pass_on(output.as_slice());
        assert_eq!(
            said.tests,
            Tally {
                passed: 3,
                failed: 1
            }
        );
        assert_eq!((said.ran, said.last_line.as_str()), (None, "bye"));
    }

    #[test]
    fn the_count_of_a_python_program_is_kept() {
        let said = pass_on(b"Ran away\nRan 28 tests in 9.124s\n\nOK\n".as_slice());
        assert_eq!((said.ran, said.last_line.as_str()), (Some(28), "OK"));
        assert_eq!(pass_on(b"Ran 1 test in 0.1s\n".as_slice()).ran, Some(1));
    }

    #[test]
    fn a_program_that_is_not_there_fails() {
        assert!(!run(Path::new("."), "no-such-program", &[]).success);
    }

    #[test]
    fn the_exit_code_counts() {
        let version = run(Path::new("."), env!("CARGO"), &["--version"]);
        assert!(version.success && version.last_line.starts_with("cargo"));
        assert!(!run(Path::new("."), "false", &[]).success);
    }
}
