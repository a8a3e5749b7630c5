//! Section 6: what publish freezes.

use std::collections::BTreeMap;

use spec::{Digest, Snapshot};

use super::{agent, check, input, policy, rule};
use crate::tests::{Bundle, sample};

fn canonical(bundle: &Bundle) -> (String, Digest) {
    let compiled = bundle.compile();
    let snapshot = compiled
        .snapshot
        .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let (bytes, hash) = snapshot.to_canonical().unwrap();
    (String::from_utf8(bytes).unwrap(), hash)
}

/// The sample with this number in its policy, and what becomes of it.
fn frozen(number: &str) -> String {
    let bundle = policy(
        "field: amount\n    op: gt\n    value: 1000",
        &format!("field: amount\n    op: neq\n    value: {number}"),
    );
    let (text, _) = canonical(&bundle);
    let (_, rest) = text.split_once(r#""op":"neq","value":"#).unwrap();
    rest.split(['}', ',']).next().unwrap().to_owned()
}

#[test]
fn numbers_are_exact_decimals() {
    let thousand = "9".repeat(1000);
    for (written, kept) in [
        ("1000.0", "1000"),
        ("1e3", "1000"),
        ("1.50", "1.5"),
        ("-0", "0"),
        ("0.0", "0"),
        ("+5", "5"),
        (".5", "0.5"),
        ("9007199254740993", "9007199254740993"),
        ("1234567890123456789", "1234567890123456789"),
        (
            "0.1000000000000000055511151231257827",
            "0.1000000000000000055511151231257827",
        ),
        ("1e20", "100000000000000000000"),
        ("1e22", "1e+22"),
        ("12e22", "1.2e+23"),
        ("1e-22", "1e-22"),
        (&thousand, &format!("9.{}e+999", "9".repeat(999))),
    ] {
        assert_eq!(frozen(written), kept, "{written}");
    }
    let with = |number: &str| policy("value: 1000", &format!("value: {number}"));
    let json = |number: &str| {
        sample().edit(
            "schemas/refund.json",
            "\"number\"",
            &format!("\"number\", \"maximum\": {number}"),
        )
    };
    check([rule("at most 1000 digits, and exponents up to 1000")
        .accepts(with(&"9".repeat(1000)))
        .accepts(with("1e1000"))
        .accepts(with("-1e-1000"))
        .accepts(json("1e1000").edit("policies/limit.yaml", "value: 1000", "value: 5"))
        .refuses(with(&"9".repeat(1001)), &["E0209"])
        .refuses(with("1e1001"), &["E0209"])
        .refuses(with("1e-1001"), &["E0209"])
        .refuses(with("1e99999999999999999999"), &["E0209"])
        .refuses(json(&"9".repeat(1001)), &["E0209"])
        .refuses(json("1e1001"), &["E0209"])
        .refuses(
            input("{type: object, properties: {a: {const: 1e1001}}}"),
            &["E0209"],
        )]);
}

#[test]
fn keys_are_sorted_and_strings_are_short() {
    let bundle = agent(
        "Settle refunds.",
        "\"\\u20ac \\ud7ff \\u000f \\n \\/ \\\" \u{1f600}\"",
    )
    .edit(
        "agent.yaml",
        "  version: 1.0.0\n",
        // By UTF-16 code units the wide character comes before U+FB33.
        "  version: 1.0.0\n  labels: {\u{fb33}: a, \u{1f600}: b, z: c, \"1\": d, Z: e}\n",
    );
    let (text, hash) = canonical(&bundle);
    assert!(text.contains("\"labels\":{\"1\":\"d\",\"Z\":\"e\",\"z\":\"c\",\"\u{1f600}\":\"b\",\"\u{fb33}\":\"a\"}"), "{text}");
    assert!(
        text.contains("\"purpose\":\"\u{20ac} \u{d7ff} \\u000f \\n / \\\" \u{1f600}\""),
        "{text}"
    );
    assert_eq!(hash, Digest::of(text.as_bytes()));
    assert_eq!(hash.to_string().trim_start_matches("sha256:").len(), 64);
    assert!(!hash.to_string().contains(|c: char| c.is_ascii_uppercase()));
}

/// Neither the order of files, keys and spaces nor the spelling of numbers is part of what is meant.
#[test]
fn the_same_meaning_has_the_same_bytes() {
    let (expected, hash) = canonical(&sample());
    let tool = sample().text("tools/refund.yaml").unwrap();
    let other = tool.replace("name: refund", "name: other");
    let reordered = "# first\nspec:\n  side_effect_class: \"non_idempotent_write\"\n  input_schema: {ref: ./schemas/refund.json}\n  description: 'Pay money back.'\nmetadata: {version: \"1.2.0\", namespace: pay, name: refund}\nkind: Tool\napiVersion: phrony.com/v1\n";
    for bundle in [
        sample().file("tools/aaa.yaml", other.clone()),
        sample().file("tools/zzz.yml", other),
        sample().without("tools/refund.yaml").file("tools/0.yml", tool),
        sample().file("tools/refund.yaml", reordered),
        policy("value: 1000", "value: 1.000e3"),
        sample().file("notes.txt", "x"),
        sample().without("schemas/refund.json").file(
            "schemas/refund.yaml",
            "additionalProperties: false\nrequired: [order, amount]\nproperties: {currency: {enum: [EUR, USD]}, amount: {type: number}, order: {type: string, pattern: \"^A-[0-9]+$\"}}\ntype: object\n",
        ).edit("tools/refund.yaml", "ref: schemas/refund", "ref: schemas/refund"),
        agent("      as: refund\n", "      as: \"refund\"\n"),
    ] {
        assert_eq!(canonical(&bundle), (expected.clone(), hash));
    }
}

#[test]
fn everything_is_in_one_document() {
    let bundle =
        agent("text: Be fair.", "ref: prompts/fair").file("prompts/fair.md", "# Be fair\n");
    let (text, _) = canonical(&bundle);
    let snapshot: Snapshot = Snapshot::from_canonical(text.as_bytes()).unwrap();
    assert_eq!(snapshot, bundle.compile().snapshot.unwrap());
    assert_eq!(snapshot.instructions, "# Be fair\n");
    let [tool] = snapshot.tools.as_slice() else {
        panic!("{text}");
    };
    assert_eq!(tool.contract.to_string(), "pay.refund@1.2.0");
    assert_eq!(tool.input_schema, tool.contract_schema);
    let [policy] = snapshot.policies.as_slice() else {
        panic!("{text}");
    };
    assert_eq!(policy.id.to_string(), "pay.limit@1.0.0");
    assert_eq!(policy.attachments[0].tools, ["refund"]);
    for authoring in [
        "\"ref\"",
        "schemas/refund",
        "prompts/fair",
        "\"inline\"",
        "apiVersion",
    ] {
        assert!(!text.contains(authoring), "{authoring}");
    }
    let again = compile_from_disk_order(&bundle);
    assert_eq!(again, text);
}

/// The same files, put in another order.
fn compile_from_disk_order(bundle: &Bundle) -> String {
    let paths = [
        "schemas/refund.json",
        "policies/limit.yaml",
        "prompts/fair.md",
        "tools/refund.yaml",
        "agent.yaml",
    ];
    let files: BTreeMap<String, Vec<u8>> = paths
        .iter()
        .rev()
        .map(|path| ((*path).to_owned(), bundle.text(path).unwrap().into_bytes()))
        .collect();
    let compiled = crate::compile(&crate::MemoryFiles::from(files), "agent.yaml");
    let (bytes, _) = compiled.snapshot.unwrap().to_canonical().unwrap();
    String::from_utf8(bytes).unwrap()
}
