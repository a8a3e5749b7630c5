//! Section 5: references to files and to documents.

use super::{agent, agent_with, check, policy, rule, tool};
use crate::tests::{Bundle, Shelf, sample};

/// The sample whose Tool refers to its schema so.
fn schema(reference: &str) -> Bundle {
    tool("ref: schemas/refund", reference)
}

fn prompt(reference: &str) -> Bundle {
    agent("text: Be fair.", reference)
}

/// The sample with the schema in another file only.
fn at(path: &str, reference: &str) -> Bundle {
    let text = sample().text("schemas/refund.json").unwrap();
    schema(reference)
        .without("schemas/refund.json")
        .file(path, text)
}

/// The sample with these versions of its Tool, and this reference.
fn versions(versions: &[&str], reference: &str) -> Bundle {
    let text = sample().text("tools/refund.yaml").unwrap();
    let mut bundle = agent("pay.refund@^1.0", reference).without("tools/refund.yaml");
    for (index, version) in versions.iter().enumerate() {
        let text = text.replace("version: 1.2.0", &format!("version: {version}"));
        bundle = bundle.file(&format!("tools/t{index}.yaml"), text);
    }
    bundle
}

fn pinned(bundle: &Bundle) -> String {
    bundle.compile().snapshot.unwrap().tools[0]
        .contract
        .version
        .clone()
}

