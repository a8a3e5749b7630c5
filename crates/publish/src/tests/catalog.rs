//! Bundles in front of a catalog: where a reference leads, and what a document is by itself.

use std::collections::BTreeMap;

use spec::DocumentKind;

use super::bundle::Bundle;
use super::shelf::filed;
use super::{Shelf, desk, sample};
use crate::{Catalog, Entry, Wanted, closure_with, compile_with, document};

/// The sample with its Tool in these versions.
fn with_tools(versions: &[&str]) -> Bundle {
    let tool = sample().text("tools/refund.yaml").unwrap();
    let mut bundle = sample().without("tools/refund.yaml");
    for (index, version) in versions.iter().enumerate() {
        let text = tool.replace("version: 1.2.0", &format!("version: {version}"));
        bundle = bundle.file(&format!("tools/{index}.yaml"), text);
    }
    bundle
}

/// What is pinned with these versions in the bundle and these in the catalog, `!` before those that
/// are deprecated, and what is said about it.
fn pinned(here: &[&str], there: &[&str], reference: &str) -> (Option<String>, Vec<String>) {
    let shelf = there.iter().fold(Shelf::default(), |shelf, version| {
        match version.strip_prefix('!') {
            Some(version) => shelf.deprecated(version),
            None => shelf.tools(&[version]),
        }
    });
    let edit = format!("ref: pay.refund{reference}");
    let bundle = with_tools(here).edit("agent.yaml", "ref: pay.refund@^1.0", &edit);
    let compiled = shelf.compile(&bundle);
    let version = compiled
        .snapshot
        .map(|it| it.tools[0].contract.version.clone());
    let codes = compiled.diagnostics.iter().map(|it| it.code.to_string());
    (version, codes.collect())
}

#[test]
fn where_a_reference_leads() {
    type Case<'a> = (
        &'a [&'a str],
        &'a [&'a str],
        &'a str,
        Option<&'a str>,
        &'a [&'a str],
    );
    let table: &[Case<'_>] = &[
        // One place.
        (&["1.2.0"], &[], "@^1", Some("1.2.0"), &[]),
        (&[], &["1.2.0"], "@^1", Some("1.2.0"), &[]),
        (
            &[],
            &["1.2.0", "1.10.0", "1.9.0"],
            "@^1",
            Some("1.10.0"),
            &[],
        ),
        (&[], &[], "@^1", None, &["E0305"]),
        // The bundle goes first, whatever is higher in the catalog.
        (&["1.2.0"], &["1.3.0"], "@^1", Some("1.2.0"), &[]),
        (&["1.2.0"], &["1.2.0"], "@^1", Some("1.2.0"), &[]),
        (
            &["1.2.0"],
            &["1.3.0", "2.0.0"],
            "",
            Some("1.2.0"),
            &["E0308"],
        ),
        // Unless nothing there satisfies.
        (&["1.2.0"], &["2.1.0", "2.0.0"], "@^2", Some("2.1.0"), &[]),
        (&["1.2.0"], &["1.0.0"], "@=1.0.0", Some("1.0.0"), &[]),
        (&["1.2.0"], &["2.0.0"], "@^3", None, &["E0306"]),
        (&["2.0.0"], &["1.0.0"], "@>=1 <2", Some("1.0.0"), &[]),
        (
            &["3.0.0"],
            &["1.0.0", "2.0.0"],
            "@^1 || ^2",
            Some("2.0.0"),
            &[],
        ),
        // Pre-releases.
        (&["2.0.0-rc.1"], &["1.5.0"], "", Some("1.5.0"), &["E0308"]),
        (&["2.0.0-rc.1"], &["1.5.0"], "@*", Some("1.5.0"), &[]),
        (&[], &["1.5.0-rc.1"], "@^1", None, &["E0306"]),
        (&[], &["1.5.0-rc.1", "1.4.0"], "", Some("1.4.0"), &["E0308"]),
        (&[], &["1.5.0-rc.1"], "", None, &["E0306"]),
        (&[], &["1.5.0-rc.1"], "@1.5.0-rc.1", Some("1.5.0-rc.1"), &[]),
        // Deprecated ones.
        (&[], &["1.0.0", "!1.1.0"], "@^1", Some("1.0.0"), &[]),
        (&[], &["!1.0.0", "!1.1.0"], "@^1", Some("1.1.0"), &["E0311"]),
        (
            &[],
            &["1.0.0", "!1.1.0"],
            "@1.1.0",
            Some("1.1.0"),
            &["E0311"],
        ),
        (&[], &["1.0.0", "!1.1.0"], "", Some("1.0.0"), &["E0308"]),
        (
            &[],
            &["!1.0.0", "2.0.0-rc.1"],
            "",
            Some("1.0.0"),
            &["E0308", "E0311"],
        ),
        (&["1.2.0"], &["!1.2.0"], "@^1", Some("1.2.0"), &[]),
        // Build metadata and a leading `v` tell nothing apart.
        (&[], &["v1.0.0+b"], "@v1.0.0", Some("1.0.0"), &[]),
    ];
    for (here, there, reference, version, codes) in table {
        let expected = (
            version.map(str::to_owned),
            codes.iter().map(|it| (*it).to_owned()).collect(),
        );
        let label = format!("{here:?} {there:?} {reference}");
        let (found, mut said) = pinned(here, there, reference);
        said.sort();
        // What the bundle says about its own spelling of a version is not at issue.
        said.retain(|it| it != "E0211");
        assert_eq!((found, said), expected, "{label}");
    }
}

