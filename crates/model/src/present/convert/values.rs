//! Keywords whose values are no schemas.

use spec::Json;

use super::super::draft::Draft;
use super::super::pattern;
use super::{Copied, Members, Writer};

/// What the value of a keyword looks like.
#[derive(Clone, Copy)]
enum Value {
    Text,
    Anything,
    List,
    Flag,
    Number,
    /// A whole number from zero.
    Count,
}

impl Value {
    fn is(self, value: &Json) -> bool {
        match self {
            Value::Anything => true,
            Value::Text => value.as_str().is_some(),
            Value::List => value.as_array().is_some(),
            Value::Flag => value.as_bool().is_some(),
            Value::Number => value.as_number().is_some(),
            Value::Count => value.as_number().is_some_and(|it| it.to_u64().is_some()),
        }
    }
}

/// Keywords that constrain nothing.
const ANNOTATIONS: [(&str, Value); 7] = [
    ("default", Value::Anything),
    ("deprecated", Value::Flag),
    ("description", Value::Text),
    ("examples", Value::List),
    ("readOnly", Value::Flag),
    ("title", Value::Text),
    ("writeOnly", Value::Flag),
];

/// Keywords that constrain by themselves.
const CONSTRAINTS: [(&str, Value); 8] = [
    ("maxItems", Value::Count),
    ("maxLength", Value::Count),
    ("maxProperties", Value::Count),
    ("minItems", Value::Count),
    ("minLength", Value::Count),
    ("minProperties", Value::Count),
    ("multipleOf", Value::Number),
    ("uniqueItems", Value::Flag),
];

impl<'a> Writer<'a> {
    pub(super) fn annotations(&mut self, out: &mut Copied, members: &'a Members) {
        for (keyword, kind) in ANNOTATIONS {
            let value = members.get(keyword).filter(|it| kind.is(it));
            let value = value.filter(|_| self.draft.knows(keyword));
            let value = value.filter(|_| self.profile.takes(keyword));
            if let Some(value) = value.filter(|it| self.has_room(it)) {
                out.put(keyword, value.clone());
            }
        }
    }

    pub(super) fn values(&mut self, out: &mut Copied, members: &'a Members) {
        self.values_of(out, members, |_| true);
    }

    /// The keywords about values of a type.
    pub(super) fn bounds_of(
        &mut self,
        out: &mut Copied,
        members: &'a Members,
        is_about: impl Fn(&str) -> bool,
    ) {
        self.values_of(out, members, &is_about);
        if is_about("minimum") {
            self.bounds(out, members);
        }
    }

    fn values_of(
        &mut self,
        out: &mut Copied,
        members: &'a Members,
        is_about: impl Fn(&str) -> bool,
    ) {
        for (keyword, kind) in CONSTRAINTS {
            let value = members.get(keyword).filter(|it| kind.is(it));
            match value.filter(|_| is_about(keyword)) {
                None | Some(Json::Bool(false)) => {}
                Some(value) if self.profile.takes(keyword) => out.put(keyword, value.clone()),
                Some(value) => self.leave_out(out, keyword, value),
            }
        }
        for keyword in ["format", "pattern"] {
            let value = members.get(keyword).filter(|_| is_about(keyword));
            if let Some(value) = value
                && let Some(text) = value.as_str()
            {
                if self.takes_text(keyword, text) {
                    if self.has_room(value) {
                        out.put(keyword, value.clone());
                    }
                } else {
                    self.leave_out(out, keyword, value);
                }
            }
        }
    }

    fn takes_text(&self, keyword: &str, text: &str) -> bool {
        let is_plain = match keyword {
            "pattern" => pattern::is_portable(text),
            // Elsewhere an unknown format is ignored; vendors of the portable kind refuse it.
            _ => !self.profile.plain_values || text == "date-time",
        };
        is_plain && self.profile.takes(keyword)
    }

    /// Lower and upper bounds. Draft-04 writes an exclusive one as a flag beside the bound.
    pub(super) fn bounds(&mut self, out: &mut Copied, members: &'a Members) {
        for (keyword, exclusive) in [
            ("minimum", "exclusiveMinimum"),
            ("maximum", "exclusiveMaximum"),
        ] {
            let bound = members.get(keyword).filter(|it| Value::Number.is(it));
            let (included, excluded) = match members.get(exclusive) {
                Some(Json::Bool(true)) if self.draft == Draft::Draft4 => {
                    if bound.is_some() {
                        self.note(exclusive, format!("`{exclusive}` is shown as a number"));
                    }
                    (None, bound)
                }
                Some(number @ Json::Number(_)) if self.draft > Draft::Draft4 => {
                    (bound, Some(number))
                }
                _ => (bound, None),
            };
            if let Some(included) = included {
                out.put(keyword, included.clone());
            }
            match excluded {
                None => {}
                Some(excluded) if self.profile.takes(exclusive) => {
                    out.put(exclusive, excluded.clone());
                }
                Some(excluded) => {
                    if included.is_none() {
                        out.put(keyword, excluded.clone());
                    }
                    self.leave_out(out, exclusive, excluded);
                }
            }
        }
    }
}
