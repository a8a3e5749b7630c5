//! Calls' entries: on their way, and their outcomes.

use session::{Entry, ErrorCode, Event, Slot, UnknownCause};
use spec::Json;

use super::{Bytes, Parts, id, maybe, object, value};
use crate::clock::rfc3339;

fn slot(slot: &Slot) -> Json {
    object([
        ("worker", Json::from(slot.worker.as_str())),
        ("connection", Json::from(slot.connection.as_str())),
        ("identity", Json::from(slot.identity.as_str())),
        ("image_digest", Json::from(slot.image.as_str())),
    ])
}

pub(super) fn of_call(entry: &Entry, bytes: &Bytes<'_>) -> Parts {
    let event = &entry.event;
    requested(event, bytes)
        .or_else(|| refused(event))
        .or_else(|| dispatched(event))
        .or_else(|| nacked(event))
        .or_else(|| unknown(event, bytes))
        .or_else(|| erred(event))
        .unwrap_or_else(|| queued(event))
}

fn requested(event: &Event, bytes: &Bytes<'_>) -> Option<Parts> {
    let Event::CallProposed {
        call,
        wire_name,
        tool,
        version,
        class,
        args,
        explain,
        overlay,
        ..
    } = event
    else {
        return None;
    };
    let payload = object([
        id(call),
        ("wire_name", Json::from(wire_name.as_str())),
        ("tool", Json::from(tool.as_str())),
        ("version", Json::from(version.as_str())),
        ("side_effect_class", Json::from(class.as_str())),
        ("args", value(bytes, args)),
        ("args_digest", Json::from(args.digest.to_string())),
        ("status", Json::from("pending")),
        ("explain", maybe(bytes, explain.as_ref())),
        ("overlay", digest(*overlay)),
    ]);
    Some((
        "tool.requested",
        payload,
        call.to_string(),
        "agent".to_owned(),
    ))
}

/// A digest, or null.
fn digest(digest: Option<spec::Digest>) -> Json {
    Json::from(digest.map(|it| it.to_string()))
}

fn refused(event: &Event) -> Option<Parts> {
    let Event::CallRefused {
        call,
        code,
        message,
    } = event
    else {
        return None;
    };
    let payload = object([
        id(call),
        ("code", Json::from(code.as_str())),
        ("message", Json::from(message.as_str())),
        ("error_code", Json::from(code.as_str())),
        ("error_message", Json::from(message.as_str())),
    ]);
    let denied = *code == ErrorCode::PolicyDenied.as_str();
    let kind = if denied {
        "tool.policy_denied"
    } else {
        "tool.refused"
    };
    let actor = if denied { "policy" } else { "system" };
    Some((kind, payload, call.to_string(), actor.to_owned()))
}

fn dispatched(event: &Event) -> Option<Parts> {
    let Event::CallDispatched {
        call,
        attempt,
        slot: held,
        args,
        deadline,
        overlay,
    } = event
    else {
        return None;
    };
    let payload = object([
        id(call),
        ("attempt", Json::from(*attempt)),
        ("worker", Json::from(held.worker.as_str())),
        ("slot", slot(held)),
        ("args_digest", Json::from(args.to_string())),
        ("deadline", Json::from(rfc3339(*deadline))),
        ("status", Json::from("dispatched")),
        ("overlay", digest(*overlay)),
    ]);
    Some((
        "tool.dispatched",
        payload,
        call.to_string(),
        "system".to_owned(),
    ))
}

fn nacked(event: &Event) -> Option<Parts> {
    let Event::CallNacked {
        call,
        attempt,
        code,
        message,
    } = event
    else {
        return None;
    };
    let payload = object([
        id(call),
        ("attempt", Json::from(*attempt)),
        ("code", Json::from(code.as_str())),
        ("message", Json::from(message.as_str())),
    ]);
    Some((
        "tool.nacked",
        payload,
        call.to_string(),
        "worker".to_owned(),
    ))
}

