//! How long answers take on the contracts of `testdata`, beside a floor measured in the same run: a
//! validator compiling both schemas, and judging one value.
//!
//! `cargo bench -p subschema`. One thread; each question is asked a few times and its least time is
//! taken, so that the figures are those of the code and not of the neighbours.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench measures time, tells its reader, and stops at what it cannot read"
)]

#[path = "../tests/shared/corpus.rs"]
mod corpus;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use spec::Json;
use subschema::{Answer, Options, complete, contains};
use validator::{Draft, Validator};

/// How often each question is asked.
const ROUNDS: usize = 3;

struct Line {
    name: &'static str,
    times: Vec<Duration>,
}

impl Line {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            times: Vec::new(),
        }
    }

    fn time<T>(&mut self, mut work: impl FnMut() -> T) {
        let once = |_| {
            let started = Instant::now();
            black_box(work());
            started.elapsed()
        };
        let least = (0..ROUNDS).map(once).min();
        self.times.push(least.unwrap_or_default());
    }

    fn at(&self, thousandths: usize) -> Duration {
        let last = self.times.len().saturating_sub(1);
        let time = self.times.get(last * thousandths / 1000);
        time.copied().unwrap_or_default()
    }

    fn print(&mut self, floor: Duration) {
        self.times.sort_unstable();
        let ratio = self.at(500).as_secs_f64() / floor.as_secs_f64().max(1e-9);
        println!(
            "| {} | {} | {:.1} | {:.0} | {:.0} | {ratio:.2} |",
            self.name,
            self.times.len(),
            self.at(500).as_secs_f64() * 1e6,
            self.at(990).as_secs_f64() * 1e6,
            self.at(1000).as_secs_f64() * 1e6,
        );
    }
}

/// A value for a validator to judge: what refutes the claim, or else a plain object.
fn a_value(answer: &Answer) -> Json {
    match answer {
        Answer::Refuted(witness) => witness.value.clone(),
        Answer::Proved(_) | Answer::Undecided(_) => Json::object(),
    }
}

fn main() {
    let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata"));
    let contracts = corpus::contracts(data);
    let mut decided = Line::new("overlay completed and contained");
    let mut completed = Line::new("complete() alone");
    let mut compiled = Line::new("floor: a validator compiles both");
    let mut judged = Line::new("floor: both judge one value");
    for overlay in corpus::overlays(data) {
        let tool = &contracts[&overlay.tool];
        let draft = if overlay.draft == "draft-07" {
            Draft::D7
        } else {
            Draft::D2020
        };
        let options = Options {
            draft,
            ..Options::default()
        };
        let ask = || {
            let claim = complete(tool, &overlay.overlay).schema;
            let answer = contains(&claim, tool, &options);
            (claim, answer)
        };
        decided.time(ask);
        completed.time(|| complete(tool, &overlay.overlay));
        let (claim, answer) = ask();
        if matches!(answer, Answer::Proved(_)) != overlay.expected {
            // Formats assert here and did not when the labels were made.
            println!("not as labelled: {} ({})", overlay.id, overlay.category);
        }
        let compile = || (Validator::compile(&claim), Validator::compile(tool));
        compiled.time(compile);
        let (sub, sup) = compile();
        let (sub, sup) = (sub.expect("a schema"), sup.expect("a schema"));
        let value = a_value(&answer);
        judged.time(|| (sub.accepts(&value), sup.accepts(&value)));
    }
    let mut itself = Line::new("a contract in itself");
    for contract in contracts.values() {
        itself.time(|| contains(contract, contract, &Options::default()));
    }
    compiled.times.sort_unstable();
    let floor = compiled.at(500);
    println!("| what | questions | median µs | p99 µs | max µs | median of the floor |");
    println!("|---|---|---|---|---|---|");
    for line in [
        &mut decided,
        &mut completed,
        &mut itself,
        &mut compiled,
        &mut judged,
    ] {
        line.print(floor);
    }
}
