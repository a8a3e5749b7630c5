//! Laws that hold of the answers about any schemas, tried on made-up ones of every draft.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "helpers of tests, which stop at what is not as they expect; a seed can be given"
)]

#[path = "shared/laws.rs"]
mod laws;
#[path = "shared/schemas.rs"]
mod schemas;
#[path = "shared/values.rs"]
mod values;

use laws::Effort;

#[test]
fn no_answer_about_made_up_schemas_contradicts_another_or_a_validator() {
    let number = |name: &str, otherwise| {
        let given = std::env::var(name).ok();
        given.and_then(|it| it.parse().ok()).unwrap_or(otherwise)
    };
    let effort = Effort {
        cases: number("CASES", 2_000),
        seed: number("SEED", 7),
        samples: number("SAMPLES", 30),
        every_law: false,
        steps_max: 20_000,
    };
    let seen = laws::run(effort, &mut |sub, sup, options| {
        subschema::contains(sub, sup, options)
    });
    let faults = seen.faults.join("\n");
    assert!(
        seen.faults.is_empty(),
        "{} faults:\n{faults}",
        seen.faults.len()
    );
    let pairs = seen.pairs();
    let undecided = &seen.undecided;
    println!(
        "{pairs} pairs, {} proved, {} refuted, {undecided:#?}",
        seen.proved, seen.refuted
    );
    println!(
        "{} asked by laws, {:#?}",
        seen.laws_asked, seen.laws_undecided
    );
    println!("{} unusable, {} values", seen.unusable, seen.values);
    assert!(seen.proved * 10 > pairs && seen.refuted * 10 > pairs);
    assert!(seen.unusable * 5 < effort.cases && seen.values > pairs);
    // So few cases tell no rate; the long run does.
    assert!(
        undecided.values().sum::<u64>() * 200 <= pairs,
        "{undecided:?}"
    );
}
