//! What is checked of each document that a schema is made of: the meta-schema of its draft, patterns,
//! references, formats, words that are passed over. Knows nothing of how documents are put together.

use std::collections::{BTreeMap, BTreeSet};

use spec::Json;
use validator::{Draft, FORMATS, Mistake, mistakes};

use super::walk::{self, Names, Visit};
use super::{REPORTED_MAX, vocabulary};
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::diagnostics::{e0401, e0403, e0404, e0407, e0408, e0409, e0410, e0412};
use crate::reference;
use crate::yaml::Cursor;

/// The most distinct patterns in one document: each may be costly to compile.
const PATTERNS_MAX: usize = 500;

/// A reference to a file of the bundle.
#[derive(Clone, Debug)]
pub(super) struct Outward {
    /// The steps to the schema that has the reference.
    pub(super) from: Vec<String>,
    /// The path of the file, from the root of the bundle.
    pub(super) file: String,
    /// What follows `#`.
    pub(super) fragment: String,
}

/// Checks a document; what is wrong is reported. Returns its references to files.
pub(super) fn check(
    json: &Json,
    cursor: &Cursor<'_>,
    draft: Draft,
    sink: &mut Sink,
) -> Vec<Outward> {
    if !follows_its_draft(json, cursor, draft, sink) {
        return Vec::new();
    }
    let visits = walk::all(json, draft);
    let names = Names::of(&visits, draft);
    check_drafts(&visits, cursor, draft, sink);
    if patterns(&visits).len() > PATTERNS_MAX {
        sink.push(e0404::too_many(&cursor.at(), PATTERNS_MAX));
    }
    check_formats(&visits, cursor, sink);
    check_words(&visits, cursor, draft, sink);
    check_names(&visits, cursor, draft, sink);
    check_references(json, &visits, &names, (cursor, draft), sink)
}

pub(super) fn follows_its_draft(
    json: &Json,
    cursor: &Cursor<'_>,
    draft: Draft,
    sink: &mut Sink,
) -> bool {
    let mut found = mistakes(json, draft, REPORTED_MAX);
    // Several rules may refuse one thing.
    found.dedup_by(|a, b| a.pointer == b.pointer);
    for mistake in &found {
        let steps = walk::pointed(&mistake.pointer);
        let at = cursor.locate_steps(&steps);
        sink.push(worded(mistake, &steps, walk::at(json, &steps), draft, &at));
    }
    found.is_empty()
}

fn worded(
    mistake: &Mistake,
    steps: &[String],
    value: Option<&Json>,
    draft: Draft,
    at: &Location,
) -> Diagnostic {
    let keyword = steps.last().map_or("", String::as_str);
    match (keyword, value) {
        ("exclusiveMinimum" | "exclusiveMaximum", Some(Json::Bool(_))) if draft != Draft::D4 => {
            e0401::flag_of_draft_4(at, keyword)
        }
        ("exclusiveMinimum" | "exclusiveMaximum", Some(Json::Number(bound)))
            if draft == Draft::D4 =>
        {
            e0401::bound_in_draft_4(at, keyword, bound)
        }
        ("items", Some(Json::Array(_))) if draft == Draft::D2020 => e0401::items_list(at),
        ("required", Some(Json::Bool(_))) => e0401::required_flag(at),
        _ if mistake.unknown_type => e0401::unknown_type(at),
        _ => e0401::invalid(at, &mistake.text),
    }
}

fn locate(cursor: &Cursor<'_>, visit: &Visit<'_>, last: &[&str]) -> Location {
    let steps = visit.path.iter().map(String::as_str);
    cursor.locate_steps(steps.chain(last.iter().copied()))
}

