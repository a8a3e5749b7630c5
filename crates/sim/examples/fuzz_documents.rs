//! Throws spoiled documents at publish, from the YAML reader to the resolver, and watches that it
//! always answers: no panic, no input that takes longer than a bound, no more than a gibibyte.
//!
//! `cargo run --release -p sim --example fuzz_documents -- --seconds 300`, or `--inputs 2000` for a
//! run of a fixed length; `--first N` begins at another seed, and `--seed N` shows one input.

#![expect(
    clippy::print_stdout,
    reason = "an example tells its reader what it measured"
)]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use publish::{Compiled, MemoryFiles, Severity, compile, compile_resolved, render};
use spec::Snapshot;

const USAGE: &str = "usage: fuzz_documents [--seconds N | --inputs N] [--first N] | --seed N";
/// What one input may take before it counts as a hang.
const INPUT_SECONDS_MAX: u64 = 20;
/// What the whole process may take.
const MEMORY_KIB_MAX: u64 = 1024 * 1024;
/// Changes to one bundle.
const CHANGES_MAX: usize = 8;

type Bundle = BTreeMap<String, Vec<u8>>;

macro_rules! texts {
    ($folder:literal: $($path:literal)*) => {
        &[$(($path, include_str!(concat!("../../../examples/", $folder, "/", $path))),)*]
    };
}

/// The texts that inputs are made from: an agent with its tools and policies, and a bundle of agents.
const TEXTS: [&[(&str, &str)]; 2] = [
    texts!("refund-agent":
        "agent.yaml" "tools/issue-refund.yaml" "tools/look-up-order.yaml"
        "schemas/issue-refund-input.json" "policies/refund-approval-boundary.yaml"
        "policies/refund-hard-limit.yaml" "stub-script.json" "tests/refund.policytest.yaml"),
    texts!("support-desk":
        "bundle.yaml" "bundle.lock.json" "desk.yaml" "stub-script.json"
        "policies/no-card-numbers.yaml" "refunds/refund-clerk.yaml" "refunds/stub-script.json"
        "refunds/tools/issue-refund.yaml" "refunds/policies/refund-hard-limit.yaml"),
];

/// Lines that readers and resolvers have to think about.
const LINES: &[&str] = &[
    "  available_when: [{agent.capability: x}, 'session.input.a.b: 1', runtime.env.R: [a, b]]",
    "  strict: true",
    "  on_failure: retry",
    "  terminal: true",
    "  probe: {tool: payments.look-up-order@^1, args: {order_id: args.order_id, c: call_id}}",
    "  output_schema: {ref: schemas/issue-refund-input, version: 2}",
    "  input_schema: {inline: {$ref: 'schemas/issue-refund-input.json#/properties/amount'}}",
    "  input_schema: {inline: {type: object, properties: {a: {$ref: '#'}}, additionalProperties: {$ref: '#/properties/a'}}}",
    "  input_schema: {inline: {$schema: 'http://json-schema.org/draft-04/schema#', type: object, properties: {n: {minimum: 0, exclusiveMinimum: true}}}}",
    "  mcp_servers: [{name: s, url: 'https://h/', auth: {scheme: header, header: X, secret: k}, on_drift: warn}]",
    "    - {ref: a.b, mcp: {server: s}, side_effect_class: read_only, input_schema: {inline: {type: object}}}",
    "    - {ref: ./child.yaml, as: child, result: full}",
    "output: {format: json, schema: {inline: {type: object}}, strict: true, on_invalid: repair}",
    "secrets: {k: {fromEnv: K}}",
    "  governance: {risk_tier: high, authority_boundaries: [a.b], frameworks: {eu-ai-act/v1: {role: deployer}}}",
    "  conditions: {all: [{field: 'items[*].price', op: gte, value: 1e30}, {not: {field: a, op: matches, value: '^(x|y)+$'}}]}",
    "  scope: tool:payments.*",
    "  allow: [EUR, 1, null]",
    "a: &x [1]",
    "b: *x",
    "<<: *x",
    "? complex",
    "- - - - -",
    "---",
    "...",
    "%YAML 1.2",
    "!!str x: y",
    "\t- tab",
    "key: |2",
    "key: >-",
    "'unclosed",
    "{a: {b: {c: [[[[[",
    "\u{feff}",
];

