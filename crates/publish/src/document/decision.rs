//! `spec.decision` of a Policy: what happens when the rule applies.

use std::collections::BTreeMap;

use spec::Json;
use spec::snapshot::{Decision, DecisionKind, OnReject, Timeout, TimeoutDefault};

use crate::diagnostic::Sink;
use crate::diagnostics::e0205;
use crate::reference::is_namespace;
use crate::yaml::{Cursor, Fields, Shape};

const DECISION: Shape = Shape {
    what: "a decision",
    known: &[
        "type",
        "authority_ref",
        "approvals_required",
        "timeout",
        "on_reject",
        "on_modify",
        "comprehension_required",
        "reason",
        "runtime",
    ],
    elsewhere: &[],
    unsupported: &[],
};

const TIMEOUT: Shape = Shape {
    what: "a timeout",
    known: &["after_minutes", "default"],
    elsewhere: &[],
    unsupported: &[],
};

/// More people than any queue of approvals has.
const APPROVALS_MAX: u64 = 100;

const KINDS: [(&str, DecisionKind); 5] = [
    ("allow", DecisionKind::Allow),
    ("deny", DecisionKind::Deny),
    ("require_approval", DecisionKind::RequireApproval),
    ("escalate", DecisionKind::Escalate),
    ("block", DecisionKind::Deny),
];

/// A decision with nothing but its kind.
pub(crate) fn plain(kind: DecisionKind) -> Decision {
    Decision {
        kind,
        authority_ref: None,
        approvals_required: 1,
        timeout: None,
        on_reject: OnReject::ReturnToAgent,
        comprehension_required: false,
        reason: None,
        runtime: BTreeMap::new(),
    }
}

pub(super) fn read(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Decision> {
    let fields = cursor.fields(&DECISION, sink)?;
    let kind = fields
        .required("type", sink)
        .and_then(|it| it.word(&KINDS, sink));
    let approvals = fields
        .get("approvals_required")
        .and_then(|it| it.count(APPROVALS_MAX, sink));
    let on_reject = fields.get("on_reject").and_then(|it| {
        let words = [
            ("return_to_agent", OnReject::ReturnToAgent),
            ("fail", OnReject::Fail),
        ];
        it.word(&words, sink)
    });
    if let Some(on_modify) = fields.get("on_modify") {
        // Edited arguments are always checked again, so there is nothing to choose.
        on_modify.word(&[("revalidate", ())], sink);
    }
    let comprehension = fields
        .get("comprehension_required")
        .and_then(|it| it.boolean(sink));
    let decision = Decision {
        authority_ref: authority_ref(&fields, sink),
        approvals_required: approvals.and_then(|it| u32::try_from(it).ok()).unwrap_or(1),
        timeout: fields.get("timeout").and_then(|it| timeout(&it, sink)),
        on_reject: on_reject.map_or(OnReject::ReturnToAgent, |it| it.value),
        comprehension_required: comprehension.unwrap_or(false),
        reason: fields
            .get("reason")
            .and_then(|it| it.filled(sink))
            .map(|it| it.value),
        runtime: runtime(&fields, sink),
        ..plain(kind.as_ref()?.value)
    };
    Some(decision)
}

fn authority_ref(fields: &Fields<'_>, sink: &mut Sink) -> Option<String> {
    let text = fields.get("authority_ref")?.filled(sink)?;
    if !is_namespace(&text.value) {
        let rule = "write it as it is declared under `authority_boundaries`";
        sink.push(e0205::malformed(
            &text.at,
            "the name of a boundary",
            &text.value,
            rule,
        ));
    }
    Some(text.value)
}

fn timeout(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Timeout> {
    let fields = cursor.fields(&TIMEOUT, sink)?;
    let words = [
        ("deny", TimeoutDefault::Deny),
        ("allow", TimeoutDefault::Allow),
        ("escalate", TimeoutDefault::Escalate),
    ];
    let after = fields.required("after_minutes", sink);
    let after = after.and_then(|it| it.count(u64::from(u32::MAX), sink));
    let default = fields.get("default").and_then(|it| it.word(&words, sink));
    Some(Timeout {
        after_minutes: after?,
        default: default.map_or(TimeoutDefault::Deny, |it| it.value),
    })
}

fn runtime(fields: &Fields<'_>, sink: &mut Sink) -> BTreeMap<String, Json> {
    let entries = fields
        .get("runtime")
        .and_then(|it| it.entries(sink))
        .unwrap_or_default();
    let read = |(key, value): (crate::diagnostic::At<String>, Cursor<'_>)| {
        Some((key.value, value.json(sink)?))
    };
    entries.into_iter().filter_map(read).collect()
}
