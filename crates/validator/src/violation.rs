//! What is wrong with a value, as a line that a model or a person can act on. Bounded: a large
//! value is never echoed in full. Knows nothing of how the judgement was made.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use spec::Json;

/// The most characters of one line.
const LINE_CHARS_MAX: usize = 300;
/// The most characters of a path.
const PATH_CHARS_MAX: usize = 120;
/// The most characters that are shown of one value or name.
const VALUE_CHARS_MAX: usize = 60;
/// The most names or values of a list that are shown.
const LIST_MAX: usize = 10;
/// The most alternatives of which it is said why they do not fit.
const BRANCHES_MAX: usize = 4;
/// How deep alternatives within alternatives are told.
const DEPTH_MAX: usize = 2;

/// One failing path and the rule that it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the value; empty for the value as a whole. May be cut.
    pub path: String,
    /// The keyword of the schema that refused.
    pub rule: String,
    /// JSON pointer into the schema to that keyword; empty where it is not known.
    pub schema: String,
    /// What is wrong there.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.path.is_empty() {
            "/"
        } else {
            &self.path
        };
        let room = LINE_CHARS_MAX.saturating_sub(
            place.chars().count() + self.rule.chars().count() + ": ".len() + " ()".len(),
        );
        write!(f, "{place}: {} ({})", cut_to(&self.text, room), self.rule)
    }
}

impl Violation {
    pub(crate) fn new(error: &ValidationError<'_>, root: &Json) -> Self {
        Self {
            path: cut_to(error.instance_path().as_str(), PATH_CHARS_MAX),
            rule: if matches!(error.kind(), ValidationErrorKind::FalseSchema) {
                "false".to_owned()
            } else {
                cut_to(error.kind().keyword(), VALUE_CHARS_MAX)
            },
            schema: error.schema_path().as_str().to_owned(),
            text: cut(&text(error, root, 0)),
        }
    }

    /// For a value that is refused without saying where.
    pub(crate) fn of_all(text: &str) -> Self {
        Self {
            path: String::new(),
            rule: "schema".to_owned(),
            schema: String::new(),
            text: text.to_owned(),
        }
    }
}

/// At most one line's worth of a text, without control characters.
pub(crate) fn cut(text: &str) -> String {
    cut_to(text, LINE_CHARS_MAX)
}

fn cut_to(text: &str, chars_max: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut rest = text.chars();
    let mut out: String = rest.by_ref().take(chars_max).map(clean).collect();
    if rest.next().is_some() {
        out.pop();
        out.push('…');
    }
    out
}

/// A value in a few words.
pub(crate) fn preview(value: &Json) -> String {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => {
            cut_to(&value.to_canonical(), VALUE_CHARS_MAX)
        }
        Json::String(text) => quoted(text),
        Json::Array(elements) => format!("the array of {}", counted(elements.len(), "item")),
        Json::Object(members) => format!("the object of {}", properties(members.len())),
    }
}

fn quoted(text: &str) -> String {
    let mut chars = text.chars();
    let mut shown: String = chars.by_ref().take(VALUE_CHARS_MAX).collect();
    if chars.next().is_some() {
        shown.pop();
        shown.push('…');
    }
    Json::String(shown).to_canonical()
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn properties(count: usize) -> String {
    match count {
        1 => "1 property".to_owned(),
        count => format!("{count} properties"),
    }
}

fn listed(mut items: impl Iterator<Item = String>) -> String {
    let shown: Vec<String> = items.by_ref().take(LIST_MAX).collect();
    match items.count() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

pub(crate) fn not_listed(values: impl Iterator<Item = String>) -> String {
    format!("is not one of {}", listed(values))
}

fn names(names: &[String]) -> String {
    listed(names.iter().map(|it| quoted(it)))
}

/// A value of a schema in a few words.
fn known(value: &serde_json::Value) -> String {
    cut_to(&value.to_string(), VALUE_CHARS_MAX)
}

fn text(error: &ValidationError<'_>, root: &Json, depth: usize) -> String {
    let value = at(root, error.instance_path().as_str());
    let subject = value.map_or_else(|| known(error.instance()), preview);
    said(error, &subject, value, &Told { root, depth })
}

/// What texts within texts need.
#[derive(Clone, Copy)]
struct Told<'a> {
    root: &'a Json,
    depth: usize,
}

/// What is wrong with `value`, which is called `subject`.
fn said(
    error: &ValidationError<'_>,
    subject: &str,
    value: Option<&Json>,
    told: &Told<'_>,
) -> String {
    let kind = error.kind();
    if let Some(said) = of_size(kind, value) {
        return said;
    }
    match kind {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            format!("has properties that are not allowed: {}", names(unexpected))
        }
        ValidationErrorKind::UnevaluatedItems { unexpected } => {
            let extra = counted(unexpected.len(), "item");
            format!("has {extra} that no rule allows")
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            none_fits(subject, context, error.instance_path().as_str(), told)
        }
        ValidationErrorKind::OneOfMultipleValid { context } => several_fit(subject, context),
        ValidationErrorKind::Constant { expected_value } => {
            format!("{subject} is not {}", known(expected_value))
        }
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            format!("{subject} {}", not_listed(options.iter().map(known)))
        }
        ValidationErrorKind::Contains => {
            format!("{subject} does not hold as many fitting items as it must")
        }
        ValidationErrorKind::Custom { message, .. } => format!("{subject} {message}"),
        ValidationErrorKind::FalseSchema => "must not be there".to_owned(),
        ValidationErrorKind::Format { format } => format!("{subject} is not a valid `{format}`"),
        ValidationErrorKind::ContentEncoding {
            content_encoding: named,
        }
        | ValidationErrorKind::ContentMediaType {
            content_media_type: named,
        } => format!("{subject} does not hold {}", quoted(named)),
        ValidationErrorKind::Not { .. } => format!("{subject} is what it must not be"),
        ValidationErrorKind::Pattern { pattern } => {
            format!("{subject} does not match {}", quoted(pattern))
        }
        ValidationErrorKind::PropertyNames { error } => {
            let name = Json::from(error.instance().as_str().unwrap_or_default());
            let inner = said(error, "it", Some(&name), told);
            let name = preview(&name);
            format!("has a property {name}, whose name is not allowed: {inner}")
        }
        ValidationErrorKind::Required { property } => {
            format!("has no {}, which is required", known(property))
        }
        ValidationErrorKind::Type { kind } => of_no_type(subject, kind),
        ValidationErrorKind::UniqueItems => "has items that are equal".to_owned(),
        // Sizes have been told, numbers are compared by keywords of our own; the rest is a fault of
        // the machinery.
        ValidationErrorKind::MaxItems { .. }
        | ValidationErrorKind::MaxLength { .. }
        | ValidationErrorKind::MaxProperties { .. }
        | ValidationErrorKind::MinItems { .. }
        | ValidationErrorKind::MinLength { .. }
        | ValidationErrorKind::MinProperties { .. }
        | ValidationErrorKind::AdditionalItems { .. }
        | ValidationErrorKind::Maximum { .. }
        | ValidationErrorKind::Minimum { .. }
        | ValidationErrorKind::ExclusiveMaximum { .. }
        | ValidationErrorKind::ExclusiveMinimum { .. }
        | ValidationErrorKind::MultipleOf { .. }
        | ValidationErrorKind::BacktrackLimitExceeded { .. }
        | ValidationErrorKind::RegexEngineFailure { .. }
        | ValidationErrorKind::FromUtf8 { .. }
        | ValidationErrorKind::Referencing(_) => format!("{subject} could not be checked"),
    }
}

