//! Builds snapshots, policies and conditions from short texts.

use std::collections::BTreeMap;

use policy::{Call, CompileError, Context, Outcome, RuleSet, Trigger, Verdict};
use spec::snapshot::{
    Absent, Attachment, Backend, Case, Condition, Decision, DecisionKind, FORMAT, Identity, Leaf,
    Limits, Metadata, Model, OnFailure, OnInvalid, OnReject, Op, Origin, Output, OutputFormat,
    Policy, Scope, SessionMode, Standing, Tool,
};
use spec::{Json, SideEffectClass, Snapshot, Time};

/// Sunday, 1 March 2026, 18:00 UTC.
pub(crate) const SUNDAY_EVENING: u64 = 1_772_388_000_000;

pub(crate) fn json(text: &str) -> Json {
    match Json::parse(text.as_bytes()) {
        Ok(json) => json,
        Err(error) => panic!("{text}: {error}"),
    }
}

pub(crate) fn identity(name: &str) -> Identity {
    Identity {
        namespace: "acme".to_owned(),
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
    }
}

/// `{"all": […]}`, `{"any": […]}`, `{"not": …}` or a leaf, as authors write them.
pub(crate) fn condition(text: &str) -> Condition {
    to_condition(&json(text))
}

fn to_condition(node: &Json) -> Condition {
    let children = |key| {
        node.get(key)
            .and_then(Json::as_array)
            .map(|nodes| nodes.iter().map(to_condition).collect())
    };
    if let Some(nodes) = children("all") {
        return Condition::All(nodes);
    }
    if let Some(nodes) = children("any") {
        return Condition::Any(nodes);
    }
    if let Some(child) = node.get("not") {
        return Condition::Not(Box::new(to_condition(child)));
    }
    let word = |key| node.get(key).and_then(Json::as_str);
    Condition::Leaf(Leaf {
        field: word("field").expect("a field").to_owned(),
        op: word("op").map_or(Op::Eq, op),
        value: node.get("value").cloned().unwrap_or(Json::Null),
        absent: word("absent").map(|word| match word {
            "skip" => Absent::Skip,
            "match" => Absent::Match,
            _ => panic!("absent: {word}"),
        }),
        case: match word("case") {
            None => Case::Sensitive,
            Some("insensitive") => Case::Insensitive,
            Some(word) => panic!("case: {word}"),
        },
    })
}

/// The operator of this name.
fn op(word: &str) -> Op {
    match word {
        "eq" => Op::Eq,
        "neq" => Op::Neq,
        "gt" => Op::Gt,
        "gte" => Op::Gte,
        "lt" => Op::Lt,
        "lte" => Op::Lte,
        "in" => Op::In,
        "not_in" => Op::NotIn,
        "matches" => Op::Matches,
        "contains" => Op::Contains,
        "starts_with" => Op::StartsWith,
        "ends_with" => Op::EndsWith,
        "exists" => Op::Exists,
        "length_gt" => Op::LengthGt,
        "length_gte" => Op::LengthGte,
        "length_lt" => Op::LengthLt,
        "length_lte" => Op::LengthLte,
        _ => panic!("op: {word}"),
    }
}

/// A policy that reaches the tool `pay` from its binding.
pub(crate) fn rule(name: &str, kind: DecisionKind, conditions: &str) -> Policy {
    Policy {
        condition: Some(condition(conditions)),
        ..always(name, kind)
    }
}

/// The same without conditions.
pub(crate) fn always(name: &str, kind: DecisionKind) -> Policy {
    Policy {
        id: identity(name),
        description: None,
        metadata: Metadata::default(),
        scope: None,
        attachments: vec![attached(Origin::Binding, &["pay"])],
        condition: None,
        decision: Decision {
            kind,
            authority_ref: None,
            approvals_required: 1,
            timeout: None,
            on_reject: OnReject::ReturnToAgent,
            comprehension_required: false,
            reason: None,
            runtime: BTreeMap::new(),
        },
    }
}

/// The same, attached so that it reaches limits and nothing else.
pub(crate) fn at_limits(policy: Policy) -> Policy {
    Policy {
        attachments: vec![Attachment {
            origin: Origin::AgentDefault,
            tools: Vec::new(),
            limits: true,
        }],
        ..policy
    }
}

