//! Section 2: what all kinds of documents have in common.

use super::{agent, agent_with, check, policy, rule, tool};
use crate::tests::{Bundle, desk, sample};

/// The sample with more in its Agent's metadata.
fn metadata(more: &str) -> Bundle {
    agent("  version: 1.0.0\n", &format!("  version: 1.0.0\n{more}"))
}

fn governance(more: &str) -> Bundle {
    metadata(&format!("  governance: {more}\n"))
}

fn bundle(from: &str, to: &str) -> Bundle {
    desk().edit("bundle.yaml", from, to)
}

#[test]
fn common_shape() {
    check([
        rule("apiVersion is exactly phrony.com/v1")
            .accepts(agent("phrony.com/v1", "\"phrony.com/v1\""))
            .refuses(agent("phrony.com/v1", "phrony.com/v2"), &["E0204"])
            .refuses(agent("phrony.com/v1", "phrony.com/V1"), &["E0204"])
            .refuses(tool("phrony.com/v1", "v1"), &["E0204"])
            .refuses(policy("apiVersion: phrony.com/v1\n", ""), &["E0202"])
            .refuses(bundle("phrony.com/v1", "1"), &["E0203"]),
        rule("kind says what it is")
            .accepts(sample())
            .refuses(agent("kind: Agent", "kind: agent"), &["E0204"])
            .refuses(agent("kind: Agent\n", ""), &["E0202"])
            .refuses(agent("kind: Agent", "kind: Tool"), &["E0204"])
            .refuses(agent("kind: Agent", "kind: Bundle"), &["E0810"])
            .refuses(tool("kind: Tool", "kind: Policy"), &["E0204"])
            .refuses(tool("kind: Tool", "kind: Bundle"), &["E0810"])
            .refuses(policy("kind: Policy", "kind: Tool"), &["E0204"])
            .refuses(bundle("kind: Bundle", "kind: Agent"), &["E0204"]),
        rule("metadata and spec are required")
            .accepts(sample())
            .refuses(
                agent(
                    "metadata:\n  name: clerk\n  namespace: shop\n  version: 1.0.0\n",
                    "",
                ),
                &["E0202"],
            )
            .refuses(bundle("spec:\n  root: desk.yaml\n", ""), &["E0202"])
            .refuses(
                policy(
                    "spec:\n  conditions:\n    field: amount\n    op: gt\n    value: 1000\n  decision:\n    type: deny\n    reason: Too much.\n",
                    "spec:\n",
                ),
                &["E0203"],
            ),
        rule("secrets and output stand beside spec, on an Agent")
            .accepts(agent_with("secrets: {a: {fromEnv: A}}\noutput: {format: text}\n"))
            .refuses(agent_with("  secrets: {a: {fromEnv: A}}\n"), &["E0206"])
            .refuses(agent_with("  output: {format: text}\n"), &["E0206"])
            .refuses(
                sample().append("tools/refund.yaml", "secrets: {}\n"),
                &["E0206"],
            )
            .refuses(sample().append("policies/limit.yaml", "output: {}\n"), &["E0201"])
            .refuses(desk().append("bundle.yaml", "secrets: {}\n"), &["E0206"]),
    ]);
}