/// Scalars that are read in more than one way.
const SCALARS: &[&str] = &[
    "null",
    "~",
    "true",
    "NO",
    "1.10",
    "010",
    "0x1F",
    ".inf",
    "-.5",
    "1e400",
    "1e-400",
    "123456789012345678901234567890",
    "2024-01-01",
    "12:30:45",
    "''",
    "\"\\ud800\"",
    "\"\\0\"",
    "^1.0",
    ">=1 <2 || ~3.x",
    "1.2 - 1.4",
    "v1.2.3",
    "../../etc/passwd",
    "/abs",
    "a/../b",
    "#/a/~2",
    "http://169.254.169.254/",
    "[]",
    "{}",
    "\u{202e}abc",
    "é",
    "İ",
    "K",
    "^(?!x)",
    "(a{1000}){1000}",
];

struct Args {
    seconds: Option<u64>,
    inputs: Option<u64>,
    first: u64,
    one: Option<u64>,
}

fn args() -> Option<Args> {
    let mut parsed = Args {
        seconds: None,
        inputs: None,
        first: 0,
        one: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value: u64 = words.next()?.parse().ok()?;
        match word.as_str() {
            "--seconds" => parsed.seconds = Some(value),
            "--inputs" => parsed.inputs = Some(value),
            "--first" => parsed.first = value,
            "--seed" => parsed.one = Some(value),
            _ => return None,
        }
    }
    Some(parsed)
}

/// The input of a seed.
fn input(seed: u64) -> Bundle {
    let mut rng = Rng::with_seed(seed);
    let texts = TEXTS[usize::from(rng.u8(..4) == 0)];
    let mut bundle: Bundle = texts
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
        .collect();
    // Most inputs are nearly sound: what is wrong at the door keeps the rest from being looked at.
    let changes = if rng.bool() {
        1
    } else {
        rng.usize(1..=CHANGES_MAX)
    };
    for _ in 0..changes {
        let paths: Vec<String> = bundle.keys().cloned().collect();
        let Some(path) = paths.get(rng.usize(..paths.len())) else {
            break;
        };
        match rng.u8(..24) {
            0 => {
                bundle.remove(path);
            }
            // A file in another place, or beside its own copy.
            1 => {
                let bytes = bundle.get(path).cloned().unwrap_or_default();
                let name = [
                    "tools/x.yaml",
                    "policies/x.yml",
                    "schemas/x.json",
                    "child.yaml",
                ];
                bundle.insert(name[rng.usize(..name.len())].to_owned(), bytes);
            }
            _ => {
                if let Some(bytes) = bundle.get_mut(path) {
                    change(bytes, &mut rng);
                }
            }
        }
    }
    bundle
}

fn change(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<&str> = text.lines().collect();
    let at = rng.usize(..=lines.len());
    let within = at.min(lines.len().saturating_sub(1));
    match rng.u8(..10) {
        0 | 1 => lines.insert(at, LINES[rng.usize(..LINES.len())]),
        2 if !lines.is_empty() => {
            lines.remove(within);
        }
        3 if !lines.is_empty() => {
            let line = lines[within];
            lines.insert(at, line);
        }
        4 if !lines.is_empty() => lines.swap(0, within),
        5 => {
            let texts = TEXTS[rng.usize(..TEXTS.len())];
            let other = texts[rng.usize(..texts.len())].1;
            let taken: Vec<&str> = other
                .lines()
                .skip(rng.usize(..20))
                .take(rng.usize(1..12))
                .collect();
            lines.splice(at..at, taken);
        }
        6 | 7 => {
            *bytes = with_scalar(&text, rng).into_bytes();
            return;
        }
        8 => {
            let deep = "[{a: ".repeat(rng.usize(1..200));
            *bytes = format!("{}\n{deep}", lines.join("\n")).into_bytes();
            return;
        }
        _ => {
            for _ in 0..rng.usize(1..6) {
                let at = rng.usize(..=bytes.len());
                if rng.bool() && at < bytes.len() {
                    bytes[at] = rng.u8(..);
                } else {
                    bytes.insert(at, rng.u8(..));
                }
            }
            return;
        }
    }
    *bytes = lines.join("\n").into_bytes();
}

