//! Section 3: Tools.

use super::{check, faults, input, rule, tool, tool_with};
use crate::tests::{Bundle, sample};

/// The sample's Tool, of a class that may run again, with more in its `spec`.
fn rerun(more: &str) -> Bundle {
    tool("non_idempotent_write", "idempotent_write").append("tools/refund.yaml", more)
}

/// The sample with a Tool that looks refunds up.
fn lookup() -> Bundle {
    sample().file(
        "tools/lookup.yaml",
        "apiVersion: phrony.com/v1
kind: Tool
metadata: {name: lookup, namespace: pay, version: 1.0.0}
spec:
  side_effect_class: read_only
  input_schema:
    inline:
      type: object
      properties: {order: {type: string}, key: {type: string}, deep: {}}
      required: [order]
      additionalProperties: false
",
    )
}

fn probe(text: &str) -> Bundle {
    lookup().append("tools/refund.yaml", &format!("  probe: {text}\n"))
}

fn available(predicate: &str) -> Bundle {
    tool_with(&format!("  available_when: [{predicate}]\n"))
}

#[test]
fn fields() {
    let mut classes = rule("four classes, read_only when nothing is said")
        .accepts(tool("  side_effect_class: non_idempotent_write\n", ""))
        .refuses(tool("non_idempotent_write", "write"), &["E0204"])
        .refuses(tool("non_idempotent_write", "Read_Only"), &["E0204"])
        .refuses(tool("non_idempotent_write", ""), &["E0203"])
        .refuses(tool("non_idempotent_write", "[read_only]"), &["E0203"]);
    for class in ["read_only", "idempotent_write", "irreversible_action"] {
        classes = classes.accepts(tool("non_idempotent_write", class));
    }
    let mut failures = rule("on_failure is one of four words");
    for word in ["return_to_agent", "escalate", "fail"] {
        failures = failures.accepts(tool_with(&format!("  on_failure: {word}\n")));
    }
    check([
        classes,
        failures
            .accepts(rerun("  on_failure: retry\n"))
            .refuses(tool_with("  on_failure: ignore\n"), &["E0204"])
            .refuses(tool_with("  on_failure: true\n"), &["E0203"]),
        rule("only calls that may run again are retried")
            .accepts(rerun("  on_failure: retry\n"))
            .refuses(tool_with("  on_failure: retry\n"), &["E0507"])
            .refuses(
                tool("non_idempotent_write", "irreversible_action")
                    .append("tools/refund.yaml", "  on_failure: retry\n"),
                &["E0507"],
            ),
        rule("a description is text")
            .accepts(tool("  description: Pay money back.\n", ""))
            .refuses(tool("Pay money back.", "[Pay]"), &["E0203"])
            .refuses(tool("Pay money back.", "\"\""), &["E0205"]),
        rule("strict and terminal are true or false")
            .accepts(tool_with("  strict: true\n  terminal: true\n"))
            .accepts(tool_with("  strict: false\n  terminal: false\n"))
            .refuses(tool_with("  strict: yes\n"), &["E0203"])
            .refuses(tool_with("  terminal: result\n"), &["E0203"]),
        rule("strict closes every level, and refuses what is open on purpose")
            .accepts(
                input("{type: object, properties: {a: {type: object, properties: {b: {}}}}}")
                    .append("tools/refund.yaml", "  strict: true\n"),
            )
            .refuses(
                input(
                    "{type: object, properties: {a: {type: object, additionalProperties: true}}}",
                )
                .append("tools/refund.yaml", "  strict: true\n"),
                &["E0414"],
            )
            .refuses(
                tool(
                    "  input_schema:\n    ref: schemas/refund\n",
                    "  strict: true\n",
                )
                .edit("agent.yaml", "      policies:\n        - pay.limit\n", ""),
                &["E0406", "E0414"],
            ),
        rule("default policies are logical ids")
            .accepts(tool_with(
                "  default_policies: [pay.limit, \"pay.limit@^1.0\"]\n",
            ))
            .refuses(tool_with("  default_policies: [limit]\n"), &["E0303"])
            .refuses(tool_with("  default_policies: [pay.limits]\n"), &["E0305"])
            .refuses(
                tool_with("  default_policies: [{ref: policies/limit}]\n"),
                &["E0203"],
            )
            .refuses(tool_with("  policies: [pay.limit]\n"), &["E0206"]),
    ]);
}

