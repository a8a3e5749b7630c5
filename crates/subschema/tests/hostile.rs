//! Pairs made to break the checker: it answers, and what it says is never contradicted.
#![expect(
    clippy::indexing_slicing,
    reason = "helpers of tests, which stop at what is not as they expect"
)]

#[path = "shared/hostile.rs"]
mod hostile;

use fastrand::Rng;
use subschema::{Answer, Options, complete, contains};

#[test]
fn hostile_pairs_are_answered() {
    let options = Options {
        steps_max: 2_000,
        ..Options::default()
    };
    let mut decided = 0;
    for (kind, make) in hostile::KINDS {
        for seed in 0..6 {
            let (sub, sup) = make(&mut Rng::with_seed(seed));
            let answer = contains(&sub, &sup, &options);
            if let Answer::Undecided(reason) = &answer {
                assert!(
                    !reason.text.starts_with("internal"),
                    "{kind} {seed}: {reason}"
                );
            } else {
                decided += 1;
            }
            let small = sub.to_canonical().len() < 20_000;
            if small {
                // Whatever comes out, it comes out.
                let claim = complete(&sup, &sub).schema;
                let answer = contains(&claim, &sup, &options);
                if let Answer::Undecided(reason) = answer {
                    assert!(
                        !reason.text.starts_with("internal"),
                        "{kind} {seed}: {reason}"
                    );
                }
            }
        }
    }
    assert!(decided > 30, "{decided}");
}
