//! The project's own commands: `check`, the one test command, and two of its steps alone: `tidy`, the
//! checks of the source tree, and `python-sdk`. Knows how to run other programs and read files;
//! nothing of what Ordain does.
//!
//! Invariant: nothing here edits the tree.

mod check;
mod python_sdk;
mod say;
mod step;
mod tally;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use say::say;

const USAGE: &str = "usage: cargo xtask check [--quick] | tidy | python-sdk
  check          formatting, lints, tidy, tests, the Python SDK, simulation and the demo
  check --quick  the same without the demo, which needs a release build
  tidy           the checks of the source tree alone
  python-sdk     the scenarios of the Python SDK alone";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let passed = match words.as_slice() {
        ["check"] => check::run(&root(), check::Extent::Whole),
        ["check", "--quick"] => check::run(&root(), check::Extent::Quick),
        ["tidy"] => tidy::report(&root()),
        ["python-sdk"] => {
            let tally = python_sdk::run(&root(), &cargo());
            say(&tally.line());
            tally.failed == 0
        }
        ["help" | "--help" | "-h"] => {
            say(USAGE);
            true
        }
        _ => {
            say(USAGE);
            return ExitCode::from(2);
        }
    };
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The cargo that runs this.
fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// The root of the workspace, wherever the command is given.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}
