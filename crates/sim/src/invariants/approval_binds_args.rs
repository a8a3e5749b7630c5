//! What runs is what was recorded, and where a person was asked, what that person agreed to.

use session::{ApprovalOutcome, ApprovalSubject, Entry, Event};
use spec::{ApprovalId, CallId, Digest, SessionId};

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    let entries = simulation.journal.entries(session);
    for began in simulation
        .witness
        .iter()
        .filter(|it| it.call.session().as_ref() == Some(session))
    {
        let recorded = entries.iter().any(|it| {
            matches!(&it.event, Event::CallDispatched { call, args, .. }
                if *call == began.call && *args == began.args)
        });
        if !recorded {
            return Err(format!(
                "{} ran with arguments that no dispatch names",
                began.call
            ));
        }
        if asked(&entries, &began.call) && !agreed(&entries, &began.call, began.args) {
            return Err(format!(
                "{} ran with arguments that nobody agreed to",
                began.call
            ));
        }
    }
    Ok(())
}

fn asked(entries: &[Entry], call: &CallId) -> bool {
    entries.iter().any(|it| {
        matches!(&it.event, Event::ApprovalOpened { call: about, subject, .. }
            if about == call && *subject == ApprovalSubject::Call)
    })
}

/// Some approval of the call closed as approved while its last vote was for these arguments.
fn agreed(entries: &[Entry], call: &CallId, args: Digest) -> bool {
    let opened = entries.iter().filter_map(|it| {
        if let Event::ApprovalOpened {
            approval,
            call: about,
            ..
        } = &it.event
            && about == call
        {
            return Some(approval);
        }
        None
    });
    let opened: Vec<&ApprovalId> = opened.collect();
    opened.into_iter().any(|id| {
        let closed = entries.iter().position(|it| {
            matches!(&it.event, Event::ApprovalClosed { approval, outcome, .. }
                if approval == id && *outcome == ApprovalOutcome::Approved)
        });
        let before = entries.get(..closed.unwrap_or(0)).unwrap_or_default();
        before.iter().any(|it| {
            matches!(&it.event, Event::ApprovalVoted { approval, args: voted, .. }
                if approval == id && *voted == args)
        })
    })
}