#[test]
fn files() {
    let version =
        |ext: &str, label: &str| at(ext, &format!("ref: schemas/refund\n    version: {label}"));
    check([
        rule("a path is relative to the bundle, with forward slashes, and stays in it")
            .accepts(schema("ref: ./schemas/refund"))
            .accepts(schema("ref: schemas/../schemas//refund.json"))
            .accepts(at("schemas/a..b.json", "ref: schemas/a..b"))
            .accepts(prompt("ref: fair").file("fair.md", "x"))
            .refuses(schema("ref: /schemas/refund"), &["E0301"])
            .refuses(schema("ref: ../schemas/refund"), &["E0301"])
            .refuses(schema("ref: schemas/../../x/refund"), &["E0301"])
            .refuses(schema("ref: a/b/../../.."), &["E0301"])
            .refuses(schema("ref: schemas\\refund"), &["E0301"])
            .refuses(schema("ref: \"C:/schemas/refund\""), &["E0301"])
            .refuses(schema("ref: \"https://example.com/refund\""), &["E0301"])
            .refuses(schema("ref: \"file:///etc/passwd\""), &["E0301"])
            .refuses(schema("ref: schemas/"), &["E0301"])
            .refuses(schema("ref: ."), &["E0301"])
            .refuses(schema("ref: \"schemas/\\0refund\""), &["E0301"])
            .refuses(schema("ref: \"\""), &["E0205"])
            .refuses(prompt("ref: ../fair"), &["E0301"])
            .refuses(agent("- pay.limit", "- {ref: ../limit}"), &["E0301"]),
        rule("schemas: .json, then .yaml")
            .accepts(sample())
            .accepts(at("schemas/refund.yaml", "ref: schemas/refund"))
            .accepts(at("schemas/refund.yaml", "ref: schemas/refund.yaml"))
            .accepts(sample().file("schemas/refund.yaml", "type: array"))
            .refuses(at("schemas/refund.yml", "ref: schemas/refund"), &["E0302"])
            .refuses(
                at("schemas/refund.yaml", "ref: schemas/refund.json"),
                &["E0302"],
            ),
        rule("instructions: .yaml, .yml, .md, .txt")
            .accepts(
                prompt("ref: p/a")
                    .file("p/a.yaml", "text: x")
                    .file("p/a.yml", "- no")
                    .file("p/a.md", "")
                    .file("p/a.txt", ""),
            )
            .accepts(
                prompt("ref: p/a")
                    .file("p/a.yml", "x")
                    .file("p/a.md", "")
                    .file("p/a.txt", ""),
            )
            .accepts(prompt("ref: p/a").file("p/a.md", "x").file("p/a.txt", ""))
            .accepts(prompt("ref: p/a").file("p/a.txt", "x"))
            .accepts(
                prompt("ref: p/a.txt")
                    .file("p/a.txt", "x")
                    .file("p/a.yaml", "[]"),
            )
            .refuses(prompt("ref: p/a").file("p/a.json", "\"x\""), &["E0302"]),
        rule("instructions in YAML are a map with text, or one text")
            .accepts(prompt("ref: p/a").file("p/a.yaml", "text: |\n  # x\n"))
            .accepts(prompt("ref: p/a").file("p/a.yaml", "just this"))
            .refuses(prompt("ref: p/a").file("p/a.yaml", "[x]"), &["E0203"])
            .refuses(
                prompt("ref: p/a").file("p/a.yaml", "prompt: x"),
                &["E0201", "E0202"],
            )
            .refuses(
                prompt("ref: p/a").file("p/a.yaml", "text: x\nmore: y\n"),
                &["E0201"],
            )
            .refuses(prompt("ref: p/a").file("p/a.yaml", "1.5"), &["E0203"])
            .refuses(prompt("ref: p/a").file("p/a.md", " \n"), &["E0205"])
            .refuses(prompt("ref: p/a").file("p/a.md", b"\xff"), &["E0101"])
            .refuses(
                prompt("ref: p/a").file("p/a.yaml", "text: &x y"),
                &["E0104"],
            ),
        rule("policies: .yaml, .yml")
            .accepts(
                agent("- pay.limit", "- {ref: rules/limit}").file("rules/limit.yml", elsewhere()),
            )
            .accepts(
                agent("- pay.limit", "- {ref: rules/limit.yaml}")
                    .file("rules/limit.yaml", elsewhere()),
            )
            .refuses(
                agent("- pay.limit", "- {ref: rules/limit}").file("rules/limit.json", "{}"),
                &["E0302"],
            ),
        rule("a version of a file is text or a whole number")
            .accepts(version("schemas/refund-2.json", "2"))
            .accepts(version("schemas/refund-2.json", "\"2\""))
            .accepts(version("schemas/refund-1.4.0.json", "1.4.0"))
            .accepts(version("schemas/refund-draft.yaml", "draft"))
            .refuses(version("schemas/refund-1.5.json", "1.5"), &["E0203"])
            .refuses(version("schemas/refund-2.json", "[2]"), &["E0203"])
            .refuses(version("schemas/refund-2.json", ""), &["E0203"])
            .refuses(version("schemas/refund-2.json", "true"), &["E0203"])
            .refuses(version("schemas/refund-2.json", "-2"), &["E0203"])
            .refuses(version("schemas/refund-2.json", "\"\""), &["E0205"])
            .refuses(version("schemas/refund-2.json", "\"../2\""), &["E0205"])
            .refuses(version("schemas/refund-2.json", "..2"), &["E0205"]),
        rule("with a version: -N, /N, /vN, and last the plain file, with a warning")
            .accepts(version("schemas/refund-2.json", "2"))
            .accepts(version("schemas/refund/2.json", "2"))
            .accepts(version("schemas/refund/v2.yaml", "2"))
            .accepts(at(
                "schemas/refund-2.json",
                "ref: schemas/refund.json\n    version: 2",
            ))
            .warns(schema("ref: schemas/refund\n    version: 2"), &["E0309"])
            .warns(
                schema("ref: schemas/refund.json\n    version: 2"),
                &["E0309"],
            )
            .warns(
                prompt("ref: p/a\n    version: 3").file("p/a.md", "x"),
                &["E0309"],
            )
            .refuses(version("schemas/refund-3.json", "2"), &["E0302"])
            .refuses(version("schemas/refundv2.json", "2"), &["E0302"]),
    ]);
}

fn elsewhere() -> String {
    sample()
        .text("policies/limit.yaml")
        .unwrap()
        .replace("name: limit", "name: limit-too")
}

#[test]
fn every_path_that_was_tried_is_listed() {
    let helps = |bundle: Bundle| bundle.compile().diagnostics[0].help.clone().unwrap();
    assert_eq!(
        helps(prompt("ref: p/a\n    version: 2")),
        "tried p/a-2.yaml, p/a-2.yml, p/a-2.md, p/a-2.txt, p/a/2.yaml, p/a/2.yml, p/a/2.md, p/a/2.txt, p/a/v2.yaml, p/a/v2.yml, p/a/v2.md, p/a/v2.txt, p/a.yaml, p/a.yml, p/a.md, p/a.txt"
    );
    assert_eq!(helps(schema("ref: s/a")), "tried s/a.json, s/a.yaml");
    assert_eq!(
        helps(agent("- pay.limit", "- {ref: r/a}")),
        "tried r/a.yaml, r/a.yml"
    );
}

