//! Bundles: who belongs to one, and what its lock says.

use std::collections::BTreeMap;

use expect_test::expect;
use spec::Digest;
use spec::snapshot::{Backend, DelegationResult, Identity};

use super::bundle::Bundle;
use super::{desk, sample};
use crate::{Closure, External, FileError, Files, MemoryFiles, Origin, closure, compile};

fn pin(text: &str) -> Identity {
    let (id, version) = text.split_once('@').unwrap();
    let (namespace, name) = id.rsplit_once('.').unwrap();
    Identity {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
    }
}

fn external(secrets: &[(&str, &str)]) -> External {
    let owned = |(name, variable): &(&str, &str)| ((*name).to_owned(), (*variable).to_owned());
    External {
        content_hash: Digest::of(b"courier"),
        purpose: "Carry parcels.".to_owned(),
        secrets: secrets.iter().map(owned).collect(),
    }
}

/// A minimal agent without tools.
fn agent(name: &str, rest: &str) -> String {
    format!(
        "apiVersion: phrony.com/v1\nkind: Agent\nmetadata: {{name: {name}, namespace: shop, version: 1.0.0}}\n\
         spec:\n  purpose: Be {name}.\n  instructions: {{text: Do it.}}\n  model: {{provider: stub, name: s}}\n{rest}"
    )
}

fn members(closure: &Closure) -> Vec<(&str, &str)> {
    closure
        .members
        .iter()
        .map(|it| (it.child_name.as_str(), it.reference.as_str()))
        .collect()
}

