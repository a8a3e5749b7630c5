//! The one test command: every step runs, even after one that fails, and the last line says how many
//! passed and failed. Knows the steps and their order; not how any of them works.

use std::path::Path;
use std::time::Instant;

use crate::python_sdk;
use crate::say::say;
use crate::step::{self, Ended};
use crate::tally::Tally;
use crate::tidy;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// Without what needs a release build.
    Quick,
}

/// Lints that make library code honest and test code long. Tests are linted apart, without them.
const NOT_IN_TESTS: [&str; 12] = [
    "clippy::unwrap_used",
    "clippy::expect_used",
    "clippy::indexing_slicing",
    "clippy::string_slice",
    "clippy::print_stdout",
    "clippy::print_stderr",
    "clippy::too_many_lines",
    "clippy::cast_possible_truncation",
    "clippy::let_underscore_must_use",
    "clippy::wildcard_enum_match_arm",
    "unreachable_pub",
    "clippy::large_futures",
];

/// How a step's success is judged.
enum Judge {
    Exit,
    /// Every test that the output sums up counts.
    Tests,
    /// The last line must also say so: a simulation that tried nothing has not passed.
    Seeds,
    /// The same for inputs of the fuzzer.
    Inputs,
}

enum Work {
    Cargo(Vec<&'static str>, Judge),
    PythonSdk,
}

struct Step {
    name: &'static str,
    work: Work,
}

pub(crate) fn run(root: &Path, extent: Extent) -> bool {
    let start = Instant::now();
    let cargo = crate::cargo();
    let mut all = Tally::default();
    all.add(step("tidy", start, || Tally::of(tidy::report(root))));
    for it in steps(extent) {
        all.add(step(it.name, start, || match it.work {
            Work::Cargo(args, judge) => {
                say(&format!("$ cargo {}", args.join(" ")));
                judged(&judge, &step::run(root, &cargo, &args))
            }
            Work::PythonSdk => python_sdk::run(root, &cargo),
        }));
    }
    say(&all.line());
    all.failed == 0
}

fn step(name: &str, start: Instant, work: impl FnOnce() -> Tally) -> Tally {
    let elapsed = || start.elapsed().as_secs_f64();
    say(&format!("==> {name} (at {:.1} s)", elapsed()));
    let tally = work();
    let word = if tally.failed == 0 { "ok" } else { "FAILED" };
    say(&format!(
        "<== {name} {word}: {} (at {:.1} s)\n",
        tally.line(),
        elapsed()
    ));
    tally
}

fn steps(extent: Extent) -> Vec<Step> {
    let program = |name, args: &[&'static str], judge| Step {
        name,
        work: Work::Cargo(args.to_vec(), judge),
    };
    let clippy = ["clippy", "--workspace"];
    let mut lint_tests = clippy.to_vec();
    lint_tests.extend(["--tests", "--examples", "--", "-D", "warnings"]);
    lint_tests.extend(NOT_IN_TESTS.iter().flat_map(|lint| ["-A", *lint]));
    let lint = [&clippy[..], &["--lib", "--bins", "--", "-D", "warnings"]].concat();

    let mut steps = vec![
        program("fmt", &["fmt", "--all", "--check"], Judge::Exit),
        program("clippy", &lint, Judge::Exit),
        program("clippy for tests", &lint_tests, Judge::Exit),
        program(
            "tests",
            &["test", "--workspace", "--no-fail-fast"],
            Judge::Tests,
        ),
        Step {
            name: "python sdk",
            work: Work::PythonSdk,
        },
        program(
            "sim",
            &["run", "-p", "sim", "--", "--seeds", "200"],
            Judge::Seeds,
        ),
        program(
            "fuzz",
            &[
                "run",
                "-p",
                "sim",
                "--example",
                "fuzz_documents",
                "--",
                "--inputs",
                "1500",
            ],
            Judge::Inputs,
        ),
    ];
    match extent {
        Extent::Whole => steps.push(program(
            "demo",
            &["run", "--release", "--", "demo", "--yes"],
            Judge::Exit,
        )),
        Extent::Quick => {}
    }
    steps
}

fn judged(judge: &Judge, ended: &Ended) -> Tally {
    match judge {
        Judge::Exit => Tally::of(ended.success),
        Judge::Seeds => {
            let clean = ended.last_line.contains(" seeds, 0 violations");
            Tally::of(ended.success && clean)
        }
        Judge::Inputs => {
            let clean = ended.last_line.contains(" inputs, 0 failures");
            Tally::of(ended.success && clean)
        }
        Judge::Tests => {
            let mut tests = ended.tests;
            // What did not compile, or died before its summary, left no count of its own.
            if tests.failed == 0 && (!ended.success || tests.passed == 0) {
                tests.failed = 1;
            }
            tests
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(success: bool, passed: u64, failed: u64, last_line: &str) -> Ended {
        Ended {
            success,
            tests: Tally { passed, failed },
            ran: None,
            last_line: last_line.to_owned(),
        }
    }

    #[test]
    fn tests_that_did_not_compile_have_failed() {
        let tally = judged(&Judge::Tests, &ended(false, 0, 0, ""));
        assert_eq!(tally, Tally::of(false));
    }

    #[test]
    fn a_test_program_that_died_has_failed() {
        let tally = judged(&Judge::Tests, &ended(false, 7, 0, ""));
        assert_eq!(tally.line(), "7 passed, 1 failed");
    }

    #[test]
    fn no_tests_at_all_have_failed() {
        assert_eq!(judged(&Judge::Tests, &ended(true, 0, 0, "")).failed, 1);
    }

    #[test]
    fn failed_tests_are_counted_once() {
        let tally = judged(&Judge::Tests, &ended(false, 7, 2, ""));
        assert_eq!(tally.line(), "7 passed, 2 failed");
    }

    #[test]
    fn a_simulation_must_say_that_it_found_nothing() {
        let clean = ended(true, 0, 0, "200 seeds, 0 violations");
        assert_eq!(judged(&Judge::Seeds, &clean), Tally::of(true));
        for bad in [
            ended(true, 0, 0, ""),
            ended(true, 0, 0, "200 seeds, 10 violations"),
            ended(false, 0, 0, "200 seeds, 0 violations"),
        ] {
            assert_eq!(judged(&Judge::Seeds, &bad), Tally::of(false));
        }
    }

    #[test]
    fn a_fuzzer_must_say_that_it_found_nothing() {
        let clean = ended(true, 0, 0, "1500 inputs, 0 failures");
        assert_eq!(judged(&Judge::Inputs, &clean), Tally::of(true));
        for bad in [
            ended(true, 0, 0, ""),
            ended(true, 0, 0, "1500 inputs, 10 failures"),
            ended(false, 0, 0, "1500 inputs, 0 failures"),
        ] {
            assert_eq!(judged(&Judge::Inputs, &bad), Tally::of(false));
        }
    }

    #[test]
    fn only_the_whole_check_builds_a_release() {
        let names = |extent| -> Vec<_> { steps(extent).iter().map(|it| it.name).collect() };
        assert_eq!(names(Extent::Whole).last(), Some(&"demo"));
        assert_eq!(names(Extent::Quick).last(), Some(&"fuzz"));
    }
}
