//! The catalog as it is typed: tools and policies published by themselves, and an agent that has
//! neither in its folder.

mod shared;

use std::process::Output;

use daemon::Daemon;
use expect_test::{Expect, expect};

use shared::{ordain, runtime};

/// A runtime, and a folder with an agent.
struct Desk {
    daemon: Option<Daemon>,
    address: String,
    dir: tempfile::TempDir,
}

const TOOL: &str = "my-agent/tools/send-message.yaml";
const POLICY: &str = "my-agent/policies/ask-before-sending.yaml";

impl Desk {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let daemon = runtime(dir.path()).await;
        let desk = Self {
            address: daemon.address().to_string(),
            daemon: Some(daemon),
            dir,
        };
        desk.quietly("init my-agent");
        desk
    }

    fn command(&self, line: &str) -> Output {
        ordain(line, self.dir.path(), &self.address)
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
        expected.assert_eq(&masked(&shown).replace(&self.address, "<address>"));
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

    fn remove(&self, file: &str) {
        std::fs::remove_file(self.dir.path().join(file)).unwrap();
    }
}

/// Without what differs from run to run, and without the padding that depends on it.
fn masked(text: &str) -> String {
    let is_hex = |it: char| it.is_ascii_hexdigit();
    let mask = |word: &str| {
        let (open, inner) = word.split_at(word.len() - word.trim_start_matches(['(', '"']).len());
        let bare = inner.trim_end_matches([')', ',', ';', '"']);
        let close = &inner[bare.len()..];
        let bare = if bare.len() == 36 && bare.chars().all(|it| is_hex(it) || it == '-') {
            "<id>"
        } else if bare.len() == 64 && bare.chars().all(is_hex) {
            "<hash>"
        } else if bare.starts_with("20") && bare.contains('T') && bare.ends_with('Z') {
            "<time>"
        } else {
            bare
        };
        format!("{open}{bare}{close}")
    };
    let line = |line: &str| {
        let words: Vec<String> = line.split(' ').map(mask).collect();
        words.join(" ").trim_end().to_owned() + "\n"
    };
    text.lines().map(line).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_from_its_file_to_its_deprecation() {
    let desk = Desk::new().await;
    desk.run(
        "tools ls",
        &expect![[r#"
        NAMESPACE  NAME  LATEST  VERSIONS  STATUS
        exit 0
    "#]],
    );
    desk.run(
        &format!("tools publish {TOOL} --dry-run"),
        &expect![[r#"
        default.send-message 0.1.0
        note: nothing was published
        exit 0
    "#]],
    );
    desk.run(
        &format!("tools publish {TOOL}"),
        &expect![[r#"
        default.send-message 0.1.0
        exit 0
    "#]],
    );
    desk.run(&format!("tools publish {TOOL}"), &expect![[r#"
        Error: publish tool: Tool default.send-message@0.1.0 is already in the catalog, with identical content (<hash>) (AlreadyExists)
        exit 6
    "#]]);
    desk.edit(TOOL, "Send a message to a person.", "Send a message.");
    desk.run(&format!("tools publish {TOOL}"), &expect![[r#"
        Error: publish tool: Tool default.send-message@0.1.0 is already in the catalog with other content: <hash>, not <hash>; what differs: /spec/description (AlreadyExists)
        exit 6
    "#]]);
    desk.edit(TOOL, "version: 0.1.0", "version: 0.2.0");
    desk.run(
        &format!("tools publish {TOOL} -o json"),
        &expect![[r#"
        {
          "digest": "<hash>",
          "dry_run": false,
          "kind": "Tool",
          "name": "send-message",
          "namespace": "default",
          "version": "0.2.0"
        }
        exit 0
    "#]],
    );
    desk.run(
        "tools ls -n default",
        &expect![[r#"
        NAMESPACE  NAME          LATEST  VERSIONS  STATUS
        default    send-message  0.2.0   2         published
        exit 0
    "#]],
    );
    desk.run(
        "tools ls -n other -o json",
        &expect![[r#"
        {
          "items": [],
          "next_page_token": ""
        }
        exit 0
    "#]],
    );
    desk.run("tools versions default/send-message", &expect![[r#"
        VERSION  DIGEST                                                            PUBLISHED_AT          PUBLISHED_BY  STATUS
        0.2.0    <hash>  <time>  ana           published
        0.1.0    <hash>  <time>  ana           published
        exit 0
    "#]]);
    desk.run(
        "tools inspect default.send-message@^0.1.0",
        &expect![[r#"
        tool:          default.send-message@0.1.0
        digest:        <hash>
        published_at:  <time>
        published_by:  ana

        apiVersion: phrony.com/v1
        kind: Tool
        metadata:
          name: send-message
          namespace: default
          version: "0.1.0"
        spec:
          description: "Send a message to a person."
          input_schema:
            inline:
              additionalProperties: false
              properties:
                text:
                  minLength: 1
                  type: string
                to:
                  description: "The address of the person."
                  minLength: 1
                  type: string
              required:
                - to
                - text
              type: object
          side_effect_class: irreversible_action
        exit 0
    "#]],
    );
    desk.run(
        "tools inspect default.send-message@=0.2.0 --json",
        &expect![[r#"
            {
              "deprecated_at": null,
              "deprecated_by": null,
              "digest": "<hash>",
              "document": {
                "apiVersion": "phrony.com/v1",
                "kind": "Tool",
                "metadata": {
                  "name": "send-message",
                  "namespace": "default",
                  "version": "0.2.0"
                },
                "spec": {
                  "description": "Send a message.",
                  "input_schema": {
                    "inline": {
                      "additionalProperties": false,
                      "properties": {
                        "text": {
                          "minLength": 1,
                          "type": "string"
                        },
                        "to": {
                          "description": "The address of the person.",
                          "minLength": 1,
                          "type": "string"
                        }
                      },
                      "required": [
                        "to",
                        "text"
                      ],
                      "type": "object"
                    }
                  },
                  "side_effect_class": "irreversible_action"
                }
              },
              "kind": "Tool",
              "name": "send-message",
              "namespace": "default",
              "published_at": "<time>",
              "published_by": "ana",
              "status": "published",
              "version": "0.2.0"
            }
            exit 0
        "#]],
    );
    desk.run(
        "tools deprecate default.send-message@v0.2.0",
        &expect![[r#"
            deprecated default.send-message@0.2.0
            exit 0
        "#]],
    );
    desk.run(
        "tools deprecate default/send-message@0.2.0",
        &expect![[r#"
        Error: deprecate tool: Tool default.send-message@0.2.0 is already deprecated (NotFound)
        exit 5
    "#]],
    );
    desk.run(
        "tools ls",
        &expect![[r#"
        NAMESPACE  NAME          LATEST  VERSIONS  STATUS
        default    send-message  0.1.0   2         published
        exit 0
    "#]],
    );
    desk.run(
        "tools versions default.send-message -o json",
        &expect![[r#"
            {
              "items": [
                {
                  "deprecated_at": "<time>",
                  "deprecated_by": "ana",
                  "digest": "<hash>",
                  "published_at": "<time>",
                  "published_by": "ana",
                  "status": "deprecated",
                  "version": "0.2.0"
                },
                {
                  "deprecated_at": null,
                  "deprecated_by": null,
                  "digest": "<hash>",
                  "published_at": "<time>",
                  "published_by": "ana",
                  "status": "published",
                  "version": "0.1.0"
                }
              ],
              "next_page_token": ""
            }
            exit 0
        "#]],
    );
    for (line, exit) in [
        ("tools inspect default.none", 5),
        ("tools inspect default.send-message@^9", 5),
        ("tools inspect default.send-message@latest", 1),
        ("tools versions default.none", 5),
        ("tools versions default.send-message@1", 2),
        ("tools deprecate default.send-message", 2),
        ("tools deprecate default.send-message@9.0.0", 5),
        ("tools inspect send-message", 2),
        ("tools publish missing.yaml", 5),
    ] {
        let output = desk.command(line);
        assert_eq!(output.status.code(), Some(exit), "{line}: {output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_tool_is_said_here() {
    let desk = Desk::new().await;
    desk.run(
        &format!("tools publish {POLICY}"),
        &expect![[r#"
        Error: ask-before-sending.yaml is a Policy, not a Tool
        hint: use `ordain policies publish`
        exit 3
    "#]],
    );
    desk.run(
        "policies publish my-agent/agent.yaml",
        &expect![[r#"
            error[E0313]: the catalog takes no `Agent`
             --> agent.yaml:3:7
              |
            3 | kind: Agent
              |       ^^^^^ kind
              |
              = help: publish an Agent with `agents publish`

            Error: invalid policy (1 error)
            exit 3
        "#]],
    );
    desk.edit(TOOL, "description:", "descriptoin:");
    desk.run(
        &format!("tools publish {TOOL}"),
        &expect![[r#"
        error[E0201]: unknown field `descriptoin` in a Tool's spec
          --> tools/send-message.yaml:10:3
           |
        10 |   descriptoin: Send a message to a person.
           |   ^^^^^^^^^^^ spec.descriptoin
           |
           = help: did you mean `description`?

        Error: invalid tool (1 error)
        exit 3
    "#]],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_takes_from_the_catalog_what_it_does_not_have() {
    let mut desk = Desk::new().await;
    desk.quietly("agents publish my-agent");
    desk.quietly(&format!("tools publish {TOOL}"));
    desk.run(
        &format!("policies publish {POLICY}"),
        &expect![[r#"
        default.ask-before-sending 0.1.0
        exit 0
    "#]],
    );
    desk.run(
        "policies ls",
        &expect![[r#"
        NAMESPACE  NAME                LATEST  VERSIONS  STATUS
        default    ask-before-sending  0.1.0   1         published
        exit 0
    "#]],
    );
    desk.remove(TOOL);
    desk.remove(POLICY);
    desk.run(
        "agents validate my-agent",
        &expect![[r#"
        valid: default/my-agent 0.1.0
        exit 0
    "#]],
    );
    // Wherever its tool comes from, it is the same agent.
    desk.run("agents publish my-agent", &expect![[r#"
        Error: publish: this version is already published, with identical content (<hash>) (AlreadyExists)
        exit 6
    "#]]);
    desk.run(
        "agents diff my-agent default/my-agent@0.1.0",
        &expect![[r#"
            No differences. local manifest matches default/my-agent@0.1.0
            exit 0
        "#]],
    );
    desk.edit("my-agent/agent.yaml", "version: 0.1.0", "version: 0.2.0");
    desk.run(
        "agents publish my-agent",
        &expect![[r#"
        default/my-agent 0.2.0
        exit 0
    "#]],
    );

    desk.edit(
        "my-agent/agent.yaml",
        "send-message@^0.1",
        "send-mesage@^0.1",
    );
    desk.run(
        "agents validate my-agent",
        &expect![[r#"
            error[E0305]: there is no Tool `default.send-mesage`, neither in tools/ nor in the catalog
              --> agent.yaml:23:12
               |
            23 |     - ref: default.send-mesage@^0.1
               |            ^^^^^^^^^^^^^^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: did you mean `default.send-message`?

            Error: invalid manifest (1 error)
            exit 3
        "#]],
    );

    // Nobody to ask: what is missing is not said to be nowhere.
    desk.daemon.take().unwrap().stop().await;
    desk.run("agents validate my-agent", &expect![[r#"
        error[E0305]: there is no Tool `default.send-mesage`
          --> agent.yaml:23:12
           |
        23 |     - ref: default.send-mesage@^0.1
           |            ^^^^^^^^^^^^^^^^^^^^^^^^ spec.tools[0].ref
           |
           = help: tools/ holds no Tool; the catalog could not be asked: nothing answers at <address>

        Error: invalid manifest (1 error)
        exit 3
    "#]]);
}
