//! Section 1: how files are read.

use super::{
    agent, agent_with, check, desk_with, faults, input, policy, policy_with, rule, tool, tool_with,
};
use crate::tests::{Bundle, sample};

fn manifest(bytes: impl AsRef<[u8]>) -> Bundle {
    sample().file("agent.yaml", bytes)
}

fn text() -> String {
    sample().text("agent.yaml").unwrap()
}

/// The sample's Agent as JSON, with this purpose.
fn json(purpose: &str) -> String {
    format!(
        r#"{{"apiVersion": "phrony.com/v1", "kind": "Agent",
"metadata": {{"name": "clerk", "namespace": "shop", "version": "1.0.0"}},
	"spec": {{"purpose": {purpose}, "instructions": {{"text": "Be fair."}},
"model": {{"provider": "stub", "name": "scripted"}}}}}}"#
    )
}

#[test]
fn texts() {
    check([
        rule("files are UTF-8")
            .accepts(agent("Settle refunds.", "Réglez 返金 \u{1f600}."))
            .refuses(manifest(b"kind: T\xe9l"), &["E0101"])
            .refuses(manifest(b"\xff\xfea\0"), &["E0101"]),
        rule("a byte-order mark at the start is passed over")
            .accepts(manifest(format!("\u{feff}{}", text())))
            .refuses(
                agent("Settle refunds.", "Settle\u{feff}refunds."),
                &["E0103"],
            ),
        rule("one document a file")
            .accepts(manifest(format!("---\n{}---\n", text())))
            .accepts(manifest(format!("# mine\n\n---\n{}...\n", text())))
            .refuses(agent_with("---\nkind: Tool\n"), &["E0106"])
            .refuses(agent_with("---\nmore\n"), &["E0106"])
            .refuses(agent_with("...\nkind: Tool\n"), &["E0106"])
            .refuses(tool_with("---\nkind: Tool\n"), &["E0106"])
            .refuses(manifest(""), &["E0106"])
            .refuses(manifest("# nothing\n"), &["E0106"])
            .refuses(sample().file("schemas/refund.json", " "), &["E0106"]),
        rule("it is YAML 1.2")
            .accepts(manifest(format!("%YAML 1.2\n---\n{}", text())))
            .refuses(manifest(format!("%YAML 1.1\n---\n{}", text())), &["E0103"])
            .refuses(
                manifest(format!("# x\n%TAG ! tag:x,2000:\n---\n{}", text())),
                &["E0103"],
            )
            .refuses(manifest(format!("%FOO bar\n---\n{}", text())), &["E0103"]),
        rule("no control characters but line ends and tabs")
            .accepts(agent("Settle refunds.", "\"Settle\\0\\e refunds.\""))
            .accepts(agent("Settle refunds.", "|\n    Settle\n    \trefunds."))
            .refuses(agent("Settle refunds.", "Settle\0refunds."), &["E0103"])
            .refuses(
                agent_with("\0\n  limits: {max_tool_calls: 0}\n"),
                &["E0103"],
            )
            .refuses(agent("Settle refunds.", "\u{1b}[31mSettle"), &["E0103"])
            .refuses(agent("Settle refunds.", "Settle\u{7}refunds."), &["E0103"]),
        rule("a line ends with a line feed, or with a carriage return and one")
            .accepts(manifest(text().replace('\n', "\r\n")))
            .refuses(
                manifest(text().replace('\n', "\r\n").replace("purpose", "purpos")),
                &["E0202", "E0201"],
            )
            .refuses(manifest(text().replace('\n', "\r")), &["E0103"])
            .refuses(
                agent("Be fair.", "Be fair. # x\r  default_policies: []"),
                &["E0103"],
            ),
        rule("a file has at most 4 MiB")
            .accepts(padded("agent.yaml", "#", 4 << 20))
            .accepts(padded("schemas/refund.json", " ", 4 << 20))
            .refuses(padded("agent.yaml", "#", (4 << 20) + 1), &["E0102"])
            .refuses(
                padded("schemas/refund.json", " ", (4 << 20) + 1),
                &["E0102"],
            ),
        rule("maps and lists nest at most 128 deep")
            .accepts(nested(128))
            .refuses(nested(129), &["E0102"])
            .accepts(nested_json(128))
            .refuses(nested_json(129), &["E0102"]),
    ]);
}

fn padded(path: &str, with: &str, size: usize) -> Bundle {
    let text = sample().text(path).unwrap();
    let more = with.repeat(size - text.len());
    sample().file(path, text + &more)
}

