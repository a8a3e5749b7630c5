//! What a binding says of a contract's schema, completed by what it leaves unsaid and proven to
//! narrow it. Knows schemas and the places where they were written; not what else a binding says.
//!
//! Nothing that is not proven gets through by itself, and whatever gets through, calls are validated
//! against both schemas.

use spec::Json;
use spec::snapshot::Standing;
use subschema::{Answer, Completed, Lint, Options, Reason, Witness, complete, contains, is_empty};
use validator::Draft;

use crate::diagnostic::{Location, Sink};
use crate::diagnostics::{e0411, e0415, e0504, e0513, e0514, e0515, e0516, e0517, e0518, e0519};
use crate::schema::{self, Schema, pointed};
use crate::sources::Sources;

/// The most bytes of a completed schema, as canonical JSON.
const COMPLETED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What is claimed of: arguments, which a binding may take fewer of, or results, of which it may not
/// expect fewer than there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Input,
    Output,
}

/// A contract's schema.
pub(crate) struct Contract<'a> {
    pub(crate) schema: &'a Json,
    /// Where it was written, if it was.
    pub(crate) written: Option<&'a Location>,
    /// What it is called: `pay.refund@1.0.0`.
    pub(crate) name: &'a str,
    /// Whether it takes nothing that it does not name.
    pub(crate) strict: bool,
}

/// Something that is said of a contract's schema.
pub(crate) struct Overlay<'a> {
    pub(crate) schema: &'a Schema,
    /// The field that says it.
    pub(crate) at: &'a Location,
    /// The name that the model calls.
    pub(crate) wire_name: &'a str,
    pub(crate) side: Side,
    /// Whether it is let through where it cannot be told.
    pub(crate) unproven: bool,
}

/// A schema that is known to narrow the contract's, or that its author lets through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Narrowed {
    pub(crate) schema: Json,
    pub(crate) standing: Standing,
}

/// Completes the overlay and proves that it narrows; `None` when it was refused and reported.
pub(crate) fn narrow(
    contract: &Contract<'_>,
    overlay: &Overlay<'_>,
    sources: &mut Sources<'_>,
    sink: &mut Sink,
) -> Option<Narrowed> {
    let stated = &overlay.schema.0;
    // A binding may repeat the schema of a strict Tool as the Tool writes it.
    let closed = || contract.strict && schema::close(stated).is_ok_and(|it| it == *contract.schema);
    if stated == contract.schema || closed() {
        return Some(Narrowed {
            schema: contract.schema.clone(),
            standing: Standing::Same,
        });
    }
    let before = sink.errors();
    let mut check = Check {
        contract,
        overlay,
        completed: completed(contract, stated),
        sources,
        sink,
    };
    check.lints();
    check.defaults();
    if check.sink.errors() > before || !check.is_affordable() {
        return None;
    }
    let standing = check.prove()?;
    check.leaves_something()?;
    if standing == Standing::Proved {
        check.changes_something();
    }
    Some(Narrowed {
        schema: check.completed.schema,
        standing,
    })
}

/// What is claimed. In another draft keywords mean other things, so what is written in one is taken
/// as it stands.
fn completed(contract: &Contract<'_>, stated: &Json) -> Completed {
    let own = stated.get("$schema").map(|_| Draft::of(stated));
    match own {
        Some(draft) if draft != Draft::of(contract.schema) => complete(&Json::Bool(true), stated),
        Some(_) | None => complete(contract.schema, stated),
    }
}

struct Check<'c, 's, 'f> {
    contract: &'c Contract<'c>,
    overlay: &'c Overlay<'c>,
    completed: Completed,
    sources: &'s mut Sources<'f>,
    sink: &'s mut Sink,
}