#[test]
fn identities() {
    let long = "a".repeat(63);
    let name = |it: &str| agent("name: clerk", &format!("name: {it}"));
    let namespace = |it: &str| agent("namespace: shop", &format!("namespace: {it}"));
    let version = |it: &str| agent("version: 1.0.0", &format!("version: {it}"));
    let mut names =
        rule("a name has lower-case letters, digits and inner hyphens, 1 to 63 of them")
            .accepts(name("a"))
            .accepts(name("9-lives"))
            .accepts(name("a--b"))
            .accepts(name(&long))
            .refuses(name(&format!("{long}a")), &["E0205"])
            .refuses(
                name("\"1\"").edit("agent.yaml", "name: \"1\"", "name: 1"),
                &["E0203"],
            )
            .refuses(tool("name: refund", "name: Refund"), &["E0205"])
            .refuses(policy("name: limit", "name: li_mit"), &["E0205"])
            .refuses(bundle("name: front-desk", "name: front.desk"), &["E0205"]);
    for odd in [
        "\"\"",
        "Clerk",
        "-a",
        "a-",
        "a_b",
        "a.b",
        "a b",
        "\" a\"",
        "a/b",
        "clérk",
        "cl\u{435}rk",
        "ｃlerk",
        "cle\u{200b}rk",
        "\"clerk\\n\"",
        "clerk\u{301}",
    ] {
        names = names.refuses(name(odd), &["E0205"]);
    }
    let mut namespaces = rule("a namespace is such names with dots between")
        .accepts(namespace("a"))
        .accepts(namespace("a.b-c.9"))
        .accepts(namespace(&format!("{long}.{long}")))
        .refuses(namespace(&format!("{long}a.b")), &["E0205"]);
    for odd in [
        "\"\"",
        "a..b",
        ".a",
        "a.",
        "a.-b",
        "A.b",
        "a/b",
        "sh\u{43e}p",
    ] {
        namespaces = namespaces.refuses(namespace(odd), &["E0205"]);
    }
    let mut versions = rule("a version is semantic, and required on all four kinds")
        .accepts(version("\"1.0.0\""))
        .accepts(version("10.20.30-rc.1"))
        .warns(version("v1.0.0"), &["E0211"])
        .warns(version("1.0.0+build.5"), &["E0211"])
        .refuses(agent("  version: 1.0.0\n", ""), &["E0202"])
        .refuses(policy("  version: 1.0.0\n", ""), &["E0202"])
        .refuses(bundle("  version: 1.0.0\n", ""), &["E0202"])
        .refuses(tool("  version: 1.2.0\n", ""), &["E0202"])
        .refuses(version("1.0"), &["E0203"])
        .refuses(version("1"), &["E0203"])
        .refuses(version("1e3"), &["E0203"]);
    for odd in [
        "\"1.0\"",
        "\"1\"",
        "latest",
        "1.0.0.0",
        "01.0.0",
        "1.0.0-",
        "1.0.0-01",
        "^1.0.0",
        "\"\"",
        "1.x.0",
        "99999999999999999999.0.0",
        "\" 1.0.0\"",
        "vv1.0.0",
    ] {
        versions = versions.refuses(version(odd), &["E0210"]);
    }
    check([
        names,
        namespaces,
        versions,
        rule("name and namespace are required")
            .accepts(sample())
            .refuses(agent("  name: clerk\n", ""), &["E0202"])
            .refuses(agent("  namespace: shop\n", ""), &["E0202"])
            .refuses(bundle("  namespace: shop\n", ""), &["E0202"]),
        rule("a logical id splits at its last dot")
            .accepts(tool("namespace: pay", "namespace: pay.eu").edit(
                "agent.yaml",
                "pay.refund@^1.0",
                "pay.eu.refund@^1.0",
            ))
            .refuses(agent("pay.refund@^1.0", "refund@^1.0"), &["E0303"])
            .refuses(agent("pay.refund@^1.0", "pay.refund.@^1.0"), &["E0303"]),
    ]);
}

