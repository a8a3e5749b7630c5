//! JSON Schemas of Tools and bindings: found, checked against their own draft, and made sure to
//! describe what they are for. Knows nothing of documents around them.

mod alone;
mod cost;
mod inline;
mod members;
mod object;
mod part;
mod strict;
mod vocabulary;
mod walk;

pub use alone::schema_file;
pub(crate) use members::{may_have, required};
pub(crate) use strict::close;
pub(crate) use vocabulary::Ignored;
pub(crate) use walk::pointed;

use spec::Json;
use validator::{Draft, Validator};

use crate::diagnostic::{Location, Sink};
use crate::diagnostics::{e0208, e0401, e0413, e0414};
use crate::sources::{FileRef, SCHEMA_EXTENSIONS, Sources};
use crate::yaml::{Cursor, Shape};

const SCHEMA: Shape = Shape {
    what: "a schema",
    known: &["ref", "version", "inline"],
    elsewhere: &[
        ("type", "write the schema under `inline`"),
        ("properties", "write the schema under `inline`"),
        ("required", "write the schema under `inline`"),
        ("$ref", "write `ref: path` for a file of the bundle"),
    ],
    unsupported: &[],
};

/// The most mistakes that are reported of one schema.
const REPORTED_MAX: usize = 20;

/// What a schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The arguments of a call: an object.
    Input,
    /// What is said of somebody else's schema, which need not say by itself that it is an object.
    Overlay,
    /// The result of a call: anything.
    Output,
}

/// A schema that has passed every check, what it was before it was closed, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Schema(pub(crate) Json, Option<Json>, pub(crate) Location);

impl Schema {
    /// What its author declares, with the files in it that it refers to.
    pub(crate) fn declared(&self) -> &Json {
        self.1.as_ref().unwrap_or(&self.0)
    }
}

/// Reads `{ref: …}` or `{inline: …}`; `None` when something was refused and reported.
pub(crate) fn read(
    cursor: &Cursor<'_>,
    role: Role,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<Schema> {
    read_as(cursor, role, Openness::AsWritten, sources, sink)
}

/// Whether a schema takes what it does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Openness {
    /// Where it says so, or says nothing.
    AsWritten,
    /// Nowhere: it is closed at every object level.
    Closed,
}

impl Openness {
    /// What `strict` asks for.
    pub(crate) fn of(strict: bool) -> Self {
        if strict {
            Self::Closed
        } else {
            Self::AsWritten
        }
    }
}

/// As [`read`], and closed where that is asked for.
pub(crate) fn read_as(
    cursor: &Cursor<'_>,
    role: Role,
    openness: Openness,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<Schema> {
    let fields = cursor.fields(&SCHEMA, sink)?;
    let check = |at: &Cursor<'_>, sources: &mut Sources<'_>, sink: &mut Sink| {
        let schema = check(at, role, sources, sink)?;
        match openness {
            Openness::AsWritten => Some(schema),
            Openness::Closed => closed(schema, at, sink),
        }
    };
    match (fields.get("inline"), fields.get("ref")) {
        (Some(inline), None) => {
            FileRef::refuse_version(&fields, "inline", sink);
            check(&inline, sources, sink)
        }
        (None, Some(_)) => {
            let reference = FileRef::read(&fields, sink)?;
            let path = sources.find(&reference, SCHEMA_EXTENSIONS, sink)?;
            let document = sources.document(&path, sink)?;
            check(&document.cursor(), sources, sink)
        }
        (inline, _) => {
            let found = if inline.is_some() { 2 } else { 0 };
            sink.push(e0208::exactly_one(&cursor.at(), &["inline", "ref"], found));
            None
        }
    }
}

/// The schema without room for what it does not name.
fn closed(schema: Schema, cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Schema> {
    match strict::close(&schema.0) {
        Ok(closed) => Some(Schema(closed, Some(schema.0), schema.2)),
        Err(found) => {
            for it in found.iter().take(REPORTED_MAX) {
                sink.push(e0414::unclosable(&cursor.locate_steps(&it.path), it.why));
            }
            None
        }
    }
}

/// Checks the schema that stands at `cursor` and puts the files into it that it refers to.
fn check(
    cursor: &Cursor<'_>,
    role: Role,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<Schema> {
    let before = sink.errors();
    let json = cursor.json(sink)?;
    let draft = draft_of(&json, cursor, sink)?;
    let outward = part::check(&json, cursor, draft, sink);
    let checked = sink.errors();
    let whole = if outward.is_empty() {
        inline::Whole {
            schema: Some(json.clone()),
            files: Vec::new(),
        }
    } else {
        let start = inline::Start {
            json: json.clone(),
            outward,
            cursor,
            draft,
        };
        inline::files(start, sources, sink)
    };
    let mut schema = whole.schema.filter(|_| checked == before);
    if let Some(schema) = &mut schema
        && is_affordable(schema, cursor, draft, sink)
        && role == Role::Input
    {
        object::ensure(schema, cursor, sink);
    }
    let compiled = match &schema {
        Some(schema) if sink.errors() == before => Validator::compile(schema).map(|_| ()),
        Some(_) | None => Ok(()),
    };
    if compiled.is_err() || sink.errors() > before {
        part::check_patterns(&json, cursor, draft, sink);
        for (json, document) in &whole.files {
            part::check_patterns(json, &document.cursor(), draft, sink);
        }
    }
    if let Err(why) = compiled
        && sink.errors() == before
    {
        sink.push(e0401::invalid(&cursor.at(), &why.to_string()));
    }
    let sound = schema.filter(|_| sink.errors() == before);
    sound.map(|it| Schema(it, None, cursor.at()))
}

/// Whether judging a value by a schema that was put together takes a bounded time.
pub(crate) fn is_cheap(schema: &Json, at: &Location, sink: &mut Sink) -> bool {
    let draft = Draft::of(schema).unwrap_or(Draft::D2020);
    match cost::check(schema, draft) {
        Ok(()) => return true,
        Err(cost::Costly::Circle(_)) => sink.push(e0413::circle(at)),
        Err(cost::Costly::Many(_)) => sink.push(e0413::many(at, cost::IN_PLACE_MAX)),
    }
    false
}

/// Whether judging a value takes a bounded time.
fn is_affordable(schema: &Json, cursor: &Cursor<'_>, draft: Draft, sink: &mut Sink) -> bool {
    match cost::check(schema, draft) {
        Ok(()) => return true,
        Err(cost::Costly::Circle(path)) => sink.push(e0413::circle(&cursor.locate_steps(path))),
        Err(cost::Costly::Many(path)) => {
            sink.push(e0413::many(&cursor.locate_steps(path), cost::IN_PLACE_MAX));
        }
    }
    false
}

fn draft_of(json: &Json, cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Draft> {
    let draft = Draft::of(json);
    if draft.is_none() {
        let named = json.get("$schema").and_then(Json::as_str);
        let at = cursor.locate_steps(["$schema"]);
        sink.push(e0401::unknown_draft(&at, named.unwrap_or_default()));
    }
    draft
}
