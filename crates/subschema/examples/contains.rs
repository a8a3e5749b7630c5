//! `contains SUB.json SUP.json`: whether every value of the one is a value of the other.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool at the command line"
)]

use spec::Json;
use subschema::{Answer, Options, contains};

fn read(path: &str) -> Result<Json, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    Json::parse(&bytes).map_err(|error| format!("{path}: {error}"))
}

fn main() -> Result<(), String> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [sub, sup] = paths.as_slice() else {
        return Err("usage: contains SUB.json SUP.json".to_owned());
    };
    match contains(&read(sub)?, &read(sup)?, &Options::default()) {
        Answer::Proved(proof) => println!("proved in {} steps", proof.steps),
        Answer::Refuted(witness) => println!("refuted: {}", witness.value.to_canonical()),
        Answer::Undecided(reason) => println!("undecided: {reason}"),
    }
    Ok(())
}