fn of_size(kind: &ValidationErrorKind, value: Option<&Json>) -> Option<String> {
    let at_most = |limit: u64| format!("has {}, and at most {limit} are allowed", amount(value));
    let at_least = |limit: u64| format!("has {}, and at least {limit} are required", amount(value));
    if let ValidationErrorKind::MaxItems { limit }
    | ValidationErrorKind::MaxLength { limit }
    | ValidationErrorKind::MaxProperties { limit } = kind
    {
        return Some(at_most(*limit));
    }
    if let ValidationErrorKind::MinItems { limit }
    | ValidationErrorKind::MinLength { limit }
    | ValidationErrorKind::MinProperties { limit } = kind
    {
        return Some(at_least(*limit));
    }
    if let ValidationErrorKind::AdditionalItems { limit } = kind {
        return Some(at_most(u64::try_from(*limit).unwrap_or(u64::MAX)));
    }
    None
}

fn amount(value: Option<&Json>) -> String {
    match value {
        Some(Json::String(text)) => counted(text.chars().count(), "character"),
        Some(Json::Array(elements)) => counted(elements.len(), "item"),
        Some(Json::Object(members)) => properties(members.len()),
        Some(Json::Null | Json::Bool(_) | Json::Number(_)) | None => "another size".to_owned(),
    }
}

fn of_no_type(subject: &str, kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => format!("{subject} is not of type {one}"),
        TypeKind::Multiple(several) => {
            let several = listed(several.iter().map(|it| it.to_string()));
            format!("{subject} is not of type {several}")
        }
    }
}

fn none_fits(
    subject: &str,
    branches: &[Vec<ValidationError<'static>>],
    path: &str,
    told: &Told<'_>,
) -> String {
    let count = counted(branches.len(), "alternative");
    let all = format!("{subject} fits none of the {count}");
    if told.depth >= DEPTH_MAX {
        return all;
    }
    let deeper = Told {
        depth: told.depth.saturating_add(1),
        ..*told
    };
    let why = branches.iter().take(BRANCHES_MAX).zip(1..);
    let why: Vec<String> = why
        .map(|(errors, number)| format!("({number}) {}", branch(errors, path, &deeper)))
        .collect();
    format!("{all}: {}", why.join("; "))
}

/// Why one alternative does not fit the value at `path`.
fn branch(errors: &[ValidationError<'static>], path: &str, told: &Told<'_>) -> String {
    let Some(first) = errors.first() else {
        return "it does not fit".to_owned();
    };
    let inner = first.instance_path().as_str();
    let value = at(told.root, inner);
    let said = if inner == path {
        said(first, "it", value, told)
    } else {
        let place = cut_to(inner.strip_prefix(path).unwrap_or(inner), VALUE_CHARS_MAX);
        format!("{place}: {}", text(first, told.root, told.depth))
    };
    let more = match errors.len() {
        0 | 1 => String::new(),
        several => format!(" and {} more", several.saturating_sub(1)),
    };
    format!("{}{more}", cut_to(&said, VALUE_CHARS_MAX * 2))
}

fn several_fit(subject: &str, branches: &[Vec<ValidationError<'static>>]) -> String {
    let fitting = branches
        .iter()
        .zip(1..)
        .filter(|(errors, _)| errors.is_empty());
    let which = listed(fitting.map(|(_, number): (_, usize)| number.to_string()));
    format!("{subject} fits more than one alternative ({which}), and only one is allowed")
}

/// What a JSON pointer leads to.
fn at<'a>(root: &'a Json, pointer: &str) -> Option<&'a Json> {
    let mut here = root;
    for step in pointer.split('/').skip(1) {
        here = match here {
            Json::Object(members) => members.get(&step.replace("~1", "/").replace("~0", "~"))?,
            Json::Array(elements) => elements.get(step.parse::<usize>().ok()?)?,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
        };
    }
    Some(here)
}
