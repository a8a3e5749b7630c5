//! Contracts of real tools: overlays over them, themselves, and each keyword tightened and loosened.
//! A part of each set; the example `measure` takes the whole.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests, which stop at what is not as they expect"
)]

#[path = "shared/corpus.rs"]
mod corpus;
#[path = "shared/mutations.rs"]
mod mutations;
#[path = "shared/values.rs"]
mod values;

use std::path::Path;

use mutations::Way;
use spec::Json;
use subschema::{Answer, Options, complete, contains};
use validator::{Draft, Validator};
use values::Sampler;

fn data() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata"))
}

#[test]
fn every_overlay_is_decided_and_none_wrong() {
    let contracts = corpus::contracts(data());
    let overlays = corpus::overlays(data());
    assert!(overlays.len() > 1_000, "{}", overlays.len());
    for overlay in overlays.iter().step_by(3) {
        let draft = if overlay.draft == "draft-07" {
            Draft::D7
        } else {
            Draft::D2020
        };
        let options = Options {
            draft,
            formats_assert: false,
            ..Options::default()
        };
        let tool = &contracts[&overlay.tool];
        let answer = contains(&complete(tool, &overlay.overlay).schema, tool, &options);
        let agrees = match answer {
            Answer::Proved(_) => overlay.expected,
            Answer::Refuted(_) => !overlay.expected,
            Answer::Undecided(_) => false,
        };
        let (id, category) = (&overlay.id, &overlay.category);
        assert!(
            agrees,
            "{id}, {category}, expected {}: {answer:?}",
            overlay.expected
        );
    }
}

#[test]
fn every_contract_is_within_itself() {
    for (tool, contract) in corpus::contracts(data()).iter().step_by(2) {
        let answer = contains(contract, contract, &Options::default());
        assert!(matches!(answer, Answer::Proved(_)), "{tool:?}: {answer:?}");
    }
}

/// Whether some value of the one is none of the other.
fn differ(sub: &Json, sup: &Json) -> bool {
    let (inner, outer) = (Validator::compile(sub), Validator::compile(sup));
    let (inner, outer) = (inner.expect("a schema"), outer.expect("a schema"));
    let mut sampler = Sampler::new(3, &[sub, sup]);
    (0..50).any(|_| {
        let value = sampler.next();
        inner.accepts(&value) && !outer.accepts(&value)
    })
}

#[test]
fn each_keyword_tightened_is_within_and_loosened_is_not() {
    let (mut refuted, mut equal, mut undecided) = (0, 0, Vec::new());
    let contracts = corpus::contracts(data());
    for (number, ((server, tool), contract)) in contracts.iter().enumerate().step_by(4) {
        // Another change of each, so that all keywords have their turn.
        for mutation in mutations::of(contract, 5 + number % 7).take(3) {
            let changed = &mutation.schema;
            let (narrow, wide) = match mutation.way {
                Way::Tighter => (changed, contract),
                Way::Looser => (contract, changed),
                Way::Unknown => continue,
            };
            let (pointer, keyword) = (&mutation.pointer, &mutation.keyword);
            let id = format!("{server}/{tool}#{pointer} {keyword} {}", mutation.what);
            let answer = contains(narrow, wide, &Options::default());
            assert!(matches!(answer, Answer::Proved(_)), "{id}: {answer:?}");
            match contains(wide, narrow, &Options::default()) {
                Answer::Refuted(_) => refuted += 1,
                Answer::Undecided(reason) => undecided.push(format!("{id}: {reason}")),
                Answer::Proved(_) => {
                    assert!(!differ(wide, narrow), "{id}: proved");
                    equal += 1;
                }
            }
        }
    }
    assert!(
        refuted > 500 && equal * 5 < refuted,
        "{refuted} and {equal}"
    );
    assert!(undecided.len() < 3, "{undecided:?}");
}
