//! Comparisons of one value with an author's value, compiled. Knows nothing of paths or absence.
//!
//! There is no coercion: a value of a kind that the comparison does not take gives `Unknown`. Null
//! is a kind of its own, but everything can be told apart from a null that the author wrote.
//! Insensitive comparison is after Unicode simple lower-casing of both sides (`İ` becomes `i`, `ſ`
//! and `ı` stay); only `matches` uses the folding of the regex crate instead.

use std::cmp::Ordering;

use regex::Regex;
use spec::snapshot::Case;
use spec::{Decimal, Json};

use crate::truth::Truth;

/// What a call or its context has at a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Actual<'a> {
    Json(&'a Json),
    Text(&'a str),
    Count(u64),
}

/// A compiled comparison.
#[derive(Debug)]
pub(crate) enum Test {
    Equal {
        value: Constant,
        negated: bool,
    },
    Order {
        order: Order,
        bound: Constant,
    },
    Member {
        values: Vec<Constant>,
        negated: bool,
    },
    Matches(Regex),
    Contains(Constant),
    StartsWith {
        text: String,
        case: Case,
    },
    EndsWith {
        text: String,
        case: Case,
    },
    Exists {
        wanted: bool,
    },
    Length {
        order: Order,
        bound: u64,
    },
}

/// The four ways of being apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Gt,
    Gte,
    Lt,
    Lte,
}

impl Order {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Order::Gt => ordering.is_gt(),
            Order::Gte => ordering.is_ge(),
            Order::Lt => ordering.is_lt(),
            Order::Lte => ordering.is_le(),
        }
    }
}

/// An author's value, made ready.
#[derive(Debug)]
pub(crate) struct Constant {
    /// The value; for insensitive comparison in lower case.
    json: Json,
    case: Case,
    /// Where a number lies among the counts, so that a count needs no decimal of its own.
    place: Place,
}

/// Where a number lies among the whole numbers of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Not a number.
    Nowhere,
    Below,
    At(u64),
    /// Above this one and below the next.
    After(u64),
    Above,
}

impl Constant {
    pub(crate) fn new(json: &Json, case: Case) -> Self {
        Self {
            json: match case {
                Case::Sensitive => json.clone(),
                Case::Insensitive => lower_deep(json),
            },
            case,
            place: json.as_number().map_or(Place::Nowhere, place),
        }
    }

    /// Whether `actual` equals this value; `None` when their kinds differ.
    fn equals(&self, actual: Actual<'_>) -> Option<bool> {
        if self.json == Json::Null {
            return Some(matches!(actual, Actual::Json(Json::Null)));
        }
        match actual {
            Actual::Json(json) => same(json, &self.json, self.case),
            Actual::Text(text) => Some(same_text(text, self.json.as_str()?, self.case)),
            Actual::Count(count) => self.compare_count(count).map(Ordering::is_eq),
        }
    }

    /// How `count` compares with this number.
    fn compare_count(&self, count: u64) -> Option<Ordering> {
        match self.place {
            Place::Nowhere => None,
            Place::Below => Some(Ordering::Greater),
            Place::At(value) => Some(count.cmp(&value)),
            Place::After(value) if count <= value => Some(Ordering::Less),
            Place::After(_) => Some(Ordering::Greater),
            Place::Above => Some(Ordering::Less),
        }
    }

    /// How `actual` compares with this number.
    fn compare(&self, actual: Actual<'_>) -> Option<Ordering> {
        match actual {
            Actual::Json(json) => Some(json.as_number()?.cmp(self.json.as_number()?)),
            Actual::Text(_) => None,
            Actual::Count(count) => self.compare_count(count),
        }
    }
}

fn place(number: &Decimal) -> Place {
    if number.is_negative() {
        return Place::Below;
    }
    if let Some(value) = number.to_u64() {
        return Place::At(value);
    }
    if number.is_integer() {
        return Place::Above;
    }
    let text = number.to_string();
    // The exponent form of a fraction is either tiny or far beyond 64 bits.
    if text.contains("e-") {
        return Place::After(0);
    }
    let whole = text.split('.').next().unwrap_or("");
    if text.contains('e') {
        return Place::Above;
    }
    whole.parse().map_or(Place::Above, Place::After)
}