pub(crate) fn scoped(scope: Scope, policy: Policy) -> Policy {
    Policy {
        scope: Some(scope),
        ..policy
    }
}

pub(crate) fn attached(origin: Origin, tools: &[&str]) -> Attachment {
    Attachment {
        origin,
        tools: tools.iter().map(|name| (*name).to_owned()).collect(),
        limits: false,
    }
}

pub(crate) fn tool(wire_name: &str, schema: &str) -> Tool {
    Tool {
        wire_name: wire_name.to_owned(),
        contract: identity(&format!("tool-{wire_name}")),
        description: String::new(),
        side_effect_class: SideEffectClass::NonIdempotentWrite,
        contract_schema: json(schema),
        input_schema: json(schema),
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
    }
}

pub(crate) fn snapshot(tools: Vec<Tool>, policies: Vec<Policy>) -> Snapshot {
    Snapshot {
        format: FORMAT.to_owned(),
        agent: identity("agent"),
        metadata: Metadata::default(),
        purpose: String::new(),
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
        session: SessionMode::Conversation,
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

/// The tool `pay`: what it declares is optional, and it is open to all else.
pub(crate) const PAY: &str = r#"{
    "type": "object",
    "properties": {
        "amount": {},
        "region": {},
        "tags": {"type": "array"},
        "items": {"type": "array", "items": {"type": "object", "properties": {"price": {}, "sku": {}}}},
        "free": {"type": "object"}
    }
}"#;

pub(crate) fn compile(policies: Vec<Policy>) -> Result<RuleSet, Vec<CompileError>> {
    RuleSet::compile(&snapshot(vec![tool("pay", PAY)], policies))
}

pub(crate) fn rules(policies: Vec<Policy>) -> RuleSet {
    match compile(policies) {
        Ok(rules) => rules,
        Err(errors) => panic!("{errors:#?}"),
    }
}

pub(crate) fn context(session_input: &Json) -> Context<'_> {
    Context {
        session_input,
        calls: 7,
        tool_calls: 2,
        turn: 3,
        depth: 0,
        now: Time::from_unix_ms(SUNDAY_EVENING),
    }
}

/// The verdict on a call of `pay`.
pub(crate) fn judge(rules: &RuleSet, args: &str, trigger: Option<Trigger>) -> Verdict {
    let (args, input) = (json(args), json(r#"{"tier": "gold"}"#));
    let context = context(&input);
    let call = Call {
        wire_name: "pay",
        args: &args,
        trigger,
        context: &context,
    };
    let verdict = rules.judge(&call);
    assert_eq!(verdict.outcome, rules.outcome(&call));
    verdict
}

/// Whether one policy with these conditions matches a call of `pay` in the first round.
pub(crate) fn matches(kind: DecisionKind, conditions: &str, args: &str) -> bool {
    let verdict = judge(&rules(vec![rule("it", kind, conditions)]), args, None);
    let matched = verdict.trace[0].matched;
    let expected = match (kind, matched) {
        (DecisionKind::Allow, true) => "pass",
        (DecisionKind::Allow, false) => "deny",
        (_, false) => "pass",
        (DecisionKind::Deny, true) => "deny",
        (DecisionKind::RequireApproval | DecisionKind::Escalate, true) => "ask",
    };
    assert_eq!(verdict.outcome.as_str(), expected);
    matched
}

/// What the conditions of one deny policy say: `true`, `false` or `unknown`.
pub(crate) fn truth(conditions: &str, args: &str) -> &'static str {
    let rules = rules(vec![rule("it", DecisionKind::Deny, conditions)]);
    judge(&rules, args, None).trace[0].truth.as_str()
}

/// The names of the policies that deny, or ask.
pub(crate) fn names(outcome: &Outcome) -> Vec<&str> {
    match outcome {
        Outcome::Pass => Vec::new(),
        Outcome::Deny(denials) => denials.iter().map(|it| it.policy.name.as_str()).collect(),
        Outcome::Ask(ask) => ask
            .causes
            .iter()
            .map(|it| it.policy.name.as_str())
            .collect(),
    }
}
