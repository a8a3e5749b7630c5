//! JSON Schemas of Tools and bindings: found, checked against their own draft, and made sure to
//! describe what they are for. Knows nothing of documents around them.

mod object;
mod walk;

use jsonschema::PatternOptions;
use jsonschema::error::ValidationErrorKind;
use spec::Json;

use crate::diagnostic::{Location, Sink};
use crate::diagnostics::{e0207, e0208, e0401, e0403, e0404};
use crate::sources::{FileRef, SCHEMA_EXTENSIONS, Sources};
use crate::yaml::{Cursor, Shape};

use walk::{Step, Visit};

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

/// The drafts that are known, by what their `$schema` says without a fragment.
const DRAFTS: [&str; 5] = [
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// The most mistakes that are reported of one schema.
const REPORTED_MAX: usize = 20;

/// What a schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The arguments of a call: an object.
    Input,
    /// The result of a call: anything.
    Output,
}

/// A schema that has passed every check.
#[derive(Clone, Debug)]
pub(crate) struct Schema(pub(crate) Json);

/// Reads `{ref: …}` or `{inline: …}`; `None` when something was refused and reported.
pub(crate) fn read(
    cursor: &Cursor<'_>,
    role: Role,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<Schema> {
    let fields = cursor.fields(&SCHEMA, sink)?;
    match (fields.get("inline"), fields.get("ref")) {
        (Some(inline), None) => check(&inline, role, sink),
        (None, Some(_)) => {
            let reference = FileRef::read(&fields, sink)?;
            let path = sources.find(&reference, SCHEMA_EXTENSIONS, sink)?;
            let document = sources.document(&path, sink)?;
            check(&document.cursor(), role, sink)
        }
        (inline, _) => {
            let found = if inline.is_some() { 2 } else { 0 };
            sink.push(e0208::exactly_one(&cursor.at(), &["inline", "ref"], found));
            None
        }
    }
}

/// Checks the schema that stands at `cursor`.
fn check(cursor: &Cursor<'_>, role: Role, sink: &mut Sink) -> Option<Schema> {
    let before = sink.errors();
    let mut json = cursor.json(sink)?;
    if !draft_is_known(&json, cursor, sink) || !follows_its_draft(&json, cursor, sink) {
        return None;
    }
    walk::each(&json, &mut |visit| {
        check_keyword(&json, visit, cursor, sink);
    });
    if role == Role::Input {
        object::ensure(&mut json, cursor, sink);
    }
    if sink.errors() == before {
        compiles(&json, cursor, sink);
    }
    (sink.errors() == before).then_some(Schema(json))
}

fn draft_is_known(json: &Json, cursor: &Cursor<'_>, sink: &mut Sink) -> bool {
    let Some(draft) = json.get("$schema") else {
        return true;
    };
    let text = draft.as_str().unwrap_or_default();
    let plain = text.strip_suffix('#').unwrap_or(text);
    let known = DRAFTS.contains(&plain);
    if !known {
        sink.push(e0401::unknown_draft(
            &cursor.locate_steps(["$schema"]),
            text,
        ));
    }
    known
}

fn follows_its_draft(json: &Json, cursor: &Cursor<'_>, sink: &mut Sink) -> bool {
    let value = json.to_serde();
    let validator = match jsonschema::meta::validator_for(&value) {
        Ok(validator) => validator,
        Err(error) => {
            sink.push(e0401::invalid(&cursor.at(), &error.to_string()));
            return false;
        }
    };
    let mut sound = true;
    for error in validator.iter_errors(&value).take(REPORTED_MAX) {
        sound = false;
        let pointer = error.instance_path().as_str();
        let at = locate_pointer(cursor, pointer);
        sink.push(match error.kind() {
            ValidationErrorKind::AnyOf { .. } if pointer.ends_with("/type") => {
                e0401::unknown_type(&at)
            }
            _ => e0401::invalid(&at, &error.to_string()),
        });
    }
    sound
}

/// Patterns and references, which a meta-schema says nothing about.
fn check_keyword(root: &Json, visit: &Visit<'_>, cursor: &Cursor<'_>, sink: &mut Sink) {
    let at = |last: &[&str]| {
        let steps = visit
            .path
            .iter()
            .map(Step::as_str)
            .chain(last.iter().copied());
        cursor.locate_steps(steps)
    };
    if let Some(pattern) = visit.schema.get("pattern").and_then(Json::as_str) {
        check_pattern(pattern, || at(&["pattern"]), sink);
    }
    if let Some(members) = visit
        .schema
        .get("patternProperties")
        .and_then(Json::as_object)
    {
        for pattern in members.keys() {
            check_pattern(pattern, || at(&["patternProperties", pattern]), sink);
        }
    }
    for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
        if let Some(target) = visit.schema.get(keyword).and_then(Json::as_str) {
            check_reference(root, target, || at(&[keyword]), sink);
        }
    }
}

fn check_pattern(pattern: &str, at: impl Fn() -> Location, sink: &mut Sink) {
    let schema = Json::from_members([("pattern", Json::from(pattern))]).to_serde();
    if linear().build(&schema).is_err() {
        sink.push(e0404::refused(&at(), pattern));
    }
}

fn check_reference(root: &Json, target: &str, at: impl Fn() -> Location, sink: &mut Sink) {
    if let Some(fragment) = target.strip_prefix('#') {
        if !walk::leads_somewhere(root, fragment) {
            sink.push(e0403::dangling(&at(), target));
        }
    } else if target.contains(':') || target.starts_with("//") {
        if !walk::has_id(root, target) {
            sink.push(e0403::remote(&at(), target));
        }
    } else {
        sink.push(e0207::not_yet(
            &at(),
            &format!("a `$ref` to another file (`{target}`)"),
        ));
    }
}

/// Whether the validator that the runtime will use takes the schema.
fn compiles(json: &Json, cursor: &Cursor<'_>, sink: &mut Sink) {
    if let Err(error) = linear().build(&json.to_serde()) {
        sink.push(e0401::invalid(&cursor.at(), &error.to_string()));
    }
}

fn linear() -> jsonschema::ValidationOptions<'static> {
    jsonschema::options().with_pattern_options(PatternOptions::regex())
}

fn locate_pointer(cursor: &Cursor<'_>, pointer: &str) -> Location {
    let steps = pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"));
    cursor.locate_steps(steps)
}
