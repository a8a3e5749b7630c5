//! What is run: a snapshot, the model's part, and what people tend to say.

use std::collections::BTreeMap;

use session::{Proposal, Reply, Usage};
use spec::snapshot::{
    Attachment, Backend, Case, Condition, Decision, DecisionKind, FORMAT, Identity, Leaf, Limits,
    Metadata, Model, OnFailure, OnInvalid, OnReject, Op, Origin, Output, OutputFormat, Policy,
    Predicate, SessionMode, Standing, Subject, Timeout, TimeoutDefault, Tool,
};
use spec::{Json, SideEffectClass, Snapshot};

/// One scenario.
#[derive(Clone)]
pub struct Scenario {
    /// For the log.
    pub name: &'static str,
    /// What drives it.
    pub snapshot: Snapshot,
    /// The model's replies by completion; the last one asks for nothing.
    pub replies: Vec<Reply>,
    /// Distinct people that the strictest approval needs.
    pub people: u32,
    /// What the author of the policies means, said once more and apart from them: how many people
    /// an amount takes, `None` for one that must never run.
    pub people_for: fn(u64) -> Option<u32>,
    /// How often a handler says that it failed, by the amount that it is given, before it does its
    /// work.
    pub failures: fn(u64) -> u32,
}

/// All of them; what an unknown outcome does, once for each class.
#[must_use]
pub fn all() -> Vec<Scenario> {
    let mut scenarios = vec![
        free_call(),
        approval(),
        failures(),
        failing(),
        terminal(),
        output(),
    ];
    scenarios.extend(SideEffectClass::ALL.map(indeterminate));
    scenarios
}

fn free_call() -> Scenario {
    Scenario {
        name: "free call",
        snapshot: snapshot(Vec::new()),
        replies: vec![
            reply(
                "looking",
                &[("read_only", "1"), ("non_idempotent_write", "2")],
            ),
            reply(
                "again",
                &[
                    ("read_only", "1"),
                    ("no_such_tool", "1"),
                    ("idempotent_write", "3"),
                ],
            ),
            reply("done", &[]),
        ],
        people: 1,
        people_for: |_| Some(0),
        failures: |_| 0,
    }
}

fn approval() -> Scenario {
    let policies = vec![
        policy("ask-above-100", 100, ask(1, TimeoutDefault::Deny)),
        policy("two-above-500", 500, ask(2, TimeoutDefault::Escalate)),
        policy("never-above-1000", 1000, deny()),
    ];
    Scenario {
        name: "approval",
        snapshot: snapshot(policies),
        replies: vec![
            reply(
                "paying",
                &[
                    ("non_idempotent_write", "450"),
                    ("non_idempotent_write", "40"),
                    ("non_idempotent_write", "5000"),
                ],
            ),
            reply(
                "more",
                &[("irreversible_action", "900"), ("read_only", "800")],
            ),
            reply("done", &[]),
        ],
        people: 2,
        people_for: |amount| match amount {
            0..=100 => Some(0),
            101..=500 => Some(1),
            501..=1000 => Some(2),
            _ => None,
        },
        failures: |_| 0,
    }
}

/// Handlers that fail: some of them run again by themselves, some when a person says so.
fn failures() -> Scenario {
    let mut snapshot = snapshot(Vec::new());
    for tool in &mut snapshot.tools {
        tool.on_failure = if tool.side_effect_class.may_rerun() {
            OnFailure::Retry
        } else {
            OnFailure::Escalate
        };
    }
    Scenario {
        name: "failures",
        snapshot,
        replies: vec![
            reply(
                "one",
                &[
                    ("read_only", "1"),
                    ("idempotent_write", "7"),
                    ("non_idempotent_write", "1"),
                ],
            ),
            reply("two", &[("irreversible_action", "2"), ("read_only", "2")]),
            reply("done", &[]),
        ],
        people: 1,
        people_for: |_| Some(0),
        failures: |amount| match amount {
            1 | 2 => u32::try_from(amount).unwrap_or(1),
            7 => u32::MAX,
            _ => 0,
        },
    }
}

/// A handler whose failure ends the session while its siblings run.
fn failing() -> Scenario {
    let mut snapshot = snapshot(Vec::new());
    for tool in &mut snapshot.tools {
        tool.on_failure = OnFailure::Fail;
    }
    Scenario {
        name: "failing",
        snapshot,
        replies: vec![
            reply(
                "one",
                &[
                    ("irreversible_action", "2"),
                    ("idempotent_write", "1"),
                    ("non_idempotent_write", "3"),
                ],
            ),
            reply("done", &[]),
        ],
        people: 1,
        people_for: |_| Some(0),
        failures: |amount| u32::from(amount == 1),
    }
}

/// A tool whose success ends the loop, beside others.
fn terminal() -> Scenario {
    let mut snapshot = snapshot(Vec::new());
    for tool in &mut snapshot.tools {
        tool.terminal = tool.side_effect_class == SideEffectClass::NonIdempotentWrite;
    }
    Scenario {
        name: "terminal",
        snapshot,
        replies: vec![
            reply("one", &[("read_only", "1")]),
            reply("two", &[("non_idempotent_write", "1"), ("read_only", "2")]),
            reply(
                "three",
                &[("irreversible_action", "1"), ("non_idempotent_write", "2")],
            ),
            reply("done", &[]),
        ],
        people: 1,
        people_for: |_| Some(0),
        failures: |amount| u32::from(amount == 1),
    }
}

