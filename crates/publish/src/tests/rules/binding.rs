//! Section 4: bindings, and the MCP servers that may stand behind them.

use super::{agent, agent_with, check, desk_with, rule, tool};
use crate::tests::{Bundle, desk, sample};

const BINDING: &str =
    "    - ref: pay.refund@^1.0\n      as: refund\n      policies:\n        - pay.limit\n";

/// The sample with other bindings, one a line.
fn bindings(lines: &str) -> Bundle {
    let lines: String = lines.lines().map(|it| format!("    - {it}\n")).collect();
    agent(BINDING, &lines)
}

/// The sample with more in its binding.
fn bound(more: &str) -> Bundle {
    agent(
        "      as: refund\n",
        &format!("      as: refund\n      {more}\n"),
    )
}

/// The sample with a binding that says more about its arguments.
fn narrows(schema: &str) -> Bundle {
    bound(&format!("input_schema: {{inline: {{{schema}}}}}"))
}

/// The sample with a Tool that gives such results, and a binding that expects these.
fn gives(tool: &str, binding: &str) -> Bundle {
    bound(&format!("output_schema: {{inline: {binding}}}")).edit(
        "tools/refund.yaml",
        "  description:",
        &format!("  output_schema: {{inline: {tool}}}\n  description:"),
    )
}

/// The sample with a second Tool, and these bindings.
fn two(lines: &str) -> Bundle {
    let other = sample()
        .text("tools/refund.yaml")
        .unwrap()
        .replace("name: refund", "name: charge");
    bindings(lines).file("tools/charge.yaml", other)
}

/// The sample with two Tools whose ids begin alike for longer than a name may be, bound under these
/// names if there are any.
fn cut(one: &str, two: &str) -> Bundle {
    let long = "n".repeat(63);
    let chosen = |name: &str| match name {
        "" => String::new(),
        name => format!(", as: {name}"),
    };
    let lines = format!(
        "{{ref: {long}.m.one@^1.0{}}}\n{{ref: {long}.m.two@^1.0{}}}",
        chosen(one),
        chosen(two)
    );
    let mut bundle = bindings(&lines);
    for name in ["one", "two"] {
        let tool = sample().text("tools/refund.yaml").unwrap();
        let tool = tool.replace("name: refund", &format!("name: {name}"));
        let tool = tool.replace("namespace: pay", &format!("namespace: {long}.m"));
        bundle = bundle.file(&format!("tools/{name}.yaml"), tool);
    }
    bundle
}

const SERVER: &str = "{name: files, url: \"https://mcp.example.com/mcp\"}";

/// The sample with an MCP server, and a binding that it serves.
fn mcp(server: &str, binding: &str) -> Bundle {
    agent_with(&format!(
        "    - {binding}\n  mcp_servers: [{server}]\nsecrets: {{key: {{fromEnv: KEY}}}}\n"
    ))
}

fn server(text: &str) -> Bundle {
    mcp(
        text,
        "{ref: docs.search, mcp: {server: files}, side_effect_class: read_only, input_schema: {inline: {type: object}}}",
    )
}

fn served(text: &str) -> Bundle {
    mcp(SERVER, text)
}

