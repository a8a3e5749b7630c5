//! Every scenario once for each point at which the runtime can die: before and after every append
//! and every effect. Exhaustive, no chance.

use crate::scenario::Scenario;
use crate::simulation::{Report, Simulation};

/// More points than any scenario has: a bound, so that a run that never ends is noticed.
const POINTS_MAX: u64 = 500;

/// Runs `scenario` with a crash at every point; the reports of the runs that broke an invariant,
/// and how many runs there were.
#[must_use]
pub fn run(scenario: &Scenario) -> (u64, Vec<Report>) {
    let mut bad = Vec::new();
    for point in 0..POINTS_MAX {
        let simulation = Simulation::new(scenario.clone(), 0);
        let report = simulation.run_with_crash_at(point);
        let past_the_end = report.points <= point;
        if !report.violations.is_empty() {
            bad.push(report);
        }
        if past_the_end {
            return (point, bad);
        }
    }
    (POINTS_MAX, bad)
}