/// Tools that are not there, and an answer that is not what was asked for until it is mended.
fn output() -> Scenario {
    let mut snapshot = snapshot(Vec::new());
    for tool in &mut snapshot.tools {
        match tool.side_effect_class {
            SideEffectClass::ReadOnly => tool.available_when.push(Predicate {
                subject: Subject::SessionInput("tier".to_owned()),
                any_of: vec![Json::from("gold")],
            }),
            SideEffectClass::IdempotentWrite => {
                tool.backend = Backend::Mcp {
                    server: "away".to_owned(),
                    tool: "write".to_owned(),
                };
            }
            SideEffectClass::NonIdempotentWrite | SideEffectClass::IrreversibleAction => {}
        }
    }
    snapshot.output = Output {
        format: OutputFormat::Json,
        schema: Some(Json::from_members([("type", Json::from("object"))])),
        strict: false,
        on_invalid: OnInvalid::Repair,
    };
    Scenario {
        name: "output",
        snapshot,
        replies: vec![
            reply(
                "one",
                &[
                    ("read_only", "1"),
                    ("idempotent_write", "1"),
                    ("irreversible_action", "1"),
                ],
            ),
            reply("I would say 12.", &[]),
            reply("Sorry: {\"total\": 12,}", &[]),
        ],
        people: 1,
        people_for: |_| Some(0),
        failures: |_| 0,
    }
}

fn indeterminate(class: SideEffectClass) -> Scenario {
    let name = match class {
        SideEffectClass::ReadOnly => "indeterminate read_only",
        SideEffectClass::IdempotentWrite => "indeterminate idempotent_write",
        SideEffectClass::NonIdempotentWrite => "indeterminate non_idempotent_write",
        SideEffectClass::IrreversibleAction => "indeterminate irreversible_action",
    };
    Scenario {
        name,
        snapshot: snapshot(Vec::new()),
        replies: vec![
            reply("one", &[(class.as_str(), "1")]),
            reply("two", &[(class.as_str(), "2"), (class.as_str(), "3")]),
            reply("done", &[]),
        ],
        people: 1,
        people_for: |_| Some(0),
        failures: |_| 0,
    }
}

fn reply(text: &str, calls: &[(&str, &str)]) -> Reply {
    Reply {
        text: text.to_owned(),
        calls: calls
            .iter()
            .enumerate()
            .map(|(index, (name, amount))| Proposal {
                // Providers do restart their ids at every turn.
                provider_id: format!("call_{index}"),
                name: (*name).to_owned(),
                args: format!(r#"{{ "amount": {amount} }}"#).into_bytes(),
            })
            .collect(),
        stop_reason: if calls.is_empty() {
            "end_turn"
        } else {
            "tool_use"
        }
        .to_owned(),
        usage: Usage {
            input_tokens: 10,
            output_tokens: 5,
            estimated: false,
        },
        duration_ms: 1,
    }
}

fn identity(name: &str) -> Identity {
    Identity {
        namespace: "sim".to_owned(),
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
    }
}

fn snapshot(policies: Vec<Policy>) -> Snapshot {
    let schema = Json::parse(
        br#"{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"],"additionalProperties":false}"#,
    )
    .unwrap_or(Json::Bool(false));
    let tools = SideEffectClass::ALL
        .map(|class| Tool {
            wire_name: class.as_str().to_owned(),
            contract: identity(&class.as_str().replace('_', "-")),
            description: String::new(),
            side_effect_class: class,
            contract_schema: schema.clone(),
            input_schema: schema.clone(),
            contract_output_schema: None,
            output_schema: None,
            input_standing: Standing::Same,
            output_standing: Standing::Same,
            metadata: Metadata::default(),
            strict: false,
            available_when: Vec::new(),
            on_failure: OnFailure::ReturnToAgent,
            probe: None,
            terminal: false,
            backend: Backend::Worker,
        })
        .to_vec();
    Snapshot {
        format: FORMAT.to_owned(),
        agent: identity("agent"),
        metadata: Metadata::default(),
        purpose: "be simulated".to_owned(),
        instructions: String::new(),
        model: Model {
            provider: "stub".to_owned(),
            name: "stub".to_owned(),
            secret: None,
            base_url: None,
            parameters: Json::object(),
            reasoning_effort: None,
            provider_options: Json::object(),
        },
        tools,
        mcp_servers: Vec::new(),
        capabilities: Vec::new(),
        policies,
        session: SessionMode::SingleTurn,
        limits: Limits::default(),
        output: Output {
            format: OutputFormat::Text,
            schema: None,
            strict: false,
            on_invalid: OnInvalid::Retry,
        },
        secrets: BTreeMap::new(),
        file_versions: BTreeMap::new(),
    }
}

fn policy(name: &str, above: u64, decision: Decision) -> Policy {
    Policy {
        id: identity(name),
        description: None,
        metadata: Metadata::default(),
        scope: None,
        attachments: vec![Attachment {
            origin: Origin::AgentDefault,
            tools: SideEffectClass::ALL
                .map(|class| class.as_str().to_owned())
                .to_vec(),
            limits: false,
        }],
        condition: Some(Condition::Leaf(Leaf {
            field: "amount".to_owned(),
            op: Op::Gt,
            value: Json::from(above),
            absent: None,
            case: Case::Sensitive,
        })),
        decision,
    }
}

fn ask(people: u32, default: TimeoutDefault) -> Decision {
    Decision {
        kind: DecisionKind::RequireApproval,
        approvals_required: people,
        timeout: Some(Timeout {
            after_minutes: 30,
            default,
        }),
        ..deny()
    }
}

fn deny() -> Decision {
    Decision {
        kind: DecisionKind::Deny,
        authority_ref: None,
        approvals_required: 1,
        timeout: None,
        on_reject: OnReject::ReturnToAgent,
        comprehension_required: false,
        reason: Some("too much".to_owned()),
        runtime: BTreeMap::new(),
    }
}
