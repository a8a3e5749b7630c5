//! `schema contains`: whether every value of one schema is a value of another. Knows the command line
//! and how an answer is drawn; the search is in the `subschema` crate.

use std::path::{Path, PathBuf};

use clap::value_parser;
use spec::Json;
use subschema::{Answer, Ground, Options, Reason, explain, is_empty};
use validator::Draft;

use super::file::{self, STDIN};
use super::judge::{self, Formats, Judged, Question};
use super::{batch, why};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::text::compact;
use crate::render::{Format, Output, Style, escape};

/// Say whether every value of one schema is a value of another.
///
/// The answer is `proved`; `refuted`, with a value that SUB takes and SUP refuses; or `undecided`,
/// with the keyword that stood in the way. The exit code is 0, 1 or 2. Schemas are JSON or YAML, of
/// drafts 4 to 2020-12.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain schema contains narrow.json wide.json\n  ordain schema contains overlay.yaml tool.json --overlay --explain\n  ordain schema contains --batch pairs.json > answers.jsonl\n\nExit codes: 0 proved, 1 refuted, 2 undecided (or a wrong command line), 3 not a schema, 5 not found.\nWith --batch: 0 when every pair could be read, 3 when not."
)]
pub(super) struct Args {
    /// The schema that should be contained, or - for standard input.
    #[arg(required_unless_present = "batch")]
    sub: Option<PathBuf>,
    /// The schema that should contain it, or - for standard input.
    #[arg(required_unless_present = "batch")]
    sup: Option<PathBuf>,
    /// Take SUB for what a binding writes over SUP: what it leaves unsaid is SUP's.
    #[arg(long)]
    overlay: bool,
    /// Say why: the grounds of a proof, who refuses what, or what would help to decide.
    #[arg(long)]
    explain: bool,
    /// The draft of schemas that name none: 4, 6, 7, 2019-09 or 2020-12 [default: 2020-12].
    #[arg(long, value_name = "DRAFT", value_parser = judge::draft)]
    draft: Option<Draft>,
    /// Whether `format` asserts, as it does for a runtime, or is a note [default: assert; with --batch:
    /// note, where the pair does not say].
    #[arg(long, value_enum, value_name = "WHAT")]
    formats: Option<Formats>,
    /// How long is searched before the answer is `undecided`; a step takes some microseconds.
    #[arg(
        long,
        value_name = "STEPS",
        default_value_t = Options::default().steps_max,
        value_parser = value_parser!(u64).range(1..=100_000_000)
    )]
    steps: u64,
    /// Read pairs instead, and print a line of JSON for each; - for standard input.
    ///
    /// A pair is {id, sup, sub} or {id, sup, overlay}, with draft and format ("assert" or "note") where
    /// needed; pairs are a JSON array, or follow one another. A line is {id, answer, witness, reason,
    /// micros}, and the answer of a pair that cannot be read is "error".
    #[arg(long, value_name = "PAIRS", conflicts_with_all = ["sub", "sup", "overlay", "explain", "format"])]
    batch: Option<PathBuf>,
    /// Print JSON; the same as -o json.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: Output,
}

/// Both schemas, the question about them and its answer.
struct Asked {
    question: Question,
    sup: Json,
    judged: Judged,
    /// Why a proof holds, if that is asked.
    grounds: Result<Vec<Ground>, Reason>,
    options: Options,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let default = match args.batch {
        Some(_) => Formats::Note,
        None => Formats::Assert,
    };
    let options = Options {
        steps_max: args.steps,
        formats_assert: args.formats.unwrap_or(default) == Formats::Assert,
        draft: args.draft.unwrap_or(Draft::D2020),
    };
    if let Some(path) = &args.batch {
        return batch::run(path, options, context);
    }
    let (Some(sub), Some(sup)) = (&args.sub, &args.sup) else {
        return Err(Failure::usage("SUB and SUP are missing"));
    };
    let asked = ask((sub, sup), args, options, context)?;
    let notes = asked.notes();
    for it in &notes {
        context
            .printer
            .note(&format!("note: {}", escape::inline(it)));
    }
    let format = if args.json {
        Format::Json
    } else {
        args.output.format
    };
    let data = asked.to_json(&notes, args.explain);
    context
        .printer
        .data(format, &data, || asked.sheet(args.explain, context))?;
    Ok(judge::exit(&asked.judged.answer))
}

fn ask(
    (sub, sup): (&Path, &Path),
    args: &Args,
    options: Options,
    context: &Context,
) -> Result<Asked, Failure> {
    if sub == Path::new(STDIN) && sup == Path::new(STDIN) {
        return Err(Failure::usage(
            "only one of the schemas can come from standard input",
        ));
    }
    let sup = judge::with_draft(file::read(sup, options.draft, context)?, options.draft);
    // An overlay is of the draft of what it narrows.
    let draft = match (args.overlay, Draft::of(&sup)) {
        (true, Some(draft)) => draft,
        (_, _) => options.draft,
    };
    let sub = file::read(sub, draft, context)?;
    let question = if args.overlay {
        Question::Overlay(sub)
    } else {
        Question::Schema(judge::with_draft(sub, options.draft))
    };
    let judged = question.ask(&sup, &options);
    let grounds = match &judged.answer {
        Answer::Proved(_) if args.explain => {
            let sub = question.contained(judged.completed.as_ref());
            explain(sub, &sup, &options)
        }
        Answer::Proved(_) | Answer::Refuted(_) | Answer::Undecided(_) => Ok(Vec::new()),
    };
    Ok(Asked {
        question,
        sup,
        judged,
        grounds,
        options,
    })
}

