//! Crates depend on each other only as the table says. Dependencies for tests are free.

use super::{Offence, Tree};

/// Each crate and the crates that it may use. A crate that is not listed may not exist.
const TABLE: [(&str, &[&str]); 15] = [
    ("subschema", &["validator", "spec"]),
    ("spec", &[]),
    ("validator", &["spec"]),
    ("policy", &["spec"]),
    ("publish", &["policy", "subschema", "validator", "spec"]),
    ("session", &["policy", "validator", "spec"]),
    ("runtime", &["session", "spec"]),
    ("store", &["runtime", "session", "spec"]),
    ("model", &["spec"]),
    ("proto", &[]),
    ("worker", &["proto"]),
    (
        "daemon",
        &[
            "spec", "policy", "publish", "session", "runtime", "store", "model", "proto", "worker",
        ],
    ),
    (
        "cli",
        &[
            "daemon",
            "publish",
            "session",
            "policy",
            "subschema",
            "validator",
            "model",
            "proto",
            "worker",
            "spec",
        ],
    ),
    (
        "sim",
        &["runtime", "publish", "spec", "policy", "session", "model"],
    ),
    ("xtask", &[]),
];

pub(super) fn check(tree: &Tree) -> Vec<Offence> {
    let mut offences = Vec::new();
    for package in &tree.packages {
        let place = format!("crates/{}", package.name);
        let Some((_, allowed)) = TABLE.iter().find(|(name, _)| *name == package.name) else {
            offences.push(Offence::new(place, "is not in the table of crates"));
            continue;
        };
        for it in &package.dependencies {
            if it.is_workspace && !it.is_dev && !allowed.contains(&it.name.as_str()) {
                let text = format!("may not depend on {}", it.name);
                offences.push(Offence::new(&place, text));
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
    fn an_arrow_of_the_table_is_fine() {
        assert!(check(&made::package("policy", &["+spec", "regex"])).is_empty());
    }

    #[test]
    fn an_arrow_upwards_is_not() {
        let tree = made::package("spec", &["+policy"]);
        assert_eq!(made::places(check, &tree), ["crates/spec"]);
    }

    #[test]
    fn publish_and_session_never_meet() {
        assert_eq!(check(&made::package("publish", &["+session"])).len(), 1);
        assert_eq!(check(&made::package("session", &["+publish"])).len(), 1);
    }

    #[test]
    fn tests_may_use_any_crate() {
        assert!(check(&made::package("daemon", &["~sim"])).is_empty());
        assert_eq!(check(&made::package("daemon", &["+sim"])).len(), 1);
    }

    #[test]
    fn a_crate_must_be_in_the_table() {
        assert_eq!(check(&made::package("helpers", &[])).len(), 1);
    }

    #[test]
    fn the_table_has_no_cycle_and_nothing_uses_a_tool() {
        let mut done: Vec<&str> = Vec::new();
        while done.len() < TABLE.len() {
            let ready = TABLE.iter().find(|(name, uses)| {
                !done.contains(name) && uses.iter().all(|it| done.contains(it))
            });
            done.push(ready.expect("some crate uses only crates below it").0);
        }
        for (_, uses) in TABLE {
            assert!(!uses.contains(&"sim") && !uses.contains(&"xtask"));
        }
    }
}
