//! `sim`: runs the simulation for many seeds and says what broke.
//!
//! `sim --seeds 200` runs seeds 0..200 and every crash point of every scenario; `sim --seed 7` runs
//! one seed and prints its log.

use std::io::Write as _;
use std::process::ExitCode;

use sim::crash_everywhere;
use sim::scenario::{self, Scenario};
use sim::simulation::{Report, Simulation};

const USAGE: &str = "usage: sim [--seeds N] [--first N] [--seed N]";

fn say(line: &str) {
    // A closed pipe is the reader's choice, not a failure of the simulation.
    let _gone: std::io::Result<()> = writeln!(std::io::stdout(), "{line}");
}

struct Args {
    seeds: u64,
    first: u64,
    one: Option<u64>,
}

fn args() -> Option<Args> {
    let mut parsed = Args {
        seeds: 200,
        first: 0,
        one: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value: u64 = words.next()?.parse().ok()?;
        match word.as_str() {
            "--seeds" => parsed.seeds = value,
            "--first" => parsed.first = value,
            "--seed" => parsed.one = Some(value),
            _ => return None,
        }
    }
    Some(parsed)
}

fn tell(what: &str, report: &Report) {
    for violation in &report.violations {
        say(&format!(
            "{what}: {} broken: {}",
            violation.invariant, violation.what
        ));
    }
    for line in &report.log {
        say(&format!("    {line}"));
    }
}

fn run_seed(scenario: &Scenario, seed: u64) -> Report {
    Simulation::new(scenario.clone(), seed).run()
}

fn main() -> ExitCode {
    let Some(args) = args() else {
        say(USAGE);
        return ExitCode::from(2);
    };
    let scenarios = scenario::all();
    let mut violations = 0_usize;
    if let Some(seed) = args.one {
        for scenario in &scenarios {
            let report = run_seed(scenario, seed);
            violations += report.violations.len();
            tell(&format!("seed {seed}, {}", scenario.name), &report);
        }
        say(&format!("1 seed, {violations} violations"));
        return if violations == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    for scenario in &scenarios {
        let (points, bad) = crash_everywhere::run(scenario);
        say(&format!(
            "{}: crashed at each of {points} points",
            scenario.name
        ));
        for report in &bad {
            violations += report.violations.len();
            tell(&format!("crash, {}", scenario.name), report);
        }
    }
    for seed in args.first..args.first.saturating_add(args.seeds) {
        for scenario in &scenarios {
            let report = run_seed(scenario, seed);
            if !report.violations.is_empty() {
                violations += report.violations.len();
                tell(&format!("seed {seed}, {}", scenario.name), &report);
            }
        }
    }
    say(&format!("{} seeds, {violations} violations", args.seeds));
    if violations == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
