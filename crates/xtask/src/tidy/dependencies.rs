//! The crates that decide use only libraries that somebody has looked at: one that reads a clock, a
//! file or the network would make them impure unseen.

use super::{Offence, Tree};

const APPROVED: [(&str, &[&str]); 7] = [
    (
        "spec",
        &["serde", "serde_json", "sha2", "thiserror", "uuid"],
    ),
    ("validator", &["jsonschema", "serde_json"]),
    (
        "subschema",
        &[
            "jsonschema-regex",
            "num-bigint",
            "num-integer",
            "num-rational",
            "num-traits",
            "referencing",
            "regex-automata",
            "regex-syntax",
            "serde_json",
        ],
    ),
    ("policy", &["regex", "regex-syntax", "thiserror"]),
    (
        "publish",
        &[
            "annotate-snippets",
            "regex",
            "saphyr-parser",
            "semver",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
    ("session", &["serde", "serde_json", "thiserror"]),
    ("runtime", &["thiserror"]),
];

pub(super) fn check(tree: &Tree) -> Vec<Offence> {
    let mut offences = Vec::new();
    for package in &tree.packages {
        let Some((_, approved)) = APPROVED.iter().find(|(name, _)| *name == package.name) else {
            continue;
        };
        for it in &package.dependencies {
            if !it.is_workspace && !it.is_dev && !approved.contains(&it.name.as_str()) {
                let place = format!("crates/{}/Cargo.toml", package.name);
                let text = format!("{} is not among its approved libraries", it.name);
                offences.push(Offence::new(place, text));
            }
        }
    }
    offences
}

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::*;

    #[test]
    fn a_library_must_be_approved_for_a_pure_crate() {
        let tree = made::package("policy", &["regex", "tokio", "+spec"]);
        assert_eq!(made::places(check, &tree), ["crates/policy/Cargo.toml"]);
    }

    #[test]
    fn other_crates_choose_freely() {
        assert!(check(&made::package("daemon", &["tokio"])).is_empty());
    }
}
