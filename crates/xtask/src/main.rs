//! The project's own commands: `check`, the one test command, and `tidy`, its checks of the source
//! tree. Knows how to run other programs and read files; nothing of what Ordain does.
//!
//! Invariant: nothing here edits the tree.

mod check;
mod say;
mod step;
mod tally;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use say::say;

const USAGE: &str = "usage: cargo xtask check [--quick] | tidy
  check          formatting, lints, tidy, tests, simulation and the demo
  check --quick  the same without the demo, which needs a release build
  tidy           the checks of the source tree alone";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let passed = match words.as_slice() {
        ["check"] => check::run(&root(), check::Extent::Whole),
        ["check", "--quick"] => check::run(&root(), check::Extent::Quick),
        ["tidy"] => tidy::report(&root()),
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

/// The root of the workspace, wherever the command is given.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}
