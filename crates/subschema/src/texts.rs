//! What texts keep to: patterns and formats, each made ready once. Knows nothing of other values.

use std::collections::BTreeMap;

use spec::Json;
use validator::Validator;

use crate::Reason;
use crate::language::{Constraint, Language, Window, format, shortest};
use crate::node::PatternId;

/// The most excluded texts of one search.
const EXCLUDED_MAX: usize = 5_000;

#[derive(Default)]
pub(crate) struct Texts {
    patterns: BTreeMap<PatternId, Result<Language, Reason>>,
    formats: BTreeMap<String, Option<Validator>>,
    formats_read: BTreeMap<&'static str, Result<Language, Reason>>,
}

/// From which side a format is bounded by a language.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Whatever is found keeps to the formats, and something may be missed.
    Strict,
    /// Nothing is missed, and what is found may not keep to the formats.
    Loose,
}

/// The language that stands for a format that holds or does not.
fn bound(name: &str, holds: bool, reading: Reading) -> Option<&'static str> {
    let known = format::known(name);
    if holds == (reading == Reading::Loose) {
        known.wider
    } else {
        known.narrower
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
            Err(reason) => Err(reason.clone()),
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
        let languages = patterns.chain(self.formats_read.values());
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
        if wanted.formats.is_empty() {
            return self.search(wanted, Reading::Loose);
        }
        // First among what surely is of the formats, then to see whether there can be any at all.
        let sure = self.search(wanted, Reading::Strict)?;
        if let Some(text) = sure
            && self.keeps_to(wanted, &text)?
        {
            return Ok(Some(text));
        }
        match self.search(wanted, Reading::Loose)? {
            None => Ok(None),
            Some(text) => self.confirmed(wanted, text),
        }
    }

    fn search(&mut self, wanted: &Wanted<'_>, reading: Reading) -> Result<Option<String>, Reason> {
        let window = Window {
            least: wanted.least,
            most: wanted.most,
            excluded: wanted.excluded.clone(),
        };
        for (name, holds) in &wanted.formats {
            let language = bound(name, *holds, reading);
            if let Some(language) = language.filter(|it| !self.formats_read.contains_key(it)) {
                self.formats_read.insert(language, Language::of(language));
            }
        }
        let mut doubt = None;
        let mut constraints = Vec::new();
        for (id, language) in &mut self.patterns {
            let mut signs = wanted.patterns.iter().filter(|it| it.0 == *id);
            let Some((_, _, holds)) = signs.next() else {
                continue;
            };
            if signs.any(|it| it.2 != *holds) {
                return Ok(None);
            }
            match language {
                Ok(language) => constraints.push(Constraint {
                    language,
                    holds: *holds,
                }),
                Err(reason) => doubt = Some(reason.clone()),
            }
        }
        for (text, language) in &mut self.formats_read {
            let mut signs = wanted
                .formats
                .iter()
                .filter(|(name, holds)| bound(name, *holds, reading) == Some(*text));
            let Some((_, holds)) = signs.next() else {
                continue;
            };
            if signs.any(|it| it.1 != *holds) {
                return Ok(None);
            }
            match language {
                Ok(language) => constraints.push(Constraint {
                    language,
                    holds: *holds,
                }),
                Err(reason) => doubt = Some(reason.clone()),
            }
        }
        match (shortest(&mut constraints, &window)?, doubt) {
            (Some(_), Some(reason)) => Err(reason),
            (found, _) => Ok(found),
        }
    }

    /// A text that the formats themselves agree to: the one found, or an example of theirs.
    fn confirmed(&mut self, wanted: &Wanted<'_>, text: String) -> Result<Option<String>, Reason> {
        let examples = wanted.formats.iter().filter(|(_, holds)| *holds);
        let examples = examples.flat_map(|(name, _)| format::known(name).examples);
        let plain = ["!", "a b", " ", "%", "{", "^", "["];
        let others = examples.chain(&plain).map(|it| (*it).to_owned());
        for text in std::iter::once(text).chain(others) {
            if self.keeps_to(wanted, &text)? {
                return Ok(Some(text));
            }
        }
        let name = wanted.formats.first().map_or("", |it| it.0);
        Err(Reason::keyword("format", &format!("the format `{name}`")))
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