/// The policy that the binding names, from either place.
#[test]
fn policies_come_from_the_catalog_too() {
    let bundle = sample().without("policies/limit.yaml");
    let compiled = Shelf::default().policies(&["pay.limit"]).compile(&bundle);
    assert_eq!(compiled.diagnostics, []);
    assert_eq!(compiled.snapshot, sample().compile().snapshot);
    // A policy without a constraint may be a pre-release, when there is nothing else.
    let early = sample().edit(
        "policies/limit.yaml",
        "version: 1.0.0",
        "version: 2.0.0-rc.1",
    );
    let shelf = Shelf::default().file(&early, "policies/limit.yaml");
    let compiled = shelf.compile(&bundle);
    assert_eq!(
        compiled.snapshot.unwrap().policies[0].id.version,
        "2.0.0-rc.1"
    );
    let compiled = shelf.policies(&["pay.limit"]).compile(&bundle);
    assert_eq!(compiled.snapshot.unwrap().policies[0].id.version, "1.0.0");
}

#[test]
fn a_tool_brings_its_default_policies_along() {
    let whole = sample()
        .append("tools/refund.yaml", "  default_policies: [pay.limit@^1]\n")
        .edit("agent.yaml", "      policies:\n        - pay.limit\n", "");
    let bare = whole.clone().without("tools/refund.yaml");
    let shelf = Shelf::default().file(&whole, "tools/refund.yaml");

    // From the bundle.
    let compiled = shelf.compile(&bare);
    assert_eq!(compiled.diagnostics, []);
    let snapshot = compiled.snapshot.unwrap();
    assert_eq!(Some(&snapshot), whole.compile().snapshot.as_ref());
    assert_eq!(snapshot.policies[0].id.to_string(), "pay.limit@1.0.0");

    // From the catalog, which is asked for it once the tool is known.
    let barer = bare.without("policies/limit.yaml");
    let both = shelf.clone().policies(&["pay.limit"]);
    let compiled = both.compile(&barer);
    assert_eq!(compiled.diagnostics, []);
    assert_eq!(compiled.snapshot, Some(snapshot));

    // From nowhere: said about the document that refers to it.
    let compiled = shelf.compile(&barer);
    let [missing] = compiled.diagnostics.as_slice() else {
        panic!("{:?}", compiled.diagnostics);
    };
    assert_eq!(missing.code.as_str(), "E0305");
    assert_eq!(missing.file, "catalog:pay.refund@1.2.0");
    assert_eq!(missing.field, "spec.default_policies[0]");
}

#[test]
fn a_bundle_puts_no_rules_in_the_place_of_those_that_a_governed_tool_brings() {
    let whole = sample()
        .append("tools/refund.yaml", "  default_policies: [pay.limit]\n")
        .edit("agent.yaml", "      policies:\n        - pay.limit\n", "");
    let shelf = Shelf::default()
        .file(&whole, "tools/refund.yaml")
        .policies(&["pay.limit"]);
    let weaker = whole
        .without("tools/refund.yaml")
        .edit("policies/limit.yaml", "value: 1000", "value: 1000000")
        .edit("policies/limit.yaml", "version: 1.0.0", "version: 1.0.1");
    let compiled = shelf.compile(&weaker);
    assert_eq!(compiled.diagnostics, []);
    let policies = compiled.snapshot.unwrap().policies;
    let ids: Vec<String> = policies.iter().map(|it| it.id.to_string()).collect();
    assert_eq!(ids, ["pay.limit@1.0.0"]);
}

