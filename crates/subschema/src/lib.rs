//! Whether every value of one JSON Schema is a value of another.
//!
//! The answer has three values: *proved*; *refuted*, with a value that the first schema takes and
//! the second refuses, confirmed by a validator that knows nothing of this search; or *undecided*,
//! with the keyword or the limit that stood in the way. Nothing that was cut short counts as a proof.
//!
//! ```
//! use spec::Json;
//! use subschema::{Answer, Options, contains};
//!
//! let sub = Json::parse(br#"{"type": "integer", "minimum": 1, "maximum": 9}"#).unwrap();
//! let sup = Json::parse(br#"{"type": "integer", "maximum": 5}"#).unwrap();
//! match contains(&sub, &sup, &Options::default()) {
//!     Answer::Refuted(witness) => assert!(witness.value.as_number().is_some()),
//!     other => panic!("{other:?}"),
//! }
//! ```
//!
//! Schemas of drafts 4 to 2020-12 may be mixed. Invariant: pure; the same schemas give the same
//! answer everywhere, within a budget of steps and not of time. It knows nothing of tools, bindings
//! or documents.

mod branch;
mod build;
mod complete;
mod cycle;
mod document;
mod evaluate;
mod explain;
mod language;
mod leaf;
mod node;
mod number;
mod references;
mod solve;
mod texts;
mod unevaluated;
mod witness;

use std::fmt;

use spec::Json;
use validator::Draft;

pub use complete::{Completed, Lint, Misfit, complete};
pub use explain::{Ground, Rule};

use build::Builder;
use document::Document;
use node::{Arena, Literal, NodeId};
use solve::{Outcome, Solver};

/// How schemas are read and how long is searched.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most steps of one question. A step takes some microseconds.
    pub steps_max: u64,
    /// Whether the formats in [`validator::FORMATS`] are enforced; if not, `format` is a note.
    pub formats_assert: bool,
    /// The draft of schemas that do not name one.
    pub draft: Draft,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            steps_max: 200_000,
            formats_assert: true,
            draft: Draft::D2020,
        }
    }
}

/// What is known of two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Every value of the one is a value of the other.
    Proved(Proof),
    /// Some value is not.
    Refuted(Witness),
    /// It could not be told.
    Undecided(Reason),
}

/// How a proof was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// How many steps it took.
    pub steps: u64,
}

/// A value of the one schema that the other refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The value.
    pub value: Json,
    /// What the other schema says against it; nothing where only a value was asked for.
    pub violation: Option<validator::Violation>,
}

/// What stood in the way of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The keyword, if one did.
    pub keyword: Option<String>,
    /// Where, as a JSON pointer into the values with `*` for every item, if that could be told;
    /// empty for the value as a whole.
    pub place: Option<String>,
    /// What about it.
    pub text: String,
}

impl Reason {
    pub(crate) fn keyword(keyword: &str, text: &str) -> Self {
        Self {
            keyword: Some(keyword.to_owned()),
            place: None,
            text: text.to_owned(),
        }
    }

    pub(crate) fn limit(text: &str) -> Self {
        Self {
            keyword: None,
            place: None,
            text: text.to_owned(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place.as_ref().filter(|it| !it.is_empty()) {
            write!(f, "{place} ")?;
        }
        match &self.keyword {
            Some(keyword) => write!(f, "`{keyword}`: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// Whether every value of `sub` is a value of `sup`.
#[must_use]
pub fn contains(sub: &Json, sup: &Json, options: &Options) -> Answer {
    let mut arena = Arena::default();
    let (in_sub, in_sup) = match both(&mut arena, sub, sup, options) {
        Ok(nodes) => nodes,
        Err(reason) => return Answer::Undecided(reason),
    };
    // What goes round in circles must not be looked into for a place to name, either.
    if let Err(reason) = cycle::check(&arena) {
        return Answer::Undecided(reason);
    }
    let literals = vec![Literal::yes(in_sub), Literal::no(in_sup)];
    match decide(&mut arena, literals, options) {
        (Outcome::Empty(_), steps) => Answer::Proved(Proof { steps }),
        (Outcome::Found(value), _) => witness::confirm(value, sub, Some(sup), options),
        (Outcome::Unknown(reason), _) => {
            let placed = explain::undecided(&mut arena, (in_sub, in_sup), options);
            Answer::Undecided(placed.unwrap_or(reason))
        }
    }
}

/// Why `sub ⊆ sup` holds, one ground for each thing that `sup` says. Nothing is told of what does
/// not hold or cannot be decided, so the grounds are a proof only where [`contains`] says so.
///
/// # Errors
/// A schema that cannot be read, for the reason for which [`contains`] would not decide.
pub fn explain(sub: &Json, sup: &Json, options: &Options) -> Result<Vec<Ground>, Reason> {
    let mut arena = Arena::default();
    let (sub, sup) = both(&mut arena, sub, sup, options)?;
    cycle::check(&arena)?;
    let mut solver = Solver::new(&mut arena, options.steps_max);
    Ok(explain::grounds(&mut solver, sub, sup))
}

/// Whether a schema admits no value at all; refuted with one that it admits.
#[must_use]
pub fn is_empty(schema: &Json, options: &Options) -> Answer {
    let mut arena = Arena::default();
    let built = build(&mut arena, schema, options);
    let answer = built.map(|it| decide(&mut arena, vec![Literal::yes(it)], options));
    match answer {
        Ok((Outcome::Empty(_), steps)) => Answer::Proved(Proof { steps }),
        Ok((Outcome::Found(value), _)) => witness::confirm(value, schema, None, options),
        Ok((Outcome::Unknown(reason), _)) | Err(reason) => Answer::Undecided(reason),
    }
}

/// Whether a schema that stands in the document `root` takes a value.
fn takes(root: &Json, schema: &Json, value: &Json, options: &Options) -> Result<bool, Reason> {
    let mut arena = Arena::default();
    let document = Document::new(root, draft_of(root, options)?);
    if !document.has_plain_references() {
        return Err(Reason::keyword(
            "$ref",
            "references that depend on their place",
        ));
    }
    let node = Builder::new(&document, &mut arena, options.formats_assert).schema(schema)?;
    cycle::check(&arena)?;
    Solver::new(&mut arena, options.steps_max).holds(node, value)
}

fn both(
    arena: &mut Arena,
    sub: &Json,
    sup: &Json,
    options: &Options,
) -> Result<(NodeId, NodeId), Reason> {
    let sub = build(arena, sub, options)?;
    Ok((sub, build(arena, sup, options)?))
}

fn build(arena: &mut Arena, schema: &Json, options: &Options) -> Result<NodeId, Reason> {
    let document = Document::new(schema, draft_of(schema, options)?);
    Builder::new(&document, arena, options.formats_assert).schema(schema)
}

fn draft_of(schema: &Json, options: &Options) -> Result<Draft, Reason> {
    match schema.get("$schema") {
        None => Ok(options.draft),
        Some(_) => {
            Draft::of(schema).ok_or_else(|| Reason::keyword("$schema", "a draft that is not known"))
        }
    }
}

/// A value of which the literals hold, and the steps that it took.
fn decide(arena: &mut Arena, literals: Vec<Literal>, options: &Options) -> (Outcome, u64) {
    if let Err(reason) = cycle::check(arena) {
        return (Outcome::Unknown(reason), 0);
    }
    let mut solver = Solver::new(arena, options.steps_max);
    let outcome = solver.solve(literals);
    (outcome, solver.steps(options.steps_max))
}
