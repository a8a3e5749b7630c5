//! The timeline of a session as text. Knows the three sources of its entries; not where they come
//! from.

use std::fmt::Write as _;

use proto::runtime::v1::{InspectApproval, InspectTimelineEntry, ToolInvocationEntry};

use super::inspect::tokens;
use crate::render::{escape, text};
use crate::wire;

/// An entry: one line, and its details below.
pub(crate) fn lines(entry: &InspectTimelineEntry) -> String {
    let indent = "  ".repeat(
        usize::try_from(entry.depth)
            .unwrap_or_default()
            .saturating_add(1),
    );
    let time = if entry.ts_unix_ms > 0 {
        entry.ts_unix_ms.to_string()
    } else {
        entry.timestamp.clone()
    };
    let head = format!(
        "{time} (+{}ms) [{}/{}] session={} {}",
        entry.gap_ms, entry.source, entry.kind, entry.session_id, entry.summary
    );
    let mut out = format!("{indent}{}\n", escape::inline(head.trim_end()));
    let mut details = Vec::new();
    let payload = entry
        .event
        .as_ref()
        .and_then(|it| wire::from_field(it.payload.as_ref()));
    details.extend(payload.map(|it| format!("event_payload: {}", text::compact(&it))));
    details.extend(entry.invocation.iter().flat_map(invocation));
    details.extend(entry.approval.iter().flat_map(approval));
    for detail in details {
        // Writing into a string cannot fail.
        let _infallible = writeln!(out, "{indent}    {}", escape::inline(&detail));
    }
    out
}

fn invocation(it: &ToolInvocationEntry) -> Vec<String> {
    let mut details = Vec::new();
    if !it.worker_identity.is_empty() || it.attempt > 0 {
        details.push(format!(
            "worker: {} attempt={} queue_ms={} exec_ms={} total_ms={}",
            it.worker_identity,
            it.attempt,
            it.queue_delay_ms,
            it.execution_duration_ms,
            it.total_duration_ms
        ));
    }
    let args = wire::from_field(it.args.as_ref());
    details.extend(args.map(|it| format!("args: {}", text::compact(&it))));
    let result = wire::from_field(it.result.as_ref());
    details.extend(result.map(|it| format!("result: {}", text::compact(&it))));
    if !it.error_code.is_empty() || !it.error_message.is_empty() {
        details.push(format!("error: {} {}", it.error_code, it.error_message));
    }
    details.extend(it.usage.as_ref().map(|it| format!("usage: {}", tokens(it))));
    details
}

fn approval(it: &InspectApproval) -> Vec<String> {
    let mut head = format!("status: {}", it.status);
    if !it.route.is_empty() {
        head.push_str(&format!(" route: {}", it.route));
    }
    head.push_str(&format!(
        " approvals: {}/{}",
        it.approvals_received, it.approvals_required
    ));
    if !it.expires_at.is_empty() {
        head.push_str(&format!(" expires_at: {}", it.expires_at));
    }
    let mut details = vec![head];
    let args = wire::from_field(it.args.as_ref());
    details.extend(args.map(|it| format!("args: {}", text::compact(&it))));
    details.extend(it.votes.iter().map(crate::approvals::vote));
    details
}