impl Asked {
    fn sub(&self) -> &Json {
        self.question.contained(self.judged.completed.as_ref())
    }

    /// What the author of an overlay may not have meant.
    fn notes(&self) -> Vec<String> {
        let Some(completed) = &self.judged.completed else {
            return Vec::new();
        };
        let mut notes: Vec<String> = completed.lints.iter().map(why::remark).collect();
        notes.extend(completed.misfits(&self.options).iter().map(|it| {
            let value = compact(&it.value);
            format!(
                "{}: the default {value} is refused by the overlay itself",
                why::at(&it.pointer)
            )
        }));
        if let Answer::Proved(_) = self.judged.answer {
            let proved = |answer: Answer| matches!(answer, Answer::Proved(_));
            if proved(is_empty(&completed.schema, &self.options)) {
                notes.push("the overlay leaves no value at all".to_owned());
            } else if proved(subschema::contains(
                &self.sup,
                &completed.schema,
                &self.options,
            )) {
                notes.push("the overlay changes nothing".to_owned());
            }
        }
        notes
    }

    /// The answer first, then why.
    fn sheet(&self, with_why: bool, context: &Context) -> String {
        let word = judge::word(&self.judged.answer);
        let (style, rest) = match &self.judged.answer {
            Answer::Proved(_) => (Style::Green, String::new()),
            Answer::Refuted(witness) => {
                let mut rest = format!(" {}\n", compact(&witness.value));
                if let Some(violation) = &witness.violation {
                    let violation = escape::inline(&violation.to_string());
                    rest.push_str(&format!("  SUP refuses it at {violation}\n"));
                }
                (Style::Red, rest)
            }
            Answer::Undecided(reason) => {
                let reason = escape::inline(&reason.to_string());
                (Style::Yellow, format!(" {reason}\n"))
            }
        };
        let mut sheet = context.printer.styled(style, word);
        sheet.push_str(if rest.is_empty() { "\n" } else { &rest });
        if with_why {
            sheet.push_str(&self.why());
        }
        sheet
    }

    fn why(&self) -> String {
        match &self.judged.answer {
            Answer::Proved(_) => match &self.grounds {
                Ok(grounds) if grounds.is_empty() => {
                    "  SUP takes every value, or SUB takes none\n".to_owned()
                }
                Ok(grounds) => why::grounds(grounds),
                Err(reason) => format!(
                    "  why cannot be told: {}\n",
                    escape::inline(&reason.to_string())
                ),
            },
            Answer::Refuted(witness) => why::both(witness, self.sub(), &self.sup),
            Answer::Undecided(reason) => format!("  help: {}\n", why::help(reason)),
        }
    }

    fn to_json(&self, notes: &[String], with_why: bool) -> Json {
        let Judged {
            answer, completed, ..
        } = &self.judged;
        let texts = |texts: &[String]| {
            Json::from(
                texts
                    .iter()
                    .map(|it| Json::from(it.as_str()))
                    .collect::<Vec<_>>(),
            )
        };
        let mut members = vec![
            ("answer", Json::from(judge::word(answer))),
            ("micros", judge::micros(self.judged.micros)),
            ("notes", texts(notes)),
        ];
        if let Some(completed) = completed {
            members.push(("completed", completed.schema.clone()));
        }
        match answer {
            Answer::Proved(_) => {}
            Answer::Refuted(witness) => {
                members.push(("witness", witness.value.clone()));
                if let Some(it) = &witness.violation {
                    members.push(("place", Json::from(it.path.as_str())));
                    members.push(("keyword", Json::from(it.rule.as_str())));
                    members.push(("reason", Json::from(it.text.as_str())));
                }
            }
            Answer::Undecided(Reason {
                keyword,
                place,
                text,
            }) => {
                members.push(("place", Json::from(place.as_deref())));
                members.push(("keyword", Json::from(keyword.as_deref())));
                members.push(("reason", Json::from(text.as_str())));
            }
        }
        if with_why {
            members.push(("explain", self.why_json()));
        }
        Json::from_members(members)
    }

    fn why_json(&self) -> Json {
        match &self.judged.answer {
            Answer::Proved(_) => why::grounds_json(self.grounds.as_deref().unwrap_or_default()),
            Answer::Refuted(witness) => why::both_json(witness, self.sub(), &self.sup),
            Answer::Undecided(reason) => {
                Json::from_members([("help", Json::from(why::help(reason)))])
            }
        }
    }
}
