//! The demo's voice: tells what the journal says in plain words. Knows the events and how they read;
//! starts nothing and decides nothing.

use proto::runtime::v1::{InspectSessionResponse, InspectTimelineEntry};
use spec::Json;

use super::checks::Check;
use super::reasons;
use crate::failure::Failure;
use crate::progress::{Entry, Kind};
use crate::render::{Printer, Style, escape, text};

/// What the scripted model does, turn by turn.
const SCENES: [&str; 6] = [
    "The model looks an order up",
    "A refund of 40 EUR",
    "A refund of 450 EUR",
    "A refund of 5000 EUR",
    "A refund of 220 EUR",
    "The model's last word",
];

/// Tells on stdout.
#[derive(Debug)]
pub(super) struct Story<'a> {
    printer: &'a Printer,
}

impl<'a> Story<'a> {
    pub(super) fn new(printer: &'a Printer) -> Self {
        Self { printer }
    }

    pub(super) fn opening(&self) -> Result<(), Failure> {
        let title = "Ordain: a refund agent under policy, with a crash in the middle";
        self.printer
            .line(&self.printer.styled(Style::Bold, title))?;
        self.printer.out(
            "\n  An agent settles four refund requests. Its model is scripted; the runtime, the worker,\n  \
             the policies, the journal and the crash are real. Two rules bind it:\n\n    \
             refunds above  100   a person is asked          payments.refund-approval-boundary\n    \
             refunds above 1000   denied, whoever approves   payments.refund-hard-limit\n",
        )
    }

    pub(super) fn heading(&self, title: &str) -> Result<(), Failure> {
        let title = self.printer.styled(Style::Bold, &format!("── {title}"));
        self.printer.out(&format!("\n{title}\n"))
    }

    /// A label and what it is about, which may be text of others.
    pub(super) fn row(&self, label: &str, text: &str) -> Result<(), Failure> {
        self.styled_row(label, Style::Dim, text)
    }

    fn styled_row(&self, label: &str, style: Style, text: &str) -> Result<(), Failure> {
        let label = self.printer.styled(style, &format!("{label:<10}"));
        self.printer
            .line(&format!("  {label} {}", escape::inline(text)))
    }

    pub(super) fn blank(&self) -> Result<(), Failure> {
        self.printer.line("")
    }

    pub(super) fn question(&self, text: &str) -> Result<(), Failure> {
        let label = self
            .printer
            .styled(Style::Yellow, &format!("{:<10}", "person"));
        self.printer.out(&format!("  {label} {text}"))
    }

    pub(super) fn closing(&self, text: &str, style: Style) -> Result<(), Failure> {
        self.printer.line(&self.printer.styled(style, text))
    }

    pub(super) fn check(&self, check: &Check) -> Result<(), Failure> {
        let mark = if check.holds {
            self.printer.styled(Style::Green, "✓")
        } else {
            self.printer.styled(Style::Red, "✗")
        };
        self.printer
            .line(&format!("  {mark} {}", escape::inline(&check.what)))?;
        if check.holds {
            return Ok(());
        }
        self.printer
            .line(&format!("      but {}", escape::inline(&check.found)))
    }

    pub(super) fn log_tail(&self, tail: &str) -> Result<(), Failure> {
        if tail.is_empty() {
            return Ok(());
        }
        self.heading("The end of the logs")?;
        self.printer.out(&escape::block(tail))
    }

    pub(super) fn timeline(&self, session: &InspectSessionResponse) -> Result<(), Failure> {
        let start = session.timeline.first().map_or(0, |it| it.ts_unix_ms);
        for entry in session.timeline.iter().filter(|it| it.source == "event") {
            self.printer
                .line(&format!("  {}", escape::inline(&brief(entry, start))))?;
        }
        Ok(())
    }

    /// Tells an entry of the journal.
    pub(super) fn tell(&self, entry: &Entry) -> Result<(), Failure> {
        match entry.kind {
            Kind::SessionStarted | Kind::UserMessage | Kind::AssistantMessage => {
                self.tell_talk(entry)
            }
            Kind::ToolRequested => self.tell_request(entry),
            Kind::ToolPolicyDenied
            | Kind::ToolRefused
            | Kind::ToolQueued
            | Kind::ToolDispatched
            | Kind::ToolNacked
            | Kind::ToolUnknown
            | Kind::ToolCompleted
            | Kind::ToolIndeterminate
            | Kind::ToolCancelled => self.tell_call(entry),
            Kind::ApprovalRequired
            | Kind::ApprovalVote
            | Kind::ApprovalDecided
            | Kind::ApprovalEscalated => self.tell_approval(entry),
            Kind::SessionCompleted => self.styled_row("session", Style::Green, "completed"),
            Kind::SessionFailed => self.styled_row(
                "session",
                Style::Red,
                &format!("failed: {}", entry.text("reason")),
            ),
            Kind::SessionCancelled => self.styled_row("session", Style::Red, "cancelled"),
            Kind::Other => Ok(()),
        }
    }

    fn tell_talk(&self, entry: &Entry) -> Result<(), Failure> {
        if entry.kind == Kind::UserMessage {
            return self.row("user", &spoken(entry.text("text")));
        }
        if entry.kind == Kind::AssistantMessage {
            self.heading(&scene(entry.payload.get("completion")))?;
            return self.row("model", &spoken(entry.text("text")));
        }
        Ok(())
    }

