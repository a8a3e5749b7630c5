//! What texts keep to: patterns and formats, each made ready once. Knows nothing of other values.

use std::collections::BTreeMap;

use spec::Json;
use validator::Validator;

use crate::Reason;
use crate::language::format::{self, Side};
use crate::language::{Constraint, Language, Window, shortest};
use crate::node::PatternId;

/// The most excluded texts of one search.
const EXCLUDED_MAX: usize = 5_000;

#[derive(Default)]
pub(crate) struct Texts {
    patterns: BTreeMap<PatternId, Result<Language, Reason>>,
    /// The validator's own, for the patterns that are no language here.
    opaque: BTreeMap<PatternId, Option<Validator>>,
    formats: BTreeMap<String, Option<Validator>>,
    formats_read: BTreeMap<(String, Side), Option<Result<Language, Reason>>>,
}

/// How formats are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Whatever is found keeps to the formats, where they are bounded, and something may be missed.
    Strict,
    /// Nothing is missed, and what is found may not keep to the formats.
    Loose,
    /// Just the texts of the formats, as far as they are languages; else like the loose one.
    Exact,
}

/// The side from which a format that holds or does not is bounded.
fn side(name: &str, holds: bool, reading: Reading) -> Side {
    let exact = format::is_exact(name);
    match reading {
        Reading::Strict | Reading::Loose if exact => Side::Exact,
        Reading::Exact if exact || format::has_exact(name) => Side::Exact,
        Reading::Exact | Reading::Loose if holds => Side::Wider,
        Reading::Exact | Reading::Loose => Side::Narrower,
        Reading::Strict if holds => Side::Narrower,
        Reading::Strict => Side::Wider,
    }
}

/// Texts that are of few formats.
const PLAIN: [&str; 9] = ["", "a", "!", "a b", " ", "%", "{", "^", "["];

/// What a search came to, and why what it found may not count.
#[derive(Default)]
struct Searched {
    text: Option<String>,
    doubt: Option<Reason>,
}

/// How a language is asked for: to hold, not to hold, or both, which no text can.
enum Sign {
    Neither,
    One(bool),
    Both,
}

fn sign<T>(wanted: &[T], holds: impl Fn(&T) -> Option<bool>) -> Sign {
    let mut signs = wanted.iter().filter_map(holds);
    match signs.next() {
        None => Sign::Neither,
        Some(first) if signs.all(|it| it == first) => Sign::One(first),
        Some(_) => Sign::Both,
    }
}

