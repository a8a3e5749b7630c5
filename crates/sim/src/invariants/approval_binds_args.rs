//! What runs is what was recorded, and where a person was asked, what that person agreed to.

use std::collections::BTreeSet;

use session::{ApprovalOutcome, Entry, Event, Vote};
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
        let needed = (simulation.scenario.people_for)(began.amount).unwrap_or(u32::MAX);
        let agreed = agreed(&entries, &began.call, began.args);
        if u64::from(needed) > agreed as u64 {
            let (call, amount) = (&began.call, began.amount);
            return Err(format!(
                "{call} ran with {amount}; {agreed} of {needed} people agreed"
            ));
        }
    }
    Ok(())
}

/// The most people who agreed to exactly these arguments in one approval that closed as approved.
fn agreed(entries: &[Entry], call: &CallId, args: Digest) -> usize {
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
    opened
        .map(|id| voters(entries, id, args))
        .max()
        .unwrap_or(0)
}

fn voters(entries: &[Entry], id: &ApprovalId, args: Digest) -> usize {
    let closed = entries.iter().position(|it| {
        matches!(&it.event, Event::ApprovalClosed { approval, outcome, .. }
            if approval == id && *outcome == ApprovalOutcome::Approved)
    });
    let before = entries.get(..closed.unwrap_or(0)).unwrap_or_default();
    let voters: BTreeSet<&str> = before
        .iter()
        .filter_map(|it| {
            if let Event::ApprovalVoted {
                approval,
                actor,
                args: voted,
                vote,
                ..
            } = &it.event
                && approval == id
                && *voted == args
                && *vote == Vote::Approve
            {
                return Some(actor.as_str());
            }
            None
        })
        .collect();
    voters.len()
}
