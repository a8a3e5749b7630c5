//! A worker is told to forget a result only when the call's outcome is on record.

use session::Event;
use spec::SessionId;

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    let entries = simulation.journal.entries(session);
    for acked in simulation
        .acked
        .iter()
        .filter(|it| it.session().as_ref() == Some(session))
    {
        let recorded = entries.iter().any(|it| {
            matches!(&it.event,
                Event::CallSucceeded { call, .. }
                | Event::CallFailed { call, .. }
                | Event::CallErred { call, .. }
                | Event::ResultConflict { call, .. }
                | Event::CallCancelled { call } if call == acked)
        });
        if !recorded {
            return Err(format!(
                "{acked} was acknowledged and has no outcome on record"
            ));
        }
    }
    Ok(())
}