fn nested(depth: usize) -> Bundle {
    // The document, `spec`, `model` and the options are four.
    let inner = depth - 4;
    let options = format!(
        "    provider_options: {{x: {}{}}}\n  tools:",
        "[".repeat(inner),
        "]".repeat(inner)
    );
    agent("  tools:", &options)
}

fn nested_json(depth: usize) -> Bundle {
    let inner = depth - 1;
    let default = format!("{{\"default\": {}{},", "[".repeat(inner), "]".repeat(inner));
    let schema = sample().text("schemas/refund.json").unwrap();
    sample().file("schemas/refund.json", schema.replacen('{', &default, 1))
}

#[test]
fn what_is_left_out_of_yaml() {
    check([
        rule("no field that the format does not have")
            .accepts(agent_with("  capabilities: [refunds]\n"))
            .refuses(agent_with("  capabilites: [refunds]\n"), &["E0201"])
            .refuses(agent_with("secret: {}\n"), &["E0201"])
            .refuses(agent_with("  limits: {max_tokens: 1}\n"), &["E0201"])
            .refuses(tool("side_effect_class", "side_efect_class"), &["E0201"])
            .refuses(policy_with("  conditon: {}\n"), &["E0201"])
            .refuses(agent("  version: 1.0.0\n", "  version: 1.0.0\n  Owner: x\n"), &["E0201"])
            .refuses(desk_with("      as: refunds\n", "      az: refunds\n"), &["E0201"]),
        rule("the open maps take any key")
            .accepts(agent(
                "  version: 1.0.0\n",
                "  version: 1.0.0\n  labels: {any.thing/at-all: x}\n  annotations: {\"any thing\": x}\n  governance: {frameworks: {house/v9: {a: [1, {b: null}]}}}\n",
            ))
            .accepts(agent("    name: scripted\n", "    name: scripted\n    provider_options: {any: {thing: [1]}}\n"))
            .accepts(policy("type: deny", "type: deny\n    runtime: {phrony.com/approver_role: cfo, mine: [1]}"))
            .accepts(input("{type: object, x-mine: {a: 1}}"))
            .refuses(agent("  version: 1.0.0\n", "  version: 1.0.0\n  labels: {a: 1}\n"), &["E0203"])
            .refuses(agent("  version: 1.0.0\n", "  version: 1.0.0\n  annotations: [a]\n"), &["E0203"])
            .refuses(policy("type: deny", "type: deny\n    runtime: cfo"), &["E0203"]),
        rule("no key twice in one map")
            .accepts(policy("    field: amount\n    op: gt\n    value: 1000", "    all: [{field: amount, op: gt, value: 1}, {field: amount, op: gt, value: 2}]"))
            .refuses(agent_with("  purpose: Again.\n"), &["E0105"])
            .refuses(agent_with("  \"purpose\": Again.\n"), &["E0105"])
            .refuses(agent_with("  'purpose': Again.\n"), &["E0105"])
            .refuses(agent_with("  limits: {max_tool_calls: 1, max_tool_calls: 9}\n"), &["E0105"])
            .refuses(agent_with("kind: Agent\n"), &["E0105"])
            .refuses(input("{type: object, properties: {a: {}, a: {}}}"), &["E0105"])
            .refuses(sample().edit("schemas/refund.json", "\"amount\": {", "\"amount\": {}, \"\\u0061mount\": {"), &["E0105"])
            .refuses(manifest(json("\"a\", \"purpose\": \"b\"")), &["E0105"]),
        rule("no anchors")
            .accepts(agent("Settle refunds.", "\"&all\""))
            .refuses(agent("Settle refunds.", "&all Settle"), &["E0104"])
            .refuses(agent("  model:\n", "  model: &m\n"), &["E0104"])
            .refuses(agent("  tools:\n", "  tools: &t\n"), &["E0104"])
            .refuses(agent("  purpose:", "  &k purpose:"), &["E0104"])
            .refuses(manifest(format!("--- &root\n{}", text())), &["E0104"])
            .refuses(input("{type: object, properties: {a: &x {}}}"), &["E0104"]),
        rule("no aliases")
            .accepts(agent("Settle refunds.", "\"*all\""))
            .accepts(agent("Settle refunds.", "a * b"))
            .refuses(agent("Settle refunds.", "*all"), &["E0104"])
            .refuses(agent("Settle refunds.", "&a Settle").edit("agent.yaml", "name: scripted", "name: *a"), &["E0104", "E0104"])
            .refuses(input("{type: object, properties: {a: &x {}, b: *x}}"), &["E0104", "E0104"]),
        rule("no merge keys")
            .accepts(input("{type: object, properties: {\"<<\": {}}}"))
            .refuses(agent_with("  limits:\n    <<: {max_tool_calls: 3}\n"), &["E0104"])
            .refuses(agent_with("  limits: {<<: {max_tool_calls: 3}}\n"), &["E0104"])
            .refuses(input("{type: object, properties: {<<: {a: {}}}}"), &["E0104"]),
        rule("no tags")
            .accepts(policy("    field: amount\n    op: gt", "    field: currency\n    op: \"!=\"").edit("policies/limit.yaml", "value: 1000", "value: EUR\n    absent: skip"))
            .refuses(agent("Settle refunds.", "!!str Settle"), &["E0104"])
            .refuses(agent("Settle refunds.", "! Settle"), &["E0104"])
            .refuses(agent("Settle refunds.", "!secret Settle"), &["E0104"])
            .refuses(agent("Settle refunds.", "!<tag:yaml.org,2002:str> Settle"), &["E0104"])
            .refuses(agent("  model:\n", "  model: !!map\n"), &["E0104"])
            .refuses(agent("  purpose:", "  !!str purpose:"), &["E0202", "E0104"])
            .refuses(input("{type: object, properties: {a: {const: !!int \"3\"}}}"), &["E0104"]),
        rule("no tab as indentation")
            .accepts(agent("Settle refunds.", "\"Settle\trefunds.\""))
            .accepts(agent("Settle refunds.", "Settle refunds.\t# by hand"))
            .refuses(agent("  purpose:", "\tpurpose:"), &["E0103"])
            .refuses(agent("    provider: stub", "  \tprovider: stub"), &["E0103"])
            .refuses(agent("    provider: stub", "\t\tprovider: stub"), &["E0103"])
            .refuses(agent("provider: stub", "provider:\tstub"), &["E0103"]),
    ]);
}

