//! Frames of the `Work` stream.

use std::sync::Arc;

use proto::runtime::v1 as wire;
use runtime::Invocation;
use runtime::workers::{HandlerKey, Registration};
use session::{CallResult, Input};
use spec::{CallId, SessionId, WorkerId};
use tonic::Status;
use wire::work_server_msg::Body;

/// The largest result that is kept, in bytes; the transport's own limit lies far above it.
pub(crate) const RESULT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The longest error text of a worker that is kept, in bytes.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// The most calls at once that one handler may ask for.
const CONCURRENCY_MAX: u32 = 1024;
/// Handlers of one worker.
const HANDLERS_MAX: usize = 1024;

fn message(body: Body) -> wire::WorkServerMsg {
    wire::WorkServerMsg { body: Some(body) }
}

pub(crate) fn registered(worker: &WorkerId, lease_ms: u64) -> wire::WorkServerMsg {
    message(Body::Registered(wire::WorkRegistered {
        worker_id: worker.to_string(),
        lease_ttl_ms: super::int64(lease_ms),
    }))
}

pub(crate) fn heartbeat_ack() -> wire::WorkServerMsg {
    message(Body::HeartbeatAck(wire::WorkHeartbeatAck {}))
}

pub(crate) fn ack(call: &CallId) -> wire::WorkServerMsg {
    message(Body::ResultAck(wire::WorkResultAck {
        call_id: call.to_string(),
    }))
}

pub(crate) fn cancel(call: &CallId) -> wire::WorkServerMsg {
    message(Body::Cancel(wire::WorkToolCancel {
        call_id: call.to_string(),
    }))
}

pub(crate) fn invoke(invocation: &Invocation, session: &SessionId) -> wire::WorkServerMsg {
    message(Body::Invoke(wire::WorkInvoke {
        call_id: invocation.call.to_string(),
        session_id: session.to_string(),
        agent_version_id: invocation.version_id.to_string(),
        turn: super::int32(invocation.turn.into()),
        tool: invocation.tool.clone(),
        version: invocation.version.clone(),
        args: invocation.args.to_vec(),
        side_effect_class: invocation.class.as_str().to_owned(),
        deadline_unix_ms: invocation.deadline.unix_ms_i64(),
    }))
}

/// Reads a registration.
pub(crate) fn registration(register: wire::WorkRegister) -> Result<Registration, Status> {
    if register.worker_id.trim().is_empty() {
        return Err(Status::invalid_argument(
            "register: worker_id must not be empty",
        ));
    }
    if register.handlers.len() > HANDLERS_MAX {
        let count = register.handlers.len();
        let text = format!("register: {count} handlers; at most {HANDLERS_MAX} are taken");
        return Err(Status::invalid_argument(text));
    }
    let mut handlers = Vec::with_capacity(register.handlers.len());
    for handler in register.handlers {
        if handler.tool.is_empty() {
            return Err(Status::invalid_argument(
                "register: a handler names no tool",
            ));
        }
        let key = HandlerKey {
            tool: handler.tool,
            version: handler.version,
        };
        handlers.push((key, handler.max_concurrency.clamp(1, CONCURRENCY_MAX)));
    }
    Ok(Registration {
        worker: WorkerId::new(register.worker_id),
        identity: register.workload_identity,
        image: register.image_digest,
        handlers,
        in_flight: register
            .in_flight
            .into_iter()
            .map(|it| CallId::new(it.call_id))
            .collect(),
    })
}

/// What a worker says in words, cut on a character where it is too long, with a mark.
fn bounded(mut text: String) -> String {
    if text.len() > TEXT_BYTES_MAX {
        let cut = text.floor_char_boundary(TEXT_BYTES_MAX);
        let left_out = text.len() - cut;
        text.truncate(cut);
        text.push_str(&format!("… ({left_out} more bytes)"));
    }
    text
}

/// A worker's result, as what the session is told.
pub(crate) fn result(result: wire::WorkToolResult, worker: &WorkerId) -> Input {
    let len = result.payload.len();
    let outcome = match result.error {
        Some(error) => CallResult::Failed {
            code: bounded(error.code),
            message: bounded(error.message),
        },
        None if len > RESULT_BYTES_MAX => {
            let max = RESULT_BYTES_MAX as u64;
            CallResult::TooLarge {
                len: len as u64,
                max,
            }
        }
        None => CallResult::Returned(Arc::from(result.payload)),
    };
    Input::Result {
        call: CallId::new(result.call_id),
        worker: worker.clone(),
        result: outcome,
    }
}

/// A worker's refusal, as what the session is told.
pub(crate) fn nack(nack: wire::WorkToolNack, worker: &WorkerId) -> Input {
    Input::Nacked {
        call: CallId::new(nack.call_id),
        worker: worker.clone(),
        code: bounded(nack.code),
        message: bounded(nack.message),
    }
}
