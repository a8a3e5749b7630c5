//! Section 7: Bundles and their lock.

use super::{check, desk_with, rule};
use crate::tests::{Bundle, desk};

/// The desk with another entry in its Agent.
fn entry(text: &str) -> Bundle {
    desk().append("desk.yaml", &format!("    - {text}\n"))
}

fn bundle(from: &str, to: &str) -> Bundle {
    desk().edit("bundle.yaml", from, to)
}

/// An Agent of this name, with more at its end.
fn agent(name: &str, more: &str) -> String {
    format!(
        "apiVersion: phrony.com/v1\nkind: Agent\nmetadata: {{name: {name}, namespace: shop, version: 1.0.0}}\nspec:\n  purpose: x\n  instructions: {{text: x}}\n  model: {{provider: stub, name: x}}\n{more}"
    )
}

#[test]
fn closures() {
    let secret = |variable: &str| format!("secrets: {{key: {{fromEnv: {variable}}}}}\n");
    let torn = |one: &str, other: &str| {
        desk()
            .append("desk.yaml", &secret(one))
            .append("refunds/clerk.yaml", &secret(other))
    };
    check([
        rule("the root is an Agent's file of the Bundle")
            .accepts(desk())
            .accepts(bundle("root: desk.yaml", "root: ./desk.yaml"))
            .refuses(bundle("root: desk.yaml", "root: desks.yaml"), &["E0302"])
            .refuses(bundle("root: desk.yaml", "root: ../desk.yaml"), &["E0803"])
            .refuses(bundle("root: desk.yaml", "root: /desk.yaml"), &["E0803"])
            .refuses(
                bundle("root: desk.yaml", "root: refunds/tools/refund.yaml"),
                &["E0204"],
            )
            .refuses(bundle("root: desk.yaml", "root: bundle.yaml"), &["E0810"])
            .refuses(bundle("root: desk.yaml", "root: [desk.yaml]"), &["E0203"])
            .refuses(
                bundle("root: desk.yaml", "roots: desk.yaml"),
                &["E0202", "E0201"],
            )
            .refuses(bundle("root: desk.yaml", "root: \"\""), &["E0205"]),
        rule("a path is vendored, and stays in the Bundle")
            .accepts(entry("ref: ./other.yaml").file("other.yaml", agent("other", "")))
            .refuses(entry("ref: ../other.yaml"), &["E0803"])
            .refuses(entry("ref: ./refunds/../../other.yaml"), &["E0803"])
            .refuses(entry("ref: /other.yaml"), &["E0803"])
            .refuses(entry("ref: other.yaml"), &["E0802"])
            .refuses(entry("ref: ./other.yaml"), &["E0302"]),
        rule("a published version is pinned exactly")
            .accepts(desk())
            .refuses(entry("ref: mail.courier@^1.2"), &["E0802"])
            .refuses(entry("ref: mail.courier@1.2"), &["E0802"])
            .refuses(entry("ref: \"mail.courier@*\""), &["E0802"])
            .refuses(entry("ref: mail.courier"), &["E0802"])
            .refuses(entry("ref: courier@1.2.3"), &["E0802"]),
        rule("late_bound leaves the version open, and the member out")
            .accepts(entry("{ref: mail.courier, late_bound: true}"))
            .refuses(
                entry("{ref: mail.courier@1.2.3, late_bound: true}"),
                &["E0802"],
            )
            .refuses(
                entry("{ref: ./refunds/clerk.yaml, late_bound: true, as: x}"),
                &["E0802"],
            )
            .refuses(entry("{ref: mail.courier, late_bound: yes}"), &["E0203"])
            .refuses(entry("{ref: mail.courier, late_bound: false}"), &["E0802"]),
        rule("no cycles")
            .accepts(entry("ref: ./a.yaml").file(
                "a.yaml",
                agent("a", "  agents: [{ref: ./refunds/clerk.yaml}]\n"),
            ))
            .refuses(entry("{ref: ./desk.yaml, as: me}"), &["E0804"])
            .refuses(
                desk().append("refunds/clerk.yaml", "  agents: [{ref: ../desk.yaml}]\n"),
                &["E0804"],
            ),
        rule("child names are unique")
            .accepts(entry("{ref: ./a.yaml}").file("a.yaml", agent("b", "")))
            .refuses(
                entry("{ref: ./clerk.yaml}").file("clerk.yaml", agent("b", "")),
                &["E0805"],
            ),
        rule("one secret has one variable")
            .accepts(torn("KEY", "KEY"))
            .refuses(torn("KEY", "OTHER"), &["E0806"]),
        rule("one agent once, under one version of itself")
            .accepts(desk())
            .refuses(entry("{ref: ./refunds/clerk.yaml, as: again}"), &["E0809"])
            .refuses(
                entry("ref: ./b.yaml").file("b.yaml", agent("clerk", "")),
                &["E0808", "E0809"],
            ),
        rule("an entry says who, under which name and with which policies; its class is fixed")
            .accepts(desk_with(
                "as: refunds",
                "as: refunds\n      description: x\n      result: full",
            ))
            .accepts(desk_with(
                "as: refunds",
                "input_schema: {inline: {type: object, properties: {order: {}}}}",
            ))
            .refuses(desk_with("as: refunds", "result: all"), &["E0204"])
            .refuses(
                desk_with("as: refunds", "side_effect_class: read_only"),
                &["E0206"],
            )
            .refuses(desk_with("as: refunds", "version: 1.0.0"), &["E0206"])
            .refuses(desk_with("as: refunds", "policies: [pay.none]"), &["E0305"])
            .refuses(
                desk_with("as: refunds", "input_schema: {inline: {type: array}}"),
                &["E0402"],
            ),
        rule("members follow from the Agents and are not listed")
            .accepts(desk().append("bundle.yaml", "  description: x\n"))
            .refuses(desk().append("bundle.yaml", "  agents: []\n"), &["E0206"])
            .refuses(desk().append("bundle.yaml", "  members: []\n"), &["E0206"])
            .refuses(desk().append("bundle.yaml", "  tools: []\n"), &["E0206"])
            .refuses(desk().append("bundle.yaml", "  limits: {}\n"), &["E0206"]),
    ]);
    let cycle = desk().append("refunds/clerk.yaml", "  agents: [{ref: ../desk.yaml}]\n");
    let message = &cycle.closure().diagnostics[0].message;
    assert!(
        message.contains("desk.yaml -> refunds/clerk.yaml -> desk.yaml"),
        "{message}"
    );
}

#[test]
fn a_lock_says_what_the_bundle_came_to() {
    let lock = desk().closure().lock.unwrap();
    let text = lock.to_file();
    for part in [
        "\"version\": \"sha256:",
        "\"root_child_name\": \"desk\"",
        "\"origin\": \"vendored\"",
        "\"ref\": \"./refunds/clerk.yaml\"",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}
