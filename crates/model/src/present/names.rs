//! Names of tools as a provider takes them. A name that it takes stays as it is; any other is made
//! to fit, the same way every time, and never onto another tool's name.

use std::collections::{BTreeMap, BTreeSet};

use spec::Digest;

use super::Profile;

/// What precedes a name that begins with what it may not begin with.
const PREFIX: &str = "t_";

/// The presented name of each wire name.
pub(super) fn assign<'a>(
    wire_names: impl Iterator<Item = &'a str>,
    profile: &Profile,
) -> BTreeMap<&'a str, String> {
    let wire_names: BTreeSet<&str> = wire_names.collect();
    // Names that fit come first, so that no other can take them.
    let (fitting, others): (Vec<&str>, Vec<&str>) =
        wire_names.into_iter().partition(|it| fits(it, profile));
    let mut taken: BTreeSet<String> = fitting.iter().map(|it| (*it).to_owned()).collect();
    let mut names: BTreeMap<&str, String> =
        fitting.iter().map(|it| (*it, (*it).to_owned())).collect();
    for wire_name in others {
        let name = made_to_fit(wire_name, profile, &taken);
        taken.insert(name.clone());
        names.insert(wire_name, name);
    }
    names
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

fn may_begin(name: &str, profile: &Profile) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    profile.name_starts_freely || name.starts_with(begins)
}

fn fits(name: &str, profile: &Profile) -> bool {
    (1..=profile.name_chars_max).contains(&name.len())
        && name.chars().all(is_name_char)
        && may_begin(name, profile)
}

fn made_to_fit(wire_name: &str, profile: &Profile, taken: &BTreeSet<String>) -> String {
    let cleaned = wire_name
        .chars()
        .map(|c| if is_name_char(c) { c } else { '_' });
    let mut cleaned: String = cleaned.collect();
    let is_whole = cleaned == wire_name;
    if !may_begin(&cleaned, profile) {
        cleaned.insert_str(0, PREFIX);
    }
    if is_whole && fits(&cleaned, profile) && !taken.contains(&cleaned) {
        return cleaned;
    }
    // What was lost is told apart by the digest of the whole name: first by a little of it.
    let digest = Digest::of(wire_name.as_bytes()).to_string();
    let mut name = String::new();
    for digits in [8, 16, 32] {
        let suffix: String = digest.chars().take(digits).collect();
        let room = profile.name_chars_max.saturating_sub(digits + 1);
        let start: String = cleaned.chars().take(room).collect();
        name = format!("{start}_{suffix}");
        if !taken.contains(&name) {
            break;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::super::{ANTHROPIC, OPENAI_COMPATIBLE, Profile};
    use super::assign;

    fn check(profile: &Profile, names: &[&str], expected: &[&str]) {
        let assigned = assign(names.iter().copied(), profile);
        let found: Vec<&str> = names.iter().map(|it| assigned[it].as_str()).collect();
        assert_eq!(found, expected);
        // The order in which tools are given changes nothing.
        assert_eq!(assign(names.iter().rev().copied(), profile), assigned);
    }

    #[test]
    fn what_fits_stays() {
        let long = "a".repeat(64);
        check(&ANTHROPIC, &["get", "9-a", &long], &["get", "9-a", &long]);
    }

    #[test]
    fn a_name_begins_with_a_letter_where_it_must() {
        check(
            &OPENAI_COMPATIBLE,
            &["9-a", "-b", "_c"],
            &["t_9-a", "t_-b", "_c"],
        );
    }

    #[test]
    fn nobody_loses_a_name_to_a_changed_one() {
        check(
            &OPENAI_COMPATIBLE,
            &["9-a", "t_9-a"],
            &["t_9-a_ea332145", "t_9-a"],
        );
    }

    #[test]
    fn what_is_lost_is_told_apart() {
        let (x, y) = (
            format!("{}x", "a".repeat(64)),
            format!("{}y", "a".repeat(64)),
        );
        let names = ["a.b", "a_b", "a\u{e9}b", "", &x, &y];
        let assigned = assign(names.into_iter(), &ANTHROPIC);
        let mut distinct: Vec<&String> = assigned.values().collect();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len());
        assert!(distinct.iter().all(|it| it.len() <= 64));
        assert_eq!(assigned["a_b"], "a_b");
        assert!(assigned["a.b"].starts_with("a_b_"));
    }
}
