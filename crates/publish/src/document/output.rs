//! `output` of an Agent: what the final answer must look like.

use spec::snapshot::{OnInvalid, Output, OutputFormat};

use crate::diagnostic::Sink;
use crate::diagnostics::{e0207, e0705};
use crate::schema::{self, Openness, Role};
use crate::sources::Sources;
use crate::yaml::{Cursor, Shape};

const OUTPUT: Shape = Shape {
    what: "output",
    known: &["format", "schema", "strict", "on_invalid"],
    elsewhere: &[],
    unsupported: &[],
};

/// What an answer may do that is not what it should be.
#[derive(Clone, Copy)]
enum Word {
    Known(OnInvalid),
    Escalate,
}

/// An output of which nothing is asked.
pub(super) fn unsaid() -> Output {
    Output {
        format: OutputFormat::Text,
        schema: None,
        strict: false,
        on_invalid: OnInvalid::Retry,
    }
}

pub(super) fn read(
    cursor: &Cursor<'_>,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<Output> {
    let fields = cursor.fields(&OUTPUT, sink)?;
    let words = [("text", OutputFormat::Text), ("json", OutputFormat::Json)];
    let format = fields.get("format").and_then(|it| it.word(&words, sink));
    let format = format.map_or(OutputFormat::Text, |it| it.value);
    let strict = fields.get("strict");
    let closed = strict.as_ref().and_then(|it| it.boolean(sink)) == Some(true);
    let schema = fields.get("schema");
    let contract = schema
        .as_ref()
        .and_then(|it| schema::read_as(it, Role::Output, Openness::of(closed), sources, sink));
    let words = [
        ("retry", Word::Known(OnInvalid::Retry)),
        ("repair", Word::Known(OnInvalid::Repair)),
        ("fail", Word::Known(OnInvalid::Fail)),
        ("escalate", Word::Escalate),
    ];
    let on_invalid = fields.get("on_invalid");
    let word = on_invalid.as_ref().and_then(|it| it.word(&words, sink));
    let chosen = match word.as_ref().map(|it| it.value) {
        Some(Word::Known(it)) => it,
        Some(Word::Escalate) => {
            if let Some(word) = &word {
                sink.push(e0207::not_yet(&word.at, "`on_invalid: escalate`"));
            }
            OnInvalid::Retry
        }
        None => OnInvalid::Retry,
    };
    if format == OutputFormat::Text {
        // Text is never invalid; a check that is written and never made would be a promise broken.
        for written in [&schema, &on_invalid].into_iter().flatten() {
            sink.push(e0705::text_has_none(&written.key_at()));
        }
    }
    if let (true, None, Some(strict)) = (closed, &schema, &strict) {
        sink.push(e0705::nothing_to_close(&strict.key_at()));
    }
    Some(Output {
        format,
        schema: contract.map(|it| it.0),
        strict: closed,
        on_invalid: chosen,
    })
}