#[test]
fn bindings_of_tools() {
    let long = "a".repeat(64);
    let mut chosen = rule("a chosen name has letters, digits, _ and -, 1 to 64 of them")
        .accepts(bindings("{ref: pay.refund@^1.0, as: Refund_now-9}"))
        .accepts(bindings(&format!("{{ref: pay.refund@^1.0, as: {long}}}")))
        .refuses(
            bindings(&format!("{{ref: pay.refund@^1.0, as: {long}a}}")),
            &["E0205"],
        )
        .refuses(bindings("{ref: pay.refund@^1.0, as: 7}"), &["E0203"])
        .refuses(bindings("{ref: pay.refund@^1.0, as:}"), &["E0203"]);
    for odd in [
        "\"\"",
        "pay.refund",
        "re fund",
        "refund!",
        "rеfund",
        "ｒefund",
        "\"refund\\n\"",
    ] {
        chosen = chosen.refuses(
            bindings(&format!("{{ref: pay.refund@^1.0, as: {odd}}}")),
            &["E0205"],
        );
    }
    check([
        chosen,
        rule("a binding names a Tool")
            .accepts(bindings("{ref: pay.refund@^1.0}"))
            .refuses(bindings("{as: refund}"), &["E0202"])
            .refuses(bindings("{ref: tools/refund}"), &["E0303"])
            .refuses(bindings("{ref: \"\"}"), &["E0205"])
            .refuses(bindings("{ref: [pay.refund]}"), &["E0203"])
            .refuses(bindings("{ref: \"pay.refund @^1\"}"), &["E0303"])
            .refuses(bindings("{ref: p\u{430}y.refund@^1.0}"), &["E0303"])
            .refuses(bindings("{ref: Pay.refund@^1.0}"), &["E0303"]),
        rule("names are unique in the agent, delegations included")
            .accepts(two("{ref: pay.refund@^1.0, as: one}\n{ref: pay.charge@^1.0, as: two}"))
            .accepts(two("{ref: pay.refund@^1.0, as: one}\n{ref: pay.charge@^1.0, as: One}"))
            .refuses(two("{ref: pay.refund@^1.0, as: one}\n{ref: pay.charge@^1.0, as: one}"), &["E0501"])
            .refuses(two("{ref: pay.refund@^1.0}\n{ref: pay.charge@^1.0, as: pay_refund}"), &["E0501"])
            .refuses(desk().append("desk.yaml", "    - {ref: shop.other, late_bound: true, as: refunds}\n"), &["E0501"])
            .refuses(
                desk_with(
                    "  agents:\n",
                    "  mcp_servers: [{name: files, url: \"https://mcp.example.com\"}]\n  tools:\n    - {ref: docs.search, as: refunds, mcp: {server: files}, side_effect_class: read_only, input_schema: {inline: {type: object}}}\n  agents:\n",
                ),
                &["E0511", "E0501"],
            ),
        rule("a Tool is bound once")
            .accepts(two("{ref: pay.refund@^1.0}\n{ref: pay.charge@^1.0}"))
            .refuses(bindings("{ref: pay.refund@^1.0, as: one}\n{ref: pay.refund@^1.0, as: two}"), &["E0502"])
            .refuses(bindings("{ref: pay.refund@^1.0, as: one}\n{ref: pay.refund@1.2.0, as: two}"), &["E0502"]),
        rule("a schema may be restated, and describes an object here too")
            .accepts(bound("input_schema: {ref: schemas/refund}"))
            .refuses(bound("input_schema: {inline: {type: array}}"), &["E0504"])
            .refuses(bound("input_schema: {ref: schemas/refunds}"), &["E0302"])
            .refuses(bound("input_schema: {type: object}"), &["E0208", "E0206"]),
        rule("a binding may narrow the arguments and inherits what it does not say")
            .accepts(narrows("properties: {amount: {maximum: 200}}"))
            .accepts(narrows("properties: {amount: {type: integer}}"))
            .accepts(narrows("properties: {order: {pattern: '^A-1[0-9]*$'}}"))
            .accepts(narrows("properties: {currency: {const: EUR}}"))
            .accepts(narrows("required: [order, amount, currency]"))
            .accepts(narrows("properties: {currency: false}"))
            .refuses(narrows("type: [object, array]"), &["E0504"])
            .refuses(narrows("properties: {amount: {type: [number, string]}}"), &["E0504"])
            .refuses(narrows("properties: {order: {pattern: '^A'}}"), &["E0504"])
            .refuses(narrows("properties: {currency: {enum: [EUR, USD, NOK]}}"), &["E0504"])
            .refuses(narrows("additionalProperties: true"), &["E0504"])
            .refuses(narrows("patternProperties: {'^x-': {}}"), &["E0504"]),
        rule("a narrowing leaves something, names what is there and keeps its own defaults")
            .accepts(narrows("properties: {amount: {maximum: 200, default: 10}}"))
            .warns(narrows("required: [order, currency]"), &["E0415"])
            .warns(narrows("properties: {order: {minLength: 1}}"), &["E0518"])
            .warns(narrows("properties: {order: {maximum: 5, maxLength: 9}}"), &["E0519"])
            .refuses(narrows("properties: {order: {const: B}}"), &["E0513"])
            .refuses(narrows("properties: {amount: {type: string}}"), &["E0504"])
            .refuses(narrows("properties: {ammount: {maximum: 200}}"), &["E0515"])
            .refuses(narrows("properties: {amount: {maximum: 200, default: 300}}"), &["E0516"]),
        rule("a binding may not expect less of results than the Tool gives")
            .accepts(gives("{type: object, required: [id]}", "{type: object}"))
            .accepts(gives("{type: object, required: [id]}", "{type: object, required: [id]}"))
            .refuses(gives("{type: object}", "{type: object, required: [id]}"), &["E0504"])
            .refuses(gives("{type: integer, maximum: 9}", "{maximum: 5}"), &["E0504"])
            .refuses(bound("output_schema: {inline: {type: object}}"), &["E0504"]),
        rule("names that are cut may be taken as well")
            .accepts(cut("one", "two"))
            .refuses(cut("", ""), &["E0501"]),
        rule("policies are logical ids, or files")
            .accepts(bound("description: x"))
            .accepts(agent("        - pay.limit", "        - pay.limit@^1"))
            .accepts(agent("        - pay.limit", "        - {ref: policies/limit}"))
            .accepts(agent("        - pay.limit", "        - ref: policies/limit.yaml"))
            .refuses(agent("        - pay.limit", "        - policies/limit"), &["E0303"])
            .refuses(agent("        - pay.limit", "        - {ref: policies/limits}"), &["E0302"])
            .refuses(agent("        - pay.limit", "        - {ref: tools/refund}"), &["E0204"])
            .refuses(agent("        - pay.limit", "        - {file: policies/limit}"), &["E0202", "E0201"])
            .refuses(agent("        - pay.limit", "        - 5"), &["E0203"])
            .refuses(agent("      policies:\n        - pay.limit\n", "      policies: pay.limit\n"), &["E0203"]),
        rule("what is the Tool's, a Policy's or another place's is refused with that place")
            .accepts(bound("description: Refunds."))
            .refuses(bound("name: x"), &["E0206"])
            .refuses(bound("version: 1.0.0"), &["E0206"])
            .refuses(bound("parameters: {}"), &["E0206"])
            .refuses(bound("policy: pay.limit"), &["E0206"])
            .refuses(bound("agent: shop.clerk"), &["E0206"])
            .refuses(bound("hitl: {}"), &["E0206"])
            .refuses(bound("default_policies: []"), &["E0206"])
            .refuses(bound("strict: true"), &["E0206"])
            .refuses(bound("terminal: true"), &["E0206"])
            .refuses(bound("on_failure: fail"), &["E0206"])
            .refuses(bound("available_when: []"), &["E0206"])
            .refuses(bound("probe: {}"), &["E0206"])
            .refuses(bound("url: x"), &["E0201"]),
    ]);
    let name = |bundle: Bundle| {
        bundle.compile().snapshot.unwrap().tools[0]
            .wire_name
            .clone()
    };
    assert_eq!(name(bindings("{ref: pay.refund@^1.0}")), "pay_refund");
    let namespace = format!("{}.{}", "n".repeat(63), "m-1".repeat(9));
    let long = tool("namespace: pay", &format!("namespace: {namespace}"));
    let long = long.edit(
        "agent.yaml",
        BINDING,
        &format!("    - ref: {namespace}.refund@^1.0\n"),
    );
    assert_eq!(name(long), format!("{}_", "n".repeat(63)));
}

