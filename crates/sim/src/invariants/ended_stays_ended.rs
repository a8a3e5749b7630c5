//! After the end only evidence follows: outcomes of calls that were with a worker.

use session::Event;
use spec::SessionId;

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    let entries = simulation.journal.entries(session);
    let end = entries
        .iter()
        .position(|it| matches!(it.event, Event::Ended { .. }));
    let Some(end) = end else { return Ok(()) };
    for entry in entries.iter().skip(end + 1) {
        let evidence = match &entry.event {
            Event::CallSucceeded { .. }
            | Event::CallFailed { .. }
            | Event::CallIndeterminate { .. }
            | Event::CallCancelled { .. }
            | Event::ResultConflict { .. } => true,
            Event::Started { .. }
            | Event::EvidenceRecorded { .. }
            | Event::OutputAccepted { .. }
            | Event::OutputRejected { .. }
            | Event::CallErred { .. }
            | Event::UserMessage { .. }
            | Event::AssistantMessage { .. }
            | Event::CallProposed { .. }
            | Event::CallRefused { .. }
            | Event::CallQueued { .. }
            | Event::CallDispatched { .. }
            | Event::CallNacked { .. }
            | Event::CallUnknown { .. }
            | Event::ApprovalOpened { .. }
            | Event::ApprovalVoted { .. }
            | Event::ArgumentsEdited { .. }
            | Event::ApprovalClosed { .. }
            | Event::Ended { .. } => false,
        };
        if !evidence {
            return Err(format!("{session}: after its end came {:?}", entry.event));
        }
    }
    Ok(())
}
