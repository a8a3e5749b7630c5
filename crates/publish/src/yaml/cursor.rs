//! Typed reading of a tree. Every reader reports what it refuses and goes on, so that all
//! independent mistakes of a file come in one run.

use std::rc::Rc;

use spec::{Decimal, Json};

use super::scalar::{Core, resolve};
use super::{Entry, Kind, Node, Scalar, Style, value};
use crate::diagnostic::{At, Location, Sink, Span};
use crate::diagnostics::{e0201, e0202, e0203, e0204, e0205, e0206, e0207, e0209};

/// A node and how we came to it.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    pub(super) file: &'a Rc<str>,
    pub(super) node: &'a Node,
    key_span: Option<Span>,
    field: String,
}

/// Which fields a map may have.
pub(crate) struct Shape {
    /// What the map is, for messages: "a Tool".
    pub(crate) what: &'static str,
    pub(crate) known: &'static [&'static str],
    /// Fields that people write here and that belong somewhere else, with the place.
    pub(crate) elsewhere: &'static [(&'static str, &'static str)],
    /// Fields of the format that this version does not enforce.
    pub(crate) unsupported: &'static [&'static str],
}

/// A map whose fields have been checked against a [`Shape`].
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    cursor: Cursor<'a>,
    what: &'static str,
}

impl<'a> Cursor<'a> {
    pub(crate) fn root(file: &'a Rc<str>, node: &'a Node) -> Self {
        Self {
            file,
            node,
            key_span: None,
            field: String::new(),
        }
    }

    /// The place of the value; of a block collection, its key.
    pub(crate) fn at(&self) -> Location {
        let block = matches!(self.node.kind, Kind::Mapping(_) | Kind::Sequence(_));
        let span = if block {
            self.key_span.unwrap_or(self.node.span)
        } else {
            self.node.span
        };
        self.location(span)
    }

    /// The place of the key, or of the value when it has none.
    pub(crate) fn key_at(&self) -> Location {
        self.location(self.key_span.unwrap_or(self.node.span))
    }

    fn location(&self, span: Span) -> Location {
        Location {
            file: Rc::clone(self.file),
            span: Some(span),
            field: self.field.clone(),
        }
    }

