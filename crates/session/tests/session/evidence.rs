//! What a session's evidence says.

use std::collections::BTreeMap;

use expect_test::expect;
use session::Event;
use spec::Json;
use spec::snapshot::{Framework, Predicate, STUB_SCRIPT, Subject};

use crate::bench::Bench;

fn evidence(bench: &Bench) -> String {
    let found = bench.journal.iter().find_map(|it| match &it.event {
        Event::EvidenceRecorded { evidence, .. } => Some(*evidence),
        _ => None,
    });
    bench.bytes(&found.unwrap())
}

#[test]
fn what_says_nothing_is_left_out() {
    let hash = "0".repeat(64);
    assert_eq!(
        evidence(&Bench::new()),
        format!(r#"{{"content_hash":"{hash}","workers":"unattested"}}"#)
    );
}

#[test]
fn everything_descriptive_is_on_record() {
    let bench = Bench::started(
        |it| {
            it.metadata.owner = Some("team-a".to_owned());
            it.metadata.labels = BTreeMap::from([("env".to_owned(), "prod".to_owned())]);
            it.metadata.annotations = BTreeMap::from([
                ("docs".to_owned(), "https://example.com".to_owned()),
                (STUB_SCRIPT.to_owned(), "{}".to_owned()),
            ]);
            let governance = &mut it.metadata.governance;
            governance.risk_tier = Some("high".to_owned());
            governance.classifications = vec!["pii".to_owned()];
            governance.authority_boundaries = vec!["refunds".to_owned()];
            for (id, validated) in [("eu-ai-act/v1", true), ("house/v9", false)] {
                let content = Json::from_members([("role", Json::from("deployer"))]);
                let pack = Framework { validated, content };
                governance.frameworks.insert(id.to_owned(), pack);
            }
            it.tools[1].metadata.owner = Some("team-b".to_owned());
            it.policies[0].metadata.labels =
                BTreeMap::from([("review".to_owned(), "2026".to_owned())]);
            it.tools[0].available_when = vec![
                Predicate {
                    subject: Subject::AgentLabel("env".to_owned()),
                    any_of: vec![Json::from("prod")],
                },
                Predicate {
                    subject: Subject::SessionInput("tier".to_owned()),
                    any_of: vec![Json::from("gold")],
                },
            ];
        },
        r#"{"tier":"base"}"#,
        &[],
    );
    expect![[r#"
        {"annotations":{"docs":"https://example.com"},"availability":[{"any_of":["prod"],"decided":"publish","holds":true,"subject":"agent.label.env","tool":"read_only"},{"any_of":["gold"],"decided":"start","holds":false,"subject":"session.input.tier","tool":"read_only"}],"content_hash":"0000000000000000000000000000000000000000000000000000000000000000","governance":{"authority_boundaries":["refunds"],"classifications":["pii"],"frameworks":[{"id":"eu-ai-act/v1","payload":{"role":"deployer"},"validation":"validated"},{"id":"house/v9","payload":{"role":"deployer"},"validation":"unvalidated"}],"risk_tier":"high"},"labels":{"env":"prod"},"owner":"team-a","policies":[{"labels":{"review":"2026"},"policy":"sim.ask-above-100@1.0.0"}],"tools":[{"owner":"team-b","tool":"sim.idempotent-write@1.0.0"}],"workers":"unattested"}
    "#]]
    .assert_eq(&(evidence(&bench) + "\n"));
}
