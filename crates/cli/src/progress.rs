//! A session as its journal tells it: what became of each call, and how it ended. Knows the names of
//! the events; reads no clock and asks nobody.

use std::collections::BTreeMap;

use proto::ordain::v1::WatchEvent;
use spec::Json;

use crate::exit::Exit;
use crate::wire;

/// What kind of entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    SessionStarted,
    UserMessage,
    AssistantMessage,
    ToolRequested,
    ToolPolicyDenied,
    ToolRefused,
    ToolQueued,
    ToolDispatched,
    ToolNacked,
    ToolUnknown,
    ToolCompleted,
    ToolIndeterminate,
    ToolCancelled,
    ApprovalRequired,
    ApprovalVote,
    ApprovalDecided,
    ApprovalEscalated,
    SessionCompleted,
    SessionFailed,
    SessionCancelled,
    /// One that this program does not know; newer runtimes may have more.
    Other,
}

impl Kind {
    pub(crate) fn from_word(word: &str) -> Self {
        match word {
            "session.started" => Kind::SessionStarted,
            "message.user" => Kind::UserMessage,
            "message.assistant" => Kind::AssistantMessage,
            "tool.requested" => Kind::ToolRequested,
            "tool.policy_denied" => Kind::ToolPolicyDenied,
            "tool.refused" => Kind::ToolRefused,
            "tool.queued" => Kind::ToolQueued,
            "tool.dispatched" => Kind::ToolDispatched,
            "tool.nacked" => Kind::ToolNacked,
            "tool.unknown" => Kind::ToolUnknown,
            "tool.completed" => Kind::ToolCompleted,
            "tool.indeterminate" => Kind::ToolIndeterminate,
            "tool.cancelled" => Kind::ToolCancelled,
            "approval.required" => Kind::ApprovalRequired,
            "approval.vote" => Kind::ApprovalVote,
            "approval.decided" => Kind::ApprovalDecided,
            "approval.escalated" => Kind::ApprovalEscalated,
            "session.completed" => Kind::SessionCompleted,
            "session.failed" => Kind::SessionFailed,
            "session.cancelled" => Kind::SessionCancelled,
            _ => Kind::Other,
        }
    }
}

/// An entry of the journal.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) seq: i64,
    pub(crate) kind: Kind,
    pub(crate) payload: Json,
    /// Of the entry and all before it.
    pub(crate) hash: String,
    call: String,
}

impl Entry {
    /// A text of the payload; empty when there is none.
    pub(crate) fn text(&self, field: &str) -> &str {
        self.payload
            .get(field)
            .and_then(Json::as_str)
            .unwrap_or_default()
    }

    /// The call that the entry is about; empty when it is about none.
    pub(crate) fn call(&self) -> &str {
        let named = self.text("call_id");
        if named.is_empty() { &self.call } else { named }
    }
}

impl From<WatchEvent> for Entry {
    fn from(event: WatchEvent) -> Self {
        Self {
            seq: event.seq,
            kind: Kind::from_word(&event.r#type),
            payload: wire::from_field(event.payload.as_ref()).unwrap_or_else(Json::object),
            hash: event.hash,
            call: event.call_id,
        }
    }
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Judged, or waiting for a person.
    Proposed,
    /// Waiting for a worker, or with one.
    InFlight,
    Succeeded,
    Failed,
    /// By a policy.
    Denied,
    /// By a person, or because no person answered in time.
    Rejected,
    /// By another check, such as that of its arguments.
    Refused,
    /// Because the session ended first.
    Cancelled,
    Indeterminate,
}

impl Fate {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Fate::Proposed => "proposed",
            Fate::InFlight => "in_flight",
            Fate::Succeeded => "succeeded",
            Fate::Failed => "failed",
            Fate::Denied => "denied",
            Fate::Rejected => "rejected",
            Fate::Refused => "refused",
            Fate::Cancelled => "cancelled",
            Fate::Indeterminate => "indeterminate",
        }
    }

    fn from_error(code: &str) -> Self {
        match code {
            "policy_denied" => Fate::Denied,
            "approval_rejected" | "approval_expired" => Fate::Rejected,
            "indeterminate" => Fate::Indeterminate,
            "invalid_args" | "unavailable_tool" | "depth_exceeded" => Fate::Refused,
            _ => Fate::Failed,
        }
    }
}

