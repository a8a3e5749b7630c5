//! The life of an agent as it is typed: real commands against a real runtime, what they print and how
//! they exit.

mod shared;

use std::path::Path;

use daemon::Daemon;
use expect_test::{Expect, expect};

use shared::{ordain, runtime};

/// A runtime, and a folder with an agent.
struct Desk {
    daemon: Daemon,
    dir: tempfile::TempDir,
}

impl Desk {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let daemon = runtime(dir.path()).await;
        let desk = Self { daemon, dir };
        desk.quietly("init my-agent");
        desk
    }

    fn command(&self, line: &str) -> std::process::Output {
        ordain(line, self.dir.path(), &self.daemon.address().to_string())
            .output()
            .unwrap()
    }

    /// Stdout, then what is on stderr, then how it ended.
    fn run(&self, line: &str, expected: &Expect) {
        let output = self.command(line);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let shown = format!(
            "{}{}exit {}\n",
            text(&output.stdout),
            text(&output.stderr),
            output.status.code().unwrap()
        );
        expected.assert_eq(&masked(&shown));
    }

    fn quietly(&self, line: &str) {
        let output = self.command(line);
        assert!(output.status.success(), "{line}: {output:?}");
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.dir.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(&path, text.replace(from, to)).unwrap();
    }
}

/// Without what differs from run to run, and without the padding that depends on it.
fn masked(text: &str) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        let words: Vec<String> = line.split(' ').map(mask).collect();
        lines.push_str(words.join(" ").trim_end());
        lines.push('\n');
    }
    lines
}

fn mask(word: &str) -> String {
    let bare = word.trim_end_matches(')');
    let close = word.strip_prefix(bare).unwrap_or_default();
    let is_hex = |it: char| it.is_ascii_hexdigit();
    let bare = if bare.len() == 36 && bare.chars().all(|it| is_hex(it) || it == '-') {
        "<id>"
    } else if bare.len() == 64 && bare.chars().all(is_hex) {
        "<hash>"
    } else if bare.starts_with("20") && bare.contains('T') && bare.ends_with('Z') {
        "<time>"
    } else {
        bare
    };
    format!("{bare}{close}")
}

const AGENT: &str = "my-agent/agent.yaml";