/// Puts a scalar in the place of what some `:` leads to.
fn with_scalar(text: &str, rng: &mut Rng) -> String {
    let colons: Vec<usize> = text.match_indices(": ").map(|(at, _)| at + 2).collect();
    let Some(start) = colons.get(rng.usize(..colons.len().max(1))).copied() else {
        return text.to_owned();
    };
    let end = text[start..].find('\n').map_or(text.len(), |it| start + it);
    let scalar = SCALARS[rng.usize(..SCALARS.len())];
    format!("{}{scalar}{}", &text[..start], &text[end..])
}

/// Compiles an input and checks what must hold whatever it is.
fn answer(bundle: &Bundle) -> Result<bool, String> {
    let files = MemoryFiles::from(bundle.clone());
    if bundle.contains_key("bundle.yaml") {
        return closed(&files, bundle);
    }
    if let Some(tests) = bundle.get("tests/refund.policytest.yaml")
        && let Err(found) = publish::policy_tests("tests/refund.policytest.yaml", tests)
        && found.is_empty()
    {
        return Err("policy tests are refused and nothing is said".to_owned());
    }
    let compiled = compile(&files, "agent.yaml");
    consistent(&compiled, bundle)?;
    let Some(snapshot) = &compiled.snapshot else {
        return Ok(false);
    };
    let (bytes, digest) = snapshot.to_canonical().map_err(|it| it.to_string())?;
    let read = Snapshot::from_canonical(&bytes).map_err(|it| it.to_string())?;
    if read != *snapshot {
        return Err("the stored snapshot reads as another one".to_owned());
    }
    let again = compile(&files, "agent.yaml").snapshot;
    let again = again.and_then(|it| it.to_canonical().ok());
    if again.map(|(_, it)| it) != Some(digest) {
        return Err("compiled again, the same files give other bytes".to_owned());
    }
    let shown = publish::manifest(snapshot).to_canonical();
    let published = compile_resolved(shown.as_bytes());
    consistent(&published, &Bundle::new())?;
    laid_over(bundle, snapshot)?;
    Ok(true)
}

/// Lays files of the bundle over what was made of it. Whatever comes of it is a version that runs, and
/// takes nothing that the published one refuses.
fn laid_over(bundle: &Bundle, snapshot: &Snapshot) -> Result<(), String> {
    let files = MemoryFiles::from(bundle.clone());
    let (catalog, none) = (
        publish::Catalog::default(),
        std::collections::BTreeSet::new(),
    );
    let path = "policies/refund-hard-limit.yaml";
    let overlaid = publish::overlay(&files, &catalog, path, snapshot, &none);
    if overlaid.snapshot.is_some() {
        return Err("a Policy was taken for an overlay".to_owned());
    }
    let Some(tool) = snapshot.tools.first() else {
        return Ok(());
    };
    let text = format!(
        "policies: [payments.refund-hard-limit]\ntools: {{{}: {{side_effect_class: irreversible_action, input_schema: {{ref: schemas/issue-refund-input}}}}}}\n",
        tool.wire_name
    );
    let mut with = bundle.clone();
    with.insert("overlay.yaml".to_owned(), text.into_bytes());
    let with = MemoryFiles::from(with);
    let overlaid = publish::overlay(&with, &catalog, "overlay.yaml", snapshot, &none);
    let Some(laid) = overlaid.snapshot else {
        return Ok(());
    };
    let schema = |it: &Snapshot| it.tools.first().map(|it| it.input_schema.clone());
    let (Some(laid_schema), Some(published)) = (schema(&laid), schema(snapshot)) else {
        return Err("a tool is gone".to_owned());
    };
    let options = subschema::Options::default();
    let answer = subschema::contains(&laid_schema, &published, &options);
    if !matches!(answer, subschema::Answer::Proved(_)) {
        return Err(format!("an overlay widened: {answer:?}"));
    }
    let version = spec::VersionId::new("v");
    session::Plan::compile(version, laid, session::Settings::STANDARD)
        .map_err(|error| format!("an overlaid version does not run: {error}"))?;
    Ok(())
}

