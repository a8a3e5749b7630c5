//! The state in memory is the fold of what is on record.

use spec::SessionId;

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    // After a fault the state in memory is to be thrown away; and a dead process has none.
    let stale = simulation.reload.contains(session) || simulation.chaos.is_dead();
    let Some(live) = simulation.sessions.get(session).filter(|_| !stale) else {
        return Ok(());
    };
    let replayed = simulation.recorded(session);
    if replayed == *live.state() {
        return Ok(());
    }
    Err(format!(
        "{session}: entry {} in memory, {} on record",
        live.state().seq,
        replayed.seq
    ))
}
