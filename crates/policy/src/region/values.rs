//! What a comparison says of single values, as JSON Schemas. Knows nothing of where the values are.

use spec::Json;
use spec::snapshot::{Case, Op};

use super::combine::{all_of, any_of, not, typed};
use crate::rule::Leaf;

/// The values for which a comparison holds, and for which it fails; of others it cannot tell.
pub(super) struct Told {
    pub(super) holds: Json,
    pub(super) fails: Json,
}

impl Told {
    fn negated(self) -> Self {
        Self {
            holds: self.fails,
            fails: self.holds,
        }
    }
}

/// What a comparison says of values; `None` where no schema says the same.
pub(super) fn told(leaf: &Leaf) -> Option<Told> {
    let source = &leaf.source;
    let value = &source.value;
    let folds = source.case == Case::Insensitive;
    let sensitive = |told: Told| Some(told).filter(|_| !folds);
    match source.op {
        Op::Eq => sensitive(among(std::slice::from_ref(value))),
        Op::Neq => sensitive(among(std::slice::from_ref(value)).negated()),
        Op::In => sensitive(among(value.as_array()?)),
        Op::NotIn => sensitive(among(value.as_array()?).negated()),
        Op::Gt => Some(ordered(("exclusiveMinimum", "maximum"), value)),
        Op::Gte => Some(ordered(("minimum", "exclusiveMaximum"), value)),
        Op::Lt => Some(ordered(("exclusiveMaximum", "minimum"), value)),
        Op::Lte => Some(ordered(("maximum", "exclusiveMinimum"), value)),
        Op::Matches => value
            .as_str()
            .filter(|_| !folds)
            .and_then(portable)
            .map(|it| of_pattern(&it)),
        Op::StartsWith => {
            let text = value.as_str().filter(|_| !folds)?;
            Some(of_pattern(&format!("^{}", escaped(text))))
        }
        Op::EndsWith => {
            let text = value.as_str().filter(|_| !folds)?;
            Some(of_pattern(&format!("{}$", escaped(text))))
        }
        Op::Contains => Some(containing(value)).filter(|_| !folds),
        Op::Exists => {
            let wanted = value.as_bool() != Some(false);
            Some(Told {
                holds: Json::Bool(wanted),
                fails: Json::Bool(!wanted),
            })
        }
        Op::LengthGt => counted(value, 1, false),
        Op::LengthGte => counted(value, 0, false),
        Op::LengthLt => counted(value, 0, true),
        Op::LengthLte => counted(value, 1, true),
    }
}

/// The type that a value is compared as; null compares with everything.
fn kind(value: &Json) -> Option<&'static str> {
    match value {
        Json::Null => None,
        Json::Bool(_) => Some("boolean"),
        Json::Number(_) => Some("number"),
        Json::String(_) => Some("string"),
        Json::Array(_) => Some("array"),
        Json::Object(_) => Some("object"),
    }
}

