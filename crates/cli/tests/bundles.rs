//! Bundles as they are typed: real commands on a copy of the example, what they print, what they
//! write and how they exit.

mod shared;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use expect_test::{Expect, expect};

use shared::{ordain, runtime};

/// A folder with a copy of `examples/support-desk`, in which commands run.
struct Desk {
    dir: tempfile::TempDir,
    /// Where the runtime is; by default nowhere, so that nothing can ask one unnoticed.
    address: String,
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/support-desk");

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        copy(Path::new(EXAMPLE), &dir.path().join("desk"));
        let address = "127.0.0.1:1".to_owned();
        Self { dir, address }
    }

    fn output(&self, line: &str) -> Output {
        ordain(line, self.dir.path(), &self.address)
            .env("DESK_KEY", "set")
            .env_remove("CLERK_KEY")
            .output()
            .unwrap()
    }

    /// Stdout, then what is on stderr, then how it ended.
    fn shown(&self, line: &str) -> String {
        let output = self.output(line);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        format!(
            "{}{}exit {}\n",
            text(&output.stdout),
            text(&output.stderr),
            output.status.code().unwrap()
        )
    }

    #[track_caller]
    fn run(&self, line: &str, expected: &Expect) {
        expected.assert_eq(&self.shown(line));
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.dir.path().join("desk").join(file)).unwrap()
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.dir.path().join("desk").join(file), text).unwrap();
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{text}");
        self.write(file, &text.replace(from, to));
    }

    fn append(&self, file: &str, more: &str) {
        self.write(file, &(self.read(file) + more));
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path().join("desk")).unwrap();
        let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