fn unknown(event: &Event, bytes: &Bytes<'_>) -> Option<Parts> {
    let Event::CallUnknown {
        call,
        attempt,
        cause,
        explain,
    } = event
    else {
        return None;
    };
    let cause = match cause {
        UnknownCause::LeaseExpired => "lease_expired",
        UnknownCause::Indeterminate => "indeterminate",
    };
    let payload = object([
        id(call),
        ("attempt", Json::from(*attempt)),
        ("cause", Json::from(cause)),
        ("explain", maybe(bytes, explain.as_ref())),
    ]);
    Some((
        "tool.unknown",
        payload,
        call.to_string(),
        "system".to_owned(),
    ))
}

fn erred(event: &Event) -> Option<Parts> {
    let Event::CallErred {
        call,
        attempt,
        handler_code,
        message,
        retry_at,
    } = event
    else {
        return None;
    };
    let payload = object([
        id(call),
        ("attempt", Json::from(*attempt)),
        ("handler_code", Json::from(handler_code.as_str())),
        ("error_message", Json::from(message.as_str())),
        ("retry_at", Json::from(retry_at.map(rfc3339))),
    ]);
    Some((
        "tool.handler_failed",
        payload,
        call.to_string(),
        "worker".to_owned(),
    ))
}

fn queued(event: &Event) -> Parts {
    let call = if let Event::CallQueued { call } = event {
        call.as_str()
    } else {
        ""
    };
    let payload = object([
        ("call_id", Json::from(call)),
        ("status", Json::from("queued")),
    ]);
    ("tool.queued", payload, call.to_owned(), "system".to_owned())
}

pub(super) fn of_outcome(entry: &Entry, bytes: &Bytes<'_>) -> Parts {
    let event = &entry.event;
    succeeded(event, bytes)
        .or_else(|| failed(event, bytes))
        .or_else(|| conflict(event, bytes))
        .unwrap_or_else(|| unsettled(event))
}

fn succeeded(event: &Event, bytes: &Bytes<'_>) -> Option<Parts> {
    let Event::CallSucceeded {
        call,
        worker,
        result,
        terminal,
    } = event
    else {
        return None;
    };
    let payload = object([
        id(call),
        ("worker", Json::from(worker.as_str())),
        ("result", value(bytes, result)),
        ("result_digest", Json::from(result.digest.to_string())),
        (
            "terminal",
            if *terminal {
                Json::from(true)
            } else {
                Json::Null
            },
        ),
    ]);
    Some((
        "tool.completed",
        payload,
        call.to_string(),
        "worker".to_owned(),
    ))
}

fn failed(event: &Event, bytes: &Bytes<'_>) -> Option<Parts> {
    let Event::CallFailed {
        call,
        code,
        handler_code,
        message,
        result,
    } = event
    else {
        return None;
    };
    // Only these two are a worker's word; the others are the runtime's own.
    let by_worker = [ErrorCode::HandlerError, ErrorCode::InvalidResult];
    let actor = if by_worker.iter().any(|it| it.as_str() == code) {
        "worker"
    } else {
        "system"
    };
    let payload = object([
        id(call),
        ("error_code", Json::from(code.as_str())),
        ("handler_code", Json::from(handler_code.clone())),
        ("error_message", Json::from(message.as_str())),
        ("result", maybe(bytes, result.as_ref())),
    ]);
    Some((
        "tool.completed",
        payload,
        call.to_string(),
        actor.to_owned(),
    ))
}

fn conflict(event: &Event, bytes: &Bytes<'_>) -> Option<Parts> {
    let Event::ResultConflict {
        call,
        worker,
        result,
    } = event
    else {
        return None;
    };
    let payload = object([
        id(call),
        ("worker", Json::from(worker.as_str())),
        ("result", value(bytes, result)),
    ]);
    Some((
        "tool.result_conflict",
        payload,
        call.to_string(),
        "worker".to_owned(),
    ))
}

fn unsettled(event: &Event) -> Parts {
    if let Event::CallIndeterminate { call, message } = event {
        let payload = object([id(call), ("reason", Json::from(message.as_str()))]);
        return (
            "tool.indeterminate",
            payload,
            call.to_string(),
            "system".to_owned(),
        );
    }
    let call = if let Event::CallCancelled { call } = event {
        call.as_str()
    } else {
        ""
    };
    let payload = object([("call_id", Json::from(call))]);
    (
        "tool.cancelled",
        payload,
        call.to_owned(),
        "system".to_owned(),
    )
}