#[test]
fn the_desk() {
    let closure = desk().closure();
    assert_eq!(closure.diagnostics, []);
    assert_eq!(closure.bundle, Some(pin("shop.front-desk@1.0.0")));
    assert_eq!(
        members(&closure),
        [("desk", "./desk.yaml"), ("clerk", "./refunds/clerk.yaml")]
    );
    expect![[r#"
        {
          "version": "sha256:e906251ad13272ad87ce6894bdd3db617bf5afa54e6431afe4dcf14df5df010b",
          "root_child_name": "desk",
          "members": [
            {
              "child_name": "clerk",
              "origin": "vendored",
              "content_hash": "43d04045e16c7033141b12eecde3b4e43b62f6ae0fbc2bd64b916ad29eeced6d",
              "ref": "./refunds/clerk.yaml"
            },
            {
              "child_name": "desk",
              "origin": "vendored",
              "content_hash": "341dffc5c28e877f361bc4c6d4dedcd2413002ca4684456ef82f6e63a9479fb9",
              "ref": "./desk.yaml"
            }
          ]
        }
    "#]]
    .assert_eq(&closure.lock.unwrap().to_file());
}

#[test]
fn a_member_is_what_it_is_alone() {
    let closure = desk().closure();
    let Origin::Vendored(Some(snapshot)) = &closure.members[1].origin else {
        panic!("no snapshot");
    };
    assert_eq!(**snapshot, sample().compile().snapshot.unwrap());
}

/// Lists folders backwards.
struct Backwards(MemoryFiles);

impl Files for Backwards {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileError> {
        self.0.read(path)
    }

    fn list(&self, dir: &str) -> Result<Vec<String>, FileError> {
        let mut names = self.0.list(dir)?;
        names.reverse();
        Ok(names)
    }
}

#[test]
fn neither_order_of_files_nor_of_entries_of_the_walk_matters() {
    let bundle = desk()
        .file("a.yaml", agent("a", "  agents: [{ref: ./shared.yaml}]\n"))
        .file("z.yaml", agent("z", "  agents: [{ref: ./shared.yaml}]\n"))
        .file("shared.yaml", agent("shared", ""))
        .append("desk.yaml", "    - ref: ./z.yaml\n    - ref: ./a.yaml\n");
    let forward = bundle.closure();
    let names: Vec<&str> = members(&forward)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["desk", "clerk", "z", "shared", "a"]);
    let backward = closure(&Backwards(bundle.files()), "bundle.yaml", &BTreeMap::new());
    assert_eq!(forward, backward);
    let lock = forward.lock.unwrap();
    let sorted: Vec<&str> = lock.members().keys().map(String::as_str).collect();
    assert_eq!(sorted, ["a", "clerk", "desk", "shared", "z"]);
}

#[test]
fn every_change_of_a_member_changes_the_lock_and_nothing_else_does() {
    let version = |bundle: &Bundle| bundle.closure().lock.unwrap().version();
    let before = version(&desk());
    for (path, from, to) in [
        ("refunds/schemas/refund.json", "\"USD\"", "\"GBP\""),
        ("refunds/policies/limit.yaml", "value: 1000", "value: 1001"),
        ("refunds/clerk.yaml", "version: 1.0.0", "version: 1.0.1"),
        ("refunds/clerk.yaml", "Settle refunds.", "Settle refunds!"),
        ("desk.yaml", "as: refunds", "as: refund"),
        (
            "desk.yaml",
            "as: refunds",
            "as: refunds\n      result: full",
        ),
        (
            "desk.yaml",
            "as: refunds",
            "as: refunds\n      description: Pays.",
        ),
    ] {
        assert_ne!(version(&desk().edit(path, from, to)), before, "{to}");
    }
    for (path, from, to) in [
        ("bundle.yaml", "root: desk.yaml", "root: ./desk.yaml"),
        ("bundle.yaml", "version: 1.0.0", "version: 1.1.0"),
        (
            "desk.yaml",
            "ref: ./refunds/clerk.yaml",
            "ref: \"./refunds/../refunds//clerk.yaml\"",
        ),
        (
            "desk.yaml",
            "as: refunds",
            "as: refunds\n      result: summary",
        ),
    ] {
        assert_eq!(version(&desk().edit(path, from, to)), before, "{to}");
    }
    let unused = desk().file("unused.yaml", "kind: Nonsense");
    assert_eq!(version(&unused), before);
}

#[test]
fn pinned_versions_are_asked_for_once_and_then_locked() {
    let bundle = desk()
        .append("desk.yaml", "    - ref: mail.courier@=1.2.3\n")
        .append(
            "refunds/clerk.yaml",
            "  agents: [{ref: mail.courier@1.2.3, as: send}]\n",
        );
    let asked = bundle.closure();
    assert_eq!(asked.diagnostics, []);
    assert_eq!(asked.wanted, [pin("mail.courier@1.2.3")]);
    assert_eq!(asked.lock, None);
    let known = BTreeMap::from([(pin("mail.courier@1.2.3"), external(&[]))]);
    let closure = bundle.closure_with(&known);
    assert_eq!(closure.wanted, []);
    assert_eq!(
        members(&closure),
        [
            ("desk", "./desk.yaml"),
            ("clerk", "./refunds/clerk.yaml"),
            ("mail.courier", "mail.courier@1.2.3"),
        ]
    );
    expect![[r#"
        {
          "version": "sha256:0b870f7fc154a615dd69e108e25b90662abaecededab228c033d0c0bea6e4988",
          "root_child_name": "desk",
          "members": [
            {
              "child_name": "clerk",
              "origin": "vendored",
              "content_hash": "82b7bb0735fe894a0760249c2fca7fa2e659370b5c570cdb4f877c962a028055",
              "ref": "./refunds/clerk.yaml"
            },
            {
              "child_name": "desk",
              "origin": "vendored",
              "content_hash": "ba3113b1094ddc1970e5cc1c35e52b4b432b0cb90dcd8e7e1163d97afe49ffdd",
              "ref": "./desk.yaml"
            },
            {
              "child_name": "mail.courier",
              "origin": "external",
              "content_hash": "2dae946ece4887f35fb73062be6e8ba4eb9e61f4b3b358d5a42936277ef4a2bb",
              "ref": "mail.courier@1.2.3",
              "namespace": "mail",
              "name": "courier",
              "version": "1.2.3"
            }
          ]
        }
    "#]]
    .assert_eq(&closure.lock.unwrap().to_file());
    let Origin::Vendored(Some(root)) = &closure.members[0].origin else {
        panic!("no snapshot");
    };
    let courier = &root.tools[1];
    assert_eq!(courier.wire_name, "mail_courier");
    assert_eq!(courier.description, "Carry parcels.");
    let Backend::Agent(delegation) = &courier.backend else {
        panic!("{:?}", courier.backend);
    };
    assert_eq!(delegation.agent, "mail.courier");
    assert_eq!(delegation.version.as_deref(), Some("1.2.3"));
    assert_eq!(delegation.result, DelegationResult::Summary);
}

#[test]
fn late_bound_agents_are_no_members() {
    let bundle = desk().append("desk.yaml", "    - {ref: mail.courier, late_bound: true}\n");
    let closure = bundle.closure();
    assert_eq!(closure.diagnostics, []);
    assert_eq!(closure.members.len(), 2);
    let Origin::Vendored(Some(root)) = &closure.members[0].origin else {
        panic!("no snapshot");
    };
    assert_eq!(root.tools[1].contract, pin("mail.courier@default"));
    let Backend::Agent(delegation) = &root.tools[1].backend else {
        panic!("no agent");
    };
    assert_eq!(delegation.version, None);
    let off = desk().edit(
        "desk.yaml",
        "as: refunds",
        "as: refunds\n      late_bound: false",
    );
    assert_eq!(off.closure().lock, desk().closure().lock);
}

#[test]
fn one_file_under_two_parents_is_one_member() {
    let bundle = desk()
        .file(
            "a.yaml",
            agent("a", "  agents: [{ref: ./refunds/clerk.yaml}]\n"),
        )
        .append("desk.yaml", "    - ref: ./a.yaml\n");
    let closure = bundle.closure();
    assert_eq!(closure.diagnostics, []);
    assert_eq!(closure.members.len(), 3);
}

#[test]
fn what_is_refused() {
    let entry = |entry: &str| desk().append("desk.yaml", &format!("    - {entry}\n"));
    let file = |text: &str| entry("ref: ./x.yaml").file("x.yaml", text);
    let table: Vec<(&str, Bundle, &[&str])> = vec![
        ("itself", entry("{ref: ./desk.yaml, as: me}"), &["E0804"]),
        ("missing", entry("ref: ./missing.yaml"), &["E0302"]),
        ("a folder", entry("ref: ./refunds"), &["E0302"]),
        ("no path", entry("ref: ./"), &["E0803"]),
        ("absolute", entry("ref: /etc/agent.yaml"), &["E0803"]),
        ("a range", entry("ref: mail.courier@^1.2"), &["E0802"]),
        (
            "part of a version",
            entry("ref: mail.courier@1.2"),
            &["E0802"],
        ),
        ("no id", entry("ref: courier@1.2.3"), &["E0802"]),
        ("nothing", entry("as: x"), &["E0202"]),
        (
            "late with a version",
            entry("{ref: mail.courier@1.2.3, late_bound: true}"),
            &["E0802"],
        ),
        (
            "a late file",
            entry("{ref: ./x.yaml, late_bound: true}"),
            &["E0802"],
        ),
        (
            "late nobody",
            entry("{ref: courier, late_bound: true}"),
            &["E0802"],
        ),
        (
            "not a truth value",
            entry("{ref: mail.courier, late_bound: maybe}"),
            &["E0203"],
        ),
        (
            "a result",
            entry("{ref: mail.courier, late_bound: true, result: all}"),
            &["E0204"],
        ),
        (
            "a class",
            entry("{ref: mail.courier, late_bound: true, side_effect_class: read_only}"),
            &["E0206"],
        ),
        (
            "a version beside",
            entry("{ref: mail.courier, late_bound: true, version: 1.2.3}"),
            &["E0206"],
        ),
        (
            "a typo",
            entry("{ref: mail.courier, late_bound: true, polices: []}"),
            &["E0201"],
        ),
        (
            "a taken name",
            entry("{ref: mail.courier, late_bound: true, as: refunds}"),
            &["E0501"],
        ),
        (
            "a bad name",
            entry("{ref: mail.courier, late_bound: true, as: a b}"),
            &["E0205"],
        ),
        (
            "no object",
            entry("{ref: mail.courier, late_bound: true, input_schema: {inline: {type: string}}}"),
            &["E0402"],
        ),
        (
            "an unknown policy",
            entry("{ref: mail.courier, late_bound: true, policies: [pay.limit]}"),
            &["E0305"],
        ),
        (
            "a Tool",
            file(&sample().text("tools/refund.yaml").unwrap()),
            &["E0204"],
        ),
        (
            "a Bundle",
            file(&desk().text("bundle.yaml").unwrap()),
            &["E0810"],
        ),
        ("no YAML", file("a: [b"), &["E0103"]),
        ("an empty file", file(""), &["E0106"]),
        (
            "no list",
            desk().edit("desk.yaml", "  agents:\n    - ref", "  agents:\n      ref"),
            &["E0203"],
        ),
        (
            "the Bundle's root",
            desk().edit("bundle.yaml", "desk.yaml", "../desk.yaml"),
            &["E0803"],
        ),
        (
            "no root",
            desk().edit("bundle.yaml", "  root: desk.yaml", "  description: x"),
            &["E0202"],
        ),
        (
            "a root that is no Agent",
            desk().edit("bundle.yaml", "desk.yaml", "refunds/tools/refund.yaml"),
            &["E0204"],
        ),
        (
            "a Bundle that is none",
            desk().edit("bundle.yaml", "kind: Bundle", "kind: Agent"),
            &["E0204"],
        ),
        (
            "members by hand",
            desk().append("bundle.yaml", "  agents: [./a.yaml]\n"),
            &["E0206"],
        ),
        (
            "a typo in the Bundle",
            desk().append("bundle.yaml", "  rot: x\n"),
            &["E0201"],
        ),
        (
            "no version",
            desk().edit("bundle.yaml", "  version: 1.0.0\n", ""),
            &["E0202"],
        ),
        ("no Bundle", desk().without("bundle.yaml"), &["E0101"]),
        (
            "a boundary",
            desk().edit(
                "bundle.yaml",
                "spec:",
                "  governance: {authority_boundaries: [pay.big]}\nspec:",
            ),
            &["E0206"],
        ),
        (
            "a mistake in a member",
            desk().edit(
                "refunds/tools/refund.yaml",
                "ref: schemas/refund",
                "ref: schemas/refunds",
            ),
            &["E0302"],
        ),
        (
            "a member that leaves its folder",
            desk().edit(
                "refunds/tools/refund.yaml",
                "ref: schemas/refund",
                "ref: ../refund",
            ),
            &["E0301"],
        ),
        (
            "one version twice",
            entry("ref: shop.clerk@1.0.0"),
            &["E0809", "E0808"],
        ),
        (
            "two versions of one agent",
            entry("ref: m.c@1.0.0").append("refunds/clerk.yaml", "  agents: [{ref: m.c@2.0.0}]\n"),
            &["E0805"],
        ),
    ];
    for (name, bundle, codes) in table {
        let mut found = bundle.closure_codes();
        found.sort();
        let mut codes: Vec<&str> = codes.to_vec();
        codes.sort_unstable();
        assert_eq!(found, codes, "{name}");
    }
}

#[test]
fn independent_mistakes_come_in_one_run_under_paths_from_the_bundle() {
    let bundle = desk()
        .edit(
            "refunds/tools/refund.yaml",
            "non_idempotent_write",
            "harmless",
        )
        .edit("desk.yaml", "  purpose: Help customers.\n", "")
        .append("desk.yaml", "    - ref: ./missing.yaml\n")
        .append("bundle.yaml", "  rot: x\n");
    let found = bundle.closure().diagnostics;
    let found: Vec<String> = found
        .iter()
        .map(|it| format!("{} {}", it.code, it.file))
        .collect();
    assert_eq!(
        found,
        [
            "E0201 bundle.yaml",
            "E0202 desk.yaml",
            "E0302 desk.yaml",
            "E0204 refunds/tools/refund.yaml",
        ]
    );
}

#[test]
fn members_of_one_folder_share_it_and_what_is_wrong_is_said_once() {
    let second = desk().text("refunds/clerk.yaml").unwrap();
    let second = second.replace("name: clerk", "name: cashier");
    let bundle = desk()
        .file("refunds/cashier.yaml", second)
        .append("desk.yaml", "    - ref: ./refunds/cashier.yaml\n");
    assert_eq!(bundle.closure_codes(), Vec::<String>::new());
    let spoiled = bundle.edit(
        "refunds/tools/refund.yaml",
        "non_idempotent_write",
        "harmless",
    );
    assert_eq!(spoiled.closure_codes(), ["E0204"]);
}

#[test]
fn secrets_of_published_members_count_too() {
    let bundle = desk().append(
        "desk.yaml",
        "    - ref: mail.courier@1.2.3\nsecrets: {api: {fromEnv: KEY}}\n",
    );
    let check = |variable: &str| {
        let known = BTreeMap::from([(pin("mail.courier@1.2.3"), external(&[("api", variable)]))]);
        let found = bundle.closure_with(&known).diagnostics;
        found.into_iter().map(|it| it.message).collect::<Vec<_>>()
    };
    assert_eq!(check("KEY"), Vec::<String>::new());
    assert_eq!(
        check("OTHER"),
        ["secret \"api\": member \"desk\" uses KEY, member \"mail.courier\" uses OTHER"]
    );
}

#[test]
fn files_that_refuse_to_be_read_are_no_members() {
    /// As a disk whose links lead out.
    struct Linked(MemoryFiles);
    impl Files for Linked {
        fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileError> {
            if path == "refunds/clerk.yaml" {
                return Err(FileError("the symbolic link leads out".to_owned()));
            }
            self.0.read(path)
        }
        fn list(&self, dir: &str) -> Result<Vec<String>, FileError> {
            self.0.list(dir)
        }
    }
    let found = closure(&Linked(desk().files()), "bundle.yaml", &BTreeMap::new());
    let codes: Vec<&str> = found
        .diagnostics
        .iter()
        .map(|it| it.code.as_str())
        .collect();
    assert_eq!(codes, ["E0803"]);
    assert_eq!((found.members.len(), found.lock), (1, None));
}

#[test]
fn the_members_of_a_bundle_are_not_published_alone() {
    let files = desk().files();
    let compiled = compile(&files, "desk.yaml");
    let codes: Vec<&str> = compiled
        .diagnostics
        .iter()
        .map(|it| it.code.as_str())
        .collect();
    assert_eq!(codes, ["E0801"]);
    assert_eq!(compiled.snapshot, None);
    let nobody = sample().append("agent.yaml", "  agents: []\n");
    assert_eq!(nobody.codes(), Vec::<String>::new());
}
