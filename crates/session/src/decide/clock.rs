//! What the passing of time does: limits, expiries, deadlines, the grace after an end.

use spec::snapshot::Limits;

use super::draft::Draft;
use super::{Refusal, approval, call, dispatched, end};
use crate::state::Phase;
use crate::{Event, UnknownCause};

pub(super) fn tick(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    let state = draft.state;
    let grace = draft.plan.settings.cancel_grace_ms;
    if let Some(ended) = &state.ended {
        if draft.now >= ended.at.plus_ms(grace) {
            for call in state.open_calls() {
                end::settle(draft, call);
            }
        }
        return Ok(());
    }
    // One a decision, the earliest first: what it does may change what the next one means. The next
    // tick is due at once.
    let expired = state
        .approvals
        .values()
        .filter(|it| it.is_pending() && it.expires_at.is_some_and(|at| at <= draft.now))
        .min_by_key(|it| it.expires_at);
    if let Some(pending) = expired {
        return approval::expire(draft, pending);
    }
    let limits: &Limits = &draft.plan.snapshot.limits;
    let used_up = |budget: Option<u64>, unit_ms: u64, used_ms: u64| {
        budget.is_some_and(|budget| used_ms >= budget.saturating_mul(unit_ms))
    };
    if used_up(limits.max_wall_clock_seconds, 1000, draft.running_ms()) {
        end::limit(draft, "max_wall_clock_seconds");
        return Ok(());
    }
    if used_up(limits.max_hitl_wait_minutes, 60_000, draft.people_ms()) {
        end::limit(draft, "max_hitl_wait_minutes");
        return Ok(());
    }
    for call in state.open_calls() {
        if matches!(&call.phase, Phase::Waiting { until } if *until <= draft.now) {
            draft.push(Event::CallQueued {
                call: call.id.clone(),
            });
        }
        let overdue = matches!(&call.phase, Phase::Dispatched { deadline, .. }
            if deadline.plus_ms(grace) <= draft.now);
        if overdue
            && !draft.ended
            && let Some((attempt, _)) = dispatched(&call.phase)
        {
            call::unknown(draft, &call.id, attempt, UnknownCause::Indeterminate)?;
        }
    }
    Ok(())
}