/// Walks a bundle of agents and reads its lock.
fn closed(files: &MemoryFiles, bundle: &Bundle) -> Result<bool, String> {
    let closure = publish::closure(files, "bundle.yaml", &BTreeMap::new());
    let errors = closure.diagnostics.iter();
    let errors = errors.filter(|it| it.severity == Severity::Error).count();
    if closure.lock.is_some() && errors > 0 {
        return Err(format!("{errors} errors, and yet a lock"));
    }
    if let Some(lock) = &closure.lock {
        let file = lock.to_file();
        let read = publish::Lock::parse(file.as_ref()).map_err(|it| it.to_string())?;
        if read != *lock {
            return Err("the lock reads as another one".to_owned());
        }
    }
    let committed = bundle.get("bundle.lock.json");
    // Whatever the bytes, there is an answer.
    let _known = committed.map(|it| publish::Lock::parse(it));
    Ok(closure.lock.is_some())
}

fn consistent(compiled: &Compiled, bundle: &Bundle) -> Result<(), String> {
    let errors = compiled.diagnostics.iter();
    let errors = errors.filter(|it| it.severity == Severity::Error).count();
    if compiled.snapshot.is_some() != (errors == 0) {
        return Err(format!(
            "{errors} errors, and yet: {:?}",
            compiled.snapshot.is_some()
        ));
    }
    let source = |path: &str| {
        let bytes = bundle.get(path)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    };
    let drawn = render(&compiled.diagnostics, &source, false);
    if drawn.is_empty() != compiled.diagnostics.is_empty() {
        return Err("something was found and nothing is drawn".to_owned());
    }
    Ok(())
}

/// The most memory that the process has taken so far; zero where nobody tells.
fn memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let digits = peak.and_then(|it| it.split_whitespace().next());
    digits.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// Ends the process when one input takes too long: a loop that never ends cannot be told otherwise.
fn watch(now: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let mut last = (u64::MAX, Instant::now());
        loop {
            std::thread::park_timeout(Duration::from_secs(1));
            let seed = now.load(Ordering::Relaxed);
            if seed != last.0 {
                last = (seed, Instant::now());
            } else if last.1.elapsed().as_secs() >= INPUT_SECONDS_MAX {
                println!("seed {seed}: no answer within {INPUT_SECONDS_MAX} s");
                std::process::abort();
            }
        }
    });
}

fn show(seed: u64) {
    for (path, bytes) in input(seed) {
        println!("=== {path}\n{}", String::from_utf8_lossy(&bytes));
    }
    println!("=== {:?}", answer(&input(seed)));
}

fn main() -> ExitCode {
    let Some(args) = args() else {
        println!("{USAGE}");
        return ExitCode::from(2);
    };
    if let Some(seed) = args.one {
        show(seed);
        return ExitCode::SUCCESS;
    }
    let begin = Instant::now();
    let now = Arc::new(AtomicU64::new(args.first));
    watch(Arc::clone(&now));
    let over = |done: u64| match (args.seconds, args.inputs) {
        (Some(seconds), _) => begin.elapsed().as_secs() >= seconds,
        (None, inputs) => done >= inputs.unwrap_or(2000),
    };
    let (mut done, mut published, mut failures) = (0_u64, 0_u64, 0_u64);
    let mut slowest = (Duration::ZERO, 0);
    while !over(done) {
        let seed = args.first.wrapping_add(done);
        now.store(seed, Ordering::Relaxed);
        let bundle = input(seed);
        let start = Instant::now();
        let answered = catch_unwind(AssertUnwindSafe(|| answer(&bundle)));
        slowest = slowest.max((start.elapsed(), seed));
        done += 1;
        match answered {
            Ok(Ok(sound)) => published += u64::from(sound),
            Ok(Err(what)) => {
                failures += 1;
                println!("seed {seed}: {what}");
            }
            Err(_) => {
                failures += 1;
                println!("seed {seed}: a panic");
            }
        }
    }
    let memory = memory_kib();
    if memory > MEMORY_KIB_MAX {
        failures += 1;
        println!("{memory} KiB taken, more than {MEMORY_KIB_MAX}");
    }
    println!(
        "{published} of {done} were published; the slowest, seed {}, took {:.1} ms; {} MiB at most",
        slowest.1,
        slowest.0.as_secs_f64() * 1000.0,
        memory / 1024
    );
    println!("{done} inputs, {failures} failures");
    if failures == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