/// The order of the classes, from most to least permission to run again.
#[test]
fn classes_only_move_to_the_right() {
    let order = [
        "read_only",
        "idempotent_write",
        "non_idempotent_write",
        "irreversible_action",
    ];
    let with = |of: &str, to: &str| {
        bound(&format!("side_effect_class: {to}")).edit(
            "tools/refund.yaml",
            "non_idempotent_write",
            of,
        )
    };
    let mut rule = rule("a binding's class is the Tool's or a stricter one")
        .refuses(bound("side_effect_class: none"), &["E0204"]);
    for (left, of) in order.iter().enumerate() {
        for (right, to) in order.iter().enumerate() {
            let bundle = with(of, to);
            if right < left {
                rule = rule.refuses(bundle, &["E0503"]);
            } else {
                let class = bundle.compile().snapshot.unwrap().tools[0].side_effect_class;
                assert_eq!(class.as_str(), *to);
                rule = rule.accepts(bundle);
            }
        }
    }
    check([rule]);
    let class = |bundle: Bundle| bundle.compile().snapshot.unwrap().tools[0].side_effect_class;
    assert_eq!(class(sample()).as_str(), "non_idempotent_write");
    let retried = with("read_only", "irreversible_action")
        .append("tools/refund.yaml", "  on_failure: retry\n");
    assert_eq!(retried.codes(), ["E0507"]);
    assert!(retried.compile().snapshot.is_some());
}

