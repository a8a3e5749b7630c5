//! The forms of the seed texts: each as it stands, in a bundle that adds what it leaves out.

use std::collections::BTreeMap;

use spec::SideEffectClass;
use spec::snapshot::{Attachment, Condition, DecisionKind, Op, Origin, Policy, Scope};

use self::load::{BLOCKS, BUNDLES, put_together, seed};
use crate::{Compiled, MemoryFiles, compile};

#[path = "../../testdata/seeds/load.rs"]
mod load;

fn compiled(name: &str) -> Compiled {
    let files: MemoryFiles = seed(name).files.into_iter().collect();
    compile(&files, "agent.yaml")
}

fn snapshot(name: &str) -> spec::Snapshot {
    let compiled = compiled(name);
    let text = |path: &str| {
        let files = seed(name).files;
        files.into_iter().find(|(it, _)| it == path).map(|it| it.1)
    };
    let drawn = crate::render(&compiled.diagnostics, &text, false);
    compiled.snapshot.expect(&drawn)
}

#[test]
fn each_bundle_says_exactly_what_is_listed() {
    let mut wrong = Vec::new();
    for (name, _) in BUNDLES {
        let compiled = compiled(name);
        let said: Vec<String> = compiled
            .diagnostics
            .iter()
            .map(|it| format!("{} {} {} {}", it.severity, it.code, it.file, it.field))
            .collect();
        if said != seed(name).said {
            wrong.push((name, said.clone(), seed(name).said));
        }
        let refused = said.iter().any(|it| it.starts_with("error"));
        assert_eq!(compiled.snapshot.is_some(), !refused, "{name}");
    }
    assert!(wrong.is_empty(), "said and listed: {wrong:#?}");
}

#[test]
fn every_block_is_in_a_bundle_that_publishes() {
    let refused = |name: &&str| seed(name).said.iter().any(|it| it.starts_with("error"));
    let names = BUNDLES.iter().map(|(name, _)| *name);
    let refused: Vec<&str> = names.filter(refused).collect();
    assert_eq!(refused, ["without-capability"]);
    let homeless = BLOCKS.iter().map(|(block, _)| *block).filter(|block| {
        let home = |(name, text): &&(&str, &str)| {
            !refused.contains(name) && text.contains(&format!("@ {block} "))
        };
        !BUNDLES.iter().any(|it| home(&it))
    });
    assert_eq!(homeless.collect::<Vec<_>>(), Vec::<&str>::new());
}

/// Looks for the lines of `block` in `text`, in order, unchanged but for an indentation that all of
/// them have in common. The indentation, and where the lines stand.
fn stands_in(block: &[&str], text: &str) -> Option<(usize, Vec<usize>)> {
    (0..=12).find_map(|indent| {
        let mut lines = text.lines().enumerate();
        let places = block.iter().map(|wanted| {
            let wanted = if wanted.is_empty() {
                String::new()
            } else {
                " ".repeat(indent) + wanted
            };
            lines.find(|(_, it)| *it == wanted).map(|(at, _)| at)
        });
        Some((indent, places.collect::<Option<_>>()?))
    })
}

#[test]
fn completing_only_adds() {
    // The two classes are alternatives, so they stand in two files.
    let apart = "02-side-effect-class";
    for (name, bundle) in BUNDLES {
        for (block, text) in BLOCKS {
            if !bundle.contains(&format!("@ {block} ")) {
                continue;
            }
            let lines: Vec<&str> = text.lines().collect();
            let parts: Vec<&[&str]> = if *block == apart {
                lines.chunks(1).collect()
            } else {
                vec![&lines]
            };
            let files = seed(name).files;
            for part in parts {
                let found = files.iter().any(|(_, it)| stands_in(part, it).is_some());
                assert!(found, "{block} is changed in {name}");
            }
        }
    }
}

