//! A call that was refused never reaches a handler, nor does one that was never dispatched.

use session::Event;
use spec::SessionId;

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    let entries = simulation.journal.entries(session);
    for began in simulation
        .witness
        .iter()
        .filter(|it| it.call.session().as_ref() == Some(session))
    {
        let refused = entries
            .iter()
            .any(|it| matches!(&it.event, Event::CallRefused { call, .. } if *call == began.call));
        if (simulation.scenario.people_for)(began.amount).is_none() {
            return Err(format!(
                "{} ran with {}, which is denied",
                began.call, began.amount
            ));
        }
        if refused {
            return Err(format!("{} was refused and ran", began.call));
        }
        let dispatched = entries.iter().any(
            |it| matches!(&it.event, Event::CallDispatched { call, .. } if *call == began.call),
        );
        if !dispatched {
            return Err(format!("{} ran and no dispatch is on record", began.call));
        }
    }
    Ok(())
}