#[test]
fn described() {
    check([
        rule("an owner is text")
            .accepts(metadata("  owner: \"Ann <ann@example.com>\"\n"))
            .refuses(metadata("  owner: [ann]\n"), &["E0203"])
            .refuses(metadata("  owner: \"\"\n"), &["E0205"]),
        rule("labels and annotations are maps of texts")
            .accepts(metadata(
                "  labels: {a: \"1\", b: \"\"}\n  annotations: {\"a b\": x}\n",
            ))
            .refuses(metadata("  labels: {a: 1}\n"), &["E0203"])
            .refuses(metadata("  labels: {a: true}\n"), &["E0203"])
            .refuses(metadata("  labels: {a:}\n"), &["E0203"])
            .refuses(metadata("  annotations: {a: {b: c}}\n"), &["E0203"])
            .refuses(metadata("  annotations: [a]\n"), &["E0203"]),
        rule("governance has a risk tier, boundaries, classifications and frameworks")
            .accepts(governance("{risk_tier: high, classifications: [pii, x]}"))
            .warns(
                governance("{authority_boundaries: [refunds.large]}"),
                &["E0605"],
            )
            .refuses(governance("{risk: high}"), &["E0201"])
            .refuses(governance("{risk_tier: 3}"), &["E0203"])
            .refuses(governance("{classifications: pii}"), &["E0203"])
            .refuses(governance("{classifications: [\"\"]}"), &["E0205"])
            .refuses(
                governance("{authority_boundaries: [Large Refunds]}"),
                &["E0205"],
            )
            .refuses(governance("{frameworks: [eu-ai-act/v1]}"), &["E0203"])
            .refuses(metadata("  risk_tier: high\n"), &["E0206"]),
        rule("the pack eu-ai-act/v1 is checked")
            .accepts(governance(
                "{frameworks: {eu-ai-act/v1: {role: deployer, annex_iii_category: \"5b\"}}}",
            ))
            .accepts(governance("{frameworks: {eu-ai-act/v1: {}}}"))
            .accepts(governance(
                "{frameworks: {eu-ai-act/v1: {role: authorized_representative}}}",
            ))
            .refuses(
                governance("{frameworks: {eu-ai-act/v1: {role: user}}}"),
                &["E0204"],
            )
            .refuses(
                governance("{frameworks: {eu-ai-act/v1: {annex_iii_category: 5}}}"),
                &["E0203"],
            )
            .refuses(
                governance("{frameworks: {eu-ai-act/v1: {rolle: deployer}}}"),
                &["E0201"],
            )
            .refuses(
                governance("{frameworks: {eu-ai-act/v1: deployer}}"),
                &["E0203"],
            ),
        rule("an unknown pack is carried")
            .accepts(governance(
                "{frameworks: {nist-ai-rmf/v1: {tier: 2, x: [null]}}}",
            ))
            .accepts(governance("{frameworks: {house: yes}}"))
            .warns(
                governance("{frameworks: {eu-ai-act/v2: {role: user}}}"),
                &["E0212"],
            )
            .refuses(governance("{frameworks: {house: .nan}}"), &["E0209"]),
    ]);
}

/// Descriptive fields are recorded and change nothing else.
#[test]
fn descriptive_fields_change_no_behaviour() {
    let plain = sample().compile().snapshot.unwrap();
    let more = "  owner: ann\n  labels: {a: b}\n  annotations: {c: d}\n  governance: {risk_tier: high, classifications: [pii], frameworks: {house/v1: {x: 1}}}\n";
    let with = metadata(more).compile().snapshot.unwrap();
    assert_eq!(with.metadata.owner.as_deref(), Some("ann"));
    assert_eq!(with.metadata.labels["a"], "b");
    assert_eq!(with.metadata.annotations["c"], "d");
    assert_eq!(with.metadata.governance.risk_tier.as_deref(), Some("high"));
    assert_eq!(with.metadata.governance.classifications, ["pii"]);
    let pack = &with.metadata.governance.frameworks["house/v1"];
    assert!(!pack.validated);
    assert_eq!(pack.content.to_canonical(), r#"{"x":1}"#);
    let known = governance("{frameworks: {eu-ai-act/v1: {role: deployer}}}");
    let known = known.compile().snapshot.unwrap().metadata.governance;
    assert!(known.frameworks["eu-ai-act/v1"].validated);
    let bare = spec::Snapshot {
        metadata: plain.metadata.clone(),
        ..with
    };
    assert_eq!(bare, plain);
}
