//! JSON Schemas of Tools and bindings: found, checked against their own draft, and made sure to
//! describe what they are for. Knows nothing of documents around them.

mod members;
mod object;
mod walk;

use std::collections::BTreeMap;

use jsonschema::PatternOptions;
use jsonschema::error::ValidationErrorKind;
use spec::Json;

use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::diagnostics::{e0207, e0208, e0401, e0403, e0404};
use crate::sources::{FileRef, SCHEMA_EXTENSIONS, Sources};
use crate::yaml::{Cursor, Shape};

pub(crate) use members::{may_have, required};
use walk::{Names, Step};

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

/// The most distinct patterns in one schema: each may be costly to compile.
const PATTERNS_MAX: usize = 500;

/// The most memory that one compiled pattern may take.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;

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
    check_keywords(&json, cursor, sink);
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
        let of_type = matches!(error.kind(), ValidationErrorKind::AnyOf { .. });
        sink.push(if of_type && pointer.ends_with("/type") {
            e0401::unknown_type(&at)
        } else {
            e0401::invalid(&at, &error.to_string())
        });
    }
    sound
}

/// Patterns and references, which a meta-schema says nothing about.
fn check_keywords(root: &Json, cursor: &Cursor<'_>, sink: &mut Sink) {
    let names = Names::of(root);
    let mut patterns = BTreeMap::new();
    let mut astray = 0_usize;
    walk::each(root, &mut |visit| {
        let at = |last: &[&str]| {
            let steps = visit.path.iter().map(Step::as_str);
            cursor.locate_steps(steps.chain(last.iter().copied()))
        };
        if let Some(pattern) = visit.schema.get("pattern").and_then(Json::as_str) {
            patterns.entry(pattern).or_insert_with(|| at(&["pattern"]));
        }
        let members = visit
            .schema
            .get("patternProperties")
            .and_then(Json::as_object);
        for pattern in members.into_iter().flat_map(BTreeMap::keys) {
            let place = || at(&["patternProperties", pattern]);
            patterns.entry(pattern).or_insert_with(place);
        }
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let target = visit.schema.get(keyword).and_then(Json::as_str);
            let refused = target.and_then(|it| refused_reference(root, &names, it));
            if let Some(refused) = refused {
                astray = astray.saturating_add(1);
                // To find a place takes time, and nobody reads the thousandth.
                if astray <= REPORTED_MAX {
                    sink.push(refused(&at(&[keyword])));
                }
            }
        }
    });
    check_patterns(&patterns, cursor, sink);
}

fn check_patterns(patterns: &BTreeMap<&str, Location>, cursor: &Cursor<'_>, sink: &mut Sink) {
    if patterns.len() > PATTERNS_MAX {
        sink.push(e0404::too_many(&cursor.at(), PATTERNS_MAX));
        return;
    }
    let mut refused = 0_usize;
    for (pattern, at) in patterns {
        if refused >= REPORTED_MAX {
            return;
        }
        let schema = Json::from_members([("pattern", Json::from(*pattern))]).to_serde();
        if linear().build(&schema).is_err() {
            refused = refused.saturating_add(1);
            sink.push(e0404::refused(at, pattern));
        }
    }
}

type Refusal<'a> = Box<dyn Fn(&Location) -> Diagnostic + 'a>;

/// What is wrong with a reference, once its place is known.
fn refused_reference<'a>(root: &Json, names: &Names<'_>, target: &'a str) -> Option<Refusal<'a>> {
    if let Some(fragment) = target.strip_prefix('#') {
        let lost = !names.leads_somewhere(root, fragment);
        return lost.then(|| -> Refusal<'a> { Box::new(|at| e0403::dangling(at, target)) });
    }
    if target.contains(':') || target.starts_with("//") {
        let remote = !names.has_id(target);
        return remote.then(|| -> Refusal<'a> { Box::new(|at| e0403::remote(at, target)) });
    }
    let what = format!("a `$ref` to another file (`{target}`)");
    Some(Box::new(move |at| e0207::not_yet(at, &what)))
}

/// Whether the validator that the runtime will use takes the schema.
fn compiles(json: &Json, cursor: &Cursor<'_>, sink: &mut Sink) {
    if let Err(error) = linear().build(&json.to_serde()) {
        sink.push(e0401::invalid(&cursor.at(), &error.to_string()));
    }
}

fn linear() -> jsonschema::ValidationOptions<'static> {
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES_MAX);
    jsonschema::options().with_pattern_options(patterns)
}

fn locate_pointer(cursor: &Cursor<'_>, pointer: &str) -> Location {
    let steps = pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"));
    cursor.locate_steps(steps)
}