/// A call of the session.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) args: Json,
    pub(crate) fate: Fate,
    /// Why it did not succeed.
    pub(crate) message: String,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    Completed { output: Option<Json> },
    Failed { reason: String },
    Cancelled { reason: String },
}

/// What the entries so far say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// By call id.
    pub(crate) calls: BTreeMap<String, Call>,
    /// The call of each approval that waits, by approval id.
    pub(crate) waiting: BTreeMap<String, String>,
    /// The outcome of each approval that was closed, by approval id.
    pub(crate) decided: BTreeMap<String, String>,
    pub(crate) last_text: String,
    pub(crate) end: Option<End>,
}

impl Progress {
    pub(crate) fn take(&mut self, entry: &Entry) {
        match entry.kind {
            Kind::AssistantMessage => entry.text("text").clone_into(&mut self.last_text),
            Kind::ToolRequested => self.propose(entry),
            Kind::ToolQueued | Kind::ToolDispatched | Kind::ToolNacked => {
                self.settle(entry, Fate::InFlight, "");
            }
            Kind::ToolPolicyDenied => self.settle(entry, Fate::Denied, entry.text("message")),
            Kind::ToolRefused => {
                let named = Fate::from_error(entry.text("code"));
                let fate = if named == Fate::Failed {
                    Fate::Refused
                } else {
                    named
                };
                self.settle(entry, fate, entry.text("message"));
            }
            Kind::ToolUnknown | Kind::ToolIndeterminate => {
                self.settle(entry, Fate::Indeterminate, entry.text("message"));
            }
            Kind::ToolCancelled => self.settle(entry, Fate::Cancelled, ""),
            Kind::ToolCompleted => match entry.text("error_code") {
                "" => self.settle(entry, Fate::Succeeded, ""),
                code => self.settle(entry, Fate::from_error(code), entry.text("error_message")),
            },
            Kind::ApprovalRequired => {
                let id = entry.text("approval_id").to_owned();
                self.waiting.insert(id, entry.call().to_owned());
            }
            Kind::ApprovalDecided | Kind::ApprovalEscalated => {
                let id = entry.text("approval_id");
                self.waiting.remove(id);
                self.decided
                    .insert(id.to_owned(), entry.text("outcome").to_owned());
            }
            Kind::SessionCompleted => {
                let output = entry.payload.get("output").filter(|it| **it != Json::Null);
                self.end = Some(End::Completed {
                    output: output.cloned(),
                });
            }
            Kind::SessionFailed => {
                self.end = Some(End::Failed {
                    reason: reason(entry),
                })
            }
            Kind::SessionCancelled => {
                self.end = Some(End::Cancelled {
                    reason: reason(entry),
                })
            }
            Kind::SessionStarted | Kind::UserMessage | Kind::ApprovalVote | Kind::Other => {}
        }
    }

    fn propose(&mut self, entry: &Entry) {
        let name = match entry.text("tool") {
            "" => entry.text("wire_name"),
            tool => tool,
        };
        let call = Call {
            tool: name.to_owned(),
            args: entry
                .payload
                .get("args")
                .cloned()
                .unwrap_or_else(Json::object),
            fate: Fate::Proposed,
            message: String::new(),
        };
        self.calls.insert(entry.call().to_owned(), call);
    }

    fn settle(&mut self, entry: &Entry, fate: Fate, message: &str) {
        if let Some(call) = self.calls.get_mut(entry.call()) {
            call.fate = fate;
            message.clone_into(&mut call.message);
        }
    }

    pub(crate) fn count(&self, fate: Fate) -> usize {
        self.calls.values().filter(|call| call.fate == fate).count()
    }

    /// The exit code of a run that has come this far and goes on only when somebody acts.
    pub(crate) fn exit(&self) -> Exit {
        let is_unsettled = self.count(Fate::Indeterminate) > 0;
        match &self.end {
            Some(End::Failed { reason }) if is_limit(reason) => Exit::LimitReached,
            _ if is_unsettled => Exit::Indeterminate,
            Some(End::Failed { .. } | End::Cancelled { .. }) => Exit::Failed,
            None if !self.waiting.is_empty() => Exit::AwaitsPerson,
            // A model that was refused whatever it tried says so politely and stops; its run has
            // not done what it was for. With one success nobody but the reader can tell.
            Some(End::Completed { .. }) | None if self.count(Fate::Succeeded) > 0 => Exit::Done,
            Some(End::Completed { .. }) | None if self.count(Fate::Denied) > 0 => Exit::Denied,
            Some(End::Completed { .. }) | None if self.count(Fate::Rejected) > 0 => {
                Exit::AwaitsPerson
            }
            Some(End::Completed { .. }) | None => Exit::Done,
        }
    }
}