#[test]
fn what_a_tool_never_holds() {
    let mut tools = rule("no address, credential, code or hash of code")
        .accepts(sample())
        .accepts(input(
            "{type: object, properties: {url: {}, secret: {}, token: {}, hash: {}}}",
        ));
    for key in [
        "url",
        "URL",
        "uri",
        "base_url",
        "baseUrl",
        "endpoint",
        "endpoints",
        "host",
        "port",
        "server",
        "connection",
        "connection_string",
        "connectionString",
        "dsn",
        "database_url",
        "secret",
        "secrets",
        "secret_ref",
        "secretRef",
        "credential",
        "credentials",
        "credential_ref",
        "credentialRef",
        "password",
        "api_key",
        "apiKey",
        "api-key",
        "token",
        "auth",
        "headers",
        "fromEnv",
        "execute",
        "exec",
        "hook",
        "hooks",
        "execute_hook",
        "executeHook",
        "run",
        "script",
        "code",
        "image",
        "command",
        "handler",
        "implementation",
        "implementation_hash",
        "implementationHash",
        "hash",
        "digest",
        "binary_id",
        "worker",
    ] {
        for indent in ["", "  "] {
            let bundle = tool_with(&format!("{indent}{key}: x\n"));
            let found = bundle.compile().diagnostics;
            let help = found[0].help.as_deref().unwrap_or_default();
            assert!(help.contains("worker"), "{key}: {help}");
            tools = tools.refuses(bundle, &["E0206"]);
        }
    }
    check([
        tools,
        rule("what is the binding's is not the Tool's")
            .accepts(sample())
            .refuses(tool_with("  as: refund\n"), &["E0206"])
            .refuses(tool_with("  mcp: {server: s}\n"), &["E0206"])
            .refuses(tool_with("  parameters: {}\n"), &["E0206"])
            .refuses(tool_with("  agent: shop.clerk\n"), &["E0206"]),
    ]);
}

