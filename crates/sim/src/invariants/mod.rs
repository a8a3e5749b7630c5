//! What must hold at every step, and what must hold when everything has ended. One file each.

mod acked_is_recorded;
mod answered_in_order;
mod approval_binds_args;
mod denied_never_sent;
mod ended_stays_ended;
mod everything_ends;
mod once_sent_once;
mod replay_equals_live;
mod slots_balance;
mod terminal_ends_the_loop;
mod unavailable_never_offered;

use spec::SessionId;

use crate::simulation::Simulation;

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub invariant: &'static str,
    /// How.
    pub what: String,
}

type Check = fn(&Simulation, &SessionId) -> Result<(), String>;

const SAFETY: [(&str, Check); 10] = [
    ("denied_never_sent", denied_never_sent::check),
    ("once_sent_once", once_sent_once::check),
    ("approval_binds_args", approval_binds_args::check),
    ("replay_equals_live", replay_equals_live::check),
    ("ended_stays_ended", ended_stays_ended::check),
    ("acked_is_recorded", acked_is_recorded::check),
    ("answered_in_order", answered_in_order::check),
    ("slots_balance", slots_balance::check),
    ("terminal_ends_the_loop", terminal_ends_the_loop::check),
    (
        "unavailable_never_offered",
        unavailable_never_offered::check,
    ),
];

/// Safety, at any step.
#[must_use]
pub fn check(simulation: &Simulation) -> Vec<Violation> {
    let mut violations = Vec::new();
    for session in simulation.journal.sessions() {
        for (invariant, check) in SAFETY {
            if let Err(what) = check(simulation, &session) {
                violations.push(Violation { invariant, what });
            }
        }
    }
    violations
}

/// Liveness, after healing.
#[must_use]
pub fn check_end(simulation: &Simulation) -> Vec<Violation> {
    let mut violations = Vec::new();
    for session in simulation.journal.sessions() {
        if let Err(what) = everything_ends::check(simulation, &session) {
            violations.push(Violation {
                invariant: "everything_ends",
                what,
            });
        }
    }
    violations
}