/// One draft holds for a schema as a whole.
fn check_drafts(visits: &[Visit<'_>], cursor: &Cursor<'_>, draft: Draft, sink: &mut Sink) {
    let inner = visits.iter().filter(|it| !it.path.is_empty());
    for visit in inner {
        let Some(named) = visit.schema.get("$schema").and_then(Json::as_str) else {
            continue;
        };
        if Draft::named(named) != Some(draft) {
            let at = locate(cursor, visit, &["$schema"]);
            sink.push(e0409::inner(&at, named, draft.name()));
        }
    }
}

/// The places of the distinct patterns of a document.
fn patterns<'a>(visits: &'a [Visit<'a>]) -> BTreeMap<&'a str, (&'a Visit<'a>, Vec<&'a str>)> {
    let mut patterns = BTreeMap::new();
    for visit in visits {
        if let Some(pattern) = visit.schema.get("pattern").and_then(Json::as_str) {
            patterns.entry(pattern).or_insert((visit, vec!["pattern"]));
        }
        let members = visit.schema.get("patternProperties");
        let members = members.and_then(Json::as_object);
        for pattern in members.into_iter().flat_map(BTreeMap::keys) {
            let steps = vec!["patternProperties", pattern];
            patterns.entry(pattern).or_insert((visit, steps));
        }
    }
    patterns
}

/// Which patterns the engine does not take. Compiles each of them, so it is asked only when the
/// schema as a whole is in doubt.
pub(super) fn check_patterns(json: &Json, cursor: &Cursor<'_>, draft: Draft, sink: &mut Sink) {
    let visits = walk::all(json, draft);
    let patterns = patterns(&visits);
    if patterns.len() > PATTERNS_MAX {
        // Which has been reported.
        return;
    }
    let refused = patterns
        .iter()
        .filter(|(pattern, _)| !validator::takes_pattern(pattern));
    for (pattern, (visit, steps)) in refused.take(REPORTED_MAX) {
        sink.push(e0404::refused(&locate(cursor, visit, steps), pattern));
    }
}

/// One note for all the formats of a document that nobody enforces, at the first of them.
fn check_formats(visits: &[Visit<'_>], cursor: &Cursor<'_>, sink: &mut Sink) {
    let mut notes: BTreeMap<&str, &Visit<'_>> = BTreeMap::new();
    for visit in visits {
        let format = visit.schema.get("format").and_then(Json::as_str);
        if let Some(format) = format.filter(|it| !FORMATS.contains(it)) {
            notes.entry(format).or_insert(visit);
        }
    }
    if let Some(first) = notes.values().min_by_key(|it| &it.path) {
        let names: Vec<&str> = notes.keys().copied().collect();
        sink.push(e0407::notes(&locate(cursor, first, &["format"]), &names));
    }
}

/// Each word once, at the first schema that has it.
fn check_words(visits: &[Visit<'_>], cursor: &Cursor<'_>, draft: Draft, sink: &mut Sink) {
    let mut found = BTreeMap::new();
    for visit in visits {
        for (word, value) in visit.schema.as_object().into_iter().flatten() {
            if let Some(why) = vocabulary::ignored(word, value, draft) {
                let first = found.entry(word.as_str()).or_insert((visit, why));
                if visit.path < first.0.path {
                    *first = (visit, why);
                }
            }
        }
    }
    for (word, (visit, why)) in found.into_iter().take(REPORTED_MAX) {
        let at = locate(cursor, visit, &[word]);
        sink.push(e0408::ignored(&at, word, why, draft));
    }
}

/// One name means one schema: with two of a name, what is checked here and what a validator follows
/// could be different schemas.
fn check_names(visits: &[Visit<'_>], cursor: &Cursor<'_>, draft: Draft, sink: &mut Sink) {
    let mut named: BTreeMap<&str, &Visit<'_>> = BTreeMap::new();
    let mut twice = 0_usize;
    for visit in visits {
        let keywords = [walk::id_keyword(draft), "$anchor", "$dynamicAnchor"];
        for keyword in keywords {
            let Some(name) = visit.schema.get(keyword).and_then(Json::as_str) else {
                continue;
            };
            let name = name.trim_start_matches('#').trim_end_matches('#');
            let first = named.entry(name).or_insert(visit);
            if first.path == visit.path {
                continue;
            }
            twice = twice.saturating_add(1);
            if twice <= REPORTED_MAX {
                sink.push(e0403::twice(&locate(cursor, visit, &[keyword]), name));
            }
        }
    }
}

fn check_references(
    root: &Json,
    visits: &[Visit<'_>],
    names: &Names,
    (cursor, draft): (&Cursor<'_>, Draft),
    sink: &mut Sink,
) -> Vec<Outward> {
    let mut outward = Vec::new();
    let mut astray = 0_usize;
    let file = cursor.at().file;
    let known: BTreeSet<&[String]> = visits.iter().map(|it| it.path.as_slice()).collect();
    let is_one_resource = visits
        .iter()
        .all(|it| it.path.is_empty() || walk::id(it.schema, draft).is_none());
    for visit in visits {
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(target) = visit.schema.get(keyword).and_then(Json::as_str) else {
                continue;
            };
            let mut refused = leads(root, names, visit, target, &file);
            if let Leads::Within(path) = &refused {
                // INVARIANT: whatever a validator follows has been looked at here: where a name may
                // mean another schema than the one that was found, or a place that no keyword makes a
                // schema, nothing that was checked would hold.
                if keyword != "$ref" && !(is_one_resource && is_single(visits, target)) {
                    astray = astray.saturating_add(1);
                    if astray <= REPORTED_MAX {
                        let at = locate(cursor, visit, &[keyword]);
                        sink.push(e0412::unsettled(&at, keyword));
                    }
                    continue;
                }
                if known.contains(path.as_slice()) {
                    continue;
                }
                refused = Leads::Nowhere;
            }
            if let (Leads::File(file), "$ref") = (&refused, keyword) {
                outward.push(file.clone());
                continue;
            }
            astray = astray.saturating_add(1);
            // To find a place takes time, and nobody reads the thousandth.
            if astray <= REPORTED_MAX {
                sink.push(refusal(
                    &refused,
                    target,
                    &locate(cursor, visit, &[keyword]),
                ));
            }
        }
    }
    outward
}

/// Whether at most one schema goes by the dynamic name that `target` says.
fn is_single(visits: &[Visit<'_>], target: &str) -> bool {
    let name = target.split_once('#').map_or("", |(_, fragment)| fragment);
    let named = visits.iter().filter(|it| {
        let own = it.schema.get("$dynamicAnchor").and_then(Json::as_str);
        own == Some(name)
    });
    named.count() <= 1
}

/// Where a reference leads.
#[derive(Debug)]
pub(super) enum Leads {
    /// To what these steps from the root of the document lead to.
    Within(Vec<String>),
    File(Outward),
    Nowhere,
    Remote,
    /// Out of the bundle, say.
    NoFile(&'static str),
}

pub(super) fn leads(
    root: &Json,
    names: &Names,
    visit: &Visit<'_>,
    target: &str,
    file: &str,
) -> Leads {
    let (before, fragment) = target.split_once('#').unwrap_or((target, ""));
    let within = |base: &[String]| {
        let steps = names.fragment(root, base, fragment);
        steps.map_or(Leads::Nowhere, Leads::Within)
    };
    if before.is_empty() {
        return within(visit.base());
    }
    if let Some(base) = names.id(before) {
        return within(base);
    }
    if before.contains(':') || before.starts_with("//") {
        return Leads::Remote;
    }
    match file_of(before, file) {
        Ok(file) => Leads::File(Outward {
            from: visit.path.clone(),
            file,
            fragment: fragment.to_owned(),
        }),
        Err(why) => Leads::NoFile(why),
    }
}

/// The path that a relative reference in `file` means, from the root of the bundle.
fn file_of(reference: &str, file: &str) -> Result<String, &'static str> {
    if reference.starts_with('/') {
        return Err("is absolute");
    }
    if reference.contains('?') {
        return Err("has a query");
    }
    let path = walk::percent_decoded(reference).ok_or("is not percent-encoded as it should be")?;
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let joined = match folder {
        "" => path,
        folder => format!("{folder}/{path}"),
    };
    reference::normalise(&joined)
}

fn refusal(leads: &Leads, target: &str, at: &Location) -> Diagnostic {
    match leads {
        Leads::Remote => e0403::remote(at, target),
        Leads::NoFile(why) => e0410::refused(at, target, why),
        // A file can be reached by `$ref` alone.
        Leads::File(_) | Leads::Within(_) | Leads::Nowhere => e0403::dangling(at, target),
    }
}