#[test]
fn schemas() {
    let none = tool("  input_schema:\n    ref: schemas/refund\n", "").edit(
        "agent.yaml",
        "      policies:\n        - pay.limit\n",
        "",
    );
    check([
        rule("a schema is exactly one of ref, with a version if wanted, or inline")
            .accepts(sample())
            .accepts(input("{type: object}"))
            .accepts(
                tool("ref: schemas/refund", "ref: schemas/refund\n    version: 2").file(
                    "schemas/refund-2.json",
                    sample().text("schemas/refund.json").unwrap(),
                ),
            )
            .accepts(tool_with("  output_schema: {inline: {type: string}}\n"))
            .accepts(tool_with("  output_schema: {inline: true}\n"))
            .refuses(tool("ref: schemas/refund", "{}"), &["E0208"])
            .refuses(input("{type: object}\n    ref: schemas/refund"), &["E0208"])
            .refuses(input("{type: object}\n    version: 2"), &["E0206"])
            .refuses(tool("ref: schemas/refund", "version: 2"), &["E0208"])
            .refuses(
                tool("ref: schemas/refund", "type: object"),
                &["E0208", "E0206"],
            )
            .refuses(
                tool(
                    "input_schema:\n    ref: schemas/refund",
                    "input_schema: schemas/refund",
                ),
                &["E0203"],
            )
            .refuses(
                tool_with("  output_schema: {ref: schemas/refund, inline: {}}\n"),
                &["E0208"],
            )
            .refuses(
                tool_with("  output_schema: {inline: {}, version: 1}\n"),
                &["E0206"],
            ),
        rule("arguments are an object; keywords of objects without a type mean one")
            .accepts(input("{type: object}"))
            .accepts(input("{type: [object]}"))
            .accepts(input("{$ref: \"#/$defs/a\", $defs: {a: {type: object}}}"))
            .accepts(input(
                "{anyOf: [{type: object}, {type: object, maxProperties: 1}]}",
            ))
            .warns(input("{properties: {a: {}}}"), &["E0405"])
            .warns(input("{required: [a]}"), &["E0405"])
            .warns(input("{additionalProperties: false}"), &["E0405"])
            .refuses(input("{type: array}"), &["E0402"])
            .refuses(input("{type: string, properties: {a: {}}}"), &["E0402"])
            .refuses(input("{type: [object, \"null\"]}"), &["E0402"])
            .refuses(
                input("{anyOf: [{type: object}, {type: string}]}"),
                &["E0402"],
            )
            .refuses(input("{enum: [a]}"), &["E0402"])
            .refuses(input("{}"), &["E0402"])
            .refuses(input("true"), &["E0402"])
            .refuses(input("false"), &["E0402"])
            .refuses(input("null"), &["E0401"])
            .refuses(input("hello"), &["E0401"])
            .refuses(input("[]"), &["E0401"]),
        rule("without a schema any arguments are accepted, with a warning")
            .warns(none.clone(), &["E0406"])
            .refuses(tool("ref: schemas/refund", "inline:"), &["E0401"]),
    ]);
    let open = none.compile().snapshot.unwrap().tools[0]
        .input_schema
        .to_canonical();
    assert_eq!(open, r#"{"type":"object"}"#);
    let meant = input("{properties: {a: {}}}").compile().snapshot.unwrap();
    assert_eq!(
        meant.tools[0].input_schema.to_canonical(),
        r#"{"properties":{"a":{}},"type":"object"}"#
    );
}

#[test]
fn probes() {
    check([
        rule("a probe names a read_only Tool and maps its arguments")
            .accepts(probe("{tool: pay.lookup@^1.0, args: {order: args.order}}"))
            .accepts(probe("{tool: pay.lookup@1.0.0, args: {order: args.order, key: call_id, deep: [1, {a: b}]}}"))
            .accepts(probe("{tool: pay.lookup, args: {order: fixed}}"))
            .refuses(probe("{args: {order: args.order}}"), &["E0202"])
            .refuses(probe("pay.lookup"), &["E0203"])
            .refuses(probe("{tool: lookup, args: {}}"), &["E0303"])
            .refuses(probe("{tool: pay.lookups, args: {order: args.order}}"), &["E0305"])
            .refuses(probe("{tool: pay.lookup@^2, args: {order: args.order}}"), &["E0306"])
            .refuses(probe("{tool: pay.refund@^1.0, args: {order: args.order, amount: args.amount}}"), &["E0508"])
            .refuses(probe("{tool: pay.lookup@^1.0}"), &["E0508"])
            .refuses(probe("{tool: pay.lookup@^1.0, args: {order: args.order, other: x}}"), &["E0508"])
            .refuses(probe("{tool: pay.lookup@^1.0, args: {order: args.nothing}}"), &["E0508"])
            .refuses(probe("{tool: pay.lookup@^1.0, args: {order: args.}}"), &["E0508"])
            .refuses(probe("{tool: pay.lookup@^1.0, args: [order]}"), &["E0203"])
            .refuses(probe("{ref: pay.lookup@^1.0, args: {order: args.order}}"), &["E0202", "E0206"]),
    ]);
}

#[test]
fn availability() {
    let capable = |predicate: &str| {
        available(predicate).append("agent.yaml", "  capabilities: [refunds, \"2\"]\n")
    };
    let labelled = available("agent.label.team/eu: blue").edit(
        "agent.yaml",
        "  version: 1.0.0\n",
        "  version: 1.0.0\n  labels: {team/eu: blue}\n",
    );
    check([
        rule("entries are maps of one key, or texts")
            .accepts(available("{agent.name: clerk}"))
            .accepts(available("\"agent.name: clerk\""))
            .accepts(tool_with(
                "  available_when:\n    - agent.name: clerk\n    - \"agent.namespace: shop\"\n",
            ))
            .refuses(
                available("{agent.name: clerk, agent.namespace: shop}"),
                &["E0506"],
            )
            .refuses(available("{}"), &["E0506"])
            .refuses(available("agent.name"), &["E0506"])
            .refuses(available("\"agent.name:\""), &["E0506"])
            .refuses(available("7"), &["E0203"])
            .refuses(
                tool_with("  available_when: {agent.name: clerk}\n"),
                &["E0203"],
            ),
        rule("six keys")
            .accepts(capable("{agent.capability: refunds}"))
            .accepts(labelled)
            .accepts(available(
                "{session.input.order.kind: x}, {runtime.env.REGION: eu}",
            ))
            .refuses(available("{agent.version: 1.0.0}"), &["E0506"])
            .refuses(available("{agent.label: x}"), &["E0506"])
            .refuses(available("{agent.label.: x}"), &["E0506"])
            .refuses(available("{session.input: x}"), &["E0506"])
            .refuses(available("{session.inputs.a: x}"), &["E0506"])
            .refuses(available("{env.A: x}"), &["E0506"])
            .refuses(available("{Agent.name: clerk}"), &["E0506"]),
        rule("a list is any of its values; a session's input may be of any plain type")
            .accepts(available("{agent.name: [other, clerk]}"))
            .accepts(available("{session.input.n: [1, true, null, \"1\"]}"))
            .accepts(capable("{agent.capability: \"2\"}"))
            .refuses(available("{agent.name: []}"), &["E0506"])
            .refuses(available("{agent.name: [1]}"), &["E0203"])
            .refuses(available("{agent.name: {a: b}}"), &["E0203"])
            .refuses(available("{session.input.n: [[1]]}"), &["E0203"])
            .refuses(available("{agent.capability: 2}"), &["E0203"]),
        rule("a binding that can never be available says how to mend it")
            .accepts(capable("{agent.capability: refunds}"))
            .refuses(available("{agent.capability: refunds}"), &["E0505"])
            .refuses(available("{agent.namespace: shops}"), &["E0505"])
            .refuses(available("{agent.name: Clerk}"), &["E0505"])
            .refuses(available("{agent.label.team: blue}"), &["E0505"])
            .refuses(
                available("{session.input.a: b}, {agent.name: other}"),
                &["E0505"],
            ),
    ]);
    let never = available("{agent.capability: refunds}");
    let found = never.compile().diagnostics;
    assert_eq!(faults(&found[0], &never), [""; 0]);
    assert_eq!(
        (found[0].file.as_str(), found[0].field.as_str()),
        ("agent.yaml", "spec.tools[0].ref")
    );
    let help = found[0].help.as_deref().unwrap();
    assert!(
        help.contains("add `refunds` to the Agent's `spec.capabilities`"),
        "{help}"
    );
}