/// The version that is asked for is recorded, whichever file it led to.
#[test]
fn versions_of_files_are_recorded() {
    let recorded = |bundle: Bundle| {
        let versions = bundle.compile().snapshot.unwrap().file_versions;
        versions
            .into_iter()
            .map(|(field, version)| format!("{field}: {version}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(recorded(sample()), [""; 0]);
    let result = r#"{"type": "object"}"#;
    let bundle = schema("ref: schemas/refund\n    version: 2")
        .append("tools/refund.yaml", "  output_schema: {ref: schemas/result, version: \"2026-01\"}\n")
        .edit("agent.yaml", "text: Be fair.", "ref: p/a\n    version: 3")
        .edit("agent.yaml", "- pay.limit", "- {ref: policies/limit, version: 4}")
        .append("agent.yaml", "output: {format: json, schema: {ref: schemas/result, version: \"2026-01\"}}\n")
        .file("schemas/result-2026-01.json", result)
        .file("p/a/v3.md", "x")
        .file("tools/unbound.yaml", "apiVersion: phrony.com/v1\nkind: Tool\nmetadata: {name: x, namespace: y, version: 1.0.0}\nspec: {input_schema: {ref: schemas/result, version: \"2026-01\"}}\n");
    assert_eq!(bundle.codes(), ["E0309", "E0309"]);
    assert_eq!(
        recorded(bundle),
        [
            "output.schema: 2026-01",
            "spec.instructions: 3",
            "spec.tools[0].policies[0]: 4",
        ]
    );
}

#[test]
fn documents() {
    let moved = |from: &str, to: &str| {
        let text = sample().text(from).unwrap();
        sample().without(from).file(to, text)
    };
    let twin = |path: &str, to: &str| {
        let text = sample().text(path).unwrap();
        sample().file(to, text)
    };
    check([
        rule("documents are found by their metadata, whatever their file is called")
            .accepts(moved("tools/refund.yaml", "tools/anything at all.yml"))
            .accepts(moved("policies/limit.yaml", "policies/x.yaml"))
            .accepts(
                sample()
                    .file("tools/README.md", "x")
                    .file("tools/.hidden.yaml", "no: thing"),
            )
            .refuses(moved("tools/refund.yaml", "tool/refund.yaml"), &["E0305"])
            .refuses(
                moved("tools/refund.yaml", "tools/deep/refund.yaml"),
                &["E0305"],
            )
            .refuses(tool("name: refund", "name: charge"), &["E0305"]),
        rule("two with one identity and version are an error")
            .accepts(twin("tools/refund.yaml", "tools/old.yaml").edit(
                "tools/old.yaml",
                "1.2.0",
                "1.1.0",
            ))
            .accepts(twin("tools/refund.yaml", "tools/old.yaml").edit(
                "tools/old.yaml",
                "namespace: pay",
                "namespace: paid",
            ))
            .refuses(twin("tools/refund.yaml", "tools/old.yaml"), &["E0307"])
            .refuses(twin("policies/limit.yaml", "policies/old.yaml"), &["E0307"])
            .refuses(
                twin("tools/refund.yaml", "tools/old.yaml").edit(
                    "tools/old.yaml",
                    "1.2.0",
                    "1.2.0+other",
                ),
                &["E0211", "E0307"],
            )
            .refuses(
                agent("- pay.limit", "- {ref: rules/limit}").file(
                    "rules/limit.yaml",
                    sample().text("policies/limit.yaml").unwrap(),
                ),
                &["E0307"],
            ),
        rule("a missing id lists the nearest ones")
            .accepts(sample())
            .refuses(agent("pay.refund@^1.0", "pay.refnud@^1.0"), &["E0305"])
            .refuses(agent("pay.refund@^1.0", "crm.tickets@^1.0"), &["E0305"])
            .refuses(agent("- pay.limit", "- pay.limits"), &["E0305"])
            .refuses(
                agent("- pay.limit", "- pay.limit").without("policies/limit.yaml"),
                &["E0305"],
            ),
        rule("a policy ref may carry a constraint")
            .accepts(agent("- pay.limit", "- pay.limit@^1"))
            .accepts(agent("- pay.limit", "- \"pay.limit@>=1 <2\""))
            .accepts(agent_with("  default_policies: [\"pay.limit@1.0.0\"]\n"))
            .refuses(agent("- pay.limit", "- pay.limit@^2"), &["E0306"])
            .refuses(agent("- pay.limit", "- pay.limit@latest"), &["E0304"])
            .refuses(agent("- pay.limit", "- pay.limit@"), &["E0304"]),
    ]);
    let help = |bundle: Bundle| bundle.compile().diagnostics[0].help.clone().unwrap();
    assert_eq!(
        help(agent("pay.refund@^1.0", "pay.refnud@^1.0")),
        "did you mean `pay.refund`?"
    );
    let mut many = agent("pay.refund@^1.0", "pay.quux@^1.0");
    for name in [
        "a",
        "qux",
        "b-long-name",
        "c-long-name",
        "d-long-name",
        "quuux-and-more",
        "e-long-name",
        "f-long-name",
        "g-long-name",
        "h-long-name",
        "i-long-name",
    ] {
        let text = sample()
            .text("tools/refund.yaml")
            .unwrap()
            .replace("name: refund", &format!("name: {name}"));
        many = many.file(
            &format!("tools/{name}.yaml"),
            text.replace("namespace: pay", "namespace: others"),
        );
    }
    let listed = help(many);
    assert!(listed.ends_with(" and 2 more"), "{listed}");
}

#[test]
fn the_catalog_comes_second() {
    let without = || sample().without("tools/refund.yaml");
    let shelf = |versions: &[&str]| Shelf::default().tools(versions);
    let other = tool("Pay money back.", "Pay it back.");
    check([
        rule("a Tool that the bundle lacks is looked up in the catalog")
            .warns_before(&shelf(&["1.2.0"]), without(), &[])
            .refuses_before(&Shelf::default(), without(), &["E0305"])
            .refuses(without(), &["E0305"]),
        rule("the bundle goes first, and of all versions that satisfy the constraint the highest is pinned")
            .warns_before(&shelf(&["1.9.0"]), sample(), &[])
            .refuses_before(&shelf(&["2.0.0"]), without(), &["E0306"]),
        rule("one version has one content")
            .warns_before(&shelf(&["1.2.0"]), sample(), &[])
            .refuses_before(&shelf(&["1.2.0"]), other, &["E0310"]),
        rule("Policies too")
            .warns_before(
                &Shelf::default().policies(&["pay.limit"]),
                sample().without("policies/limit.yaml"),
                &[],
            )
            .refuses_before(
                &Shelf::default().policies(&["pay.other"]),
                sample().without("policies/limit.yaml"),
                &["E0305"],
            ),
    ]);
    let pin = |shelf: Shelf, bundle: &Bundle| {
        let snapshot = shelf.compile(bundle).snapshot.unwrap();
        snapshot.tools[0].contract.version.clone()
    };
    assert_eq!(pin(shelf(&["1.9.0"]), &sample()), "1.2.0");
    assert_eq!(pin(shelf(&["1.3.0", "1.10.0"]), &without()), "1.10.0");
}

#[test]
fn the_same_policy_counts_once_with_all_its_origins() {
    let bundle = sample()
        .append(
            "tools/refund.yaml",
            "  default_policies: [pay.limit, pay.limit@^1]\n",
        )
        .append("agent.yaml", "  default_policies: [pay.limit]\n")
        .edit(
            "agent.yaml",
            "        - pay.limit",
            "        - pay.limit\n        - {ref: policies/limit}",
        );
    let policies = bundle.compile().snapshot.unwrap().policies;
    let [only] = policies.as_slice() else {
        panic!("{policies:?}");
    };
    let origins: Vec<_> = only
        .attachments
        .iter()
        .map(|it| format!("{:?}", it.origin))
        .collect();
    assert_eq!(origins, ["ToolDefault", "Binding", "AgentDefault"]);
}

#[test]
fn constraints() {
    let all = [
        "0.2.3",
        "0.2.9",
        "1.2.3",
        "1.2.9",
        "1.9.0",
        "2.0.0-rc.1",
        "2.0.0",
        "3.0.0-a",
    ];
    for (constraint, version) in [
        ("1.2.3", "1.2.3"),
        ("=1.2.3", "1.2.3"),
        ("= 1.2.3", "1.2.3"),
        ("v1.2.3", "1.2.3"),
        ("^v1.2.3", "1.9.0"),
        ("1.2.3+build", "1.2.3"),
        ("^1.2", "1.9.0"),
        ("^0.2.3", "0.2.9"),
        ("~1.2.3", "1.2.9"),
        ("~1", "1.9.0"),
        (">1.2.9", "2.0.0"),
        (">=1.9.0", "2.0.0"),
        ("<1.2.9", "1.2.3"),
        ("<=1.2.9", "1.2.9"),
        ("1", "1.9.0"),
        ("1.2", "1.2.9"),
        ("1.x", "1.9.0"),
        ("1.2.x", "1.2.9"),
        ("1.2.*", "1.2.9"),
        ("*", "2.0.0"),
        (">=1.2 <1.9", "1.2.9"),
        (">=1.2, <1.9", "1.2.9"),
        (">=1.2,<1.9", "1.2.9"),
        ("0.2.3 || 1.2.3", "1.2.3"),
        ("^0.2||^1.9", "1.9.0"),
        ("2.0.0-rc.1", "2.0.0-rc.1"),
        (">=2.0.0-rc.0 <2.0.0", "2.0.0-rc.1"),
        (">=2.0.0-rc.0", "2.0.0"),
        ("^3.0.0-a", "3.0.0-a"),
    ] {
        let bundle = versions(&all, &format!("\"pay.refund@{constraint}\""));
        assert_eq!(pinned(&bundle), version, "{constraint}");
        // What is no part of a version is passed over, with a warning.
        let odd = constraint.contains('v');
        let said: &[&str] = if odd { &["E0211"] } else { &[] };
        assert_eq!(bundle.codes(), said, "{constraint}");
    }
    let with = |constraint: &str| versions(&all, &format!("\"pay.refund@{constraint}\""));
    let mut forms = rule("only these forms are constraints").accepts(with("^1.2"));
    for odd in [
        "",
        " ",
        "latest",
        "1.2 - 1.4",
        "~>1.2",
        "==1",
        "!=1",
        "^*",
        "1.2.3.4",
        "01",
        "1.2-rc",
        "^1 ||",
        ",1",
        "1,,2",
        "1;2",
        "^1 & ^2",
        "１.2.3",
        "1.2.3-",
        "1@2",
    ] {
        forms = forms.refuses(with(odd), &["E0304"]);
    }
    check([
        forms,
        rule("a pre-release only where one of the same triple is named")
            .accepts(with("2.0.0-rc.1"))
            .refuses(versions(&["2.0.0-rc.1"], "pay.refund@^2"), &["E0306"])
            .refuses(versions(&["2.0.0-rc.1"], "\"pay.refund@*\""), &["E0306"])
            .refuses(
                versions(&["2.0.0-rc.1"], "\"pay.refund@>=2.0.0-0 || ^1\"").edit(
                    "tools/t0.yaml",
                    "2.0.0-rc.1",
                    "1.1.0-rc.1",
                ),
                &["E0306"],
            )
            .refuses(
                versions(&["2.0.1-rc.1"], "pay.refund@^2.0.0-rc.0"),
                &["E0306"],
            ),
        rule("without a constraint the highest stable version, with a warning")
            .warns(versions(&all, "pay.refund"), &["E0308"])
            .refuses(versions(&["2.0.0-rc.1"], "pay.refund"), &["E0306"]),
        rule("no version that satisfies the constraint is an error that lists what is there")
            .accepts(with("^1"))
            .refuses(with("^4"), &["E0306"])
            .refuses(with("1.2.4"), &["E0306"]),
    ]);
    assert_eq!(pinned(&versions(&all, "pay.refund")), "2.0.0");
    let help = with("^4").compile().diagnostics[0].help.clone().unwrap();
    assert!(help.starts_with("there is 0.2.3, 0.2.9, 1.2.3,"), "{help}");
}

#[test]
fn without_a_constraint_the_highest_version_of_a_policy_is_taken() {
    let text = sample().text("policies/limit.yaml").unwrap();
    let bundle =
        policy("1.0.0", "1.9.0").file("policies/new.yaml", text.replace("1.0.0", "1.10.0"));
    let id = &bundle.compile().snapshot.unwrap().policies[0].id;
    assert_eq!(
        (id.version.as_str(), bundle.codes()),
        ("1.10.0", Vec::new())
    );
}
