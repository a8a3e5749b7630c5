//! Section 4: Agents, all but their bindings.

use spec::snapshot::SessionMode;

use super::{agent, agent_with, check, faults, rule};
use crate::tests::{Bundle, desk, sample};

const MODEL: &str = "    provider: stub\n    name: scripted\n";

/// The sample with another model, in flow style.
fn model(text: &str) -> Bundle {
    agent(&format!("  model:\n{MODEL}"), &format!("  model: {text}\n"))
}

fn parameters(text: &str) -> Bundle {
    model(&format!("{{provider: stub, name: x, parameters: {text}}}"))
}

fn limits(text: &str) -> Bundle {
    agent_with(&format!("  limits: {text}\n"))
}

fn secrets(text: &str) -> Bundle {
    agent_with(&format!("secrets: {text}\n"))
}

fn output(text: &str) -> Bundle {
    agent_with(&format!("output: {text}\n"))
}

fn instructions(text: &str) -> Bundle {
    agent("    text: Be fair.", &format!("    {text}"))
}

#[test]
fn what_it_is_for() {
    check([
        rule("a purpose is required")
            .accepts(sample())
            .refuses(agent("  purpose: Settle refunds.\n", ""), &["E0202"])
            .refuses(agent("Settle refunds.", "\"  \""), &["E0205"]),
        rule("instructions are exactly one of ref, with a version if wanted, or text")
            .accepts(sample())
            .accepts(instructions("text: |\n      Be fair.\n      Be kind."))
            .accepts(instructions("ref: prompts/a").file("prompts/a.md", "# Be fair"))
            .accepts(instructions("ref: prompts/a\n    version: 2").file("prompts/a-2.txt", "x"))
            .refuses(instructions("{}"), &["E0208"])
            .refuses(instructions("text: a\n    ref: prompts/a"), &["E0208"])
            .refuses(instructions("text: a\n    version: 2"), &["E0206"])
            .refuses(instructions("version: 2"), &["E0208"])
            .refuses(instructions("file: prompts/a"), &["E0208", "E0201"])
            .refuses(instructions("text: 5"), &["E0203"])
            .refuses(instructions("text: \"\""), &["E0205"])
            .refuses(
                agent("  instructions:\n    text: Be fair.\n", ""),
                &["E0202"],
            )
            .refuses(
                agent(
                    "instructions:\n    text: Be fair.",
                    "instructions: Be fair.",
                ),
                &["E0203"],
            ),
        rule("capabilities are a list of texts")
            .accepts(agent_with("  capabilities: [a, \"b c\"]\n"))
            .refuses(agent_with("  capabilities: [a, 1]\n"), &["E0203"])
            .refuses(agent_with("  capabilities: [\"\"]\n"), &["E0205"])
            .refuses(agent_with("  capabilities: a\n"), &["E0203"]),
        rule("default policies are logical ids")
            .accepts(agent_with("  default_policies: [pay.limit@1.0.0]\n"))
            .refuses(
                agent_with("  default_policies: [{ref: policies/limit}]\n"),
                &["E0203"],
            )
            .refuses(
                agent_with("  default_policies: [policies/limit]\n"),
                &["E0303"],
            ),
        rule("rules and approvals are not written in the Agent")
            .accepts(agent_with("  default_policies: []\n"))
            .refuses(agent_with("  policies: []\n"), &["E0206"])
            .refuses(agent_with("policies: []\n"), &["E0206"])
            .refuses(agent_with("  hitl: {}\n"), &["E0206"])
            .refuses(agent_with("hitl: {}\n"), &["E0206"]),
        rule("agents are handed work in a Bundle only")
            .accepts(desk())
            .accepts(sample())
            .refuses(
                agent_with("  agents: [{ref: shop.other@1.0.0}]\n"),
                &["E0801"],
            )
            .refuses(
                agent_with("  agents: [{ref: shop.other, late_bound: true}]\n"),
                &["E0801"],
            ),
    ]);
    for (bundle, words) in [
        (agent_with("  policies: []\n"), "`kind: Policy` documents"),
        (agent_with("  hitl: {}\n"), "`decision` blocks"),
        (
            agent_with("  agents: [{ref: shop.other@1.0.0}]\n"),
            "publish it in a Bundle",
        ),
    ] {
        let found = bundle.compile().diagnostics;
        let help = found[0].help.as_deref().unwrap();
        assert!(help.contains(words), "{help}");
    }
}

