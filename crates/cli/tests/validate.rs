//! `agents validate` as it is typed: what a model provider would be shown of an agent's tools.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use expect_test::{Expect, expect};

const TOOL: &str = r#"apiVersion: phrony.com/v1
kind: Tool
metadata: {name: find, namespace: shop.orders, version: 1.0.0}
spec:
  description: Finds orders.
  side_effect_class: read_only
  input_schema:
    inline:
      oneOf:
        - {type: object, properties: {id: {type: integer, exclusiveMinimum: 0}}, required: [id], additionalProperties: false}
        - {type: object, properties: {mail: {type: string, format: email}}, required: [mail], additionalProperties: false}
"#;

fn agent(dir: &Path, provider: &str, reference: &str) {
    fs::create_dir_all(dir.join("tools")).unwrap();
    let text = format!(
        "apiVersion: phrony.com/v1\nkind: Agent\nmetadata: {{name: clerk, namespace: shop, version: 1.0.0}}\n\
         spec:\n  purpose: Finds.\n  instructions: {{text: Be fair.}}\n  model: {{provider: {provider}, name: m}}\n\
         \x20 tools:\n    - {{ref: {reference}}}\n\
         secrets: {{{provider}: {{fromEnv: KEY}}}}\n"
    );
    fs::write(dir.join("agent.yaml"), text).unwrap();
    fs::write(dir.join("tools/find.yaml"), TOOL).unwrap();
}

fn validate(dir: &Path, flags: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["agents", "validate", "."])
        .args(flags)
        .current_dir(dir)
        .env("KEY", "x")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap()
}

fn check(provider: &str, flags: &[&str], expected: &Expect) {
    let dir = tempfile::tempdir().unwrap();
    agent(dir.path(), provider, "shop.orders.find@1");
    let output = validate(dir.path(), flags);
    let is_refused = output.stdout.is_empty();
    let shown = if is_refused {
        output.stderr
    } else {
        output.stdout
    };
    expected.assert_eq(&String::from_utf8(shown).unwrap());
}

#[test]
fn without_the_flag_nothing_is_shown() {
    check(
        "openai",
        &[],
        &expect![[r#"
            valid: shop/clerk 1.0.0
        "#]],
    );
}

#[test]
fn the_agents_own_provider() {
    check(
        "anthropic",
        &["--presented"],
        &expect![[r#"
            {
              "notes": [],
              "profile": "anthropic",
              "tools": [
                {
                  "description": "Finds orders. Also: the arguments fit one of: `id` | `mail`.",
                  "input_schema": {
                    "additionalProperties": false,
                    "properties": {
                      "id": {
                        "exclusiveMinimum": 0,
                        "type": "integer"
                      },
                      "mail": {
                        "format": "email",
                        "type": "string"
                      }
                    },
                    "type": "object"
                  },
                  "name": "shop_orders_find",
                  "notes": [
                    {
                      "at": "/oneOf",
                      "text": "`oneOf` is shown as `anyOf`"
                    },
                    {
                      "at": "",
                      "text": "alternatives at the top are shown as one object with the properties of all"
                    }
                  ],
                  "tool": "shop.orders.find",
                  "wire_name": "shop_orders_find"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn another_provider() {
    check(
        "anthropic",
        &["--presented=openrouter"],
        &expect![[r#"
            {
              "notes": [],
              "profile": "openrouter",
              "tools": [
                {
                  "description": "Finds orders. Also: the arguments fit one of: `id` | `mail`.",
                  "input_schema": {
                    "additionalProperties": false,
                    "properties": {
                      "id": {
                        "description": "Also: exclusiveMinimum 0.",
                        "minimum": 0,
                        "type": "integer"
                      },
                      "mail": {
                        "description": "Also: format \"email\".",
                        "type": "string"
                      }
                    },
                    "type": "object"
                  },
                  "name": "shop_orders_find",
                  "notes": [
                    {
                      "at": "/oneOf",
                      "text": "`oneOf` is shown as `anyOf`"
                    },
                    {
                      "at": "/oneOf/0/properties/id/exclusiveMinimum",
                      "text": "`exclusiveMinimum` is not shown"
                    },
                    {
                      "at": "/oneOf/1/properties/mail/format",
                      "text": "`format` is not shown"
                    },
                    {
                      "at": "",
                      "text": "alternatives at the top are shown as one object with the properties of all"
                    }
                  ],
                  "tool": "shop.orders.find",
                  "wire_name": "shop_orders_find"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn a_provider_that_nobody_knows() {
    check(
        "anthropic",
        &["--presented=acme"],
        &expect![[r#"
        Error: invalid value 'acme' for '--presented[=<PROVIDER>]'
          [possible values: anthropic, openai, openai-compatible, openrouter]

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn as_part_of_the_data() {
    let dir = tempfile::tempdir().unwrap();
    agent(dir.path(), "openai", "shop.orders.find@1");
    let flags = ["--presented", "-o", "json"];
    let data = |output: &Output| {
        let data: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (data["valid"].clone(), data["presented"].clone())
    };
    let (is_valid, shown) = data(&validate(dir.path(), &flags));
    assert_eq!(is_valid, true);
    assert_eq!(shown["profile"], "openai");
    assert_eq!(shown["tools"][0]["tool"], "shop.orders.find");

    agent(dir.path(), "openai", "shop.orders.lost@1");
    let output = validate(dir.path(), &flags);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(data(&output), (false.into(), serde_json::Value::Null));
}