#[test]
fn the_committed_lock_of_the_example_is_current() {
    let desk = Desk::new();
    desk.run(
        "bundles validate desk/bundle.yaml --require-lock --deny-warnings",
        &expect![[r#"
            valid: support/support-desk sha256:d2c274f3985ed34888e77006ed36fd22a46bcc2cb4d5bfea300c54902c17534b
            members: 2 (root: desk)
            exit 0
        "#]],
    );
}

#[test]
fn lock_then_validate() {
    let desk = Desk::new();
    let committed = desk.read("bundle.lock.json");
    fs::remove_file(desk.dir.path().join("desk/bundle.lock.json")).unwrap();
    let before = desk.files();
    desk.run("bundles validate desk/bundle.yaml", &expect![[r#"
        valid: support/support-desk sha256:d2c274f3985ed34888e77006ed36fd22a46bcc2cb4d5bfea300c54902c17534b
        members: 2 (root: desk)
        exit 0
    "#]]);
    desk.run(
        "bundles validate desk/bundle.yaml --require-lock",
        &expect![[r#"
            Error: no committed lock; run ordain bundles lock
            exit 3
        "#]],
    );
    assert_eq!(desk.files(), before, "validate writes nothing");
    desk.run("bundles lock desk", &expect![[r#"
        locked: support/support-desk sha256:d2c274f3985ed34888e77006ed36fd22a46bcc2cb4d5bfea300c54902c17534b
        members: 2 (root: desk)
        exit 0
    "#]]);
    assert_eq!(desk.read("bundle.lock.json"), committed);
    desk.run("bundles validate desk --require-lock", &expect![[r#"
        valid: support/support-desk sha256:d2c274f3985ed34888e77006ed36fd22a46bcc2cb4d5bfea300c54902c17534b
        members: 2 (root: desk)
        exit 0
    "#]]);
    let after: Vec<String> = desk
        .files()
        .into_iter()
        .filter(|it| !before.contains(it))
        .collect();
    assert_eq!(after, ["bundle.lock.json"], "nothing else is left");
}

#[cfg(unix)]
#[test]
fn the_lock_is_for_everybody_to_read_and_stays_as_it_is_when_nothing_changed() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let desk = Desk::new();
    let path = desk.dir.path().join("desk/bundle.lock.json");
    let inode = || fs::metadata(&path).unwrap().ino();
    let before = inode();
    assert!(desk.output("bundles lock desk").status.success());
    assert_eq!(inode(), before);
    desk.edit("desk.yaml", "Help customers", "Assist customers");
    assert!(desk.output("bundles lock desk").status.success());
    assert_ne!(inode(), before, "it is replaced as a whole");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o400, 0o400);
    assert_eq!(mode & 0o133, 0, "{mode:o}");
}

#[cfg(unix)]
#[test]
fn hints_use_the_name_that_the_program_was_called_by() {
    let desk = Desk::new();
    let link = desk.dir.path().join("phrony");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ordain"), &link).unwrap();
    fs::remove_file(desk.dir.path().join("desk/bundle.lock.json")).unwrap();
    let said = |line: &str| {
        let mut command = Command::new(&link);
        let command = command.args(line.split_whitespace());
        let output = command.current_dir(desk.dir.path()).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(
        said("bundles validate desk --require-lock"),
        "Error: no committed lock; run phrony bundles lock\n"
    );
    assert_eq!(
        said("agents validate desk/bundle.yaml"),
        "Error: bundle manifest: use phrony bundles validate instead\n"
    );
}

#[test]
fn drift_is_said_with_what_changed() {
    let desk = Desk::new();
    desk.edit(
        "refunds/refund-clerk.yaml",
        "max_tool_calls: 5",
        "max_tool_calls: 6",
    );
    desk.run(
        "bundles validate desk",
        &expect![[r#"
            Error: bundle.lock.json drift
              the content of refund-clerk has changed (content_hash c20684465f14, and was b6806a7769ad)
            hint: run ordain bundles lock
            exit 3
        "#]],
    );
    let name = "apiVersion: phrony.com/v1";
    desk.edit("bundle.lock.json", "refund-clerk", "refund-clerc");
    desk.run("bundles validate desk", &expect![[r#"
        Error: bundle.lock.json: its version is sha256:d2c274f3985ed34888e77006ed36fd22a46bcc2cb4d5bfea300c54902c17534b, but what it holds has sha256:add49ec7da1d5dbc006cca75aece3098c75a596e896d4c4951613429a61a96e6; it was edited by hand
        hint: run ordain bundles lock
        exit 3
    "#]]);
    desk.write("bundle.lock.json", name);
    desk.run(
        "bundles validate desk",
        &expect![[r#"
        Error: bundle.lock.json: it is not JSON: expected a JSON value at byte 0
        hint: run ordain bundles lock
        exit 3
    "#]],
    );
    assert!(desk.output("bundles lock desk").status.success());
    assert!(
        desk.output("bundles validate desk --require-lock")
            .status
            .success()
    );
}

#[test]
fn one_secret_from_two_variables_leaves_the_lock_as_it_was() {
    let desk = Desk::new();
    let before = desk.read("bundle.lock.json");
    desk.append("desk.yaml", "\nsecrets: {api: {fromEnv: DESK_KEY}}\n");
    desk.append(
        "refunds/refund-clerk.yaml",
        "\nsecrets: {api: {fromEnv: CLERK_KEY}}\n",
    );
    desk.run("bundles lock desk", &expect![[r#"
        error[E0806]: secret "api": member "desk" uses DESK_KEY, member "refund-clerk" uses CLERK_KEY
          --> refunds/refund-clerk.yaml:33:26
           |
        33 | secrets: {api: {fromEnv: CLERK_KEY}}
           |                          ^^^^^^^^^ secrets.api.fromEnv
           |
           = help: read it from one variable, or give the two secrets different names

        Error: invalid bundle (1 error)
        exit 3
    "#]]);
    assert_eq!(desk.read("bundle.lock.json"), before);
}

#[test]
fn unset_secrets_of_members_are_warned_of() {
    let desk = Desk::new();
    desk.append("desk.yaml", "\nsecrets: {api: {fromEnv: DESK_KEY}}\n");
    desk.append(
        "refunds/refund-clerk.yaml",
        "\nsecrets: {bank: {fromEnv: CLERK_KEY}}\n",
    );
    assert!(desk.output("bundles lock desk").status.success());
    desk.run("bundles validate desk", &expect![[r#"
        valid: support/support-desk sha256:08f6fd9f9080b3142529672075111bc5bd6374144a14e94f51f74580ef1bf706
        members: 2 (root: desk)
        warning: refund-clerk (./refunds/refund-clerk.yaml): secret "bank": CLERK_KEY is not set in the local environment
        exit 0
    "#]]);
}

#[test]
fn mistakes_are_shown_where_they_are_and_need_no_runtime() {
    let desk = Desk::new();
    desk.edit(
        "refunds/tools/issue-refund.yaml",
        "non_idempotent_write",
        "harmless",
    );
    desk.append("desk.yaml", "  agents_: []\n");
    desk.edit(
        "desk.yaml",
        "    - ref: ./refunds",
        "    - ref: mail.courier@1.2.3\n    - ref: ./refunds",
    );
    desk.run(
        "bundles lock desk",
        &expect![[r#"
        error[E0201]: unknown field `agents_` in an Agent's spec
          --> desk.yaml:34:3
           |
        34 |   agents_: []
           |   ^^^^^^^ spec.agents_
           |
           = help: did you mean `agents`?

        error[E0204]: unknown value `harmless`
          --> refunds/tools/issue-refund.yaml:11:22
           |
        11 |   side_effect_class: harmless
           |                      ^^^^^^^^ spec.side_effect_class
           |
           = help: one of read_only, idempotent_write, non_idempotent_write, irreversible_action

        Error: invalid bundle (2 errors)
        exit 3
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out() {
    let desk = Desk::new();
    let clerk = desk.dir.path().join("desk/refunds/refund-clerk.yaml");
    fs::rename(&clerk, desk.dir.path().join("clerk.yaml")).unwrap();
    std::os::unix::fs::symlink("../../clerk.yaml", &clerk).unwrap();
    desk.run("bundles validate desk", &expect![[r#"
        error[E0803]: `./refunds/refund-clerk.yaml` cannot be read: the symbolic link refunds/refund-clerk.yaml leads out of the bundle
          --> desk.yaml:23:12
           |
        23 |     - ref: ./refunds/refund-clerk.yaml
           |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^ spec.agents[0].ref
           |
           = help: name a file in the Bundle's folder or below it

        Error: invalid bundle (1 error)
        exit 3
    "#]]);
}

#[test]
fn each_kind_goes_to_its_own_commands() {
    let desk = Desk::new();
    for line in [
        "agents validate desk/bundle.yaml",
        "agents publish desk/bundle.yaml",
    ] {
        desk.run(
            line,
            &expect![[r#"
            Error: bundle manifest: use ordain bundles validate instead
            exit 2
        "#]],
        );
    }
    desk.run(
        "bundles validate desk/desk.yaml",
        &expect![[r#"
        error[E0204]: expected a document of kind Bundle, found `Agent`
         --> desk.yaml:2:7
          |
        2 | kind: Agent
          |       ^^^^^ kind
          |
          = help: name a Bundle, whose `spec.root` names this file

        Error: invalid bundle (1 error)
        exit 3
    "#]],
    );
    desk.run("agents validate desk/desk.yaml", &expect![[r#"
        error[E0801]: an Agent that hands work to others is not published on its own
          --> desk.yaml:22:3
           |
        22 |   agents:
           |   ^^^^^^ spec.agents
           |
           = help: publish it in a Bundle: write a `kind: Bundle` document whose `spec.root` names this file

        Error: invalid manifest (1 error)
        exit 3
    "#]]);
    desk.run(
        "bundles validate desk/nothing.yaml",
        &expect![[r#"
        Error: read manifest
          desk/nothing.yaml: No such file or directory (os error 2)
        exit 5
    "#]],
    );
    desk.run(
        "agents validate desk/refunds/refund-clerk.yaml",
        &expect![[r#"
        valid: support/refund-clerk 1.0.0
        exit 0
    "#]],
    );
}

#[test]
fn as_data() {
    let desk = Desk::new();
    desk.run(
        "bundles lock desk -o json",
        &expect![[r#"
            {
              "bundle": "support.support-desk@1.0.0",
              "changed": false,
              "file": "desk/bundle.lock.json",
              "lock_hash": "sha256:d2c274f3985ed34888e77006ed36fd22a46bcc2cb4d5bfea300c54902c17534b",
              "members": [
                {
                  "child_name": "desk",
                  "content_hash": "8058cd3448310d4ee554ff6ff89f242dd854b39dceaf4744d28b1198d753d125",
                  "origin": "vendored",
                  "ref": "./desk.yaml"
                },
                {
                  "child_name": "refund-clerk",
                  "content_hash": "b6806a7769adc780c257843858440c39519a54762fe3df9d66d36dce2e4594f6",
                  "origin": "vendored",
                  "ref": "./refunds/refund-clerk.yaml"
                }
              ],
              "root": "desk"
            }
            exit 0
        "#]],
    );
    desk.edit("desk.yaml", "Help customers", "Assist customers");
    desk.append("desk.yaml", "\nsecrets: {api: {fromEnv: CLERK_KEY}}\n");
    desk.run(
        "bundles validate desk -o json",
        &expect![[r#"
            {
              "bundle": "support.support-desk@1.0.0",
              "errors": 0,
              "items": [],
              "lock": "drifted",
              "lock_hash": "sha256:ff3b0c5bc32fdda14efe258f035e9285563d2b208d2aaa5aecfc6ebad5a5894d",
              "lock_problems": [
                "the content of desk has changed (content_hash b7cbcf0c273f, and was 8058cd344831)"
              ],
              "members": [
                {
                  "child_name": "desk",
                  "content_hash": "b7cbcf0c273f5fa55b9b0bfa8228d9bfbb5ff7bcc38cebef947393727c138ef5",
                  "origin": "vendored",
                  "ref": "./desk.yaml"
                },
                {
                  "child_name": "refund-clerk",
                  "content_hash": "b6806a7769adc780c257843858440c39519a54762fe3df9d66d36dce2e4594f6",
                  "origin": "vendored",
                  "ref": "./refunds/refund-clerk.yaml"
                }
              ],
              "root": "desk",
              "unset_secrets": [
                {
                  "member": "desk",
                  "secret": "api",
                  "variable": "CLERK_KEY"
                }
              ],
              "valid": false,
              "warnings": 0
            }
            exit 3
        "#]],
    );
    desk.edit("desk.yaml", "  purpose:", "  purpos:");
    let shown = desk.shown("bundles validate desk -o json");
    assert!(shown.ends_with("exit 3\n"), "{shown}");
    assert!(shown.contains("\"lock_hash\": null"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pinned_versions_come_from_the_runtime() {
    let mut desk = Desk::new();
    let daemon = runtime(desk.dir.path()).await;
    desk.edit(
        "desk.yaml",
        "./refunds/refund-clerk.yaml",
        "support.refund-clerk@1.0.0",
    );
    desk.run(
        "bundles validate desk",
        &expect![[r#"
            Error: get agent version support.refund-clerk@1.0.0: tcp connect error: Connection refused (os error 111) (Unavailable)
            hint: nothing answers at 127.0.0.1:1; is `ordain serve` running?
            exit 11
        "#]],
    );
    desk.address = daemon.address().to_string();
    desk.run("bundles lock desk", &expect![[r#"
        Error: get agent version support.refund-clerk@1.0.0: agent version support/refund-clerk@1.0.0 not found (NotFound)
        exit 5
    "#]]);
    let published = desk.output("agents publish desk/refunds/refund-clerk.yaml");
    assert!(published.status.success(), "{published:?}");
    desk.run("bundles lock desk", &expect![[r#"
        locked: support/support-desk sha256:aaf0e5ad0c9f1e7c0baf138b6c851c28b310973ce4d7b78cdb7d696b9b0083a5
        members: 2 (root: desk)
        exit 0
    "#]]);
    expect![[r#"
        {
          "version": "sha256:aaf0e5ad0c9f1e7c0baf138b6c851c28b310973ce4d7b78cdb7d696b9b0083a5",
          "root_child_name": "desk",
          "members": [
            {
              "child_name": "desk",
              "origin": "vendored",
              "content_hash": "8058cd3448310d4ee554ff6ff89f242dd854b39dceaf4744d28b1198d753d125",
              "ref": "./desk.yaml"
            },
            {
              "child_name": "support.refund-clerk",
              "origin": "external",
              "content_hash": "b6806a7769adc780c257843858440c39519a54762fe3df9d66d36dce2e4594f6",
              "ref": "support.refund-clerk@1.0.0",
              "namespace": "support",
              "name": "refund-clerk",
              "version": "1.0.0"
            }
          ]
        }
    "#]]
    .assert_eq(&desk.read("bundle.lock.json"));
    assert!(
        desk.output("agents deprecate support/refund-clerk@1.0.0")
            .status
            .success()
    );
    desk.run("bundles validate desk --require-lock", &expect![[r#"
        valid: support/support-desk sha256:aaf0e5ad0c9f1e7c0baf138b6c851c28b310973ce4d7b78cdb7d696b9b0083a5
        members: 2 (root: desk)
        warning: support.refund-clerk@1.0.0 is deprecated: the runtime starts no run of it
        exit 0
    "#]]);
    daemon.stop().await;
}
