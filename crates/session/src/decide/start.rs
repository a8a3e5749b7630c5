//! Beginning a session, and user messages. Knows nothing of who may start one.

use spec::Json;

use super::Refusal;
use super::draft::Draft;
use crate::{Event, Start, availability, evidence};

pub(super) fn start(draft: &mut Draft<'_>, start: &Start) -> Result<(), Refusal> {
    if draft.state.started.is_some() {
        return Err(Refusal::AlreadyStarted);
    }
    let input = draft.keep(start.input.to_canonical().into_bytes());
    draft.push(Event::Started {
        version: start.version.clone(),
        snapshot: start.snapshot,
        mode: start.mode,
        input,
        requester: start.requester.clone(),
    });
    let plan = draft.plan;
    let decided = availability::decide(&plan.snapshot, &start.input, &start.env);
    let evidence = evidence::evidence(&plan.snapshot, start.snapshot, &decided);
    let evidence = draft.keep(evidence.to_canonical().into_bytes());
    draft.push(Event::EvidenceRecorded {
        evidence,
        unavailable: availability::unavailable(&decided),
    });
    if let Some(text) = user_text(&start.input) {
        let text = draft.keep(text.into_bytes());
        draft.push(Event::UserMessage { text });
    }
    Ok(())
}

/// What the user says by the input object: its `message`, else its `text`, else all of it.
/// An empty object says nothing.
fn user_text(input: &Json) -> Option<String> {
    let members = input.as_object()?;
    if members.is_empty() {
        return None;
    }
    let said = |key| {
        members
            .get(key)
            .and_then(Json::as_str)
            .map(str::trim)
            .map(str::to_owned)
    };
    Some(
        said("message")
            .or_else(|| said("text"))
            .unwrap_or_else(|| input.to_canonical()),
    )
}

pub(super) fn say(draft: &mut Draft<'_>, text: &str) -> Result<(), Refusal> {
    draft.still_running()?;
    if !draft.state.turn_is_over() {
        return Err(Refusal::Busy);
    }
    let text = draft.keep(text.as_bytes());
    draft.push(Event::UserMessage { text });
    Ok(())
}
