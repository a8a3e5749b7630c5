//! How a session reads in plain text. Knows the messages of the stream and their wording, and makes
//! text of others visible; neither streams nor the terminal.

use proto::runtime::v1 as wire;
use spec::Json;

use super::asking::Question;
use crate::render::{escape, text};
use crate::wire::from_bytes;

pub(super) const CANCELLED: &str = "── session cancelled ──\n";
const NOTHING: &str = "—";

/// Characters of a call's arguments that are shown while it runs.
const ARGS_CHARS_MAX: usize = 120;
const VERSION_CHARS: usize = 8;
/// More JSON than this is shown as it comes.
const HELD_BYTES_MAX: usize = 1024 * 1024;

/// One completion of the model, as it comes. What looks like JSON is held back, to be shown indented.
#[derive(Debug, Default)]
pub(super) struct Completion {
    held: String,
    /// Whether some of it was shown, so that the rest is too.
    is_shown: bool,
}

impl Completion {
    /// What can be shown now.
    pub(super) fn take(&mut self, delta: &str) -> String {
        if self.is_shown {
            return escape::block(delta);
        }
        self.held.push_str(delta);
        let begins = self.held.trim_start();
        let may_be_json = begins.is_empty() || begins.starts_with(['{', '[']);
        if may_be_json && self.held.len() <= HELD_BYTES_MAX {
            return String::new();
        }
        self.is_shown = true;
        escape::block(&std::mem::take(&mut self.held))
    }

    /// The rest, after which another completion begins.
    pub(super) fn finish(&mut self) -> String {
        let whole = std::mem::take(self).held;
        match Json::parse(whole.as_bytes()) {
            Ok(json) => text::pretty(&json),
            Err(_) => escape::block(&whole),
        }
    }
}

pub(super) fn started(it: &wire::RunSessionInteractiveSessionStarted) -> String {
    let version: String = it.agent_version_id.chars().take(VERSION_CHARS).collect();
    let model = match (it.model_provider.as_str(), it.model_name.as_str()) {
        ("", "") => NOTHING.to_owned(),
        (provider, name) => format!("{provider}/{name}"),
    };
    let head = format!("agent version {} · model {model}", or_nothing(&version));
    let mut out = format!(
        "session {} started\n{}\n",
        escape::inline(&it.session_id),
        escape::inline(&head)
    );
    let mut turn: usize = 0;
    for said in &it.history {
        match said.role.as_str() {
            "user" => out.push_str(&format!("\nYOU\n{}", lines(&said.content))),
            "assistant" => {
                turn = turn.saturating_add(1);
                out.push_str(&format!("\nAGENT\n{}", lines(&said.content)));
                out.push_str(&footer(turn, said));
            }
            // Calls and their results are shown on their own.
            _ => {}
        }
    }
    out
}

