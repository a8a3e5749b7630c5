//! The simulation itself: every crash point, a few seeds, one rule broken on purpose, and whether
//! the seeds reach what they are there for.

use std::collections::BTreeSet;

use sim::journal::Sabotage;
use sim::simulation::Simulation;
use sim::{crash_everywhere, scenario};

#[test]
fn every_crash_point_of_every_scenario() {
    for scenario in scenario::all() {
        let (points, bad) = crash_everywhere::run(&scenario);
        assert!(points > 20, "{}: only {points} points", scenario.name);
        assert!(bad.is_empty(), "{}: {:#?}", scenario.name, bad.first());
    }
}

#[test]
fn seeds_hold_and_reach_every_kind_of_event() {
    let mut seen = BTreeSet::new();
    for seed in 0..40 {
        for scenario in scenario::all() {
            let report = Simulation::new(scenario.clone(), seed).run();
            assert!(
                report.violations.is_empty(),
                "seed {seed}, {}: {report:#?}",
                scenario.name
            );
            seen.extend(report.events);
        }
    }
    let expected = [
        "ApprovalClosed",
        "ApprovalOpened",
        "ApprovalVoted",
        "ArgumentsEdited",
        "AssistantMessage",
        "CallCancelled",
        "CallDispatched",
        "CallErred",
        "CallFailed",
        "CallIndeterminate",
        "CallNacked",
        "CallProposed",
        "CallQueued",
        "CallRefused",
        "CallSucceeded",
        "CallUnknown",
        "Ended",
        "EvidenceRecorded",
        "OutputAccepted",
        "OutputRejected",
        "Started",
        "UserMessage",
    ];
    let missing: Vec<_> = expected.iter().filter(|it| !seen.contains(**it)).collect();
    assert!(missing.is_empty(), "no seed reached {missing:?}");
}

#[test]
fn a_seed_decides_everything() {
    for scenario in scenario::all() {
        let run = || Simulation::new(scenario.clone(), 11).run();
        assert_eq!(run().log, run().log, "{}", scenario.name);
    }
}

#[test]
fn acknowledging_before_it_is_on_disk_is_noticed() {
    let mut broken = BTreeSet::new();
    for seed in 0..40 {
        for scenario in scenario::all() {
            let mut simulation = Simulation::new(scenario, seed);
            simulation.sabotage(Sabotage::AckBeforeDurable);
            broken.extend(
                simulation
                    .run()
                    .violations
                    .into_iter()
                    .map(|it| it.invariant),
            );
        }
    }
    assert!(
        broken.contains("denied_never_sent") || broken.contains("once_sent_once"),
        "{broken:?}"
    );
    assert!(broken.contains("acked_is_recorded"), "{broken:?}");
}
