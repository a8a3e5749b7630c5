//! The model is offered exactly the tools that the session has, whatever it was offered before.

use spec::SessionId;

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    let state = simulation.recorded(session);
    let tools = simulation.scenario.snapshot.tools.iter();
    let has: Vec<&str> = tools
        .map(|it| it.wire_name.as_str())
        .filter(|it| !state.unavailable.contains_key(*it))
        .collect();
    let inner = simulation.world.lock();
    for (_, offered) in inner.offered.iter().filter(|it| it.0 == *session) {
        if *offered != has {
            return Err(format!("{session} has {has:?}, offered were {offered:?}"));
        }
    }
    Ok(())
}
