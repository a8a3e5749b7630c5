//! The scenarios that drive the built program with the published Python SDK. Knows Python's
//! environments and the summary of its tests; not the scenarios.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::say::say;
use crate::step::{self, Ended};
use crate::tally::Tally;

const FOLDER: &str = "clients/python-sdk";

/// Ends well with a Python that the SDK runs on and that can make environments; says what it is.
const PROBE: &str = "import sys, venv, ensurepip; print(sys.version); \
                     sys.exit(sys.version_info < (3, 10))";

pub(crate) fn run(root: &Path, cargo: &str) -> Tally {
    let Some(python) = python() else {
        let is_ci = std::env::var("CI").is_ok_and(|it| it == "true");
        return without_python(is_ci);
    };
    let built = step::run(root, cargo, &["build", "-p", "cli"]);
    if !built.success {
        return Tally::of(false);
    }
    let target = target(root);
    let Some(venv) = environment(root, &target, &python) else {
        return Tally::of(false);
    };
    let script = format!("{FOLDER}/run.py");
    let ordain = target.join("debug/ordain");
    let args = ["-B", &script, "--ordain", &ordain.to_string_lossy()];
    judged(&step::run(root, &venv.to_string_lossy(), &args))
}

/// What the Python of this machine says about itself, if it will do.
fn python() -> Option<String> {
    let output = Command::new("python3")
        .args(["-c", PROBE])
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|it| it.status.success())?;
    String::from_utf8(output.stdout).ok()
}

fn without_python(is_ci: bool) -> Tally {
    let what = "python3, 3.10 or later with venv, is not here";
    if is_ci {
        say(&format!("{what}, and CI=true: the SDK has to be tested"));
        return Tally::of(false);
    }
    say("**********************************************************************");
    say(&format!("SKIPPED: {what}."));
    say("SKIPPED: nobody has tried this build with the Python SDK.");
    say("**********************************************************************");
    Tally::default()
}

fn target(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The Python of an environment with what is required, made anew when that has changed. `None`:
/// what went wrong has been said.
fn environment(root: &Path, target: &Path, python: &str) -> Option<PathBuf> {
    let list = root.join(FOLDER).join("requirements.txt");
    let required = match std::fs::read_to_string(&list) {
        Ok(text) => text,
        Err(why) => {
            say(&format!("{} cannot be read: {why}", list.display()));
            return None;
        }
    };
    let venv = target.join("python-sdk/venv");
    let python_there = venv.join("bin/python");
    let stamp = venv.join("installed.txt");
    let wanted = format!("{python}{required}");
    if std::fs::read_to_string(&stamp).is_ok_and(|it| it == wanted) {
        return Some(python_there);
    }
    let folder = venv.to_string_lossy();
    let list = list.to_string_lossy();
    let pip = "-m pip install --quiet --disable-pip-version-check -r";
    let install: Vec<&str> = pip.split(' ').chain([&*list]).collect();
    let made = step::run(root, "python3", &["-m", "venv", "--clear", &folder]).success
        && step::run(root, &python_there.to_string_lossy(), &install).success;
    if !made {
        say(&format!("the environment {folder} could not be made"));
        return None;
    }
    // Last: an environment that is half made has no stamp.
    if let Err(why) = std::fs::write(&stamp, wanted) {
        say(&format!("{} cannot be written: {why}", stamp.display()));
        return None;
    }
    Some(python_there)
}

/// Reads `Ran 9 tests in 2.1s` and what follows it, such as `FAILED (failures=1, errors=2)`.
fn judged(ended: &Ended) -> Tally {
    let ran = ended.ran.unwrap_or(0);
    let bad: u64 = ["failures", "errors", "unexpected successes"]
        .iter()
        .map(|word| count(&ended.last_line, word))
        .sum();
    // A test can fail in several places. What died before its summary has no count of its own.
    let failed = match bad.min(ran) {
        0 if !ended.success || ran == 0 => 1,
        failed => failed,
    };
    let skipped = count(&ended.last_line, "skipped");
    Tally {
        passed: ran.saturating_sub(failed).saturating_sub(skipped),
        failed,
    }
}

/// The number behind a word between the brackets of a summary.
fn count(summary: &str, word: &str) -> u64 {
    let inside = summary.split_once('(').map_or("", |(_, it)| it);
    inside
        .trim_end_matches(')')
        .split(", ")
        .filter_map(|it| it.split_once('='))
        .find(|(name, _)| *name == word)
        .and_then(|(_, number)| number.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(success: bool, ran: Option<u64>, last_line: &str) -> String {
        let ended = Ended {
            success,
            tests: Tally::default(),
            ran,
            last_line: last_line.to_owned(),
        };
        judged(&ended).line()
    }

    #[test]
    fn tests_are_counted() {
        assert_eq!(line(true, Some(28), "OK"), "28 passed, 0 failed");
        let summary = "OK (skipped=3, expected failures=2)";
        assert_eq!(line(true, Some(28), summary), "25 passed, 0 failed");
    }

    #[test]
    fn failures_are_counted_of_each_kind() {
        let summary = "FAILED (failures=1, errors=2, expected failures=5, unexpected successes=1)";
        assert_eq!(line(false, Some(28), summary), "24 passed, 4 failed");
        // Several failures of one test.
        assert_eq!(
            line(false, Some(1), "FAILED (failures=3)"),
            "0 passed, 1 failed"
        );
    }

    #[test]
    fn what_died_or_ran_nothing_has_failed() {
        assert_eq!(line(false, None, ""), "0 passed, 1 failed");
        assert_eq!(line(true, Some(0), "OK"), "0 passed, 1 failed");
        assert_eq!(
            line(false, Some(0), "FAILED (errors=1)"),
            "0 passed, 1 failed"
        );
        assert_eq!(line(false, Some(9), "OK"), "8 passed, 1 failed");
    }

    #[test]
    fn without_python_only_the_ci_fails() {
        assert_eq!(without_python(false), Tally::default());
        assert_eq!(without_python(true), Tally::of(false));
    }
}