    pub(super) fn element(&self, index: usize, node: &'a Node) -> Cursor<'a> {
        let field = format!("{}[{index}]", self.field);
        Cursor {
            file: self.file,
            node,
            key_span: None,
            field,
        }
    }

    pub(super) fn member(&self, entry: &'a Entry) -> Cursor<'a> {
        Cursor {
            file: self.file,
            node: &entry.value,
            key_span: Some(entry.key_span),
            field: join(&self.field, &entry.key),
        }
    }

    /// The place that `path`, such as `spec.conditions.all[0].value`, leads to from here; as far
    /// along it as the document goes.
    pub(crate) fn locate(&self, path: &str) -> Location {
        self.locate_steps(steps(path))
    }

    /// As [`Cursor::locate`], and from there as far along the steps as the document goes.
    pub(crate) fn locate_below(&self, path: &str, below: &[&str]) -> Location {
        let below = below.iter().map(|it| (*it).to_owned());
        self.locate_steps(steps(path).into_iter().chain(below))
    }

    /// As [`Cursor::locate`], for keys and indices one by one.
    pub(crate) fn locate_steps(
        &self,
        steps: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Location {
        let mut here = self.clone();
        for step in steps {
            let step = step.as_ref();
            let next = match &here.node.kind {
                Kind::Mapping(entries) => entries
                    .iter()
                    .find(|entry| entry.key == step)
                    .map(|entry| here.member(entry)),
                Kind::Sequence(nodes) => step
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| Some(here.element(index, nodes.get(index)?))),
                Kind::Scalar(_) | Kind::Broken => None,
            };
            match next {
                Some(next) => here = next,
                None => break,
            }
        }
        here.at()
    }

    /// The value of `key`, in a map that is not checked.
    pub(crate) fn child(&self, key: &str) -> Option<Cursor<'a>> {
        let Kind::Mapping(entries) = &self.node.kind else {
            return None;
        };
        let entry = entries.iter().find(|entry| entry.key == key)?;
        Some(self.member(entry))
    }

    /// Whether the value is an explicit null.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.node.kind, Kind::Scalar(scalar)
            if scalar.style == Style::Plain && resolve(&scalar.text) == Core::Null)
    }

    pub(crate) fn is_mapping(&self) -> bool {
        matches!(self.node.kind, Kind::Mapping(_))
    }

    pub(crate) fn is_sequence(&self) -> bool {
        matches!(self.node.kind, Kind::Sequence(_))
    }

    pub(crate) fn json(&self, sink: &mut Sink) -> Option<Json> {
        value::json(self, sink)
    }

    /// Text that is due here. An unquoted number, truth value or null is refused.
    pub(crate) fn text(&self, sink: &mut Sink) -> Option<At<String>> {
        let scalar = self.scalar("text", sink)?;
        if scalar.style == Style::Plain {
            // Octal and hexadecimal spellings stay the text that they are.
            match resolve(&scalar.text) {
                Core::Text => {}
                Core::Odd(odd) if odd.reads_as_text() => {}
                Core::Null => {
                    sink.push(e0203::null(&self.at(), "text"));
                    return None;
                }
                Core::Bool(_) => {
                    sink.push(e0203::quote_it(&self.at(), &scalar.text, "true or false"));
                    return None;
                }
                Core::Number(_) | Core::Odd(_) => {
                    sink.push(e0203::quote_it(&self.at(), &scalar.text, "a number"));
                    return None;
                }
            }
        }
        Some(At {
            value: scalar.text.clone(),
            at: self.at(),
        })
    }

    /// Text that is due here and must say something.
    pub(crate) fn filled(&self, sink: &mut Sink) -> Option<At<String>> {
        let text = self.text(sink)?;
        if text.value.trim().is_empty() {
            sink.push(e0205::empty(&text.at));
            return None;
        }
        Some(text)
    }

    /// Text, or an unquoted whole number as it is written.
    pub(crate) fn label(&self, sink: &mut Sink) -> Option<At<String>> {
        if let Kind::Scalar(scalar) = &self.node.kind {
            let whole = matches!(self.core(scalar), Core::Number(number) if number.is_integer());
            if whole && scalar.text.bytes().all(|byte| byte.is_ascii_digit()) {
                return Some(At {
                    value: scalar.text.clone(),
                    at: self.at(),
                });
            }
        }
        self.filled(sink)
    }

    /// Whether a block that `>` opens stands here.
    pub(crate) fn is_folded(&self) -> bool {
        matches!(&self.node.kind, Kind::Scalar(scalar) if scalar.style == Style::Folded)
    }

    pub(crate) fn boolean(&self, sink: &mut Sink) -> Option<bool> {
        let scalar = self.scalar("true or false", sink)?;
        match self.core(scalar) {
            Core::Bool(value) => Some(value),
            Core::Null | Core::Number(_) | Core::Odd(_) | Core::Text => {
                sink.push(e0203::found(&self.at(), "true or false", &self.describe()));
                None
            }
        }
    }

    pub(crate) fn number(&self, sink: &mut Sink) -> Option<Decimal> {
        let scalar = self.scalar("a number", sink)?;
        match self.core(scalar) {
            Core::Number(number) => Some(number),
            Core::Odd(odd) => {
                sink.push(e0209::odd(&self.at(), &scalar.text, odd.why()));
                None
            }
            Core::Null | Core::Bool(_) | Core::Text => {
                sink.push(e0203::found(&self.at(), "a number", &self.describe()));
                None
            }
        }
    }

    /// A whole number from 1 to `max`.
    pub(crate) fn count(&self, max: u64, sink: &mut Sink) -> Option<u64> {
        let number = self.number(sink)?;
        match number.to_u64() {
            Some(count) if count >= 1 && count <= max => Some(count),
            _ => {
                sink.push(e0205::count(&self.at(), &number.to_string(), max));
                None
            }
        }
    }

    /// One of a closed set of words.
    pub(crate) fn word<T: Copy>(&self, words: &[(&str, T)], sink: &mut Sink) -> Option<At<T>> {
        let text = self.text(sink)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text.value) {
            return Some(At {
                value: *value,
                at: text.at,
            });
        }
        let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        sink.push(e0204::unknown_word(&text.at, &text.value, &words));
        None
    }

    pub(crate) fn items(&self, sink: &mut Sink) -> Option<Vec<Cursor<'a>>> {
        match &self.node.kind {
            Kind::Sequence(nodes) => {
                let nodes = nodes.iter().enumerate();
                Some(
                    nodes
                        .map(|(index, node)| self.element(index, node))
                        .collect(),
                )
            }
            Kind::Broken => None,
            Kind::Scalar(_) | Kind::Mapping(_) => {
                sink.push(e0203::found(&self.at(), "a list", &self.describe()));
                None
            }
        }
    }

    /// The entries of a map with keys of the author's choice.
    pub(crate) fn entries(&self, sink: &mut Sink) -> Option<Vec<(At<String>, Cursor<'a>)>> {
        match &self.node.kind {
            Kind::Mapping(entries) => {
                let member = |entry: &'a Entry| {
                    let value = self.member(entry);
                    (
                        At {
                            value: entry.key.clone(),
                            at: value.key_at(),
                        },
                        value,
                    )
                };
                Some(entries.iter().map(member).collect())
            }
            Kind::Broken => None,
            Kind::Scalar(_) | Kind::Sequence(_) => {
                sink.push(e0203::found(&self.at(), "a map", &self.describe()));
                None
            }
        }
    }

    /// A map with fields of ours; unknown ones are reported.
    pub(crate) fn fields(&self, shape: &Shape, sink: &mut Sink) -> Option<Fields<'a>> {
        let Kind::Mapping(entries) = &self.node.kind else {
            self.entries(sink)?;
            return None;
        };
        for entry in entries {
            let key = entry.key.as_str();
            if shape.known.contains(&key) {
                continue;
            }
            let at = self.member(entry).key_at();
            let elsewhere = shape
                .elsewhere
                .iter()
                .find(|(name, _)| same_word(name, key));
            sink.push(if let Some((_, place)) = elsewhere {
                e0206::belongs_elsewhere(&at, key, shape.what, place)
            } else if shape.unsupported.contains(&key) {
                e0207::not_yet(&at, &format!("`{key}`"))
            } else {
                e0201::unknown_field(&at, key, shape.what, shape.known)
            });
        }
        Some(Fields {
            cursor: self.clone(),
            what: shape.what,
        })
    }

    fn core(&self, scalar: &Scalar) -> Core {
        if scalar.style == Style::Plain {
            resolve(&scalar.text)
        } else {
            Core::Text
        }
    }

    fn scalar(&self, due: &str, sink: &mut Sink) -> Option<&'a Scalar> {
        match &self.node.kind {
            Kind::Scalar(scalar) => Some(scalar),
            Kind::Broken => None,
            Kind::Sequence(_) | Kind::Mapping(_) => {
                sink.push(e0203::found(&self.at(), due, &self.describe()));
                None
            }
        }
    }

    /// What stands here, in words.
    fn describe(&self) -> String {
        match &self.node.kind {
            Kind::Mapping(_) => "a map".to_owned(),
            Kind::Sequence(_) => "a list".to_owned(),
            Kind::Broken => "something refused".to_owned(),
            Kind::Scalar(scalar) => match self.core(scalar) {
                Core::Null => "nothing".to_owned(),
                Core::Bool(_) => format!("`{}`", scalar.text),
                Core::Number(_) | Core::Odd(_) => format!("the number {}", scalar.text),
                Core::Text => "text".to_owned(),
            },
        }
    }
}