#[tokio::test(flavor = "multi_thread")]
async fn from_the_first_version_to_the_archive() {
    let desk = Desk::new().await;
    desk.quietly("agents publish my-agent");
    desk.edit(AGENT, "version: 0.1.0", "version: 0.2.0");
    desk.quietly("agents publish my-agent");
    desk.quietly("agents deploy default/my-agent@0.1.0");
    desk.run(
        "rollback default/my-agent",
        &expect![[r#"
            Error: rollback: agent default.my-agent has no previous deployment to roll back to (FailedPrecondition)
            exit 6
        "#]],
    );
    desk.quietly("agents deploy default/my-agent@0.2.0");
    desk.run(
        "rollback default/my-agent",
        &expect![[r#"
            rolled back default/my-agent to 0.1.0 (was: 0.2.0)
            exit 0
        "#]],
    );
    desk.run(
        "rollback default.my-agent --to 0.2.0 -o json",
        &expect![[r#"
            {
              "name": "my-agent",
              "namespace": "default",
              "previous_version": "0.1.0",
              "version": "0.2.0"
            }
            exit 0
        "#]],
    );
    desk.run(
        "rollback default/my-agent@0.1.0",
        &expect![[r#"
            Error: agent reference must not include @version here, got "default/my-agent@0.1.0"
            hint: name the version with --to
            exit 2
        "#]],
    );
    let output = desk.command("agents history default/my-agent");
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |line: &str| -> String {
        let cells: Vec<_> = line.split_whitespace().map(mask).collect();
        cells.join(" ")
    };
    let rows: Vec<_> = text.lines().map(row).collect();
    assert_eq!(
        rows,
        [
            "VERSION ACTION ACTOR CREATED_AT",
            "0.2.0 rollback ana <time>",
            "0.1.0 rollback ana <time>",
            "0.2.0 deploy ana <time>",
            "0.1.0 deploy ana <time>",
        ]
    );
    out_of_use(&desk);
}

fn out_of_use(desk: &Desk) {
    desk.run(
        "agents deprecate default/my-agent@0.1.0",
        &expect![[r#"
            deprecated default/my-agent@0.1.0 (id: <id>)
            exit 0
        "#]],
    );
    desk.run(
        "agents deprecate default/my-agent@0.1.0",
        &expect![[r#"
            Error: deprecate agent version: version 0.1.0 is already deprecated (NotFound)
            exit 5
        "#]],
    );
    desk.run(
        "agents retire default/my-agent@0.1.0",
        &expect![[r#"
            retired default/my-agent@0.1.0 (id: <id>)
            exit 0
        "#]],
    );
    desk.run(
        "agents inspect default.my-agent@0.1.0",
        &expect![[r#"
            agent:        default/my-agent@0.1.0
            content_hash: <hash>
            published_at: <time>
            deprecated_at: <time>
            retired_at: <time>
            exit 0
        "#]],
    );
    desk.run(
        "agents deploy default/my-agent@0.1.0",
        &expect![[r#"
            Error: deploy: version 0.1.0 is retired and cannot be deployed (FailedPrecondition)
            exit 6
        "#]],
    );
    desk.run(
        "agents archive default/my-agent@0.1.0",
        &expect![[r#"
            Error: agent reference must not include @version here, got "default/my-agent@0.1.0"
            hint: `ordain agents retire AGENT@VERSION` takes one version out of use
            exit 2
        "#]],
    );
    desk.run(
        "agents archive default.my-agent",
        &expect![[r#"
            archived agent default.my-agent (all versions deprecated)
            exit 0
        "#]],
    );
    desk.run(
        "agents archive default/my-agent",
        &expect![[r#"
            Error: archive agent: agent default.my-agent is already archived (FailedPrecondition)
            exit 6
        "#]],
    );
    desk.run(
        "agents publish my-agent",
        &expect![[r#"
            Error: publish: agent default.my-agent is archived and cannot accept new versions (FailedPrecondition)
            exit 6
        "#]],
    );
    desk.run(
        "agents history default/none",
        &expect![[r#"
            Error: list deployments: agent default/none not found (NotFound)
            exit 5
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_publishing_would_change() {
    let desk = Desk::new().await;
    desk.quietly("agents publish my-agent");
    let diff = "agents diff my-agent/agent.yaml default/my-agent@0.1.0";
    let exit_code = format!("{diff} --exit-code");
    let same = expect![[r#"
        No differences. local manifest matches default/my-agent@0.1.0
        exit 0
    "#]];
    desk.run(&exit_code, &same);

    // A policy is no part of the manifest, and no less of a difference.
    let policy = Path::new("my-agent/policies/ask-before-sending.yaml");
    desk.edit(policy.to_str().unwrap(), "reason: ", "reason: still ");
    let changed = expect![[r#"
        --- default/my-agent@0.1.0 (published)
        +++ my-agent/agent.yaml (local)
        @@ -37,7 +37,7 @@
                  },
                  "description": "Whatever leaves the house is seen by a person first.",
                  "name": "default.ask-before-sending",
        -         "reason": "The message goes to somebody outside."
        +         "reason": "still The message goes to somebody outside."
                }
              ],
              "purpose": "Say here what the agent is for, in a sentence.",

        Summary: 1 addition, 1 deletion
        note: parts that a manifest does not show, such as where a policy is attached, may differ too
        exit 1
    "#]];
    desk.run(&exit_code, &changed);

    // Nor does a new version hide it.
    desk.edit(AGENT, "version: 0.1.0", "version: 0.2.0");
    desk.run(
        diff,
        &expect![[r#"
            --- default/my-agent@0.1.0 (published)
            +++ my-agent/agent.yaml (local)
            @@ -7,7 +7,7 @@
                  },
                  "name": "my-agent",
                  "namespace": "default",
            -     "version": "0.1.0"
            +     "version": "0.2.0"
                },
                "output": {
                  "format": "text"
            @@ -37,7 +37,7 @@
                      },
                      "description": "Whatever leaves the house is seen by a person first.",
                      "name": "default.ask-before-sending",
            -         "reason": "The message goes to somebody outside."
            +         "reason": "still The message goes to somebody outside."
                    }
                  ],
                  "purpose": "Say here what the agent is for, in a sentence.",

            Summary: 2 additions, 2 deletions
            note: parts that a manifest does not show, such as where a policy is attached, may differ too
            exit 0
        "#]],
    );
    desk.edit(policy.to_str().unwrap(), "reason: still ", "reason: ");
    desk.run(
        diff,
        &expect![[r#"
        --- default/my-agent@0.1.0 (published)
        +++ my-agent/agent.yaml (local)
        @@ -7,7 +7,7 @@
              },
              "name": "my-agent",
              "namespace": "default",
        -     "version": "0.1.0"
        +     "version": "0.2.0"
            },
            "output": {
              "format": "text"

        Summary: 1 addition, 1 deletion
        exit 0
    "#]],
    );
    desk.edit(AGENT, "name: scripted", "name: other");
    desk.run(
        diff,
        &expect![[r#"
            --- default/my-agent@0.1.0 (published)
            +++ my-agent/agent.yaml (local)
            @@ -7,7 +7,7 @@
                  },
                  "name": "my-agent",
                  "namespace": "default",
            -     "version": "0.1.0"
            +     "version": "0.2.0"
                },
                "output": {
                  "format": "text"
            @@ -21,7 +21,7 @@
                    "max_tool_calls": 10
                  },
                  "model": {
            -       "name": "scripted",
            +       "name": "other",
                    "provider": "stub"
                  },
                  "policies": [

            Summary: 2 additions, 2 deletions
            note: parts that a manifest does not show, such as where a policy is attached, may differ too
            exit 0
        "#]],
    );
    assert_eq!(desk.command(&exit_code).status.code(), Some(1));
    desk.run(
        "agents diff my-agent default/my-agent@9.9.9",
        &expect![[r#"
            Error: get agent version: agent version default/my-agent@9.9.9 not found (NotFound)
            exit 5
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_published_once() {
    let desk = Desk::new().await;
    desk.quietly("agents publish my-agent");
    let again = "agents publish my-agent";
    desk.run(again, &expect![[r#"
        Error: publish: this version is already published, with identical content (4529b01324a31dd08824b06e3a4b62af4077e8f73a34e3ded559077b30b53c0a) (AlreadyExists)
        exit 6
    "#]]);
    desk.edit(AGENT, "max_tool_calls: 10", "max_tool_calls: 11");
    let policy = Path::new("my-agent/policies/ask-before-sending.yaml");
    desk.edit(policy.to_str().unwrap(), "reason: ", "reason: still ");
    desk.run(again, &expect![[r#"
        Error: publish: this version is already published with other content: 4529b01324a31dd08824b06e3a4b62af4077e8f73a34e3ded559077b30b53c0a, not 8201bb315b0db9b96e4d4a577f27cc089818a7c7d015db7bf1a19bc532a45e70; what differs: /limits/max_tool_calls, /policies/0/decision/reason (AlreadyExists)
        exit 6
    "#]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overlay_narrows_or_is_refused() {
    let desk = Desk::new().await;
    desk.quietly("agents publish my-agent");
    let overlay = |text: &str| std::fs::write(desk.dir.path().join("o.yaml"), text).unwrap();
    let deploy = "agents deploy default/my-agent@0.1.0 --overlay o.yaml";
    overlay("tools: {nonsense: {}}\npolicies: [a.b]\n");
    desk.run(
        deploy,
        &expect![[r#"
            Error: deploy: invalid overlay (2 errors):
            E0512 o.yaml:1:9: the published version has no tool `nonsense`
            E0305 o.yaml:2:12: there is no Policy `a.b`, neither in policies/ nor in the catalog (InvalidArgument)
            exit 3
        "#]],
    );
    overlay("tools: {}\n");
    desk.run(
        deploy,
        &expect![[r#"
        Error: deploy: invalid overlay (1 error):
        E0512 o.yaml:1:1: the overlay changes nothing (InvalidArgument)
        exit 3
    "#]],
    );
    overlay(
        "tools: {send_message: {input_schema: {inline: {properties: {text: {minLength: 0}}}}}}\n",
    );
    desk.run(deploy, &expect![[r#"
        Error: deploy: invalid overlay (1 error):
        E0504 o.yaml:1:79: `send_message` would take arguments that `default.my-agent@0.1.0` refuses: {"text":"","to":"a"} (InvalidArgument)
        exit 3
    "#]]);
    desk.run("agents active default/my-agent", &expect![[r#"
        Error: get active version: agent default/my-agent has no active deployment (FailedPrecondition)
        exit 6
    "#]]);
    let lost = "agents deploy default/my-agent@0.1.0 --overlay lost.yaml";
    desk.run(
        lost,
        &expect![[r#"
        Error: read overlay
          lost.yaml: No such file or directory (os error 2)
        exit 5
    "#]],
    );
    let unknown = "agents deploy default/my-agent@9.0.0 --overlay o.yaml";
    desk.run(
        unknown,
        &expect![[r#"
        Error: deploy: agent version default/my-agent@9.0.0 not found (NotFound)
        exit 5
    "#]],
    );
    overlay(
        "tools: {send_message: {input_schema: {inline: {properties: {text: {maxLength: 20}}}}}}\n",
    );
    desk.run(
        deploy,
        &expect![[r#"
        deployed default/my-agent@0.1.0 with overlay 79b73a15e6d3 at <time>
        exit 0
    "#]],
    );
    desk.run(
        "agents active default/my-agent",
        &expect![[r#"
        default/my-agent@0.1.0 deployed <time> by ana
        exit 0
    "#]],
    );
}
