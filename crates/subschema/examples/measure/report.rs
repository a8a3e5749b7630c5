//! What is known of the answers to one set of pairs, and the table of all of them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use spec::Json;
use subschema::{Answer, Options, contains};
use validator::{Draft, Validator};

/// The most wrong answers that are printed of one set.
const LISTED_MAX: usize = 40;

/// The answers to one set of pairs.
pub(crate) struct Set {
    pub(crate) name: String,
    /// How many of a thousand pairs must be decided.
    pub(crate) least: u64,
    pub(crate) right: u64,
    pub(crate) wrong: Vec<String>,
    pub(crate) undecided: BTreeMap<String, u64>,
    /// Labels that a validator contradicts, or that a change did not deserve.
    pub(crate) dropped: u64,
    pub(crate) witnesses: u64,
    pub(crate) times: Vec<Duration>,
    /// What else there is to say.
    pub(crate) notes: Vec<String>,
    /// A pair for each keyword that stood in the way.
    examples: BTreeMap<String, String>,
    slowest: (Duration, String),
    shown: Option<String>,
}

/// Whether an answer is the expected one.
pub(crate) enum Verdict {
    Right,
    Undecided,
    /// Proved against the label.
    Proved,
    /// Refuted against the label, by a value that a validator confirms.
    Refuted,
}

/// A pair with its label.
pub(crate) struct Pair<'a> {
    pub(crate) id: &'a str,
    pub(crate) sub: &'a Json,
    pub(crate) sup: &'a Json,
    /// Whether the one is within the other, if that is known.
    pub(crate) expected: Option<bool>,
    pub(crate) options: Options,
}

/// A schema as the options have it read, for a validator to judge by.
pub(crate) fn judging(schema: &Json, options: &Options) -> Option<Validator> {
    let mut schema = schema.clone();
    if !options.formats_assert {
        drop_formats(&mut schema);
    }
    if let Json::Object(members) = &mut schema
        && options.draft != Draft::D2020
    {
        let uri = || Json::from(options.draft.uri());
        members.entry("$schema".to_owned()).or_insert_with(uri);
    }
    Validator::compile(&schema).ok()
}