#[test]
fn models() {
    check([
        rule("a model has a provider that is known, and a name")
            .accepts(sample())
            .refuses(model("{provider: acme, name: x}"), &["E0204"])
            .refuses(model("{provider: Stub, name: x}"), &["E0204"])
            .refuses(model("{name: x}"), &["E0202"])
            .refuses(model("{provider: stub}"), &["E0202"])
            .refuses(model("{provider: stub, name: 4.1}"), &["E0203"])
            .refuses(model("{provider: stub, name: \"\"}"), &["E0205"])
            .refuses(model("{provider: stub, name: x, temperature: 1}"), &["E0206"])
            .refuses(model("{provider: stub, name: x, api_key: k}"), &["E0206"])
            .refuses(model("{provider: stub, name: x, key: k}"), &["E0201"]),
        rule("temperature or top_p, not both; null counts as absent")
            .accepts(parameters("{temperature: 0.5}"))
            .accepts(parameters("{top_p: 1}"))
            .accepts(parameters("{temperature: null, top_p: 0.9}"))
            .accepts(parameters("{temperature: 0, top_p: ~}"))
            .accepts(parameters("{temperature: null, top_p: null}"))
            .refuses(parameters("{temperature: 0.5, top_p: 0.9}"), &["E0208"])
            .refuses(parameters("{temperature: 0, top_p: 0}"), &["E0208"])
            .refuses(parameters("{temperature: -0.1}"), &["E0203"])
            .refuses(parameters("{temperature: 2.1}"), &["E0203"])
            .refuses(parameters("{top_p: 1.01}"), &["E0203"])
            .refuses(parameters("{temperature: \"0.5\"}"), &["E0203"])
            .refuses(parameters("{temperature: .nan}"), &["E0209"]),
        rule("max_output_tokens counts, stop_sequences are texts")
            .accepts(parameters("{max_output_tokens: 1, stop_sequences: [\"\\n\\nx\", END]}"))
            .accepts(parameters("{max_output_tokens: 1e3}"))
            .refuses(parameters("{max_output_tokens: 0}"), &["E0205"])
            .refuses(parameters("{max_output_tokens: -1}"), &["E0205"])
            .refuses(parameters("{max_output_tokens: 1.5}"), &["E0205"])
            .refuses(parameters("{max_output_tokens: \"5\"}"), &["E0203"])
            .refuses(parameters("{stop_sequences: END}"), &["E0203"])
            .refuses(parameters("{stop_sequences: [1]}"), &["E0203"])
            .refuses(parameters("{seed: 1}"), &["E0201"]),
        rule("reasoning has an effort: low, medium or high")
            .accepts(model("{provider: stub, name: x, reasoning: {effort: low}}"))
            .accepts(model("{provider: stub, name: x, reasoning: {effort: high}}"))
            .refuses(model("{provider: stub, name: x, reasoning: {effort: max}}"), &["E0204"])
            .refuses(model("{provider: stub, name: x, reasoning: {}}"), &["E0202"])
            .refuses(model("{provider: stub, name: x, reasoning: high}"), &["E0203"])
            .refuses(model("{provider: stub, name: x, effort: high}"), &["E0201"]),
        rule("provider_options take anything, in a map")
            .accepts(model("{provider: stub, name: x, provider_options: {a: {b: [1, null]}}}"))
            .refuses(model("{provider: stub, name: x, provider_options: [a]}"), &["E0203"])
            .refuses(model("{provider: stub, name: x, provider_options: {a: .inf}}"), &["E0209"]),
        rule("an address is for openai-compatible only")
            .warns(model("{provider: openai-compatible, name: x, base_url: \"http://localhost:8080/v1\"}"), &["E0701"])
            .warns(model("{provider: openai-compatible, name: x, base_url: \"https://models.example.com\"}"), &["E0701"])
            .refuses(model("{provider: stub, name: x, base_url: \"https://example.com\"}"), &["E0206"])
            .refuses(model("{provider: openai, name: x, base_url: \"https://example.com\"}"), &["E0701", "E0206"])
            .refuses(model("{provider: openai-compatible, name: x, base_url: example.com}"), &["E0701", "E0205"])
            .refuses(model("{provider: openai-compatible, name: x, base_url: \"file:///x\"}"), &["E0701", "E0205"])
            .refuses(model("{provider: openai-compatible, name: x, base_url: \"https://\"}"), &["E0701", "E0205"])
            .refuses(model("{provider: openai-compatible, name: x, base_url: \"https://user:word@example.com\"}"), &["E0701", "E0205"]),
    ]);
}

