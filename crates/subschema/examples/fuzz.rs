//! Throws hostile pairs of schemas at the checker, and watches that it always answers: no panic, no
//! pair that takes longer than a second, no more than a gibibyte.
//!
//! `cargo run --release -p subschema --example fuzz -- --seconds 60`, or `--inputs 2000`; `--seed N`
//! begins at another seed, `--kind NAME` takes one kind of pairs, and `--show N` prints one pair.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::too_many_lines,
    reason = "a tool at the command line that measures time"
)]

#[path = "../tests/shared/hostile.rs"]
mod hostile;

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use fastrand::Rng;
use spec::Json;
use subschema::{Answer, Options, complete, contains};

const USAGE: &str = "usage: fuzz [--seconds N | --inputs N] [--seed N] [--kind NAME] [--show N]";
/// What one pair may take in a release build.
const PAIR_MAX: Duration = Duration::from_secs(1);
/// What completing the one over the other may take, which knows no budget.
const COMPLETED_MAX: Duration = Duration::from_secs(5);
/// What the whole process may take.
const MEMORY_KIB_MAX: u64 = 1024 * 1024;

#[derive(Default)]
struct Tally {
    pairs: u64,
    proved: u64,
    refuted: u64,
    undecided: u64,
    slowest: (Duration, u64),
}

struct Settings {
    until: Option<Instant>,
    inputs: u64,
    seed: u64,
    kind: Option<String>,
    show: Option<u64>,
}

fn settings() -> Result<Settings, String> {
    let mut settings = Settings {
        until: None,
        inputs: 2_000,
        seed: 1,
        kind: None,
        show: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        let number = || value.parse::<u64>().map_err(|_| USAGE.to_owned());
        match name.as_str() {
            "--seconds" => {
                settings.inputs = u64::MAX;
                settings.until = Some(Instant::now() + Duration::from_secs(number()?));
            }
            "--inputs" => settings.inputs = number()?,
            "--seed" => settings.seed = number()?,
            "--kind" => settings.kind = Some(value),
            "--show" => settings.show = Some(number()?),
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(settings)
}

fn pair(seed: u64, kind: Option<&str>) -> (&'static str, Json, Json) {
    let mut rng = Rng::with_seed(seed);
    let wanted = hostile::KINDS
        .iter()
        .filter(|it| kind.is_none_or(|kind| it.0 == kind));
    let wanted: Vec<_> = wanted.collect();
    let (name, make) = wanted[rng.usize(..wanted.len())];
    let (sub, sup) = make(&mut rng);
    (name, sub, sup)
}

fn memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let number = peak.and_then(|it| it.split_whitespace().next());
    number.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// Answers, and how long that took; nothing if it panicked.
fn asked(sub: &Json, sup: &Json) -> Option<(Answer, Duration)> {
    let ask = || {
        let started = Instant::now();
        let answer = contains(sub, sup, &Options::default());
        (answer, started.elapsed())
    };
    catch_unwind(ask).ok()
}

/// How long it took to complete the one over the other; nothing if it panicked.
fn completed(sub: &Json, sup: &Json) -> Option<Duration> {
    let started = Instant::now();
    let claim = catch_unwind(|| complete(sup, sub)).ok()?;
    drop(claim);
    Some(started.elapsed())
}

fn main() -> ExitCode {
    let settings = match settings() {
        Ok(settings) => settings,
        Err(text) => {
            println!("{text}");
            return ExitCode::from(2);
        }
    };
    let kind = settings.kind.as_deref();
    if let Some(seed) = settings.show {
        let (name, sub, sup) = pair(seed, kind);
        println!("{name}\n{}\n{}", sub.to_canonical(), sup.to_canonical());
        let started = Instant::now();
        let answer = contains(&sub, &sup, &Options::default());
        println!("{answer:?} in {:?}", started.elapsed());
        return ExitCode::SUCCESS;
    }
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let (mut inputs, mut failed) = (0_u64, 0_u64);
    while inputs < settings.inputs && settings.until.is_none_or(|it| Instant::now() < it) {
        let seed = settings.seed.saturating_add(inputs);
        inputs += 1;
        let (name, sub, sup) = pair(seed, kind);
        let (answer, took) = asked(&sub, &sup).unzip();
        let took = took.unwrap_or_default();
        let tally = tallies.entry(name).or_default();
        tally.pairs += 1;
        tally.slowest = tally.slowest.max((took, seed));
        match answer {
            Some(Answer::Proved(_)) => tally.proved += 1,
            Some(Answer::Refuted(_)) => tally.refuted += 1,
            Some(Answer::Undecided(reason)) => {
                tally.undecided += 1;
                if reason.text.starts_with("internal") {
                    failed += 1;
                    println!("CONTRADICTED {name}, seed {seed}: {reason}");
                }
            }
            None => {
                failed += 1;
                println!("PANIC {name}, seed {seed}");
            }
        }
        let completing = completed(&sub, &sup);
        if completing.is_none_or(|it| it > COMPLETED_MAX) {
            failed += 1;
            println!("NOT COMPLETED {name}, seed {seed}: {completing:?}");
        }
        if took > PAIR_MAX {
            failed += 1;
            println!("SLOW {name}, seed {seed}: {took:?}");
        }
    }
    println!("| kind | pairs | proved | refuted | undecided | slowest | its seed |");
    println!("|---|---|---|---|---|---|---|");
    for (name, it) in &tallies {
        let Tally {
            pairs,
            proved,
            refuted,
            undecided,
            slowest,
        } = it;
        println!(
            "| {name} | {pairs} | {proved} | {refuted} | {undecided} | {:?} | {} |",
            slowest.0, slowest.1
        );
    }
    let memory = memory_kib();
    println!(
        "{inputs} inputs, {failed} failed, {} MiB at most",
        memory / 1024
    );
    if failed == 0 && memory < MEMORY_KIB_MAX {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