#[test]
fn policies_are_only_added() {
    let more = "\
apiVersion: phrony.com/v1
kind: Policy
metadata: {name: more, namespace: pay, version: 1.0.0}
spec: {decision: {type: require_approval}}
";
    let bundle = sample()
        .append("tools/refund.yaml", "  default_policies: [pay.more]\n")
        .file("policies/more.yaml", more);
    let snapshot = bundle.compile().snapshot.unwrap();
    let names: Vec<_> = snapshot
        .policies
        .iter()
        .map(|it| it.id.to_string())
        .collect();
    assert_eq!(names, ["pay.limit@1.0.0", "pay.more@1.0.0"]);
}

#[test]
fn mcp_bindings() {
    let plain =
        "ref: docs.search, side_effect_class: read_only, input_schema: {inline: {type: object}}";
    let with = |more: &str| served(&format!("{{{plain}, {more}}}"));
    check([
        rule("behind an MCP binding stands no Tool: it declares schema and class")
            .warns(with("mcp: {server: files}"), &["E0511"])
            .warns(with("mcp: {server: files, tool: search.all}"), &["E0511"])
            .refuses(served("{ref: docs.search, mcp: {server: files}, side_effect_class: read_only}"), &["E0509", "E0511"])
            .refuses(served("{ref: docs.search, mcp: {server: files}, input_schema: {inline: {type: object}}}"), &["E0509", "E0511"])
            .refuses(served("{ref: docs.search@^1, mcp: {server: files}, side_effect_class: read_only, input_schema: {inline: {type: object}}}"), &["E0509", "E0511"])
            .refuses(with("mcp: {server: file}"), &["E0511", "E0509"])
            .refuses(with("mcp: {}"), &["E0202"])
            .refuses(with("mcp: files"), &["E0203"])
            .refuses(with("mcp: {server: files, url: x}"), &["E0511", "E0206"])
            .refuses(with("mcp: {server: files, tool: \"\"}"), &["E0205"]),
        rule("without mcp a Tool stands behind it")
            .accepts(sample())
            .refuses(served(&format!("{{{plain}}}")), &["E0305"]),
    ]);
    let backend =
        |bundle: Bundle| format!("{:?}", bundle.compile().snapshot.unwrap().tools[1].backend);
    let own = with("as: find, mcp: {server: files}");
    assert_eq!(backend(own), r#"Mcp { server: "files", tool: "find" }"#);
    let named = with("as: find, mcp: {server: files, tool: search.all}");
    assert_eq!(
        backend(named),
        r#"Mcp { server: "files", tool: "search.all" }"#
    );
}

#[test]
fn mcp_servers() {
    let url = |it: &str| server(&format!("{{name: files, url: \"{it}\"}}"));
    let auth = |it: &str| {
        server(&format!(
            "{{name: files, url: \"https://mcp.example.com\", auth: {it}}}"
        ))
    };
    let with = |it: &str| {
        server(&format!(
            "{{name: files, url: \"https://mcp.example.com\", {it}}}"
        ))
    };
    let said = &["E0511"];
    check([
        rule("a server has a name of its own")
            .warns(server(SERVER), said)
            .warns(
                server(&format!(
                    "{SERVER}, {{name: others, url: \"https://b.example.com\"}}"
                )),
                said,
            )
            .refuses(server(&format!("{SERVER}, {SERVER}")), &["E0511", "E0509"])
            .refuses(
                server("{url: \"https://mcp.example.com\"}"),
                &["E0511", "E0509", "E0202"],
            )
            .refuses(
                server(&format!(
                    "{SERVER}, {{name: \"a b\", url: \"https://b.example.com\"}}"
                )),
                &["E0511", "E0205"],
            ),
        rule("its address is https, or http on this machine")
            .warns(url("https://mcp.example.com:8443/mcp?a=b"), said)
            .warns(url("http://localhost:3000"), said)
            .warns(url("http://127.0.0.1/mcp"), said)
            .warns(url("http://[::1]:80"), said)
            .refuses(url("http://mcp.example.com"), &["E0511", "E0510"])
            .refuses(url("http://localhost.example.com"), &["E0511", "E0510"])
            .refuses(url("http://127.0.0.1.example.com"), &["E0511", "E0510"])
            .refuses(url("http://localhost@example.com"), &["E0511", "E0510"])
            .refuses(url("http://0.0.0.0"), &["E0511", "E0510"])
            .refuses(url("ws://localhost"), &["E0511", "E0510"])
            .refuses(
                url("https://user:word@mcp.example.com"),
                &["E0511", "E0510"],
            )
            .refuses(url("https://"), &["E0511", "E0510"])
            .refuses(url("mcp.example.com"), &["E0511", "E0510"])
            .refuses(server("{name: files}"), &["E0511", "E0202"]),
        rule("its transport is streamable_http")
            .warns(with("transport: streamable_http"), said)
            .refuses(with("transport: stdio"), &["E0511", "E0204"])
            .refuses(with("transport: sse"), &["E0511", "E0204"])
            .refuses(with("command: npx"), &["E0511", "E0206"]),
        rule("a drift is refused or warned of")
            .warns(with("on_drift: refuse"), said)
            .warns(with("on_drift: warn"), said)
            .refuses(with("on_drift: ignore"), &["E0511", "E0204"]),
        rule("auth is a bearer token or a header, with a secret that is declared")
            .warns(auth("{scheme: bearer, secret: key}"), said)
            .warns(
                auth("{scheme: header, secret: key, header: X-Api-Key}"),
                said,
            )
            .refuses(auth("{scheme: basic, secret: key}"), &["E0511", "E0204"])
            .refuses(auth("{secret: key}"), &["E0511", "E0202"])
            .refuses(auth("{scheme: bearer}"), &["E0511", "E0202"])
            .refuses(auth("{scheme: bearer, secret: other}"), &["E0511", "E0702"])
            .refuses(
                auth("{scheme: bearer, secret: key, header: X}"),
                &["E0511", "E0206"],
            )
            .refuses(auth("{scheme: header, secret: key}"), &["E0511", "E0202"])
            .refuses(
                auth("{scheme: header, secret: key, header: \"X: y\"}"),
                &["E0511", "E0205"],
            )
            .refuses(
                auth("{scheme: bearer, token: abc}"),
                &["E0511", "E0202", "E0206"],
            )
            .refuses(auth("key"), &["E0511", "E0203"]),
    ]);
}
