//! Measures the answers on sets of pairs: `measure pairs FILE`, `measure overlays FILE CORPUS_DIR`,
//! `measure suite FILE`.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a tool at the command line that measures time"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use spec::Json;
use subschema::{Answer, Options, complete, contains};
use validator::Draft;

#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
    undecided: usize,
}

#[derive(Default)]
struct Report {
    families: BTreeMap<String, Tally>,
    reasons: BTreeMap<String, usize>,
    times: Vec<(Duration, String)>,
    verbose: bool,
}

impl Report {
    fn add(&mut self, (id, family): (&str, &str), expected: bool, answer: &Answer, took: Duration) {
        self.times.push((took, id.to_owned()));
        let tally = self.families.entry(family.to_owned()).or_default();
        match (answer, expected) {
            (Answer::Proved(_), true) | (Answer::Refuted(_), false) => tally.right += 1,
            (Answer::Undecided(reason), _) => {
                tally.undecided += 1;
                *self
                    .reasons
                    .entry(reason.to_string().chars().take(100).collect())
                    .or_default() += 1;
                if self.verbose {
                    println!("undecided {id} (expected {expected}): {reason}");
                }
            }
            (Answer::Proved(_) | Answer::Refuted(_), _) => {
                tally.wrong += 1;
                println!("WRONG {id} (expected {expected}): {answer:?}");
            }
        }
    }

    fn print(mut self) {
        let mut all = Tally::default();
        for (family, it) in &self.families {
            println!(
                "{family:24} right {:6} wrong {:4} undecided {:4}",
                it.right, it.wrong, it.undecided
            );
            all.right += it.right;
            all.wrong += it.wrong;
            all.undecided += it.undecided;
        }
        println!(
            "{:24} right {:6} wrong {:4} undecided {:4}",
            "all", all.right, all.wrong, all.undecided
        );
        for (reason, count) in &self.reasons {
            println!("{count:6} {reason}");
        }
        self.times.sort();
        let at = |part: usize| {
            self.times
                .get((self.times.len().saturating_sub(1)) * part / 1000)
        };
        for (name, part) in [("median", 500), ("p90", 900), ("p99", 990), ("max", 1000)] {
            println!("{name:8} {:?}", at(part));
        }
    }
}

fn read(path: &str) -> Json {
    Json::parse(&std::fs::read(path).expect("a readable file")).expect("JSON")
}

fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).and_then(Json::as_str).unwrap_or("")
}

fn options(entry: &Json) -> Options {
    let draft = match text(entry, "draft") {
        "draft-04" | "draft4" => Draft::D4,
        "draft-06" | "draft6" => Draft::D6,
        "draft-07" | "draft7" => Draft::D7,
        "2019-09" => Draft::D2019,
        _ => Draft::D2020,
    };
    Options {
        draft,
        formats_assert: text(entry, "format") == "assert",
        ..Options::default()
    }
}

fn pairs(report: &mut Report, path: &str, only: Option<&str>) {
    for entry in read(path).as_array().expect("a list") {
        let id = text(entry, "id");
        if only.is_some_and(|it| !id.contains(it)) {
            continue;
        }
        let (sub, sup) = (
            entry.get("sub").expect("sub"),
            entry.get("sup").expect("sup"),
        );
        let expected = entry
            .get("expected")
            .and_then(Json::as_bool)
            .expect("expected");
        let started = Instant::now();
        let answer = contains(sub, sup, &options(entry));
        let took = started.elapsed();
        let family = entry.get("category").and_then(Json::as_str);
        let family = family.unwrap_or_else(|| id.split(['/', '#']).nth(1).unwrap_or(""));
        report.add((id, family), expected, &answer, took);
        if let (Some(overlay), false) = (entry.get("overlay"), only.is_some()) {
            let started = Instant::now();
            let completed = complete(sup, overlay);
            let answer = contains(&completed.schema, sup, &options(entry));
            report.add(
                (id, "over (completed)"),
                expected,
                &answer,
                started.elapsed(),
            );
        }
    }
}

fn overlays(report: &mut Report, path: &str, corpus: &str, only: Option<&str>) {
    let mut tools: BTreeMap<String, BTreeMap<String, Json>> = BTreeMap::new();
    let lines = std::fs::read_to_string(path).expect("a readable file");
    for line in lines.lines() {
        let entry = Json::parse(line.as_bytes()).expect("JSON");
        let id = text(&entry, "id");
        if only.is_some_and(|it| !id.contains(it)) {
            continue;
        }
        let (server, rest) = id.split_once('/').expect("server/tool");
        let (tool, _) = rest.rsplit_once('#').expect("tool#mutation");
        let known = tools.entry(server.to_owned()).or_insert_with(|| {
            let file = read(&format!("{corpus}/{server}.json"));
            let list = file
                .get("tools")
                .and_then(Json::as_array)
                .expect("tools")
                .to_vec();
            let named =
                |it: Json| Some((text(&it, "name").to_owned(), it.get("inputSchema")?.clone()));
            list.into_iter().filter_map(named).collect()
        });
        let tool = known.get(tool).expect("the tool of the overlay");
        let overlay = entry.get("overlay").expect("overlay");
        let started = Instant::now();
        let completed = complete(tool, overlay);
        let answer = contains(&completed.schema, tool, &options(&entry));
        let took = started.elapsed();
        let expected = entry
            .get("expected")
            .and_then(Json::as_bool)
            .expect("expected");
        report.add((id, text(&entry, "category")), expected, &answer, took);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut report = Report {
        verbose: true,
        ..Report::default()
    };
    match arguments.as_slice() {
        ["pairs", path] => pairs(&mut report, path, None),
        ["pairs", path, only] => pairs(&mut report, path, Some(only)),
        ["overlays", path, corpus] => overlays(&mut report, path, corpus, None),
        ["overlays", path, corpus, only] => overlays(&mut report, path, corpus, Some(only)),
        _ => println!("measure pairs FILE [ID] | measure overlays FILE CORPUS_DIR [ID]"),
    }
    report.print();
}
