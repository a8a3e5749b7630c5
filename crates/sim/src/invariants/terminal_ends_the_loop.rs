//! After the success of a call that ends the loop the model is not asked again. One that comes to
//! light after the model was told that nobody knows does not count.

use session::Event;
use spec::{CallId, SessionId};

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    let entries = simulation.journal.entries(session);
    let mut given_up: Vec<&CallId> = Vec::new();
    let mut over: Option<&CallId> = None;
    for entry in &entries {
        if let Event::CallIndeterminate { call, .. } = &entry.event {
            given_up.push(call);
        }
        if let Event::CallSucceeded {
            call,
            terminal: true,
            ..
        } = &entry.event
            && !given_up.contains(&call)
        {
            over = Some(call);
        }
        if let (Event::AssistantMessage { completion, .. }, Some(call)) = (&entry.event, over) {
            return Err(format!("completion {completion} follows {call}"));
        }
    }
    Ok(())
}
