//! A call of the two dangerous classes begins at most once, and once more for each time that a
//! person let it run again after its outcome was unknown or its handler had failed.

use std::collections::BTreeMap;

use session::{ApprovalOutcome, ApprovalSubject, Event};
use spec::{ApprovalId, CallId, SessionId, SideEffectClass};

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    let mut began: BTreeMap<&CallId, usize> = BTreeMap::new();
    for it in &simulation.witness {
        if dangerous(it.class) && it.call.session().as_ref() == Some(session) {
            *began.entry(&it.call).or_default() += 1;
        }
    }
    let entries = simulation.journal.entries(session);
    for (call, times) in began.into_iter().filter(|(_, times)| *times > 1) {
        let asked = entries.iter().filter_map(|it| {
            if let Event::ApprovalOpened {
                approval,
                call: about,
                subject,
                ..
            } = &it.event
                && about == call
                && matches!(
                    subject,
                    ApprovalSubject::Indeterminate | ApprovalSubject::HandlerFailed
                )
            {
                return Some(approval);
            }
            None
        });
        let asked: Vec<&ApprovalId> = asked.collect();
        let allowed = entries
            .iter()
            .filter(|it| {
                matches!(&it.event, Event::ApprovalClosed { approval, outcome, by, .. }
                    if *outcome == ApprovalOutcome::Approved
                        && !by.starts_with("system")
                        && asked.contains(&approval))
            })
            .count();
        if times > 1 + allowed {
            return Err(format!(
                "{call} began {times} times, a person allowed {allowed} reruns"
            ));
        }
    }
    Ok(())
}

/// Said here once more, so that the invariant does not rest on what it checks.
fn dangerous(class: SideEffectClass) -> bool {
    matches!(
        class,
        SideEffectClass::NonIdempotentWrite | SideEffectClass::IrreversibleAction
    )
}