impl<'a> Fields<'a> {
    pub(crate) fn cursor(&self) -> &Cursor<'a> {
        &self.cursor
    }

    pub(crate) fn get(&self, key: &str) -> Option<Cursor<'a>> {
        self.cursor.child(key)
    }

    pub(crate) fn required(&self, key: &str, sink: &mut Sink) -> Option<Cursor<'a>> {
        let found = self.get(key);
        if found.is_none() {
            sink.push(e0202::missing(&self.cursor.at(), key, self.what));
        }
        found
    }
}

/// Whether two keys are one word, however its parts are joined: `api_key`, `apiKey`, `api-key`.
fn same_word(one: &str, other: &str) -> bool {
    let letters = |key: &'_ str| -> String {
        let kept = key.chars().filter(|c| !matches!(c, '_' | '-'));
        kept.map(|c| c.to_ascii_lowercase()).collect()
    };
    letters(one) == letters(other)
}

/// A field path one step longer; keys that would be misread are quoted.
pub(super) fn join(field: &str, key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$' | '/');
    let key = if !key.is_empty() && key.chars().all(plain) {
        key.to_owned()
    } else {
        format!("{key:?}")
    };
    if field.is_empty() {
        key
    } else {
        format!("{field}.{key}")
    }
}

/// The keys and indices of a field path.
fn steps(path: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut quoted = false;
    for c in path.chars() {
        match c {
            '"' => quoted = !quoted,
            '.' | '[' if !quoted => steps.push(String::new()),
            ']' if !quoted => {}
            c => {
                if let Some(step) = steps.last_mut() {
                    step.push(c);
                }
            }
        }
    }
    steps.retain(|step| !step.is_empty());
    steps
}
