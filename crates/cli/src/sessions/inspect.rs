//! `sessions inspect`: everything about one session. Knows its sheet of facts; the timeline is drawn
//! in `timeline`.

use std::fmt::Write as _;

use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage};
use proto::runtime::v1::{
    InspectSessionRequest, InspectSessionResponse, SessionAgentContext, SessionInspect,
    SessionOutputInspect, TokenUsage,
};
use spec::Json;

use super::timeline;
use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Format, escape, text};
use crate::wire;

const RESPONSE: &str = "phrony.runtime.v1.InspectSessionResponse";

/// Show a session: its state, output and timeline.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain sessions inspect run_0198\n  ordain sessions inspect run_0198 --json"
)]
pub(crate) struct Args {
    session_id: String,
    /// The whole answer as protobuf JSON; the same as -o json.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: crate::render::Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let runtime = Runtime::dial(context).await?;
    let answer = fetch(&runtime, &args.session_id).await?;
    let format = if args.json {
        Format::Json
    } else {
        args.output.format
    };
    match format {
        Format::Table => context.printer.out(&sheet(&answer))?,
        Format::Json | Format::Yaml => {
            context
                .printer
                .data(format, &protobuf_json(&answer)?, String::new)?;
        }
    }
    Ok(Exit::Done)
}

pub(crate) async fn fetch(runtime: &Runtime, id: &str) -> Result<InspectSessionResponse, Failure> {
    let request = InspectSessionRequest {
        session_id: id.to_owned(),
    };
    let answer = runtime.api().inspect_session(request).await;
    Ok(answer
        .map_err(runtime.failed("inspect session"))?
        .into_inner())
}

/// The JSON form that protobuf itself defines: lowerCamelCase, zero values left out.
fn protobuf_json(answer: &InspectSessionResponse) -> Result<Json, Failure> {
    let failed =
        |why: &dyn std::error::Error| Failure::new(Exit::Failed, "draw session").because(why);
    let pool = DescriptorPool::decode(proto::DESCRIPTORS).map_err(|why| failed(&why))?;
    let message = pool
        .get_message_by_name(RESPONSE)
        .ok_or_else(|| Failure::new(Exit::Failed, format!("{RESPONSE} is not described")))?;
    let dynamic = DynamicMessage::decode(message, answer.encode_to_vec().as_slice());
    let text = serde_json::to_vec(&dynamic.map_err(|why| failed(&why))?);
    Json::parse(&text.map_err(|why| failed(&why))?).map_err(|why| failed(&why))
}

/// Keys and values, aligned.
struct Sheet(String);

impl Sheet {
    /// A line, unless there is no value.
    fn row(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            let key = format!("{key}:");
            // Writing into a string cannot fail.
            let _infallible = writeln!(self.0, "{key:<17} {}", escape::inline(value));
        }
    }

    fn section(&mut self, key: &str, value: &Json) {
        let _infallible = writeln!(self.0, "\n{key}:\n{}", text::pretty(value));
    }
}

fn sheet(answer: &InspectSessionResponse) -> String {
    let Some(session) = &answer.session else {
        return "the runtime knows nothing of this session\n".to_owned();
    };
    let mut sheet = Sheet(format!("=== Session {} ===\n", escape::inline(&session.id)));
    sheet.row("id", &session.id);
    sheet.row("status", &session.status);
    agent_rows(&mut sheet, session);
    sheet.row("depth", &positive(i64::from(session.depth), ""));
    sheet.row("parent", &session.parent_session_id);
    sheet.row("bundle_version", &session.bundle_version_id);
    sheet.row("session_elapsed", &elapsed(session));
    let usage = session
        .output
        .as_ref()
        .and_then(|it| it.session_usage.as_ref());
    sheet.row("session_tokens", &usage.map(tokens).unwrap_or_default());
    sheet.row("created_at", &session.created_at);
    sheet.row("updated_at", &session.updated_at);
    if let Some(input) = wire::from_field(session.input.as_ref()) {
        sheet.section("input", &input);
    }
    if let Some(output) = &session.output {
        sheet.section("output", &output_json(output));
    }
    if !session.error.is_empty() {
        let _infallible = writeln!(sheet.0, "\nerror: {}", escape::inline(&session.error));
    }
    if !answer.timeline.is_empty() {
        sheet.0.push_str("\ntimeline:\n");
        for entry in &answer.timeline {
            sheet.0.push_str(&timeline::lines(entry));
        }
    }
    if !session.children.is_empty() {
        sheet.0.push_str("\nchildren:\n");
        children(&mut sheet.0, session);
    }
    sheet.0
}

fn agent_rows(sheet: &mut Sheet, session: &SessionInspect) {
    let Some(agent) = &session.agent else {
        sheet.row("agent", &session.agent_version_id);
        return;
    };
    sheet.row("agent", &agent_label(agent));
    sheet.row(
        "model",
        &format!("{}/{}", agent.model_provider, agent.model_name),
    );
    sheet.row(
        "max_tokens/run",
        &positive(i64::from(agent.max_tokens_per_run), ""),
    );
    sheet.row(
        "max_wall_clock",
        &positive(i64::from(agent.max_wall_clock_seconds), "s"),
    );
}

fn agent_label(agent: &SessionAgentContext) -> String {
    format!("{}/{}@{}", agent.namespace, agent.name, agent.version)
}

fn positive(value: i64, unit: &str) -> String {
    if value > 0 {
        format!("{value}{unit}")
    } else {
        String::new()
    }
}