impl Check<'_, '_, '_> {
    /// A place in what was stated.
    fn stated_at(&mut self, pointer: &str, more: &[&str]) -> Location {
        let pointer = pointed(pointer);
        let steps = pointer.iter().map(String::as_str);
        let steps: Vec<&str> = steps.chain(more.iter().copied()).collect();
        self.sources.place(&self.overlay.schema.2, &steps)
    }

    fn lints(&mut self) {
        let lints = std::mem::take(&mut self.completed.lints);
        let contract = self.contract;
        for lint in lints {
            match lint {
                Lint::StaysRequired { pointer, name } => {
                    let at = self.stated_at(&pointer, &["required"]);
                    self.sink
                        .push(e0415::stays_required(&at, &name, contract.name));
                }
                Lint::UnknownProperty { pointer, name } => {
                    let at = self.stated_at(&pointer, &["properties", &name]);
                    let known = known_names(contract.schema, &pointer);
                    self.sink
                        .push(e0517::unknown(&at, &name, contract.name, &known));
                }
                Lint::ForbiddenProperty { pointer, name } => {
                    let at = self.stated_at(&pointer, &["properties", &name]);
                    let known = known_names(contract.schema, &pointer);
                    self.sink
                        .push(e0515::forbidden(&at, &name, contract.name, &known));
                }
                Lint::CannotApply { pointer, keyword } => {
                    let at = self.stated_at(&pointer, &[&keyword]);
                    self.sink.push(e0519::cannot_apply(&at, &keyword));
                }
            }
        }
    }

    fn defaults(&mut self) {
        for misfit in self.completed.misfits(&Options::default()) {
            let at = self.stated_at(&misfit.pointer, &["default"]);
            self.sink.push(e0516::misfit(&at, &misfit.value));
        }
    }

    /// Whether judging a value by what is claimed takes a bounded time.
    fn is_affordable(&mut self) -> bool {
        let at = self.overlay.at;
        if self.completed.schema.to_canonical().len() > COMPLETED_BYTES_MAX {
            self.sink.push(e0411::too_large(at, COMPLETED_BYTES_MAX));
            return false;
        }
        schema::is_cheap(&self.completed.schema, at, self.sink)
    }

    fn prove(&mut self) -> Option<Standing> {
        let (claimed, given) = (&self.completed.schema, self.contract.schema);
        let options = Options::default();
        let answer = match self.overlay.side {
            Side::Input => contains(claimed, given, &options),
            Side::Output => contains(given, claimed, &options),
        };
        match answer {
            Answer::Proved(_) => Some(Standing::Proved),
            Answer::Refuted(witness) => {
                self.refuse(&witness);
                None
            }
            Answer::Undecided(reason) if self.overlay.unproven => Some(Standing::Unproven {
                keyword: reason.keyword,
            }),
            Answer::Undecided(reason) => {
                self.undecided(&reason);
                None
            }
        }
    }

    /// Shows the argument that would slip through, what is said here and what the contract says.
    fn refuse(&mut self, witness: &Witness) {
        let pointer = witness
            .violation
            .as_ref()
            .map_or("", |it| it.schema.as_str());
        let path = pointed(pointer);
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let here = self.sources.place(&self.overlay.schema.2, &path);
        let said = witness.violation.as_ref().map(ToString::to_string);
        let subject = (self.overlay.wire_name, self.contract.name);
        let example = witness.value.to_canonical();
        let diagnostic = match self.overlay.side {
            Side::Input => {
                let allowed = allowed(self.contract.schema, &path);
                e0504::widens(&here, subject, &example, allowed.as_deref())
            }
            Side::Output => e0504::expects_less(&here, subject, &example),
        };
        let said = said.unwrap_or_default();
        let diagnostic = match (self.overlay.side, self.contract.written) {
            (Side::Input, Some(written)) => {
                let there = self.sources.place(written, &path);
                diagnostic.with_related(&there, format!("the Tool refuses it here: {said}"))
            }
            (Side::Output, Some(written)) => {
                let there = self.sources.place(written, &path);
                diagnostic.with_related(
                    &there,
                    format!("the Tool gives it; the binding says: {said}"),
                )
            }
            (_, None) => diagnostic,
        };
        self.sink.push(diagnostic);
    }

    fn undecided(&mut self, reason: &Reason) {
        let wire_name = self.overlay.wire_name;
        let diagnostic = e0514::undecided(
            self.overlay.at,
            (wire_name, self.contract.name),
            &reason.to_string(),
        );
        self.sink.push(diagnostic);
    }

    /// An overlay that no arguments are left of makes a tool that nobody can call.
    fn leaves_something(&mut self) -> Option<()> {
        if self.overlay.side == Side::Output {
            return Some(());
        }
        // What narrows the contract says all there is to say. The two are not put into one document:
        // their references and drafts are their own.
        let left = is_empty(&self.completed.schema, &Options::default());
        if !matches!(left, Answer::Proved(_)) {
            return Some(());
        }
        let wire_name = self.overlay.wire_name;
        self.sink
            .push(e0513::nothing_left(self.overlay.at, wire_name));
        None
    }

    fn changes_something(&mut self) {
        let (claimed, given) = (&self.completed.schema, self.contract.schema);
        let options = Options::default();
        let back = match self.overlay.side {
            Side::Input => contains(given, claimed, &options),
            Side::Output => contains(claimed, given, &options),
        };
        // Who repeats the contract means just that.
        let repeats = claimed == given;
        if matches!(back, Answer::Proved(_)) && !repeats {
            let diagnostic = e0518::changes_nothing(self.overlay.at, self.contract.name);
            self.sink.push(diagnostic);
        }
    }
}

/// The names that an object of the schema has at a place.
fn known_names(schema: &Json, pointer: &str) -> Vec<String> {
    let mut here = Some(schema);
    for step in pointed(pointer) {
        here = here.and_then(|it| it.get(&step));
    }
    let properties = here.and_then(|it| it.get("properties"));
    let properties = properties.and_then(Json::as_object);
    properties
        .into_iter()
        .flat_map(|it| it.keys().cloned())
        .collect()
}

/// What the contract says at the keyword that refuses, if that is short: `maximum: 5`.
fn allowed(schema: &Json, path: &[&str]) -> Option<String> {
    const CHARS_MAX: usize = 80;
    let keyword = path.last()?;
    let mut here = schema;
    for step in path {
        here = match here {
            Json::Array(elements) => elements.get(step.parse::<usize>().ok()?)?,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => {
                here.get(step)?
            }
        };
    }
    let text = format!("{keyword}: {}", here.to_canonical());
    (text.chars().count() <= CHARS_MAX).then_some(text)
}
