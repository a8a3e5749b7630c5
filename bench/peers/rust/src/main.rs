//! What published containment checkers answer on the same pairs, in one run: `peers race …` asks
//! every tool, `peers answer TOOL` is one of the tools written in Rust, asked over its stdin.
//!
//! It knows of the engine only what its public door says.

mod arguments;
mod contradictions;
mod judge;
mod pairs;
mod race;
mod random;
mod table;
mod tools;

use std::io::Write;
use std::process::ExitCode;

use arguments::Arguments;

type Failure = Box<dyn std::error::Error>;

fn say(line: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// How busy the machine is, as the kernel says it: what ran beside makes the times longer.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let parts: Vec<&str> = text.split_whitespace().take(3).collect();
    if parts.is_empty() {
        "not known".to_owned()
    } else {
        parts.join(" ")
    }
}

/// The most crashes of one tool that are told.
const CRASHES_TOLD_MAX: usize = 3;

fn race(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let pairs = pairs::gather(arguments)?;
    let cores = std::thread::available_parallelism()?;
    say(&format!(
        "{} pairs; {cores} cores; load average {}; {} s a pair",
        pairs.len(),
        load(),
        arguments.limit_time.as_secs()
    ))?;
    let mut runs = Vec::new();
    for tool in &arguments.tools {
        let run = race::run(tool, &pairs, arguments.limit_time)?;
        say(&format!(
            "asked {}; {:.1} s; load average {}",
            run.name,
            run.wall.as_secs_f64(),
            load()
        ))?;
        runs.push(run);
    }
    for run in &runs {
        let crashed = pairs.iter().zip(&run.replies);
        let crashed = crashed.filter(|(_, reply)| reply.said == race::Said::Crashed);
        for (pair, reply) in crashed.take(CRASHES_TOLD_MAX) {
            say(&format!("{} crashed on {}: {}", run.name, pair.id, reply.why))?;
        }
    }
    let judged = judge::all(&pairs, &runs);
    table::print(&pairs, &runs, &judged, &arguments.missing)?;
    let wrong = contradictions::print(&pairs, &runs, &judged, arguments.seed)?;
    Ok(if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn started() -> Result<ExitCode, Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.split_first() {
        Some((first, [tool])) if first == "answer" => {
            tools::serve(tool)?;
            Ok(ExitCode::SUCCESS)
        }
        Some((first, rest)) if first == "race" => race(&Arguments::read(rest)?),
        Some(_) | None => Err("peers race [OPTIONS] | peers answer TOOL".into()),
    }
}

fn main() -> ExitCode {
    match started() {
        Ok(code) => code,
        Err(why) => {
            let told = writeln!(std::io::stderr(), "peers: {why}");
            ExitCode::from(if told.is_ok() { 2 } else { 3 })
        }
    }
}