/// Text that ends its last line.
fn lines(content: &str) -> String {
    let mut out = escape::block(content);
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

fn footer(turn: usize, it: &wire::InteractiveConversationMessage) -> String {
    let mut parts = vec![format!("turn {turn}")];
    if it.turn_duration_ms > 0 {
        let tenths = it.turn_duration_ms / 100;
        parts.push(format!("{}.{}s", tenths / 10, tenths % 10));
    }
    if !it.stop_reason.is_empty() {
        parts.push(it.stop_reason.clone());
    }
    parts.extend(it.turn_usage.as_ref().map(tokens));
    format!("  {}\n", escape::inline(&parts.join(" · ")))
}

fn tokens(it: &wire::TokenUsage) -> String {
    let (input, output, total) = (it.input_tokens, it.output_tokens, it.total_tokens);
    let doubt = if it.estimated { ", estimated" } else { "" };
    format!("{input} in / {output} out ({total} total{doubt})")
}

pub(super) fn calling(it: &wire::RunSessionInteractiveToolCall) -> String {
    let args = from_bytes(&it.args).map_or_else(|| "{}".to_owned(), |it| text::compact(&it));
    let tool = escape::inline(&format!("{}@{}", it.tool, it.version));
    format!("\n── calling {tool} {} ──", cut(&args))
}

fn cut(args: &str) -> String {
    if args.chars().count() <= ARGS_CHARS_MAX {
        return args.to_owned();
    }
    let kept = args.chars().take(ARGS_CHARS_MAX.saturating_sub(1));
    kept.chain(['…']).collect()
}

pub(super) fn result(it: &wire::RunSessionInteractiveToolResult) -> String {
    if it.error_message.is_empty() {
        let payload = from_bytes(&it.payload).map(|it| text::compact(&it));
        return format!("── tool result {} ──", payload.unwrap_or_default());
    }
    format!("── tool failed: {} ──", escape::inline(&it.error_message))
}

/// What is asked, with the exact arguments: whoever decides must see what they decide about.
pub(super) fn approval(it: &wire::RunSessionInteractiveApprovalRequired) -> String {
    let why = if it.reason.is_empty() {
        &it.policy_name
    } else {
        &it.reason
    };
    let head = format!("{}@{} ({})", it.tool, it.version, or_nothing(why));
    let mut out = format!("── approval required for {} ──\n", escape::inline(&head));
    let args = from_bytes(&it.args).map(|it| text::compact(&it));
    let args = args.unwrap_or_else(|| "{}".to_owned());
    out.push_str(&format!("arguments: {args}\n"));
    // Hidden characters of the arguments are escapes by now.
    if args.contains("\\u") || escape::is_deceptive(&args) || escape::is_deceptive(why) {
        out.push_str(
            "the request holds invisible characters or long white space; read the arguments with \
             care, hidden characters are shown as escapes\n",
        );
    }
    out
}

/// How to decide outside of this view.
pub(super) fn elsewhere(question: &Question, program: &str) -> String {
    let id = escape::inline(&question.approval);
    let flag = if question.needs_comprehension {
        " --comprehension"
    } else {
        ""
    };
    format!(
        "decide it elsewhere: {program} approvals approve {id}{flag}, or {program} approvals reject \
         {id}; this view waits\n"
    )
}

pub(super) fn turn(it: &wire::RunSessionInteractiveAwaitingInput) -> String {
    let turn = it.stats.as_ref().map_or(0, |it| it.turn);
    let head = format!("turn {turn}");
    summary(&head, &it.stop_reason, it.stats.as_ref())
}

pub(super) fn complete(it: &wire::RunSessionInteractiveCompleted) -> String {
    summary("session complete", &it.stop_reason, it.stats.as_ref())
}

fn summary(head: &str, stop_reason: &str, stats: Option<&wire::InteractiveSessionStats>) -> String {
    let spent = |it: Option<&wire::TokenUsage>| it.map_or_else(|| NOTHING.to_owned(), tokens);
    let turn = spent(stats.and_then(|it| it.turn_usage.as_ref()));
    let session = spent(stats.and_then(|it| it.session_usage.as_ref()));
    let reason = escape::inline(or_nothing(stop_reason));
    format!(
        "\n── {head} · stop_reason={reason} · turn tokens: {turn} · session tokens: {session} ──\n"
    )
}

pub(super) fn blocked(reason: &str) -> String {
    format!(
        "Input disabled: {}\nThis view goes on; Ctrl-C leaves it, and the session goes on without it.\n",
        escape::inline(reason)
    )
}

/// The output, indented; a message that is JSON itself is shown as such.
pub(super) fn output(it: &wire::RunSessionInteractiveCompleted) -> Option<String> {
    let output = from_bytes(&it.output).filter(|it| *it != Json::Null)?;
    let inner = output.get("message").and_then(Json::as_str);
    let inner = inner.and_then(|it| Json::parse(it.as_bytes()).ok());
    let shown = match (&output, inner) {
        (Json::Object(members), Some(inner)) => {
            Json::from_members(members.iter().map(|(key, member)| {
                let member = if key == "message" { &inner } else { member };
                (key.as_str(), member.clone())
            }))
        }
        _ => output,
    };
    Some(format!("{}\n", text::pretty(&shown)))
}

pub(super) fn failed(it: &wire::RunSessionInteractiveFailed) -> String {
    format!("── session failed · {} ──", escape::inline(&it.message))
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { NOTHING } else { text }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proto::runtime::v1 as wire;

    use super::{Completion, approval, calling, output, result, started};

    #[test]
    fn text_is_shown_as_it_comes_and_json_when_it_is_whole() {
        let mut it = Completion::default();
        assert_eq!(it.take(" "), "");
        assert_eq!(it.take("so: "), " so: ");
        assert_eq!(it.take("{\u{1b}[2J"), "{\\u{1b}[2J");
        assert_eq!(it.finish(), "");
        assert_eq!(it.take("{\"a\":"), "");
        assert_eq!(it.take("[1]}"), "");
        assert_eq!(it.finish(), "{\n  \"a\": [\n    1\n  ]\n}");
        assert_eq!(it.take("[almost\u{202e}"), "");
        assert_eq!(it.finish(), "[almost\\u{202e}");
        assert_eq!(it.take(&"[".repeat(super::HELD_BYTES_MAX)), "");
        assert!(!it.take("[").is_empty());
    }

    #[test]
    fn what_was_said() {
        let said = |role: &str, content: &str| wire::InteractiveConversationMessage {
            role: role.to_owned(),
            content: content.to_owned(),
            ..Default::default()
        };
        let answer = wire::InteractiveConversationMessage {
            stop_reason: "end_turn".to_owned(),
            turn_usage: Some(wire::TokenUsage {
                input_tokens: 7,
                output_tokens: 3,
                total_tokens: 10,
                estimated: false,
            }),
            turn_duration_ms: 1250,
            ..said("assistant", "Hello\u{200b}")
        };
        let it = wire::RunSessionInteractiveSessionStarted {
            session_id: "run_1".to_owned(),
            agent_version_id: "0123456789".to_owned(),
            history: vec![
                said("system", "hidden"),
                said("user", "a\nb"),
                answer,
                said("tool", ""),
                said("assistant", ""),
            ],
            ..Default::default()
        };
        expect![[r#"
            session run_1 started
            agent version 01234567 · model —

            YOU
            a
            b

            AGENT
            Hello\u{200b}
              turn 1 · 1.2s · end_turn · 7 in / 3 out (10 total)

            AGENT
              turn 2
        "#]]
        .assert_eq(&started(&it));
    }

    #[test]
    fn calls_are_cut_and_approvals_are_not() {
        let args = format!("{{\"text\":\"{}\"}}", "x".repeat(200)).into_bytes();
        let call = wire::RunSessionInteractiveToolCall {
            tool: "a.b".to_owned(),
            version: "1.0.0".to_owned(),
            args: args.clone(),
            ..Default::default()
        };
        let shown = calling(&call);
        let around = "\n── calling a.b@1.0.0  ──".chars().count();
        assert_eq!(shown.chars().count(), around + super::ARGS_CHARS_MAX);
        assert!(shown.ends_with("x… ──"));
        let asked = wire::RunSessionInteractiveApprovalRequired {
            tool: "a.b".to_owned(),
            version: "1.0.0".to_owned(),
            args,
            policy_name: "ask".to_owned(),
            ..Default::default()
        };
        let shown = approval(&asked);
        assert!(shown.starts_with("── approval required for a.b@1.0.0 (ask) ──\narguments: "));
        assert!(shown.contains(&"x".repeat(200)) && !shown.contains("invisible"));
        let asked = wire::RunSessionInteractiveApprovalRequired {
            args: "{\"a\":\"\u{202e}\"}".into(),
            ..asked
        };
        assert!(approval(&asked).contains(r#"{"a":"\u202e"}"#));
        assert!(approval(&asked).contains("invisible characters"));
    }

    #[test]
    fn results() {
        let mut it = wire::RunSessionInteractiveToolResult {
            payload: br#"{"ok": true}"#.to_vec(),
            ..Default::default()
        };
        assert_eq!(result(&it), r#"── tool result {"ok":true} ──"#);
        it.error_message = "no\u{1b}\n".to_owned();
        assert_eq!(result(&it), r"── tool failed: no\u{1b}\n ──");
    }

    #[test]
    fn a_message_that_is_json_is_expanded() {
        let shown = |bytes: &[u8]| {
            output(&wire::RunSessionInteractiveCompleted {
                output: bytes.to_vec(),
                ..Default::default()
            })
        };
        assert_eq!(
            shown(br#"{"message":"{\"a\":1}"}"#).as_deref(),
            Some("{\n  \"message\": {\n    \"a\": 1\n  }\n}\n")
        );
        assert_eq!(
            shown(br#"{"message":"hi"}"#).as_deref(),
            Some("{\n  \"message\": \"hi\"\n}\n")
        );
        assert_eq!(shown(b"null"), None);
        assert_eq!(shown(b""), None);
    }
}