/// What a text shall keep to.
#[derive(Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) least: u64,
    pub(crate) most: Option<u64>,
    pub(crate) patterns: Vec<(PatternId, &'a str, bool)>,
    pub(crate) formats: Vec<(&'a str, bool)>,
    pub(crate) excluded: Vec<&'a str>,
}

impl Texts {
    pub(crate) fn matches(
        &mut self,
        id: PatternId,
        pattern: &str,
        text: &str,
    ) -> Result<bool, Reason> {
        match self.pattern(id, pattern) {
            Ok(language) => language.matches(text),
            Err(reason) => {
                let reason = reason.clone();
                let opaque = self.opaque.entry(id).or_insert_with(|| {
                    let schema = Json::from_members([("pattern", Json::from(pattern))]);
                    Validator::compile(&schema).ok()
                });
                match opaque {
                    Some(validator) => Ok(validator.accepts(&Json::from(text))),
                    None => Err(reason),
                }
            }
        }
    }

    fn pattern(&mut self, id: PatternId, pattern: &str) -> &mut Result<Language, Reason> {
        self.patterns
            .entry(id)
            .or_insert_with(|| Language::of(pattern))
    }

    pub(crate) fn is_of_format(&mut self, name: &str, text: &str) -> Result<bool, Reason> {
        if !self.formats.contains_key(name) {
            let named = || Json::from_members([("format", Json::from(name))]);
            // What a schema says of the contents of texts stands for itself.
            let schema = Json::parse(name.as_bytes()).ok();
            let schema = schema.filter(|it| it.as_object().is_some());
            let schema = schema.unwrap_or_else(named);
            let validator = Validator::compile(&schema).ok();
            self.formats.insert(name.to_owned(), validator);
        }
        match self.formats.get(name) {
            Some(Some(validator)) => Ok(validator.accepts(&Json::from(text))),
            Some(None) | None => Err(Reason::keyword("format", "a format that is not known")),
        }
    }

    /// How much the automata have been looked at.
    pub(crate) fn looks(&self) -> u64 {
        let patterns = self.patterns.values();
        let languages = patterns.chain(self.formats_read.values().flatten());
        let looks = languages.filter_map(|it| it.as_ref().ok());
        looks.map(Language::looks).fold(0, u64::saturating_add)
    }

    /// A text that keeps to all of it; `None` if there is none.
    pub(crate) fn find(&mut self, wanted: &Wanted<'_>) -> Result<Option<String>, Reason> {
        if wanted.excluded.len() > EXCLUDED_MAX {
            return Err(Reason::limit("too many excluded texts"));
        }
        for (id, pattern, _) in &wanted.patterns {
            self.pattern(*id, pattern);
        }
        let denied = |name: &str| wanted.formats.contains(&(name, false));
        if wanted.formats.iter().any(|it| it.1 && denied(it.0)) {
            return Ok(None);
        }
        let plain = wanted.formats.iter().all(|it| format::is_exact(it.0));
        if !plain
            && let Some(text) = self.search(wanted, Reading::Strict)?.text
            && self.keeps_to(wanted, &text)?
        {
            return Ok(Some(text));
        }
        let loose = self.search(wanted, Reading::Loose)?;
        let Some(mut text) = loose.text else {
            return Ok(None);
        };
        if self.keeps_to(wanted, &text)? {
            return Ok(Some(text));
        }
        if wanted.formats.iter().any(|it| format::has_exact(it.0)) {
            match self.search(wanted, Reading::Exact)?.text {
                Some(exact) => text = exact,
                None => return Ok(None),
            }
        }
        self.confirmed(wanted, text, loose.doubt)
    }

    fn search(&mut self, wanted: &Wanted<'_>, reading: Reading) -> Result<Searched, Reason> {
        let window = Window {
            least: wanted.least,
            most: wanted.most,
            excluded: wanted.excluded.clone(),
        };
        for (name, holds) in &wanted.formats {
            let side = side(name, *holds, reading);
            let read = || format::language(name, side).map(|it| Language::all(&it));
            self.formats_read
                .entry(((*name).to_owned(), side))
                .or_insert_with(read);
        }
        let mut languages = Vec::new();
        for (id, language) in &mut self.patterns {
            match sign(&wanted.patterns, |it| (it.0 == *id).then_some(it.2)) {
                Sign::Both => return Ok(Searched::default()),
                Sign::One(holds) => languages.push((language, holds)),
                Sign::Neither => {}
            }
        }
        for ((name, which), language) in &mut self.formats_read {
            let same = |it: &(&str, bool)| it.0 == name && side(it.0, it.1, reading) == *which;
            match sign(&wanted.formats, |it| same(it).then_some(it.1)) {
                Sign::Both => return Ok(Searched::default()),
                Sign::One(holds) => languages.extend(language.as_mut().map(|it| (it, holds))),
                Sign::Neither => {}
            }
        }
        let mut doubt = None;
        let mut constraints = Vec::new();
        for (language, holds) in languages {
            match language {
                Ok(language) => constraints.push(Constraint { language, holds }),
                Err(reason) => doubt = Some(reason.clone()),
            }
        }
        let text = shortest(&mut constraints, &window)?;
        Ok(Searched { text, doubt })
    }

    /// A text that the formats themselves agree to: the one found, or an example of theirs.
    fn confirmed(
        &mut self,
        wanted: &Wanted<'_>,
        text: String,
        doubt: Option<Reason>,
    ) -> Result<Option<String>, Reason> {
        let examples = wanted.formats.iter().filter(|(_, holds)| *holds);
        let examples = examples.flat_map(|(name, _)| format::examples(name));
        let others = examples.chain(&PLAIN).map(|it| (*it).to_owned());
        for text in std::iter::once(text).chain(others) {
            if self.keeps_to(wanted, &text)? {
                return Ok(Some(text));
            }
        }
        let unbounded = wanted.formats.iter().find(|it| !format::is_exact(it.0));
        let name = unbounded.or(wanted.formats.first()).map_or("", |it| it.0);
        Err(doubt.unwrap_or_else(|| Reason::keyword("format", &format!("the format `{name}`"))))
    }

    fn keeps_to(&mut self, wanted: &Wanted<'_>, text: &str) -> Result<bool, Reason> {
        let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if length < wanted.least
            || wanted.most.is_some_and(|it| length > it)
            || wanted.excluded.contains(&text)
        {
            return Ok(false);
        }
        for (id, pattern, holds) in &wanted.patterns {
            if self.matches(*id, pattern, text)? != *holds {
                return Ok(false);
            }
        }
        for (name, holds) in &wanted.formats {
            if self.is_of_format(name, text)? != *holds {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
