//! `schema contains --batch`: many pairs, a line each. Knows the form of a pair; keeps only the one
//! that is at hand.

use std::io::{BufReader, Read};
use std::path::Path;

use spec::Json;
use subschema::{Answer, Options};
use validator::Draft;

use super::file;
use super::judge::{self, Formats, Question};
use super::pairs::{ELEMENT_BYTES_MAX, Fault, Pairs};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::text::compact;

/// How much is read at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// Two schemas to compare.
struct Pair {
    question: Question,
    sup: Json,
    options: Options,
}

/// What became of one pair.
struct Line {
    id: Json,
    answer: &'static str,
    witness: Option<Json>,
    reason: Option<String>,
    micros: u128,
}

pub(super) fn run(path: &Path, options: Options, context: &Context) -> Result<Exit, Failure> {
    let input = file::open(path)?;
    let mut exit = Exit::Done;
    for it in lines(input, options) {
        if it.answer == ERROR {
            exit = Exit::Invalid;
        }
        // Each line leaves at once: whoever feeds a pipe may wait for it.
        context.printer.line(&compact(&it.to_json()))?;
    }
    Ok(exit)
}

const ERROR: &str = "error";

fn lines(input: impl Read, options: Options) -> impl Iterator<Item = Line> {
    let pairs = Pairs::new(BufReader::with_capacity(BUFFER_BYTES, input));
    pairs
        .zip(1_u64..)
        .map(move |(element, number)| match element {
            Ok(bytes) => answer(&bytes, options),
            Err(fault) => {
                let why = match fault {
                    Fault::TooLarge => format!("more than {ELEMENT_BYTES_MAX} bytes"),
                    Fault::Broken(why) => why,
                    Fault::Unreadable(why) => format!("the input cannot be read: {why}"),
                };
                Line::error(Json::Null, format!("pair {number}: {why}"))
            }
        })
}

fn answer(bytes: &[u8], options: Options) -> Line {
    let element = match Json::parse(bytes) {
        Ok(element) => element,
        Err(why) => return Line::error(Json::Null, why.to_string()),
    };
    let id = match element.get("id") {
        Some(id @ (Json::String(_) | Json::Number(_))) => id.clone(),
        Some(Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_)) | None => Json::Null,
    };
    match pair(&element, options) {
        Ok(pair) => pair.line(id),
        Err(why) => Line::error(id, why),
    }
}

/// Reads a pair. Members that mean nothing here, such as the expected answer, are passed over.
fn pair(element: &Json, defaults: Options) -> Result<Pair, String> {
    if element.as_object().is_none() {
        return Err(format!(
            "a pair is an object, and this is of type {}",
            element.kind()
        ));
    }
    let member = |name: &str| element.get(name).filter(|it| **it != Json::Null);
    let text = |name: &str| {
        member(name).map(|it| it.as_str().map_or_else(|| it.to_canonical(), str::to_owned))
    };
    let mut options = defaults;
    if let Some(word) = text("draft") {
        options.draft = judge::draft(&word).map_err(|why| format!("draft: {why}"))?;
    }
    if let Some(word) = text("format") {
        let formats = Formats::of(&word).ok_or("format: it is `assert` or `note`")?;
        options.formats_assert = formats == Formats::Assert;
    }
    let schema = |name: &str, draft: Draft| {
        let Some(schema) = member(name) else {
            return Ok(None);
        };
        match judge::faults(schema, draft) {
            Some(why) => Err(format!("{name}: {why}")),
            None => Ok(Some(schema.clone())),
        }
    };
    let sup = schema("sup", options.draft)?.ok_or("sup: it is missing")?;
    let sup = judge::with_draft(sup, options.draft);
    // Where both are there, `sub` is what the overlay came to.
    let question = match schema("sub", options.draft)? {
        Some(sub) => Question::Schema(judge::with_draft(sub, options.draft)),
        None => {
            let draft = Draft::of(&sup).unwrap_or(options.draft);
            let overlay = schema("overlay", draft)?;
            Question::Overlay(overlay.ok_or("sub: neither it nor `overlay` is there")?)
        }
    };
    Ok(Pair {
        question,
        sup,
        options,
    })
}

impl Pair {
    fn line(&self, id: Json) -> Line {
        let judged = self.question.ask(&self.sup, &self.options);
        let (witness, reason) = match &judged.answer {
            Answer::Proved(_) => (None, None),
            Answer::Refuted(witness) => {
                let violation = witness.violation.as_ref().map(ToString::to_string);
                (Some(witness.value.clone()), violation)
            }
            Answer::Undecided(reason) => (None, Some(reason.to_string())),
        };
        Line {
            id,
            answer: judge::word(&judged.answer),
            witness,
            reason,
            micros: judged.micros,
        }
    }
}

impl Line {
    fn error(id: Json, why: String) -> Self {
        Self {
            id,
            answer: ERROR,
            witness: None,
            reason: Some(why),
            micros: 0,
        }
    }

    fn to_json(&self) -> Json {
        let mut members = vec![
            ("id", self.id.clone()),
            ("answer", Json::from(self.answer)),
            ("micros", judge::micros(self.micros)),
        ];
        if let Some(witness) = &self.witness {
            members.push(("witness", witness.clone()));
        }
        if let Some(reason) = &self.reason {
            members.push(("reason", Json::from(reason.as_str())));
        }
        Json::from_members(members)
    }
}