#[test]
fn types() {
    check([
        rule("text where text is due, quoted if it looks like something else")
            .accepts(agent("Settle refunds.", "\"1.10\""))
            .accepts(agent("Settle refunds.", "'true'"))
            .accepts(agent("Settle refunds.", "NO"))
            .accepts(agent("Settle refunds.", ">\n    Settle\n    refunds."))
            .refuses(agent("Settle refunds.", "1.10"), &["E0203"])
            .refuses(agent("Settle refunds.", "true"), &["E0203"])
            .refuses(agent("Settle refunds.", "~"), &["E0203"])
            .refuses(agent("Settle refunds.", ""), &["E0203"])
            .refuses(agent("Settle refunds.", "[Settle]"), &["E0203"])
            .refuses(agent("Settle refunds.", "{a: b}"), &["E0203"])
            .refuses(agent("Settle refunds.", "\"\""), &["E0205"])
            .refuses(agent("Settle refunds.", "\" \""), &["E0205"])
            .refuses(tool("version: 1.2.0", "version: 1.10"), &["E0203"]),
        rule("keys are text")
            .accepts(input("{type: object, properties: {\"1\": {}, \"true\": {}, \"\": {}}}"))
            .refuses(input("{type: object, properties: {1: {}}}"), &["E0203"])
            .refuses(input("{type: object, properties: {true: {}}}"), &["E0203"])
            .refuses(input("{type: object, properties: {[a]: {}}}"), &["E0203"])
            .refuses(agent("  purpose:", "  ~: x\n  purpose:"), &["E0203"])
            .refuses(agent("  purpose:", "  ? {a: b}\n  : x\n  purpose:"), &["E0203"]),
        rule("a list where a list is due")
            .accepts(agent_with("  capabilities: []\n"))
            .refuses(agent_with("  capabilities: refunds\n"), &["E0203"])
            .refuses(agent_with("  capabilities: {a: b}\n"), &["E0203"])
            .refuses(agent_with("  capabilities:\n"), &["E0203"])
            .refuses(agent_with("  capabilities: [1]\n"), &["E0203"])
            .refuses(agent_with("  default_policies: pay.limit\n"), &["E0203"])
            .refuses(agent_with("  mcp_servers: {}\n"), &["E0203"])
            .refuses(agent_with("  agents: {}\n"), &["E0203"]),
        rule("a map where a map is due")
            .accepts(agent_with("  limits: {}\n"))
            .refuses(agent_with("  limits: []\n"), &["E0203"])
            .refuses(agent_with("  limits: 5\n"), &["E0203"])
            .refuses(agent_with("secrets: [a]\n"), &["E0203"])
            .refuses(agent_with("output: json\n"), &["E0203"])
            .refuses(manifest("hello\n"), &["E0203"])
            .refuses(manifest("- hello\n"), &["E0203"])
            .refuses(agent("  model:\n    provider: stub\n    name: scripted\n", "  model: stub\n"), &["E0203"])
            .refuses(agent("    - ref: pay.refund@^1.0\n      as: refund\n      policies:\n        - pay.limit\n", "    - pay.refund@^1.0\n"), &["E0203"]),
        rule("true or false where one is due")
            .accepts(tool_with("  terminal: true\n"))
            .accepts(tool_with("  terminal: false\n"))
            .refuses(tool_with("  terminal: yes\n"), &["E0203"])
            .refuses(tool_with("  terminal: \"true\"\n"), &["E0203"])
            .refuses(tool_with("  terminal: 1\n"), &["E0203"])
            .refuses(tool_with("  terminal:\n"), &["E0203"])
            .refuses(tool_with("  strict: on\n"), &["E0203"]),
        rule("numbers are finite and in base ten")
            .accepts(policy("value: 1000", "value: 1e3"))
            .accepts(policy("value: 1000", "value: 9007199254740993.000000000000000001"))
            .accepts(policy("value: 1000", "value: -0.5"))
            .refuses(policy("value: 1000", "value: .inf"), &["E0209"])
            .refuses(policy("value: 1000", "value: -.Inf"), &["E0209"])
            .refuses(policy("value: 1000", "value: .nan"), &["E0209"])
            .refuses(policy("value: 1000", "value: 0x1F"), &["E0209"])
            .refuses(policy("value: 1000", "value: 0o17"), &["E0209"])
            .refuses(policy("value: 1000", "value: 010"), &["E0209"])
            .refuses(input("{type: object, properties: {a: {maximum: .NaN}}}"), &["E0209"])
            .refuses(agent_with("  limits: {max_tool_calls: .inf}\n"), &["E0209"]),
    ]);
}