#[test]
fn a_change_would_be_seen() {
    let block = ["a:", "", "  b: 1"];
    let sound = "x: 0\n  a:\n  c: 2\n\n    b: 1\n";
    assert_eq!(stands_in(&block, sound), Some((2, vec![1, 3, 4])));
    for changed in [
        "  a:\n\n  b: 1\n",
        "a:\n\n  b: 2\n",
        "  b: 1\na:\n\n",
        "a:\n  b: 1\n",
    ] {
        assert_eq!(stands_in(&block, changed), None, "{changed}");
    }
    // A bundle that leaves a line out, or has them in another order.
    let whole = put_together("= a.yaml\n@ 05-logical-ref 1-1\n");
    assert_eq!(whole.files[0].1, "ref: weather.send-alert@^1.0\n");
    let lines: Vec<&str> = load::BLOCKS[3].1.lines().collect();
    for spoilt in [
        "= a.yaml\n@ 04-versioned-schema 1-2\n",
        "= a.yaml\n@ 04-versioned-schema 2-3\n@ 04-versioned-schema 1-1\n",
        "= a.yaml\n@ 04-versioned-schema 1-1\n@ 04-versioned-schema 2-3 indent 2\n",
    ] {
        assert_eq!(
            stands_in(&lines, &put_together(spoilt).files[0].1),
            None,
            "{spoilt}"
        );
    }
}

fn at(origin: Origin, tools: &[&str], limits: bool) -> Attachment {
    Attachment {
        origin,
        tools: tools.iter().map(|it| (*it).to_owned()).collect(),
        limits,
    }
}

fn policies(name: &str) -> BTreeMap<String, Policy> {
    let all = snapshot(name).policies.into_iter();
    all.map(|it| (it.id.to_string(), it)).collect()
}

#[test]
fn the_weather_assistant_has_its_policies_from_the_tool_the_binding_and_the_agent() {
    let all = policies("weather-assistant");
    let ids: Vec<_> = all.keys().map(String::as_str).collect();
    assert_eq!(
        ids,
        [
            "weather.audit-log-required@1.0.0",
            "weather.high-severity-alert-boundary@1.0.0",
        ]
    );
    let boundary = &all["weather.high-severity-alert-boundary@1.0.0"];
    // Attached twice, counted once.
    assert_eq!(
        boundary.attachments,
        [
            at(Origin::ToolDefault, &["send_alert"], false),
            at(Origin::Binding, &["send_alert"], false)
        ]
    );
    let Some(Condition::All(parts)) = &boundary.condition else {
        panic!()
    };
    let [Condition::Leaf(severity), Condition::Not(_)] = parts.as_slice() else {
        panic!()
    };
    assert_eq!(severity.op, Op::Gte);
    assert_eq!(boundary.decision.approvals_required, 2);
}

#[test]
fn strict_geo_reaches_the_binding_that_names_it() {
    let all = policies("strict-geo");
    let geo = &all["weather.strict-geo@1.0.0"];
    assert_eq!(
        geo.attachments,
        [at(Origin::Binding, &["weather_get-forecast"], false)]
    );
    assert_eq!(
        geo.scope,
        Some(Scope::Tool("weather.get-forecast".to_owned()))
    );
    assert_eq!(geo.decision.kind, DecisionKind::Allow);
}

#[test]
fn a_default_of_the_agent_reaches_every_binding_and_limits() {
    let all = policies("indeterminate-review");
    let review = &all["weather.indeterminate-dispatch-review@1.0.0"];
    assert_eq!(
        review.attachments,
        [at(
            Origin::AgentDefault,
            &["get_forecast", "send_alert"],
            true
        )]
    );
    assert_eq!(review.decision.kind, DecisionKind::Escalate);
}

#[test]
fn classes_are_the_tools_or_read_only() {
    use SideEffectClass::{IdempotentWrite, NonIdempotentWrite, ReadOnly};
    let cases: [(&str, &[(&str, SideEffectClass)]); 8] = [
        ("contract", &[("get_forecast", ReadOnly)]),
        (
            "side-effect-class",
            &[
                ("get_forecast", ReadOnly),
                ("send_alert", NonIdempotentWrite),
            ],
        ),
        ("weather-assistant", &[("send_alert", NonIdempotentWrite)]),
        ("versioned-schema", &[("send_alert", IdempotentWrite)]),
        ("shared-contract", &[("send_alert", ReadOnly)]),
        ("inline-schema", &[("send_alert", NonIdempotentWrite)]),
        ("strict-geo", &[("weather_get-forecast", ReadOnly)]),
        ("mcp", &[("web_search", ReadOnly)]),
    ];
    for (name, expected) in cases {
        let tools = snapshot(name).tools;
        let found: Vec<_> = tools
            .iter()
            .map(|it| (it.wire_name.as_str(), it.side_effect_class))
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn one_version_is_pinned() {
    assert_eq!(
        snapshot("logical-ref").tools[0].contract.version,
        "1.4.0",
        "the highest of three that satisfies the constraint"
    );
    let schema = &snapshot("versioned-schema").tools[0].input_schema;
    assert!(schema.get("properties").unwrap().get("level").is_some());
}
