//! In a healed world, where people answer, every session ends and every call has an outcome.

use spec::SessionId;

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    let state = simulation.recorded(session);
    let open: Vec<String> = state
        .open_calls()
        .map(|it| format!("{} {}", it.id, it.status()))
        .collect();
    if state.ended.is_some() && open.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{session} is {} with open calls {open:?}",
        state.status().as_str()
    ))
}