#[test]
fn keys() {
    let with = |model_text: &str, more: &str| model(model_text).append("agent.yaml", more);
    let one = "secrets: {key: {fromEnv: KEY}}\n";
    let own = "secrets: {openai: {fromEnv: KEY}, other: {fromEnv: B}}\n";
    let plain = "{provider: openai, name: x}";
    let named = "{provider: openai, name: x, secret: key}";
    let mut names = rule("a secret has a name of lower-case letters, digits, _ and -")
        .accepts(secrets("{a: {fromEnv: A}, a_b-9: {fromEnv: B}}"));
    for odd in ["A", "9a", "_a", "-a", "a.b", "\"a b\"", "é", "\"\""] {
        names = names.refuses(secrets(&format!("{{{odd}: {{fromEnv: A}}}}")), &["E0205"]);
    }
    check([
        names,
        rule("a secret comes from a variable of the environment, and nowhere else")
            .accepts(secrets("{a: {fromEnv: OPENAI_API_KEY}}"))
            .accepts(secrets("{}"))
            .refuses(secrets("{a: {fromEnv: \"A B\"}}"), &["E0205"])
            .refuses(secrets("{a: {fromEnv: 9A}}"), &["E0205"])
            .refuses(secrets("{a: {fromEnv: \"\"}}"), &["E0205"])
            .refuses(secrets("{a: {fromEnv: [A]}}"), &["E0203"])
            .refuses(secrets("{a: {}}"), &["E0202"])
            .refuses(secrets("{a: A}"), &["E0203"])
            .refuses(secrets("{a:}"), &["E0203"])
            .refuses(secrets("{a: {from_env: A}}"), &["E0202", "E0201"])
            .refuses(secrets("{a: {fromFile: /run/a}}"), &["E0202", "E0201"]),
        rule("the value of a secret is never written out")
            .accepts(secrets("{value: {fromEnv: A}, plaintext: {fromEnv: B}}"))
            .refuses(secrets("{a: {value: hunter2}}"), &["E0704"])
            .refuses(secrets("{a: {plaintext: hunter2}}"), &["E0704"])
            .refuses(secrets("{a: {fromEnv: A, value: hunter2}}"), &["E0704"])
            .refuses(secrets("{a: {value: {fromEnv: A}}}"), &["E0704"]),
        rule("with secrets, the provider's key is named or called like the provider")
            .warns(with(named, one), &["E0701"])
            .warns(with(plain, own), &["E0701"])
            .warns(with(plain, ""), &["E0701"])
            .warns(with(plain, "secrets: {}\n"), &["E0701"])
            .refuses(with(plain, one), &["E0701", "E0702"])
            .refuses(with(named, own), &["E0701", "E0702"])
            .refuses(with(named, ""), &["E0701", "E0702"])
            .refuses(
                with("{provider: anthropic, name: x}", own),
                &["E0701", "E0702"],
            )
            .refuses(
                with("{provider: openrouter, name: x}", own),
                &["E0701", "E0702"],
            ),
        rule("stub and openai-compatible need no key, and what is named must be there")
            .accepts(with("{provider: stub, name: x}", one))
            .warns(
                with("{provider: openai-compatible, name: x}", one),
                &["E0701"],
            )
            .refuses(
                with("{provider: stub, name: x, secret: other}", one),
                &["E0702"],
            )
            .refuses(
                with("{provider: openai-compatible, name: x, secret: other}", one),
                &["E0701", "E0702"],
            )
            .refuses(
                with("{provider: stub, name: x, secret: [key]}", one),
                &["E0203"],
            ),
    ]);
}