impl Test {
    /// What the comparison says of a value that is there.
    pub(crate) fn judge(&self, actual: Actual<'_>) -> Truth {
        match self {
            Test::Equal { value, negated } => negate(from_told(value.equals(actual)), *negated),
            Test::Order { order, bound } => {
                from_told(bound.compare(actual).map(|ordering| order.holds(ordering)))
            }
            Test::Member { values, negated } => negate(member(values, actual), *negated),
            Test::Matches(regex) => from_told(text_of(actual).map(|text| regex.is_match(text))),
            Test::Contains(part) => contains(part, actual),
            Test::StartsWith { text, case } => {
                from_told(text_of(actual).map(|actual| starts_with(actual, text, *case)))
            }
            Test::EndsWith { text, case } => {
                from_told(text_of(actual).map(|actual| ends_with(actual, text, *case)))
            }
            Test::Exists { wanted } => Truth::from(*wanted),
            Test::Length { order, bound } => {
                from_told(length(actual).map(|length| order.holds(length.cmp(bound))))
            }
        }
    }
}

fn from_told(told: Option<bool>) -> Truth {
    told.map_or(Truth::Unknown, Truth::from)
}

fn negate(truth: Truth, negated: bool) -> Truth {
    if negated { truth.not() } else { truth }
}

fn text_of(actual: Actual<'_>) -> Option<&str> {
    match actual {
        Actual::Json(json) => json.as_str(),
        Actual::Text(text) => Some(text),
        Actual::Count(_) => None,
    }
}

/// Code points of a text, elements of an array, members of an object.
fn length(actual: Actual<'_>) -> Option<u64> {
    let length = match actual {
        Actual::Text(text) => text.chars().count(),
        Actual::Json(Json::String(text)) => text.chars().count(),
        Actual::Json(Json::Array(elements)) => elements.len(),
        Actual::Json(Json::Object(members)) => members.len(),
        Actual::Json(Json::Null | Json::Bool(_) | Json::Number(_)) | Actual::Count(_) => {
            return None;
        }
    };
    u64::try_from(length).ok()
}

/// Whether one of `values` equals `actual`. A list that has values of the actual's kind, or no
/// value to mistake for it, tells; a list of other kinds only does not.
fn member(values: &[Constant], actual: Actual<'_>) -> Truth {
    let mut told = values.is_empty();
    let mut untold = false;
    for value in values {
        match value.equals(actual) {
            Some(true) => return Truth::True,
            Some(false) => told |= value.json != Json::Null,
            None => untold = true,
        }
    }
    if told || !untold {
        Truth::False
    } else {
        Truth::Unknown
    }
}

/// A part of a text, or an element of an array.
fn contains(part: &Constant, actual: Actual<'_>) -> Truth {
    let text = match actual {
        Actual::Json(Json::Array(elements)) => {
            return elements.iter().fold(Truth::False, |so_far, element| {
                so_far.or(from_told(part.equals(Actual::Json(element))))
            });
        }
        Actual::Text(text) => text,
        Actual::Json(Json::String(text)) => text.as_str(),
        Actual::Json(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_))
        | Actual::Count(_) => return Truth::Unknown,
    };
    from_told(part.json.as_str().map(|part_text| match part.case {
        Case::Sensitive => text.contains(part_text),
        // The only comparison that allocates: the search stays linear that way.
        Case::Insensitive => lower_text(text).contains(part_text),
    }))
}

fn starts_with(actual: &str, text: &str, case: Case) -> bool {
    match case {
        Case::Sensitive => actual.starts_with(text),
        Case::Insensitive => begins(actual.chars(), text.chars()),
    }
}

fn ends_with(actual: &str, text: &str, case: Case) -> bool {
    match case {
        Case::Sensitive => actual.ends_with(text),
        Case::Insensitive => begins(actual.chars().rev(), text.chars().rev()),
    }
}

