//! Bundles as they are typed: real commands on a copy of the example, what they print, what they
//! write and how they exit.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use daemon::{Config, Daemon};
use expect_test::{Expect, expect};

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
        Command::new(env!("CARGO_BIN_EXE_ordain"))
            .args(line.split_whitespace())
            .current_dir(self.dir.path())
            .env("PHRONY_RUNTIME_ADDR", &self.address)
            .env_remove("CLICOLOR_FORCE")
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
        &expect![],
    );
}

#[test]
fn lock_then_validate() {
    let desk = Desk::new();
    let committed = desk.read("bundle.lock.json");
    fs::remove_file(desk.dir.path().join("desk/bundle.lock.json")).unwrap();
    let before = desk.files();
    desk.run("bundles validate desk/bundle.yaml", &expect![]);
    desk.run(
        "bundles validate desk/bundle.yaml --require-lock",
        &expect![],
    );
    assert_eq!(desk.files(), before, "validate writes nothing");
    desk.run("bundles lock desk", &expect![]);
    assert_eq!(desk.read("bundle.lock.json"), committed);
    desk.run("bundles validate desk --require-lock", &expect![]);
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

#[test]
fn drift_is_said_with_what_changed() {
    let desk = Desk::new();
    desk.edit(
        "refunds/refund-clerk.yaml",
        "max_tool_calls: 5",
        "max_tool_calls: 6",
    );
    desk.run("bundles validate desk", &expect![]);
    let name = "apiVersion: phrony.com/v1";
    desk.edit("bundle.lock.json", "refund-clerk", "refund-clerc");
    desk.run("bundles validate desk", &expect![]);
    desk.write("bundle.lock.json", name);
    desk.run("bundles validate desk", &expect![]);
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
    desk.run("bundles lock desk", &expect![]);
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
    desk.run("bundles validate desk", &expect![]);
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
    desk.run("bundles lock desk", &expect![]);
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out() {
    let desk = Desk::new();
    let clerk = desk.dir.path().join("desk/refunds/refund-clerk.yaml");
    fs::rename(&clerk, desk.dir.path().join("clerk.yaml")).unwrap();
    std::os::unix::fs::symlink("../../clerk.yaml", &clerk).unwrap();
    desk.run("bundles validate desk", &expect![]);
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
    desk.run("bundles validate desk/desk.yaml", &expect![]);
    desk.run("agents validate desk/desk.yaml", &expect![]);
    desk.run("bundles validate desk/nothing.yaml", &expect![]);
    desk.run("agents validate desk/refunds/refund-clerk.yaml", &expect![]);
}

#[test]
fn as_data() {
    let desk = Desk::new();
    desk.run("bundles lock desk -o json", &expect![]);
    desk.edit("desk.yaml", "Help customers", "Assist customers");
    desk.append("desk.yaml", "\nsecrets: {api: {fromEnv: CLERK_KEY}}\n");
    desk.run("bundles validate desk -o json", &expect![]);
    desk.edit("desk.yaml", "  purpose:", "  purpos:");
    let shown = desk.shown("bundles validate desk -o json");
    assert!(shown.ends_with("exit 3\n"), "{shown}");
    assert!(shown.contains("\"lock_hash\": null"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pinned_versions_come_from_the_runtime() {
    let mut desk = Desk::new();
    let data = desk.dir.path().join("data").to_str().unwrap().to_owned();
    let get = |name: &str| match name {
        "ORDAIN_DATA_DIR" => Some(data.clone()),
        "RUNTIME_GRPC_ADDR" => Some("127.0.0.1:0".to_owned()),
        _ => None,
    };
    let daemon = Daemon::start(Config::from_env(&get).unwrap())
        .await
        .unwrap();
    desk.edit(
        "desk.yaml",
        "./refunds/refund-clerk.yaml",
        "support.refund-clerk@1.0.0",
    );
    desk.run(
        "bundles validate desk",
        &expect![[r#"
        Error: get agent version support.refund-clerk@1.0.0: tcp connect error (Unavailable)
        hint: nothing answers at 127.0.0.1:1; is `ordain serve` running?
        exit 11
    "#]],
    );
    desk.address = daemon.address().to_string();
    desk.run("bundles lock desk", &expect![]);
    let published = desk.output("agents publish desk/refunds/refund-clerk.yaml");
    assert!(published.status.success(), "{published:?}");
    desk.run("bundles lock desk", &expect![]);
    expect![].assert_eq(&desk.read("bundle.lock.json"));
    assert!(
        desk.output("agents deprecate support/refund-clerk@1.0.0")
            .status
            .success()
    );
    desk.run("bundles validate desk --require-lock", &expect![]);
    daemon.stop().await;
}