#[test]
fn budgets() {
    let counts = [
        "max_tokens_per_run",
        "max_loop_iterations",
        "max_wall_clock_seconds",
        "max_hitl_wait_minutes",
        "max_subagent_depth",
        "max_tool_calls",
    ];
    let mut rules = Vec::new();
    for count in counts {
        let with = |value: &str| limits(&format!("{{{count}: {value}}}"));
        let mut counted = rule("a limit is a whole number of at least 1")
            .accepts(with("1"))
            .accepts(with("1e3"))
            .accepts(with("1000.0"))
            .accepts(with("4294967295"));
        for value in [
            "0",
            "-1",
            "-0",
            "0.5",
            "1.5",
            "1e-3",
            "99999999999999999999",
        ] {
            counted = counted.refuses(with(value), &["E0205"]);
        }
        for value in [
            "", "null", "\"5\"", "many", "5m", "true", "[5]", "{a: 5}", "1_000",
        ] {
            counted = counted.refuses(with(value), &["E0203"]);
        }
        for value in [".inf", "010", "0x10", "1e2000"] {
            counted = counted.refuses(with(value), &["E0209"]);
        }
        rules.push(counted);
    }
    let much = limits("{max_tool_calls: 4294967296}").compile().diagnostics;
    let message = &much[0].message;
    assert!(message.contains("from 1 to 4294967295"), "{message}");
    rules.push(
        rule("on_limit is halt or, once it is enforced, escalate")
            .accepts(limits("{on_limit: halt}"))
            .refuses(limits("{on_limit: escalate}"), &["E0207"])
            .refuses(limits("{on_limit: stop}"), &["E0204"]),
    );
    rules.push(
        rule("a limit of cost is refused until it is enforced")
            .accepts(limits("{}"))
            .refuses(limits("{max_cost: 5}"), &["E0207"])
            .refuses(limits("{max_calls: 5}"), &["E0201"]),
    );
    check(rules);
}

#[test]
fn answers() {
    let json = "schema: {inline: {type: object}}";
    check([
        rule("a session is a conversation or a single turn")
            .accepts(agent_with("  session: conversation\n"))
            .accepts(agent_with("  session: single_turn\n"))
            .refuses(agent_with("  session: chat\n"), &["E0204"])
            .refuses(agent_with("  session: {mode: single_turn}\n"), &["E0203"]),
        rule("an answer is text or json")
            .accepts(output("{}"))
            .accepts(output("{format: text}"))
            .accepts(output("{format: json}"))
            .refuses(output("{format: yaml}"), &["E0204"])
            .refuses(output("{format: [json]}"), &["E0203"])
            .refuses(output("{type: json}"), &["E0201"]),
        rule("json may have a schema, of any type, closed if strict")
            .accepts(output("{format: json, schema: {inline: {type: array}}}"))
            .accepts(output(&format!("{{format: json, {json}, strict: true}}")))
            .accepts(output("{format: json, schema: {ref: schemas/refund}}"))
            .refuses(output(&format!("{{{json}}}")), &["E0705"])
            .refuses(output("{format: json, strict: true}"), &["E0705"])
            .refuses(
                output("{format: json, schema: {type: object}}"),
                &["E0208", "E0206"],
            )
            .refuses(
                output("{format: json, schema: {ref: schemas/refunds}}"),
                &["E0302"],
            )
            .refuses(
                output("{format: json, schema: {inline: {type: objekt}}}"),
                &["E0401"],
            )
            .refuses(output("{format: json, strict: \"true\"}"), &["E0203"]),
        rule("on_invalid is retry, repair, fail or, once it is enforced, escalate")
            .accepts(output("{format: json, on_invalid: retry}"))
            .accepts(output("{format: json, on_invalid: repair}"))
            .accepts(output("{format: json, on_invalid: fail}"))
            .refuses(output("{format: json, on_invalid: escalate}"), &["E0207"])
            .refuses(output("{format: json, on_invalid: ignore}"), &["E0204"])
            .refuses(output("{on_invalid: fail}"), &["E0705"]),
    ]);
    let mode = |bundle: Bundle| bundle.compile().snapshot.unwrap().session;
    assert_eq!(mode(sample()), SessionMode::Conversation);
    assert_eq!(mode(output("{format: json}")), SessionMode::SingleTurn);
    let secret = secrets("{a: {value: hunter2}}");
    let found = secret.compile().diagnostics;
    assert_eq!(faults(&found[0], &secret), [""; 0]);
    let drawn = crate::render(&found, &|path| secret.text(path), false);
    assert!(!drawn.contains("hunter2"), "{drawn}");
}
