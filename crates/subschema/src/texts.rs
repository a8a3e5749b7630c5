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
    wider: BTreeMap<String, Result<Language, Reason>>,
    narrower: BTreeMap<String, Result<Language, Reason>>,
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
            let schema = Json::from_members([("format", Json::from(name))]);
            let validator = Validator::compile(&schema).ok();
            self.formats.insert(name.to_owned(), validator);
        }
        match self.formats.get(name) {
            Some(Some(validator)) => Ok(validator.accepts(&Json::from(text))),
            Some(None) | None => Err(Reason::keyword("format", "a format that is not known")),
        }
    }

    /// A text that keeps to all of it; `None` if there is none.
    pub(crate) fn find(&mut self, wanted: &Wanted<'_>) -> Result<Option<String>, Reason> {
        if wanted.excluded.len() > EXCLUDED_MAX {
            return Err(Reason::limit("too many excluded texts"));
        }
        self.make_ready(wanted);
        let window = Window {
            least: wanted.least,
            most: wanted.most,
            excluded: wanted.excluded.clone(),
        };
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
        for (languages, holds) in [(&mut self.wider, true), (&mut self.narrower, false)] {
            for (name, language) in languages {
                if !wanted.formats.contains(&(name.as_str(), holds)) {
                    continue;
                }
                match language {
                    Ok(language) => constraints.push(Constraint { language, holds }),
                    Err(reason) => doubt = Some(reason.clone()),
                }
            }
        }
        let found = shortest(&mut constraints, &window)?;
        match (found, doubt) {
            (None, _) => Ok(None),
            (Some(text), None) if wanted.formats.is_empty() => Ok(Some(text)),
            (Some(_), Some(reason)) => Err(reason),
            (Some(text), None) => self.confirmed(wanted, text),
        }
    }

    fn make_ready(&mut self, wanted: &Wanted<'_>) {
        for (id, pattern, _) in &wanted.patterns {
            self.pattern(*id, pattern);
        }
        for (name, holds) in &wanted.formats {
            let known = format::known(name);
            let (languages, language) = if *holds {
                (&mut self.wider, known.wider)
            } else {
                (&mut self.narrower, known.narrower)
            };
            if let Some(language) = language.filter(|_| !languages.contains_key(*name)) {
                languages.insert((*name).to_owned(), Language::of(language));
            }
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