/// Whether `actual`, in lower case, begins with `text`, which is so already.
fn begins(actual: impl Iterator<Item = char>, mut text: impl Iterator<Item = char>) -> bool {
    let mut actual = actual.map(lower);
    text.all(|c| actual.next() == Some(c))
}

/// Equality within one kind; `None` across kinds. Numbers are exact, so `1.0` is `1` and `-0` is 0.
fn same(actual: &Json, expected: &Json, case: Case) -> Option<bool> {
    match actual {
        Json::Null => matches!(expected, Json::Null).then_some(true),
        Json::Bool(a) => expected.as_bool().map(|e| *a == e),
        Json::Number(a) => expected.as_number().map(|e| a == e),
        Json::String(a) => expected.as_str().map(|e| same_text(a, e, case)),
        Json::Array(a) => expected.as_array().map(|e| {
            a.len() == e.len() && a.iter().zip(e).all(|(a, e)| same(a, e, case) == Some(true))
        }),
        Json::Object(a) => expected.as_object().map(|e| {
            a.len() == e.len()
                && a.iter().zip(e).all(|((a_key, a), (e_key, e))| {
                    a_key == e_key && same(a, e, case) == Some(true)
                })
        }),
    }
}

/// `expected` is in lower case already when the comparison is insensitive.
fn same_text(actual: &str, expected: &str, case: Case) -> bool {
    match case {
        Case::Sensitive => actual == expected,
        Case::Insensitive => actual.chars().map(lower).eq(expected.chars()),
    }
}

/// Unicode simple lower-casing: one character for one.
fn lower(c: char) -> char {
    let mut full = c.to_lowercase();
    match (full.next(), full.next()) {
        // `İ` is the only one whose full form is longer; its simple form is the first of it.
        (Some(first), _) => first,
        (None, _) => c,
    }
}

pub(crate) fn lower_text(text: &str) -> String {
    text.chars().map(lower).collect()
}

/// Values in lower case, keys as they are.
fn lower_deep(json: &Json) -> Json {
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) => json.clone(),
        Json::String(text) => Json::String(lower_text(text)),
        Json::Array(elements) => Json::Array(elements.iter().map(lower_deep).collect()),
        Json::Object(members) => Json::Object(
            members
                .iter()
                .map(|(key, value)| (key.clone(), lower_deep(value)))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use spec::Json;
    use spec::snapshot::Case;

    use super::{Actual, Constant, lower, lower_text};

    #[test]
    fn counts_compare_as_decimals_do() {
        let bounds = [
            "-1",
            "-0.5",
            "0",
            "1e-30",
            "0.5",
            "1",
            "1.5",
            "2",
            "18446744073709551615",
            "18446744073709551615.5",
            "18446744073709551616",
            "123456789012345678901234.5",
            "1e300",
        ];
        for bound in bounds {
            let json = Json::parse(bound.as_bytes()).unwrap();
            let constant = Constant::new(&json, Case::Sensitive);
            for count in [0, 1, 2, 3, u64::MAX - 1, u64::MAX] {
                let decimal = Json::from(count);
                assert_eq!(
                    constant.compare(Actual::Count(count)),
                    constant.compare(Actual::Json(&decimal)),
                    "{count} and {bound}"
                );
                assert_eq!(
                    constant.equals(Actual::Count(count)),
                    constant.equals(Actual::Json(&decimal)),
                    "{count} and {bound}"
                );
            }
        }
        let text = Constant::new(&Json::from("1"), Case::Sensitive);
        assert_eq!(text.compare(Actual::Count(1)), None);
        let one = Constant::new(&Json::from(1_u64), Case::Sensitive);
        assert_eq!(one.compare(Actual::Count(1)), Some(Ordering::Equal));
    }

    #[test]
    fn lower_casing_is_one_for_one() {
        for (upper, expected) in [('A', 'a'), ('Å', 'å'), ('İ', 'i'), ('ı', 'ı'), ('ſ', 'ſ')]
        {
            assert_eq!(lower(upper), expected, "{upper}");
        }
        assert_eq!(lower_text("ſKIP İD K"), "ſkip id k");
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            assert!(c.to_lowercase().count() == 1 || c == 'İ', "{c}");
        }
    }
}
