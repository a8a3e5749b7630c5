//! Every slot in use is reserved or held by a call, and no other: none leaks, none is given twice.

use spec::SessionId;

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, _session: &SessionId) -> Result<(), String> {
    simulation.world.lock().registry.audit()
}