fn elapsed(session: &SessionInspect) -> String {
    let (start, end) = (
        session.session_started_at_unix_ms,
        session.session_ended_at_unix_ms,
    );
    if start <= 0 {
        String::new()
    } else if end <= 0 {
        "running".to_owned()
    } else {
        format!("{}ms", end.saturating_sub(start))
    }
}

pub(super) fn tokens(usage: &TokenUsage) -> String {
    let TokenUsage {
        input_tokens,
        output_tokens,
        total_tokens,
        ..
    } = usage;
    format!("in={input_tokens} out={output_tokens} total={total_tokens}")
}

/// The output of a session, as its own fields are named.
pub(crate) fn output_json(output: &SessionOutputInspect) -> Json {
    let usage = |it: Option<&TokenUsage>| {
        it.map(|it| {
            Json::from_members([
                ("input_tokens", wire::count(it.input_tokens)),
                ("output_tokens", wire::count(it.output_tokens)),
                ("total_tokens", wire::count(it.total_tokens)),
                ("estimated", Json::from(it.estimated)),
            ])
        })
    };
    let turns = output.turns.iter().map(|turn| {
        Json::from_members([
            ("stop_reason", Json::from(turn.stop_reason.as_str())),
            ("turn_usage", Json::from(usage(turn.turn_usage.as_ref()))),
            ("turn_duration_ms", Json::from(turn.turn_duration_ms)),
        ])
    });
    Json::from_members([
        ("message", Json::from(output.message.as_str())),
        ("stop_reason", Json::from(output.stop_reason.as_str())),
        ("turn_usage", Json::from(usage(output.turn_usage.as_ref()))),
        (
            "session_usage",
            Json::from(usage(output.session_usage.as_ref())),
        ),
        ("turns", Json::from(turns.collect::<Vec<_>>())),
    ])
}

/// Delegated sessions, each below the one that started it; the wire bounds their depth.
fn children(out: &mut String, session: &SessionInspect) {
    for child in &session.children {
        let agent = child
            .agent
            .as_ref()
            .map_or(child.agent_version_id.clone(), agent_label);
        let line = format!(
            "- id={} status={} agent={agent} depth={}",
            child.id, child.status, child.depth
        );
        let indent = usize::try_from(child.depth).unwrap_or_default();
        let _infallible = writeln!(out, "{:indent$}{}", "", escape::inline(&line));
        children(out, child);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use prost_types::value::Kind;
    use prost_types::{Struct, Value};
    use proto::runtime::v1::{
        InspectSessionResponse, InspectTimelineEntry, SessionAgentContext, SessionEventEntry,
        SessionInspect, SessionOutputInspect,
    };

    use super::{protobuf_json, sheet};
    use crate::render::text;

    fn sample() -> InspectSessionResponse {
        let amount = Value {
            kind: Some(Kind::NumberValue(450.0)),
        };
        let fields = [("amount".to_owned(), amount)].into();
        let payload = Value {
            kind: Some(Kind::StructValue(Struct { fields })),
        };
        let session = SessionInspect {
            id: "run_1".into(),
            status: "completed".into(),
            agent: Some(SessionAgentContext {
                namespace: "support".into(),
                name: "refund-agent".into(),
                version: "1.0.0".into(),
                model_provider: "stub".into(),
                model_name: "scripted".into(),
                max_wall_clock_seconds: 600,
                ..SessionAgentContext::default()
            }),
            session_started_at_unix_ms: 1_000,
            session_ended_at_unix_ms: 3_500,
            output: Some(SessionOutputInspect {
                message: "Done\u{1b}.".into(),
                ..SessionOutputInspect::default()
            }),
            ..SessionInspect::default()
        };
        let entry = InspectTimelineEntry {
            source: "event".into(),
            kind: "tool.requested".into(),
            summary: "payments.issue-refund".into(),
            session_id: "run_1".into(),
            ts_unix_ms: 1_000,
            gap_ms: 12,
            event: Some(SessionEventEntry {
                payload: Some(payload),
                ..SessionEventEntry::default()
            }),
            ..InspectTimelineEntry::default()
        };
        InspectSessionResponse {
            session: Some(session),
            timeline: vec![entry],
        }
    }

    #[test]
    fn as_text() {
        expect![[r#"
            === Session run_1 ===
            id:               run_1
            status:           completed
            agent:            support/refund-agent@1.0.0
            model:            stub/scripted
            max_wall_clock:   600s
            session_elapsed:  2500ms

            output:
            {
              "message": "Done\u001b.",
              "session_usage": null,
              "stop_reason": "",
              "turn_usage": null,
              "turns": []
            }

            timeline:
              1000 (+12ms) [event/tool.requested] session=run_1 payments.issue-refund
                  event_payload: {"amount":450}
        "#]]
        .assert_eq(&sheet(&sample()));
    }

    #[test]
    fn as_protobuf_json() {
        expect![[r#"
            {
              "session": {
                "agent": {
                  "maxWallClockSeconds": 600,
                  "modelName": "scripted",
                  "modelProvider": "stub",
                  "name": "refund-agent",
                  "namespace": "support",
                  "version": "1.0.0"
                },
                "id": "run_1",
                "output": {
                  "message": "Done\u001b."
                },
                "sessionEndedAtUnixMs": "3500",
                "sessionStartedAtUnixMs": "1000",
                "status": "completed"
              },
              "timeline": [
                {
                  "event": {
                    "payload": {
                      "amount": 450
                    }
                  },
                  "gapMs": "12",
                  "kind": "tool.requested",
                  "sessionId": "run_1",
                  "source": "event",
                  "summary": "payments.issue-refund",
                  "tsUnixMs": "1000"
                }
              ]
            }"#]]
        .assert_eq(&text::pretty(&protobuf_json(&sample()).unwrap()));
    }
}