fn reason(entry: &Entry) -> String {
    entry.text("reason").to_owned()
}

/// Whether a session failed because a budget was used up.
fn is_limit(reason: &str) -> bool {
    reason.contains("run limit ")
}

#[cfg(test)]
mod tests {
    use spec::Json;

    use super::{End, Entry, Fate, Kind, Progress};
    use crate::exit::Exit;

    fn entry(word: &str, payload: &str) -> Entry {
        Entry {
            seq: 0,
            kind: Kind::from_word(word),
            payload: Json::parse(payload.as_bytes()).unwrap(),
            hash: String::new(),
            call: String::new(),
        }
    }

    fn progress(entries: &[(&str, &str)]) -> Progress {
        let mut progress = Progress::default();
        for (word, payload) in entries {
            let entry = entry(word, payload);
            assert_ne!(entry.kind, Kind::Other, "{word}");
            progress.take(&entry);
        }
        progress
    }

    const ASKED: (&str, &str) = ("tool.requested", r#"{"call_id":"c","tool":"a.b"}"#);
    const SENT: (&str, &str) = ("tool.dispatched", r#"{"call_id":"c"}"#);
    const OPENED: (&str, &str) = ("approval.required", r#"{"call_id":"c","approval_id":"p"}"#);
    const DONE: (&str, &str) = (
        "session.completed",
        r#"{"reason":"end_turn","output":null}"#,
    );

    #[test]
    fn a_run_that_did_its_work() {
        let ok = ("tool.completed", r#"{"call_id":"c","result":{}}"#);
        let it = progress(&[ASKED, SENT, ok, DONE]);
        assert_eq!(it.exit(), Exit::Done);
        assert_eq!(it.end, Some(End::Completed { output: None }));
        assert_eq!(progress(&[DONE]).exit(), Exit::Done);
    }

    #[test]
    fn denied_is_not_done() {
        let denied = ("tool.policy_denied", r#"{"call_id":"c","message":"no"}"#);
        let it = progress(&[ASKED, denied, DONE]);
        assert_eq!(it.exit(), Exit::Denied);
        assert_eq!(it.calls["c"].message, "no");
    }

    #[test]
    fn rejected_is_not_done() {
        for code in ["approval_rejected", "approval_expired"] {
            let payload = format!(r#"{{"call_id":"c","error_code":"{code}"}}"#);
            let closed = ("approval.decided", r#"{"approval_id":"p"}"#);
            let it = progress(&[ASKED, OPENED, closed, ("tool.completed", &payload), DONE]);
            assert_eq!(it.exit(), Exit::AwaitsPerson, "{code}");
            assert!(it.waiting.is_empty());
        }
    }

    #[test]
    fn a_question_is_not_done() {
        assert_eq!(progress(&[ASKED, OPENED]).exit(), Exit::AwaitsPerson);
    }

    #[test]
    fn doubt_goes_before_everything_but_a_limit() {
        let doubt = ("tool.unknown", r#"{"call_id":"c","cause":"lease_expired"}"#);
        assert_eq!(
            progress(&[ASKED, SENT, doubt, OPENED]).exit(),
            Exit::Indeterminate
        );
        assert_eq!(
            progress(&[ASKED, SENT, doubt, DONE]).exit(),
            Exit::Indeterminate
        );
        let again = progress(&[ASKED, SENT, doubt, SENT]);
        assert_eq!(again.calls["c"].fate, Fate::InFlight);
    }

    #[test]
    fn failed_and_cancelled() {
        let failed = ("session.failed", r#"{"reason":"the model is away"}"#);
        let limit = r#"{"reason":"run limit max_tool_calls exceeded (on_limit=halt)"}"#;
        assert_eq!(progress(&[failed]).exit(), Exit::Failed);
        assert_eq!(
            progress(&[("session.failed", limit)]).exit(),
            Exit::LimitReached
        );
        assert_eq!(
            progress(&[("session.cancelled", "{}")]).exit(),
            Exit::Failed
        );
    }
}
