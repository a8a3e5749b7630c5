//! Names for the copies that closing makes of what references lead to. Knows nothing of how they
//! were made.

use std::collections::{BTreeMap, BTreeSet};

use spec::Json;
use validator::Draft;

use super::super::walk;
use super::{Closer, Copy};

/// Begins a reference that has no name yet; no pointer begins so.
const UNNAMED: char = '\u{0}';

/// A reference to a copy, until it has a name.
pub(super) fn unnamed(pointer: &str, copy: Copy) -> Json {
    let mark = match copy {
        Copy::Level => 'l',
        Copy::Part => 'p',
        Copy::Same => 's',
    };
    Json::String(format!("{UNNAMED}{mark}{pointer}"))
}

impl Closer<'_> {
    /// Names the copies, puts them under the definitions and has references lead there.
    pub(super) fn put_together(self, root: &mut Json) {
        let keyword = match self.facts.draft {
            Draft::D4 | Draft::D6 | Draft::D7 => "definitions",
            Draft::D2019 | Draft::D2020 => "$defs",
        };
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for (pointer, _) in self.copies.keys() {
            let count = uses.entry(pointer).or_default();
            *count = count.saturating_add(1);
        }
        let mut taken = BTreeSet::new();
        let mut names = BTreeMap::new();
        for (pointer, copy) in self.copies.keys() {
            if pointer.is_empty() && *copy == Copy::Level {
                continue;
            }
            let alone = uses.get(pointer.as_str()) == Some(&1);
            let name = name_of(pointer, *copy, alone, &mut taken);
            names.insert((pointer.as_str(), *copy), name);
        }
        let named = |text: &str| -> Option<String> {
            let mut rest = text.strip_prefix(UNNAMED)?.chars();
            let copy = match rest.next()? {
                'l' => Copy::Level,
                'p' => Copy::Part,
                _ => Copy::Same,
            };
            if let Some(name) = names.get(&(rest.as_str(), copy)) {
                return Some(format!("#{}", walk::fragment_of([keyword, name])));
            }
            (copy == Copy::Level && rest.as_str().is_empty()).then(|| "#".to_owned())
        };
        let mut definitions = BTreeMap::new();
        for ((pointer, copy), made) in &self.copies {
            if let (Some(name), Some(made)) = (names.get(&(pointer.as_str(), *copy)), made) {
                let mut made = made.clone();
                rename(&mut made, &named);
                definitions.insert(name.clone(), made);
            }
        }
        rename(root, &named);
        if let (Json::Object(members), false) = (root, definitions.is_empty()) {
            members.insert(keyword.to_owned(), Json::Object(definitions));
        }
    }
}

/// A name for a copy: the old one where it is the only copy.
fn name_of(pointer: &str, copy: Copy, alone: bool, taken: &mut BTreeSet<String>) -> String {
    let steps = walk::pointer_steps(pointer).unwrap_or_default();
    let last = steps.last().map_or("root", String::as_str);
    let base = match copy {
        _ if alone => last.to_owned(),
        Copy::Level => format!("{last}.closed"),
        Copy::Part => format!("{last}.part"),
        Copy::Same => format!("{last}.open"),
    };
    let mut name = base.clone();
    let mut number = 2_u32;
    while !taken.insert(name.clone()) {
        name = format!("{base}.{number}");
        number = number.saturating_add(1);
    }
    name
}

/// Replaces every reference that `named` knows.
fn rename(value: &mut Json, named: &impl Fn(&str) -> Option<String>) {
    match value {
        Json::Array(elements) => elements.iter_mut().for_each(|it| rename(it, named)),
        Json::Object(members) => {
            if let Some(Json::String(text)) = members.get_mut("$ref")
                && let Some(name) = named(text)
            {
                *text = name;
            }
            members.values_mut().for_each(|it| rename(it, named));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}