    fn tell_request(&self, entry: &Entry) -> Result<(), Failure> {
        let args = entry
            .payload
            .get("args")
            .map(text::compact)
            .unwrap_or_default();
        self.row("asks for", &format!("{} {args}", entry.text("tool")))?;
        let found = entry
            .payload
            .get("explain")
            .map(reasons::of)
            .unwrap_or_default();
        if found.is_empty() {
            return self.row("policy", "no rule reaches this tool");
        }
        for (index, reason) in found.iter().enumerate() {
            let label = if index == 0 { "policy" } else { "" };
            let style = if reason.matched {
                Style::Yellow
            } else {
                Style::Dim
            };
            let label = self.printer.styled(Style::Dim, &format!("{label:<10}"));
            let text = self.printer.styled(style, &escape::inline(&reason.text));
            self.printer.line(&format!("  {label} {text}"))?;
        }
        Ok(())
    }

    fn tell_call(&self, entry: &Entry) -> Result<(), Failure> {
        let of = |name: &str| entry.text(name);
        match (entry.kind, of("error_code")) {
            (Kind::ToolPolicyDenied, _) => {
                self.styled_row("denied", Style::Red, of("message"))?;
                self.row("", "the worker never hears of it; the model is told why")
            }
            (Kind::ToolDispatched, _) => {
                let text = format!("written down first, then sent to {}", of("worker"));
                self.row("runtime", &text)
            }
            (Kind::ToolCompleted, "") => {
                let result = entry
                    .payload
                    .get("result")
                    .map(text::compact)
                    .unwrap_or_default();
                self.styled_row("worker", Style::Green, &result)
            }
            (Kind::ToolCompleted | Kind::ToolRefused, code) => {
                let (first, second) = (of("error_message"), of("message"));
                let why = if first.is_empty() { second } else { first };
                self.styled_row("not run", Style::Red, &format!("{code}: {why}"))
            }
            (Kind::ToolQueued, _) => self.row("runtime", "waits for a worker"),
            (Kind::ToolNacked, _) => self.row("worker", &format!("refused it: {}", of("message"))),
            (Kind::ToolUnknown, _) => self.styled_row(
                "unknown",
                Style::Red,
                "whether it ran; the connection was lost",
            ),
            (Kind::ToolIndeterminate, _) => self.styled_row("unknown", Style::Red, of("reason")),
            (Kind::ToolCancelled, _) => self.row("cancelled", "the session ended first"),
            _ => Ok(()),
        }
    }

    fn tell_approval(&self, entry: &Entry) -> Result<(), Failure> {
        let of = |name: &str| entry.text(name);
        if entry.kind == Kind::ApprovalRequired {
            let route = if of("route").is_empty() {
                "a person"
            } else {
                of("route")
            };
            self.styled_row(
                "asked",
                Style::Yellow,
                &format!("{route}: {}", of("reason")),
            )?;
            let args = entry
                .payload
                .get("args")
                .map(text::compact)
                .unwrap_or_default();
            self.row(
                "exactly",
                &format!("{}@{} {args}", of("tool"), of("version")),
            )?;
            return self.row(
                "approval",
                &format!("{}, on record until it is decided", of("approval_id")),
            );
        }
        if entry.kind == Kind::ApprovalVote {
            let comment = of("comment");
            let comment = if comment.is_empty() {
                String::new()
            } else {
                format!(": {}", spoken(comment))
            };
            return self.row(
                "vote",
                &format!("{} by {}{comment}", of("decision"), of("actor")),
            );
        }
        let style = if of("outcome") == "approved" {
            Style::Green
        } else {
            Style::Red
        };
        self.styled_row("decided", style, of("outcome"))
    }
}

fn spoken(text: &str) -> String {
    format!("“{text}”")
}

fn scene(completion: Option<&Json>) -> String {
    let number = completion
        .and_then(Json::as_number)
        .map(ToString::to_string)
        .unwrap_or_default();
    let index = number
        .parse::<usize>()
        .ok()
        .and_then(|it| it.checked_sub(1));
    match index.and_then(|it| SCENES.get(it)) {
        Some(title) => format!("{number}. {title}"),
        None => format!("{number}. The model goes on"),
    }
}

/// `+1.204 s  tool.dispatched     demo-worker`
fn brief(entry: &InspectTimelineEntry, start: i64) -> String {
    let since = u64::try_from(entry.ts_unix_ms.saturating_sub(start)).unwrap_or_default();
    let (seconds, rest) = (since / 1000, since % 1000);
    let summary = entry
        .summary
        .strip_prefix(&entry.kind)
        .unwrap_or(&entry.summary);
    let summary = summary.trim_start_matches([':', ' ']);
    let line = format!("+{seconds:>2}.{rest:03} s  {:<20} {summary}", entry.kind);
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proto::runtime::v1::InspectTimelineEntry;
    use spec::Json;

    use super::{brief, scene};

    #[test]
    fn scenes_have_names() {
        assert_eq!(scene(Some(&Json::from(3_u32))), "3. A refund of 450 EUR");
        assert_eq!(scene(Some(&Json::from(9_u32))), "9. The model goes on");
    }

    #[test]
    fn a_line_of_the_timeline() {
        let entry = InspectTimelineEntry {
            kind: "tool.dispatched".into(),
            summary: "tool.dispatched: demo-worker".into(),
            ts_unix_ms: 2_204,
            ..InspectTimelineEntry::default()
        };
        assert_eq!(
            brief(&entry, 1_000),
            "+ 1.204 s  tool.dispatched      demo-worker"
        );
    }
}
