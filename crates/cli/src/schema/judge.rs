//! One question: is every value of this schema a value of that one? Knows how a question is asked;
//! not where the schemas come from, nor how the answer is shown.

use std::time::Instant;

use clap::ValueEnum;
use spec::Json;
use subschema::{Answer, Completed, Options, complete, contains};
use validator::{Draft, mistakes};

use crate::exit::Exit;

/// The most mistakes of one schema that are told on a line.
const TOLD_MAX: usize = 3;

/// What `format` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Formats {
    /// The formats that a runtime enforces are enforced.
    Assert,
    /// Every format is a note.
    Note,
}

impl Formats {
    /// The word of a pair.
    pub(super) fn of(word: &str) -> Option<Self> {
        match word {
            "assert" | "assertion" => Some(Self::Assert),
            "note" | "annotation" => Some(Self::Note),
            _ => None,
        }
    }
}

/// A draft by one of the names that are in use: `7`, `draft-07`, `draft7`, `2020-12`, or its URI.
pub(super) fn draft(word: &str) -> Result<Draft, String> {
    let plain = word.trim().to_ascii_lowercase();
    let plain = plain.strip_prefix("draft").unwrap_or(&plain);
    let plain = plain.trim_start_matches(['-', '0', ' ']);
    match plain {
        "4" => Ok(Draft::D4),
        "6" => Ok(Draft::D6),
        "7" => Ok(Draft::D7),
        "2019-09" => Ok(Draft::D2019),
        "2020-12" => Ok(Draft::D2020),
        _ => Draft::named(word)
            .ok_or_else(|| "the drafts are 4, 6, 7, 2019-09 and 2020-12".to_owned()),
    }
}

/// What is asked of the containing schema.
pub(super) enum Question {
    /// Whether this schema is contained.
    Schema(Json),
    /// Whether what this overlay claims over the containing schema is.
    Overlay(Json),
}

/// An answer, and how it came about.
pub(super) struct Judged {
    pub(super) answer: Answer,
    /// The overlay with what it leaves unsaid.
    pub(super) completed: Option<Completed>,
    /// How long the search took.
    pub(super) micros: u128,
}

impl Question {
    /// Asks it. `sup` names its draft where that is not the newest, see [`with_draft`].
    pub(super) fn ask(&self, sup: &Json, options: &Options) -> Judged {
        let started = Instant::now();
        let completed = match self {
            Question::Schema(_) => None,
            Question::Overlay(overlay) => Some(completed(sup, overlay)),
        };
        let sub = self.contained(completed.as_ref());
        let answer = contains(sub, sup, options);
        Judged {
            answer,
            micros: started.elapsed().as_micros(),
            completed,
        }
    }

    /// The schema that is asked about.
    pub(super) fn contained<'a>(&'a self, completed: Option<&'a Completed>) -> &'a Json {
        let (Question::Schema(written) | Question::Overlay(written)) = self;
        completed.map_or(written, |it| &it.schema)
    }
}

/// What an overlay claims, as publish has it: in another draft keywords mean other things, so what is
/// written in one is taken as it stands.
fn completed(sup: &Json, overlay: &Json) -> Completed {
    let own = overlay.get("$schema").map(|_| Draft::of(overlay));
    match own {
        Some(draft) if draft != Draft::of(sup) => complete(&Json::Bool(true), overlay),
        Some(_) | None => complete(sup, overlay),
    }
}

/// The word for an answer.
pub(super) fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Proved(_) => "proved",
        Answer::Refuted(_) => "refuted",
        Answer::Undecided(_) => "undecided",
    }
}

/// 0, 1 and 2, as `diff` and `grep` have them for yes, no and cannot tell. Bad input ends otherwise.
pub(super) fn exit(answer: &Answer) -> Exit {
    match answer {
        Answer::Proved(_) => Exit::Done,
        Answer::Refuted(_) => Exit::Failed,
        Answer::Undecided(_) => Exit::Usage,
    }
}

/// A time as data.
pub(super) fn micros(micros: u128) -> Json {
    Json::from(u64::try_from(micros).unwrap_or(u64::MAX))
}

/// The schema, saying which draft it is of: an overlay on it is read by the same one.
pub(super) fn with_draft(mut schema: Json, draft: Draft) -> Json {
    if let Json::Object(members) = &mut schema
        && draft != Draft::D2020
        && !members.contains_key("$schema")
    {
        members.insert("$schema".to_owned(), Json::from(draft.uri()));
    }
    schema
}

/// What keeps a value from being a schema of its draft; `draft` where it names none.
pub(super) fn faults(schema: &Json, draft: Draft) -> Option<String> {
    let own = match schema.get("$schema") {
        Some(_) => Draft::of(schema),
        None => Some(draft),
    };
    let Some(draft) = own else {
        return Some("the draft in `$schema` is not known".to_owned());
    };
    let mut found = mistakes(schema, draft, TOLD_MAX);
    // Several rules may refuse one thing.
    found.dedup_by(|a, b| a.pointer == b.pointer);
    let told = found.iter().map(|it| {
        let place = if it.pointer.is_empty() {
            "/"
        } else {
            &it.pointer
        };
        format!("{place}: {}", it.text)
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("no schema of {}: {}", draft.name(), told.join("; ")))
}

#[cfg(test)]
mod tests {
    use validator::Draft;

    use super::draft;

    #[test]
    fn drafts_by_every_name() {
        let table = [
            ("4", Draft::D4),
            ("draft-04", Draft::D4),
            ("draft4", Draft::D4),
            ("draft-6", Draft::D6),
            ("Draft 7", Draft::D7),
            ("draft-07", Draft::D7),
            ("http://json-schema.org/draft-07/schema#", Draft::D7),
            ("2019-09", Draft::D2019),
            ("draft2019-09", Draft::D2019),
            ("DRAFT-2020-12", Draft::D2020),
            ("draft2020-12", Draft::D2020),
            ("2020-12", Draft::D2020),
        ];
        for (word, expected) in table {
            assert_eq!(draft(word), Ok(expected), "{word}");
        }
        for word in ["", "3", "draft", "2020", "latest", "07/schema"] {
            assert!(draft(word).is_err(), "{word}");
        }
    }
}