fn drop_formats(schema: &mut Json) {
    match schema {
        Json::Object(members) => {
            members.retain(|key, it| key != "format" || it.as_str().is_none());
            for (key, member) in members {
                if key != "const" && key != "enum" {
                    drop_formats(member);
                }
            }
        }
        Json::Array(list) => list.iter_mut().for_each(drop_formats),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

impl Set {
    pub(crate) fn new(name: &str, least: u64, shown: Option<&String>) -> Self {
        Self {
            name: name.to_owned(),
            least,
            right: 0,
            wrong: Vec::new(),
            undecided: BTreeMap::new(),
            dropped: 0,
            witnesses: 0,
            times: Vec::new(),
            notes: Vec::new(),
            examples: BTreeMap::new(),
            slowest: (Duration::ZERO, String::new()),
            shown: shown.cloned(),
        }
    }

    pub(crate) fn is_wanted(&self, id: &str) -> bool {
        self.shown.as_ref().is_none_or(|it| id.contains(it))
    }

    pub(crate) fn timed(&mut self, id: &str, took: Duration) {
        self.times.push(took);
        if took > self.slowest.0 {
            self.slowest = (took, id.to_owned());
        }
    }

    /// Asks about a pair. The caller deals with answers against the label.
    pub(crate) fn ask(&mut self, pair: &Pair<'_>) -> Verdict {
        let started = Instant::now();
        let answer = contains(pair.sub, pair.sup, &pair.options);
        self.timed(pair.id, started.elapsed());
        self.judge(pair, &answer)
    }

    /// The same of an answer that was timed elsewhere.
    pub(crate) fn judge(&mut self, pair: &Pair<'_>, answer: &Answer) -> Verdict {
        if self.shown.is_some() {
            let text = format!("{} (expected {:?}): {answer:?}", pair.id, pair.expected);
            self.notes.push(text);
        }
        let verdict = match (answer, pair.expected) {
            (Answer::Undecided(reason), _) => {
                if reason.text.starts_with("internal") {
                    self.wrong.push(format!("{}: {reason}", pair.id));
                }
                let keyword = reason.keyword.as_deref().unwrap_or("a limit");
                let text = format!("{keyword}: {}", reason.text);
                let text: String = text.chars().take(100).collect();
                let example = || pair.id.to_owned();
                self.examples.entry(text.clone()).or_insert_with(example);
                *self.undecided.entry(text).or_default() += 1;
                return Verdict::Undecided;
            }
            (Answer::Proved(_), Some(true) | None) => Verdict::Right,
            (Answer::Proved(_), Some(false)) => return Verdict::Proved,
            (Answer::Refuted(_), Some(false) | None) => Verdict::Right,
            (Answer::Refuted(_), Some(true)) => Verdict::Refuted,
        };
        if let Answer::Refuted(witness) = answer {
            let accepts = |schema| {
                judging(schema, &pair.options).is_some_and(|it| it.accepts(&witness.value))
            };
            if !accepts(pair.sub) || accepts(pair.sup) {
                let value = witness.value.to_canonical();
                self.wrong.push(format!("{}: no witness: {value}", pair.id));
                return Verdict::Right;
            }
            self.witnesses += 1;
        }
        if matches!(verdict, Verdict::Right) {
            self.right += 1;
        }
        verdict
    }

    /// Asks about a pair whose label is certain.
    pub(crate) fn check(&mut self, pair: &Pair<'_>) {
        let verdict = self.ask(pair);
        if matches!(verdict, Verdict::Proved | Verdict::Refuted) {
            let text = format!("{}: expected {:?}", pair.id, pair.expected);
            self.wrong.push(text);
        }
    }

    fn open(&self) -> u64 {
        self.undecided.values().sum()
    }

    fn pairs(&self) -> u64 {
        self.right + self.wrong.len() as u64 + self.open() + self.dropped
    }

    /// The promises that are not kept.
    pub(crate) fn misses(&self) -> Vec<String> {
        let mut misses = Vec::new();
        if !self.wrong.is_empty() {
            misses.push(format!("{}: {} wrong", self.name, self.wrong.len()));
        }
        if self.pairs() == 0 {
            misses.push(format!("{}: nothing was asked", self.name));
        }
        let pairs = self.pairs();
        if (pairs - self.open()) * 1000 < pairs * self.least {
            let text = format!("{}: {} of {pairs} undecided", self.name, self.open());
            misses.push(text);
        }
        misses
    }

    fn at(&mut self, thousandths: usize) -> u128 {
        self.times.sort_unstable();
        let last = self.times.len().saturating_sub(1);
        let time = self.times.get(last * thousandths / 1000);
        time.map_or(0, Duration::as_micros)
    }

    fn row(&self) -> String {
        let mut timed = Set {
            times: self.times.clone(),
            ..Set::new(&self.name, 0, None)
        };
        let pairs = self.pairs();
        let decided = 100.0 * (pairs - self.open()) as f64 / pairs.max(1) as f64;
        format!(
            "| {} | {pairs} | {decided:.2} | {} | {} | {} | {} | {} | {} | {} |",
            self.name,
            self.right,
            self.wrong.len(),
            self.dropped,
            self.witnesses,
            timed.at(500),
            timed.at(990),
            timed.at(1000),
        )
    }
}

/// Prints all of it.
pub(crate) fn print(sets: &[Set]) {
    println!(
        "| set | pairs | decided % | right | wrong | dropped | witnesses | median µs | p99 µs | max µs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for set in sets {
        println!("{}", set.row());
    }
    for set in sets {
        println!(
            "\n{}: slowest {} ({:?})",
            set.name, set.slowest.1, set.slowest.0
        );
        for note in &set.notes {
            println!("  {note}");
        }
        for (keyword, count) in &set.undecided {
            let example = set.examples.get(keyword).map_or("", String::as_str);
            println!("  undecided {count:6} {keyword} {example}");
        }
        for wrong in set.wrong.iter().take(LISTED_MAX) {
            println!("  WRONG {wrong}");
        }
    }
    let misses: Vec<String> = sets.iter().flat_map(Set::misses).collect();
    if misses.is_empty() {
        println!("\nevery figure is reached");
    }
    for miss in misses {
        println!("\nMISSED {miss}");
    }
}
