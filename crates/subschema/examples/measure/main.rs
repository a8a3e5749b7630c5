//! Measures the answers: how many there are, whether they are right, and how long they take.
//!
//! `cargo run --release -p subschema --example measure -- [--data DIR] [--suite DIR] [--random N]
//! [--seed S] [--mutations N] [--only SET] [--id TEXT]` runs every set, or the one named, prints a
//! table, what was undecided by keyword and everything that was wrong, and fails where a figure that
//! is promised is missed. With `--id` each answer to a pair whose id holds the text is printed.
//!
//! `DIR` of `--data` holds `pairs.json`, `corpus-overlays.jsonl` and `tool-corpus`; without it those
//! of this crate are taken. `DIR` of `--suite` holds files of pairs for one draft each.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::disallowed_types,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a tool at the command line that measures time and stops at what it cannot read"
)]

#[path = "../../tests/shared/corpus.rs"]
mod corpus;
#[path = "../../tests/shared/laws.rs"]
mod laws;
#[path = "../../tests/shared/mutations.rs"]
mod mutations;
mod report;
#[path = "../../tests/shared/schemas.rs"]
mod schemas;
mod sets;
#[path = "../../tests/shared/values.rs"]
mod values;

use std::path::PathBuf;
use std::process::ExitCode;

use report::Set;

const USAGE: &str = "usage: measure [--data DIR] [--suite DIR] [--random N] [--seed S] \
     [--mutations N] [--only pairs|overlays|formats|identity|mutations|random|suite] [--id TEXT]";

/// What was asked for.
struct Settings {
    data: PathBuf,
    suite: Option<PathBuf>,
    random: u64,
    seed: u64,
    /// The most changes of one contract.
    mutations: usize,
    only: Option<String>,
    id: Option<String>,
}

fn settings() -> Result<Settings, String> {
    let mut settings = Settings {
        data: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata")),
        suite: None,
        random: 12_000,
        seed: 7,
        mutations: 400,
        only: None,
        id: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        let number = || value.parse::<u64>().map_err(|_| USAGE.to_owned());
        match name.as_str() {
            "--data" => settings.data = PathBuf::from(value),
            "--suite" => settings.suite = Some(PathBuf::from(value)),
            "--random" => settings.random = number()?,
            "--seed" => settings.seed = number()?,
            "--mutations" => settings.mutations = number()? as usize,
            "--only" => settings.only = Some(value),
            "--id" => settings.id = Some(value),
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(settings)
}

fn measured(settings: &Settings) -> Vec<Set> {
    let wanted = |name: &str| settings.only.as_ref().is_none_or(|it| it == name);
    let mut sets = Vec::new();
    if wanted("pairs") {
        sets.extend(sets::pairs(settings));
    }
    if wanted("overlays") {
        sets.push(sets::overlays(settings, false));
    }
    if wanted("formats") {
        sets.push(sets::overlays(settings, true));
    }
    if wanted("identity") {
        sets.push(sets::identity(settings));
    }
    if wanted("mutations") {
        sets.extend(sets::mutations(settings));
    }
    if wanted("random") {
        sets.extend(sets::random(settings));
    }
    if let Some(folder) = settings.suite.as_ref().filter(|_| wanted("suite")) {
        sets.extend(sets::suite(settings, folder));
    }
    sets
}

fn main() -> ExitCode {
    let settings = match settings() {
        Ok(settings) => settings,
        Err(text) => {
            println!("{text}");
            return ExitCode::from(2);
        }
    };
    let sets = measured(&settings);
    report::print(&sets);
    if sets.iter().all(|it| it.misses().is_empty()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
