//! How long `agents validate` takes for a large bundle, beside the floor: the same program saying
//! nothing but its version. Runs of both alternate; figures are medians.
//!
//! `cargo build --release && cargo run --release -p cli --example validate_rate [TOOLS [RUNS]]`

#![expect(
    clippy::print_stdout,
    reason = "an example tells its reader what it measured"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const TOOLS_STANDARD: usize = 50;
const RUNS_STANDARD: usize = 41;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let mut number = |standard: usize| words.next().map_or(Ok(standard), |it| it.parse());
    let (tools, runs) = (number(TOOLS_STANDARD)?, number(RUNS_STANDARD)?);
    let dir = tempfile::tempdir()?;
    let lines = write_bundle(dir.path(), tools)?;
    let program = program()?;
    let (mut floor, mut product) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        floor.push(timed(&program, dir.path(), &["--version"])?);
        product.push(timed(&program, dir.path(), &["agents", "validate", "."])?);
    }
    let (floor, product) = (median(floor), median(product));
    println!("{lines} lines, {tools} tools, {runs} runs of each");
    println!("start-up alone   {:>8.2} ms", millis(floor));
    println!("agents validate  {:>8.2} ms", millis(product));
    println!("ratio            {:>8.2}", millis(product) / millis(floor));
    Ok(())
}

/// The program beside this example.
fn program() -> Result<PathBuf, Box<dyn Error>> {
    let here = std::env::current_exe()?;
    let built = here
        .ancestors()
        .nth(2)
        .ok_or("no folder above the examples")?;
    let program = built.join("ordain");
    if program.exists() {
        Ok(program)
    } else {
        Err(format!(
            "{} is not built; run `cargo build --release` first",
            program.display()
        )
        .into())
    }
}

fn timed(program: &Path, dir: &Path, words: &[&str]) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    let output = Command::new(program)
        .args(words)
        .current_dir(dir)
        .output()?;
    let taken = start.elapsed();
    if output.status.success() {
        Ok(taken)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }
}

fn median(mut taken: Vec<Duration>) -> Duration {
    taken.sort();
    taken.get(taken.len() / 2).copied().unwrap_or_default()
}

fn millis(taken: Duration) -> f64 {
    taken.as_secs_f64() * 1000.0
}

/// An agent of `tools` tools, each with a schema and every fifth with a policy; how many lines.
fn write_bundle(dir: &Path, tools: usize) -> Result<usize, Box<dyn Error>> {
    let mut lines = 0;
    let mut write = |path: String, text: &str| -> Result<(), Box<dyn Error>> {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(dir))?;
        lines += text.lines().count();
        Ok(std::fs::write(path, text)?)
    };
    let mut agent =
        "apiVersion: phrony.com/v1\nkind: Agent\nmetadata:\n  name: clerk\n  namespace: \
                     shop\n  version: 1.0.0\nspec:\n  purpose: Keep shop.\n  instructions: {text: \
                     Be fair.}\n  model: {provider: stub, name: scripted}\n  tools:\n"
            .to_owned();
    for index in 0..tools {
        agent.push_str(&format!("    - ref: shop.tool-{index}@^1.0\n"));
        let policies = if index % 5 == 0 {
            write(format!("policies/limit-{index}.yaml"), &policy(index))?;
            format!("  default_policies: [shop.limit-{index}]\n")
        } else {
            String::new()
        };
        write(
            format!("tools/tool-{index}.yaml"),
            &(tool(index) + &policies),
        )?;
    }
    write("agent.yaml".to_owned(), &agent)?;
    write("stub-script.json".to_owned(), r#"{"turns": []}"#)?;
    Ok(lines)
}

fn tool(index: usize) -> String {
    format!(
        "apiVersion: phrony.com/v1\nkind: Tool\nmetadata:\n  name: tool-{index}\n  namespace: \
         shop\n  version: 1.{index}.0\nspec:\n  description: Do thing {index}.\n  \
         side_effect_class: idempotent_write\n  input_schema:\n    inline:\n      type: object\n      \
         properties:\n        id: {{type: string, pattern: '^[A-Z]{{2}}-{index}[0-9]+$'}}\n        \
         amount: {{type: number, minimum: 0}}\n        tags: {{type: array, items: {{type: string}}}}\n      \
         required: [id, amount]\n      additionalProperties: false\n"
    )
}

fn policy(index: usize) -> String {
    format!(
        "apiVersion: phrony.com/v1\nkind: Policy\nmetadata:\n  name: limit-{index}\n  namespace: \
         shop\n  version: 1.0.0\nspec:\n  conditions:\n    field: amount\n    op: gt\n    value: \
         1000\n  decision:\n    type: deny\n    reason: Too much.\n"
    )
}