/// One of the values, or a value that can be told from them: of the kind of one of them, or of any
/// kind if there are none but nulls.
fn among(values: &[Json]) -> Told {
    let holds = if values.is_empty() {
        Json::Bool(false)
    } else {
        Json::from_members([("enum", Json::Array(values.to_vec()))])
    };
    let mut kinds: Vec<&str> = values.iter().filter_map(kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut fails = vec![not(holds.clone())];
    if !kinds.is_empty() {
        let kinds = kinds.into_iter().map(Json::from).collect();
        fails.push(Json::from_members([("type", Json::Array(kinds))]));
    }
    Told {
        holds,
        fails: all_of(fails),
    }
}

fn ordered((holds, fails): (&str, &str), value: &Json) -> Told {
    Told {
        holds: typed("number", [(holds, value.clone())]),
        fails: typed("number", [(fails, value.clone())]),
    }
}

fn of_pattern(pattern: &str) -> Told {
    let matching = Json::from_members([("pattern", Json::from(pattern))]);
    Told {
        holds: typed("string", [("pattern", Json::from(pattern))]),
        fails: typed("string", [("not", matching)]),
    }
}

/// A text with the part in it, or an array with such an element. Elements that cannot be compared
/// leave it open whether one is equal.
fn containing(part: &Json) -> Told {
    let equal = Json::from_members([("const", part.clone())]);
    let other = all_of(
        kind(part)
            .map(|it| Json::from_members([("type", Json::from(it))]))
            .into_iter()
            .chain([not(equal.clone())])
            .collect(),
    );
    let array = Told {
        holds: typed("array", [("contains", equal)]),
        fails: typed("array", [("items", other)]),
    };
    match part.as_str().map(|it| of_pattern(&escaped(it))) {
        Some(text) => Told {
            holds: any_of(vec![text.holds, array.holds]),
            fails: any_of(vec![text.fails, array.fails]),
        },
        None => array,
    }
}

/// Lengths from `value + more` on, or those below it where `turned`.
fn counted(value: &Json, more: u64, turned: bool) -> Option<Told> {
    let least = value.as_number()?.to_u64()?.checked_add(more)?;
    let most = least.checked_sub(1);
    let kinds = [
        ("string", "minLength", "maxLength"),
        ("array", "minItems", "maxItems"),
        ("object", "minProperties", "maxProperties"),
    ];
    let long = kinds.map(|(kind, min, _)| typed(kind, [(min, Json::from(least))]));
    let short = match most {
        Some(most) => any_of(
            kinds
                .map(|(kind, _, max)| typed(kind, [(max, Json::from(most))]))
                .to_vec(),
        ),
        None => Json::Bool(false),
    };
    let told = Told {
        holds: any_of(long.to_vec()),
        fails: short,
    };
    Some(if turned { told.negated() } else { told })
}

/// The text as a pattern that matches it and nothing else.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for it in text.chars() {
        if r"\^$.*+?()[]{}|/-".contains(it) {
            pattern.push('\\');
        }
        pattern.push(it);
    }
    pattern
}

/// The regular expression as a JSON Schema would say it; `None` where it is not made of plain
/// characters, dots, groups, plain classes, counts and the two anchors, which mean the same in both.
fn portable(pattern: &str) -> Option<String> {
    let mut rest = pattern.chars().peekable();
    let mut written = String::new();
    let mut in_class = false;
    let mut last = ' ';
    while let Some(it) = rest.next() {
        let is_portable = match it {
            '\\' => rest
                .peek()
                .is_some_and(|it| r"\^$.*+?()[]{}|".contains(*it)),
            '[' => !std::mem::replace(&mut in_class, true) && rest.peek() != Some(&']'),
            ']' => std::mem::replace(&mut in_class, false),
            // `(?:` is the one group with a word of its own that means the same.
            '(' if !in_class && rest.peek() == Some(&'?') => {
                rest.next();
                written.push_str("(?");
                rest.next_if_eq(&':').is_some()
            }
            '{' if !in_class => rest.peek().is_some_and(char::is_ascii_digit),
            '-' => !in_class || last != '-',
            '&' | '~' => !in_class,
            ' '..='~' => true,
            _ => it.is_alphabetic(),
        };
        if !is_portable {
            return None;
        }
        match it {
            '.' if !in_class => written.push_str(r"[^\n]"),
            '(' if written.ends_with("(?") => written.push(':'),
            '\\' => {
                written.push(it);
                written.extend(rest.next());
            }
            _ => written.push(it),
        }
        last = it;
    }
    (!in_class).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::portable;

    #[test]
    fn patterns_that_mean_the_same() {
        for (pattern, expected) in [
            ("^(main|develop)$", Some("^(main|develop)$")),
            (r"^.*@example\.com$", Some(r"^[^\n]*@example\.com$")),
            ("^(?:a|b){2,3}$", Some("^(?:a|b){2,3}$")),
            ("[a-z_.]+", Some("[a-z_.]+")),
            ("[^a-c]", Some("[^a-c]")),
            ("é", Some("é")),
            (r"\d", None),
            (r"\Aa\z", None),
            ("(?i)a", None),
            ("(?P<n>a)", None),
            ("[[:alpha:]]", None),
            ("[a&&b]", None),
            ("[a--b]", None),
            ("[]a]", None),
            ("a{,3}", None),
            ("[a", None),
        ] {
            assert_eq!(portable(pattern).as_deref(), expected, "{pattern}");
        }
    }
}