#[test]
fn json_is_yaml() {
    let refund = sample().text("tools/refund.yaml").unwrap();
    assert!(refund.contains("ref: schemas/refund"));
    check([
        rule("JSON is accepted wherever YAML is")
            .accepts(manifest(json("\"a \\ud83d\\ude00 \\/ \\u00e9\"")))
            .accepts(manifest(json("\"a\"\n")))
            .accepts(sample().without("agent.yaml").file("agent.json", json("\"a\"")))
            .accepts(sample().file("tools/refund.yaml", r#"{"apiVersion":"phrony.com/v1","kind":"Tool","metadata":{"name":"refund","namespace":"pay","version":"1.2.0"},"spec":{"description":"x","side_effect_class":"non_idempotent_write","input_schema":{"ref":"schemas/refund"}}}"#))
            .accepts(sample().file("policies/limit.yaml", r#"{"apiVersion":"phrony.com/v1","kind":"Policy","metadata":{"name":"limit","namespace":"pay","version":"1.0.0"},"spec":{"conditions":{"field":"amount","op":">","value":1000},"decision":{"type":"deny"}}}"#))
            .refuses(manifest(&json("a")[..40]), &["E0103"])
            .refuses(manifest(json("1.10")), &["E0203"])
            .refuses(sample().without("agent.yaml").file("agent.json", json("a")), &["E0103"])
            .refuses(sample().file("schemas/refund.json", "{\"type\": \"object\",}"), &["E0103"])
            .refuses(sample().file("schemas/refund.json", "type: object"), &["E0103"])
            .refuses(sample().edit("schemas/refund.json", "\"number\"", "\"number\", \"maximum\": 01"), &["E0209"])
            .refuses(sample().edit("schemas/refund.json", "\"number\"", "\"number\", \"maximum\": 1e9999"), &["E0209"]),
    ]);
}

/// Documents are quoted in what is said about them, and not at any length.
#[test]
fn what_is_said_has_a_bound() {
    let long = "X".repeat(100_000);
    for bundle in [
        agent("name: clerk", &format!("name: {long}")),
        agent_with(&format!("  \"{long}\": 1\n")),
        agent_with(&format!("  limits: {{max_tool_calls: \"{long}\"}}\n")),
        agent("ref: pay.refund@^1.0", &format!("ref: {long}")),
    ] {
        for it in bundle.compile().diagnostics {
            let said = [&it.message, &it.field, it.help.as_ref().unwrap()];
            let longest = said.map(|it| it.chars().count()).into_iter().max();
            assert!(longest < Some(2002), "{longest:?}");
        }
    }
}

/// A repeated key and a number that cannot be read are no end of a text in JSON either.
#[test]
fn mistakes_in_json_come_in_one_run() {
    let bundle = sample().file(
        "schemas/refund.json",
        r#"{
  "type": "object", "type": "objekt",
  "properties": {
    "order": {"type": "string", "minLength": 01, "é": {"x": 1, "x": 2}, "é": [3, "y"]},
    "order": {"type": "number", "minimum": -},
    "amount": {"type": "money", "maximum": 1e9999}
  },
  "required": [ 1e5000, "amount" ]
}
"#,
    );
    let found = bundle.compile().diagnostics;
    let said: Vec<_> = found
        .iter()
        .map(|it| (it.code.as_str(), it.span.unwrap().line, it.field.as_str()))
        .collect();
    let expected = [
        ("E0105", 2, "type"),
        ("E0209", 4, "properties.order.minLength"),
        ("E0105", 4, "properties.order.\"é\".x"),
        ("E0105", 4, "properties.order.\"é\""),
        ("E0105", 5, "properties.order"),
        ("E0209", 5, "properties.order.minimum"),
        ("E0209", 6, "properties.amount.maximum"),
        ("E0209", 8, "required[0]"),
    ];
    assert_eq!(said, expected);
    let types = sample().edit(
        "schemas/refund.json",
        "\"number\"",
        "\"money\", \"type\": \"number\"",
    );
    assert_eq!(types.codes(), ["E0401", "E0105"]);
}

#[test]
fn ten_mistakes_come_in_one_run() {
    let bundle = sample()
        .edit(
            "agent.yaml",
            "apiVersion: phrony.com/v1",
            "apiVersion: phrony.com/v2",
        )
        .edit("agent.yaml", "namespace: shop", "namespace: Shop")
        .edit("agent.yaml", "purpose", "purpos")
        .edit("agent.yaml", "text: Be fair.", "ref: prompts/fair")
        .edit("agent.yaml", "provider: stub", "provider: stubb")
        .edit("agent.yaml", "as: refund", "as: re fund")
        .append(
            "agent.yaml",
            "  limits: {max_tool_calls: 0, max_tool_calls: 1, on_limit: stop}\n",
        )
        .append("agent.yaml", "secrets: {Key: {value: abc}}\n")
        .edit("tools/refund.yaml", "version: 1.2.0", "version: 1.2")
        .append("tools/refund.yaml", "  endpoint: https://example.com\n")
        .edit("schemas/refund.json", "\"number\"", "\"money\"")
        .edit("policies/limit.yaml", "op: gt", "op: greater")
        .edit("policies/limit.yaml", "type: deny", "type: &d forbid");
    let found = bundle.compile().diagnostics;
    let said: Vec<_> = found
        .iter()
        .map(|it| (it.file.as_str(), it.code.as_str(), it.field.as_str()))
        .collect();
    let expected = [
        ("agent.yaml", "E0204", "apiVersion"),
        ("agent.yaml", "E0205", "metadata.namespace"),
        ("agent.yaml", "E0202", "spec"),
        ("agent.yaml", "E0201", "spec.purpos"),
        ("agent.yaml", "E0302", "spec.instructions.ref"),
        ("agent.yaml", "E0204", "spec.model.provider"),
        ("agent.yaml", "E0205", "spec.tools[0].as"),
        ("agent.yaml", "E0205", "spec.limits.max_tool_calls"),
        ("agent.yaml", "E0105", "spec.limits.max_tool_calls"),
        ("agent.yaml", "E0204", "spec.limits.on_limit"),
        ("agent.yaml", "E0205", "secrets.Key"),
        ("agent.yaml", "E0704", "secrets.Key.value"),
        ("policies/limit.yaml", "E0204", "spec.conditions.op"),
        ("policies/limit.yaml", "E0104", "spec.decision.type"),
        ("policies/limit.yaml", "E0204", "spec.decision.type"),
        ("schemas/refund.json", "E0401", "properties.amount.type"),
        ("tools/refund.yaml", "E0203", "metadata.version"),
        ("tools/refund.yaml", "E0206", "spec.endpoint"),
    ];
    assert_eq!(said, expected);
    for it in &found {
        assert_eq!(faults(it, &bundle), [""; 0], "{it:?}");
    }
}
