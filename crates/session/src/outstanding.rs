//! What is still to be done. The same question is asked at start-up, after every event and after
//! a restart; there is no other way to get anything done.

use spec::{CallId, SideEffectClass, Time};

use crate::state::{Phase, State, WaitsFor};
use crate::{Payload, Plan, Slot};

/// Something that the driver has to have done. Performing one twice must be harmless: the world
/// knows by its identity what it has begun already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Ask the model.
    Complete {
        /// For this completion.
        completion: u32,
    },
    /// Find a worker for a queued call.
    Reserve {
        /// Which call.
        call: CallId,
        /// `namespace.name`.
        tool: String,
        /// Exact version.
        version: String,
        /// Queued since; the wait is bounded from here.
        since: Time,
    },
    /// See that a dispatched call is with its worker, and find out how it ends: send it if the
    /// slot is held and nothing was sent, wait if it was, report it unknown if the slot is gone.
    Invoke {
        /// Which call.
        call: CallId,
        /// Which dispatch.
        attempt: u32,
        /// Where.
        slot: Slot,
        /// `namespace.name`.
        tool: String,
        /// Exact version.
        version: String,
        /// Exactly what is sent.
        args: Payload,
        /// For the worker and for recovery.
        class: SideEffectClass,
        /// When the runtime gives up.
        deadline: Time,
        /// The completion that asked for the call.
        turn: u32,
    },
    /// Tell the worker that nobody waits any more.
    Cancel {
        /// Which call.
        call: CallId,
        /// Which dispatch.
        attempt: u32,
        /// Where.
        slot: Slot,
    },
}

/// Everything that is due in `state` at `now`.
#[must_use]
pub fn outstanding(state: &State, now: Time) -> Vec<Effect> {
    let mut effects = Vec::new();
    if state.started.is_none() {
        return effects;
    }
    for call in state.open_calls() {
        match &call.phase {
            Phase::Queued { since } if state.ended.is_none() => effects.push(Effect::Reserve {
                call: call.id.clone(),
                tool: call.tool.clone(),
                version: call.version.clone(),
                since: *since,
            }),
            Phase::Dispatched {
                attempt,
                slot,
                deadline,
            } => {
                effects.push(Effect::Invoke {
                    call: call.id.clone(),
                    attempt: *attempt,
                    slot: slot.clone(),
                    tool: call.tool.clone(),
                    version: call.version.clone(),
                    args: call.args,
                    class: call.class,
                    deadline: *deadline,
                    turn: call.completion,
                });
                if state.ended.is_some() || *deadline <= now {
                    effects.push(Effect::Cancel {
                        call: call.id.clone(),
                        attempt: *attempt,
                        slot: slot.clone(),
                    });
                }
            }
            Phase::Queued { .. }
            | Phase::Proposed
            | Phase::Waiting { .. }
            | Phase::AwaitingApproval { .. }
            | Phase::Succeeded
            | Phase::Failed
            | Phase::Refused
            | Phase::Indeterminate
            | Phase::Cancelled => {}
        }
    }
    if state.ended.is_none() && state.open.is_empty() && !state.turn_is_over() {
        effects.push(Effect::Complete {
            completion: state.completions.saturating_add(1),
        });
    }
    effects
}

/// When time alone changes something: an approval's expiry, a limit, a call's deadline. `None`
/// when only somebody's word can.
#[must_use]
pub fn next_wake(plan: &Plan, state: &State, now: Time) -> Option<Time> {
    let mut wake: Option<Time> = None;
    let mut at = |time: Time| wake = Some(wake.map_or(time, |it| it.min(time)));
    let grace = plan.settings.cancel_grace_ms;
    for call in state.open_calls() {
        if let Phase::Dispatched { deadline, .. } = &call.phase {
            match &state.ended {
                Some(ended) => at(ended.at.plus_ms(grace)),
                // First the worker is told, then its silence counts.
                None if *deadline > now => at(*deadline),
                None => at(deadline.plus_ms(grace)),
            }
        }
    }
    if state.ended.is_some() {
        return wake;
    }
    for call in state.open_calls() {
        if let Phase::Waiting { until } = &call.phase {
            at(*until);
        }
    }
    for approval in state.approvals.values().filter(|it| it.is_pending()) {
        if let Some(expires_at) = approval.expires_at {
            at(expires_at);
        }
    }
    let limits = &plan.snapshot.limits;
    let left =
        |budget_ms: u64, used_ms: u64| state.clock.last.plus_ms(budget_ms.saturating_sub(used_ms));
    match state.waits_for() {
        WaitsFor::Machines => {
            if let Some(seconds) = limits.max_wall_clock_seconds {
                at(left(seconds.saturating_mul(1000), state.clock.running_ms));
            }
        }
        WaitsFor::People => {
            if let Some(minutes) = limits.max_hitl_wait_minutes {
                at(left(minutes.saturating_mul(60_000), state.clock.people_ms));
            }
        }
        WaitsFor::Nothing | WaitsFor::Input => {}
    }
    wake
}