#[test]
fn a_copy_of_a_governed_tool_brings_the_same_rules() {
    let whole = sample()
        .append("tools/refund.yaml", "  default_policies: [pay.limit]\n")
        .edit("agent.yaml", "      policies:\n        - pay.limit\n", "");
    let shelf = Shelf::default()
        .file(&whole, "tools/refund.yaml")
        .policies(&["pay.limit"]);
    let weaker = whole
        .edit("policies/limit.yaml", "value: 1000", "value: 1000000")
        .edit("policies/limit.yaml", "version: 1.0.0", "version: 1.0.1");
    let with_copy = shelf.compile(&weaker);
    assert_eq!(with_copy.diagnostics, []);
    let without = shelf.compile(&weaker.without("tools/refund.yaml"));
    assert_eq!(with_copy.snapshot, without.snapshot);
    let policies = with_copy.snapshot.unwrap().policies;
    assert_eq!(policies[0].id.to_string(), "pay.limit@1.0.0");
}

#[test]
fn a_resolved_tool_that_the_catalog_has_is_the_catalogs() {
    let whole = sample()
        .append(
            "tools/refund.yaml",
            "  default_policies: [pay.limit]\n  terminal: true\n",
        )
        .edit("agent.yaml", "      policies:\n        - pay.limit\n", "");
    let snapshot = whole.compile().snapshot.unwrap();
    let shown = crate::manifest(&snapshot).to_canonical();
    let shelf = Shelf::default()
        .file(&whole, "tools/refund.yaml")
        .policies(&["pay.limit"]);
    let publish = |manifest: &str| {
        // As a runtime asks: for every Tool, and for policies that are not there.
        let asked = |it: &Wanted| it.required || it.kind == DocumentKind::Tool;
        let bytes = manifest.as_bytes();
        let catalog = shelf.answer(|catalog| {
            let wanted = crate::compile_resolved_with(catalog, bytes).wanted;
            wanted.into_iter().filter(asked).collect()
        });
        crate::compile_resolved_with(&catalog, bytes)
    };
    let honest = publish(&shown).snapshot.unwrap();
    assert_eq!(honest.tools, snapshot.tools);

    // The rules are the catalog's, whether or not the manifest has them.
    let (before, after) = shown.split_once(r#""policies":["#).unwrap();
    let (_, after) = after.split_once("],").unwrap();
    let without = publish(&format!("{before}{after}")).snapshot.unwrap();
    let ids: Vec<String> = without
        .policies
        .iter()
        .map(|it| it.id.to_string())
        .collect();
    assert_eq!(ids, ["pay.limit@1.0.0"]);

    // A laxer class and another contract are refused, what is not a binding's to say is not heard.
    for (from, to, code) in [
        ("non_idempotent_write", "read_only", "E0503"),
        (
            r#""additionalProperties":false"#,
            r#""additionalProperties":true"#,
            "E0504",
        ),
    ] {
        let lax = shown.replacen(from, to, 1);
        assert_ne!(lax, shown);
        let codes: Vec<_> = publish(&lax)
            .diagnostics
            .iter()
            .map(|it| it.code.to_string())
            .collect();
        assert_eq!(codes, [code], "{to}");
    }
    let unended = shown.replacen(r#""terminal":true"#, r#""terminal":false"#, 1);
    assert_eq!(publish(&unended).snapshot.unwrap().tools, snapshot.tools);
}

#[test]
fn a_manifest_whose_probe_is_governed_can_be_published_again() {
    let look = "apiVersion: phrony.com/v1
kind: Tool
metadata: {name: look, namespace: pay, version: 1.0.0}
spec:
  description: Look.
  input_schema: {inline: {type: object, properties: {order: {type: string}}}}
";
    let whole = sample()
        .append(
            "tools/refund.yaml",
            "  probe: {tool: pay.look@1.0.0, args: {order: args.order}}\n",
        )
        .file("tools/look.yaml", look);
    let shelf = Shelf::default().file(&whole, "tools/look.yaml");
    let snapshot = shelf
        .compile(&whole.without("tools/look.yaml"))
        .snapshot
        .unwrap();
    let shown = crate::manifest(&snapshot).to_canonical();
    let catalog = shelf.answer(|catalog| {
        let wanted = crate::compile_resolved_with(catalog, shown.as_bytes()).wanted;
        let tools = wanted.into_iter();
        tools.filter(|it| it.kind == DocumentKind::Tool).collect()
    });
    let again = crate::compile_resolved_with(&catalog, shown.as_bytes());
    assert_eq!(again.diagnostics, []);
    assert_eq!(
        again.snapshot.unwrap().tools[0].probe,
        snapshot.tools[0].probe
    );
}

#[test]
fn the_place_of_a_document_changes_nothing() {
    let whole = sample();
    let here = whole.compile().snapshot.unwrap().to_canonical().unwrap();
    let shelf = Shelf::default()
        .file(&whole, "tools/refund.yaml")
        .file(&whole, "policies/limit.yaml");
    let bare = whole
        .without("tools/refund.yaml")
        .without("policies/limit.yaml");
    let there = shelf.compile(&bare).snapshot.unwrap();
    assert_eq!(there.to_canonical().unwrap(), here);
}

#[test]
fn what_is_wanted() {
    let names = |wanted: &[Wanted]| -> Vec<String> {
        let one = |it: &Wanted| format!("{} {} {}", it.kind, it.id, it.required);
        wanted.iter().map(one).collect()
    };
    let compiled = sample().compile();
    assert_eq!(
        names(&compiled.wanted),
        ["Tool pay.refund false", "Policy pay.limit false"]
    );
    let bare = sample().without("tools/refund.yaml");
    assert_eq!(names(&bare.compile().wanted), ["Tool pay.refund true"]);
    // What is answered is not wanted again, even if the answer is that there is nothing.
    let mut catalog = Catalog::default();
    for it in bare.compile().wanted {
        catalog.insert(&it, Vec::new());
    }
    let compiled = compile_with(&bare.files(), &catalog, "agent.yaml");
    assert_eq!(compiled.wanted, []);
    // Where the bundle has a document that cannot be read, that one may be meant.
    let broken = bare.file("tools/refund.yaml", "kind: [\n");
    assert_eq!(names(&broken.compile().wanted)[0], "Tool pay.refund false");
}

/// A policy that is named by its file is compared as well.
#[test]
fn a_file_is_compared_too() {
    let bundle = sample().edit("agent.yaml", "- pay.limit", "- {ref: rules/limit}");
    let text = bundle.text("policies/limit.yaml").unwrap();
    let bundle = bundle
        .without("policies/limit.yaml")
        .file("rules/limit.yaml", text.replace("1000", "5000"));
    let compiled = Shelf::default().policies(&["pay.limit"]).compile(&bundle);
    let [conflict] = compiled.diagnostics.as_slice() else {
        panic!("{:?}", compiled.diagnostics);
    };
    assert_eq!(conflict.code.as_str(), "E0310");
    assert_eq!(conflict.file, "rules/limit.yaml");
    assert!(
        conflict
            .help
            .as_ref()
            .unwrap()
            .contains("/spec/conditions/value")
    );
}

/// Every version of a document that is referred to is compared, not only the one that is pinned.
#[test]
fn versions_that_are_not_pinned_are_compared_too() {
    let shelf = Shelf::default().tools(&["1.0.0"]);
    let bundle = with_tools(&["1.0.0", "1.2.0"]);
    assert_eq!(shelf.compile(&bundle).diagnostics, []);
    let bundle = bundle.edit("tools/0.yaml", "Pay money back.", "Pay.");
    let codes: Vec<_> = shelf
        .compile(&bundle)
        .diagnostics
        .iter()
        .map(|it| it.code.as_str())
        .collect();
    assert_eq!(codes, ["E0310"]);
}

const TOOL: &str = "\
# What a comment says is not kept.
apiVersion: phrony.com/v1
kind: Tool
metadata:
  name: everything
  namespace: pay
  version: v1.2.0+build.7
  owner: payments
  labels: {team: \"7\", since: 2024-01-01}
  annotations: {note: \"a: b\"}
  governance:
    risk_tier: high
    classifications: [money]
    authority_boundaries: [pay.boundary]
    frameworks: {eu-ai-act/v1: {role: provider}, own/v1: {weight: 1.50, big: 12345678901234567890}}
spec:
  description: |
    Several
    lines \u{7f} \u{1f600}.
  side_effect_class: irreversible_action
  input_schema: {ref: schemas/refund, version: 3}
  output_schema:
    inline:
      properties: {id: {type: string}, 'on': {const: 1.0}}
      description: '1.10'
  default_policies: [pay.limit@^1.0]
  available_when: [agent.namespace: shop, 'session.input.kind: [a, b]']
  strict: true
  probe: {tool: pay.look-up@^1, args: {order: order}}
  on_failure: escalate
  terminal: true
";

const LOOK_UP: &str = "\
apiVersion: phrony.com/v1
kind: Tool
metadata: {name: look-up, namespace: pay, version: 1.0.0}
spec:
  description: Look a refund up.
  input_schema: {inline: {type: object, properties: {order: {type: string}}}}
";

const POLICY: &str = "\
apiVersion: phrony.com/v1
kind: Policy
metadata: {name: everything, namespace: pay, version: 0.1.0}
spec:
  description: All of it.
  scope: tool:pay.*
  conditions:
    all:
      - {field: amount, op: gt, value: 1e3}
      - any:
          - {field: order, op: matches, value: '^A-[0-9]+$'}
          - {field: currency, op: in, value: [EUR, 'no', 0.10]}
  decision:
    type: require_approval
    approvals_required: 2
    reason: >
      Folded
      text.
    timeout: {after_minutes: 15, default: deny}
    runtime: {phrony.com/approver_role: lead, depth: {n: 1.0}}
";

/// What goes into the catalog is read back by the same reader to the same document.
#[test]
fn documents_survive_the_catalog() {
    let bundle = sample()
        .file("tools/everything.yaml", TOOL)
        .file("tools/look-up.yaml", LOOK_UP)
        .file("policies/everything.yaml", POLICY);
    for path in [
        "tools/refund.yaml",
        "tools/everything.yaml",
        "policies/limit.yaml",
        "policies/everything.yaml",
    ] {
        let first = filed(&bundle, path);
        let text = String::from_utf8(first.clone()).unwrap();
        assert!(!text.contains("\"ref\""), "{text}");
        // By itself, as the only file there is.
        let alone = Bundle::empty().file("copy.json", &first);
        assert_eq!(filed(&alone, "copy.json"), first, "{path}");
    }
}

/// The same agent with its documents as files and with their catalog forms as files.
#[test]
fn the_catalog_form_means_the_same() {
    let bundle = sample()
        .file("tools/everything.yaml", TOOL)
        .file("tools/look-up.yaml", LOOK_UP)
        .file("policies/everything.yaml", POLICY)
        .edit("agent.yaml", "    - ref: pay.refund@^1.0\n", "    - ref: pay.everything@^1\n      as: all\n      policies: [pay.everything]\n    - ref: pay.refund@^1.0\n");
    let before = bundle.compile();
    let mut again = bundle.clone();
    let (mut shelf, mut bare) = (Shelf::default(), bundle.clone());
    for path in [
        "tools/refund",
        "tools/everything",
        "tools/look-up",
        "policies/limit",
        "policies/everything",
    ] {
        let path = format!("{path}.yaml");
        shelf = shelf.file(&bundle, &path);
        bare = bare.without(&path);
        let text = filed(&bundle, &path);
        // JSON is YAML, but for a character that YAML wants escaped.
        let text = String::from_utf8(text)
            .unwrap()
            .replace('\u{7f}', "\\u007f");
        again = again.file(&path, text);
    }
    let snapshot = before
        .snapshot
        .unwrap_or_else(|| panic!("{:?}", before.diagnostics));
    assert_eq!(again.compile().snapshot.as_ref(), Some(&snapshot));
    assert!(
        snapshot
            .tools
            .iter()
            .any(|it| it.strict && it.probe.is_some())
    );
    // From the catalog, round by round: the tools, then their policies and the probe's tool.
    let there = shelf.compile(&bare);
    assert_eq!(there.snapshot, Some(snapshot), "{:?}", there.diagnostics);
}

/// Agents of a Bundle find their tools in the catalog as any other.
#[test]
fn members_of_a_bundle_reach_the_catalog() {
    let whole = desk();
    let lock = whole.closure().lock.unwrap();
    let bare = whole
        .without("refunds/tools/refund.yaml")
        .without("refunds/policies/limit.yaml");
    let files = bare.files();
    let externals = BTreeMap::new();
    let ask = |catalog: &Catalog| {
        closure_with(&files, catalog, "bundle.yaml", &externals).wanted_documents
    };
    let shelf = Shelf::default().tools(&["1.2.0"]).policies(&["pay.limit"]);
    let closure = closure_with(&files, &shelf.answer(ask), "bundle.yaml", &externals);
    assert_eq!(closure.diagnostics, []);
    assert_eq!(closure.lock, Some(lock));
    // What is wrong with a document of the catalog is no file of the member's folder.
    let shelf = Shelf::default().misfiled("1.2.0", "1.3.0");
    let closure = closure_with(&files, &shelf.answer(ask), "bundle.yaml", &externals);
    let files: Vec<_> = closure
        .diagnostics
        .iter()
        .map(|it| it.file.as_str())
        .collect();
    assert!(files.contains(&"catalog:pay.refund@1.2.0"), "{files:?}");
}

#[test]
fn only_sound_documents_come_out() {
    for (path, from, to) in [
        ("tools/refund.yaml", "name: refund", "nmae: refund"),
        (
            "tools/refund.yaml",
            "ref: schemas/refund",
            "ref: schemas/other",
        ),
        (
            "tools/refund.yaml",
            "description:",
            "url: http://x\n  description:",
        ),
        ("policies/limit.yaml", "op: gt", "op: above"),
        ("policies/limit.yaml", "kind: Policy", "kind: Rule"),
    ] {
        let bundle = sample().edit(path, from, to);
        let compiled = document(&bundle.files(), &Catalog::default(), path);
        assert_eq!(compiled.entry, None, "{to}");
        assert!(!compiled.diagnostics.is_empty(), "{to}");
    }
    let missing = document(&sample().files(), &Catalog::default(), "tools/none.yaml");
    assert_eq!(missing.entry, None);
    assert_eq!(missing.diagnostics[0].code.as_str(), "E0101");
}

/// Whatever the catalog holds, compiling comes to an end and says where it stumbled.
#[test]
fn no_document_is_too_broken() {
    let sound = filed(&sample(), "tools/refund.yaml");
    let bare = sample().without("tools/refund.yaml");
    for length in 0..sound.len() {
        let entry = Entry {
            version: "1.2.0".to_owned(),
            document: sound[..length].to_vec(),
            deprecated: false,
        };
        let shelf = Shelf::default().entry(DocumentKind::Tool, "pay.refund", entry);
        let compiled = shelf.compile(&bare);
        assert_eq!(compiled.snapshot, None, "{length}");
        let first = compiled.diagnostics.first().map(|it| it.file.as_str());
        assert_eq!(first, Some("catalog:pay.refund@1.2.0"), "{length}");
    }
}

/// What the catalog holds is read as strictly as a file, and no further than it is needed.
#[test]
fn a_spoilt_document_is_said_to_be() {
    let spoilt = |text: &[u8]| Entry {
        version: "1.0.0".to_owned(),
        document: text.to_vec(),
        deprecated: false,
    };
    let sound = String::from_utf8(filed(&sample(), "tools/refund.yaml")).unwrap();
    let sound = sound.replace("\"1.2.0\"", "\"1.0.0\"");
    let wrong = sound.replace("\"spec\":{", "\"spec\":{\"endpoint\":\"x\",");
    let reaching = sound.replace("{\"inline\":", "{\"ref\":\"schemas/refund\",\"x\":");
    let bare = sample().without("tools/refund.yaml");
    for text in [
        &b"{"[..],
        b"\xff",
        b"[]",
        wrong.as_bytes(),
        reaching.as_bytes(),
    ] {
        let shelf = Shelf::default().entry(DocumentKind::Tool, "pay.refund", spoilt(text));
        let compiled = shelf.compile(&bare);
        assert_eq!(compiled.snapshot, None);
        let files: Vec<_> = compiled
            .diagnostics
            .iter()
            .map(|it| it.file.as_str())
            .collect();
        assert!(files.contains(&"catalog:pay.refund@1.0.0"), "{files:?}");
        // Nobody refers to it now.
        let shelf = shelf.tools(&["1.2.0"]);
        assert_eq!(shelf.compile(&bare).diagnostics, []);
    }
    let shelf = Shelf::default().entry(DocumentKind::Tool, "pay.refund", spoilt(sound.as_bytes()));
    assert_eq!(shelf.compile(&bare).diagnostics, []);
}
