//! Random rule sets and calls: against the second opinion, and in every order.

use fastrand::Rng;
use policy::{Call, Context, Outcome, RuleSet, Trigger, region};
use spec::snapshot::DecisionKind::{Allow, Deny, Escalate, RequireApproval};
use spec::snapshot::{
    Absent, Case, Condition, DecisionKind, Leaf, OnReject, Op, Origin, Policy, Scope, Timeout,
    TimeoutDefault, Tool,
};
use spec::{Json, SideEffectClass, Snapshot, Time};

use crate::reference::{Opinion, World};
use crate::support::{always, attached, json, snapshot, tool};

const CASES: usize = 20_000;
/// Calls that each rule set judges.
const CALLS: usize = 4;

/// Two tools, and the random paths that each knows.
const TOOLS: [(&str, &str, &[&str]); 2] = [
    (
        "pay",
        r##"{
            "properties": {
                "amount": {"type": ["number", "string"]},
                "country": {"$ref": "#/$defs/text"},
                "items": {"items": {"allOf": [{"properties": {"price": {}}}]}}
            },
            "required": ["amount"],
            "$defs": {"text": {}}
        }"##,
        &[
            "amount",
            "country",
            "items[*].price",
            "items[0].price",
            "items[*]",
        ],
    ),
    (
        "look",
        r#"{"anyOf": [{"properties": {"note": {"properties": {"deep": {}}}}}, {}]}"#,
        &["note", "note.deep"],
    ),
];
const FIELDS: [&str; 17] = [
    "amount",
    "amount",
    "args.country",
    "country",
    "note",
    "note.deep",
    "items[*].price",
    "items[*].price",
    "items[0].price",
    "items[*]",
    "ctx.turn",
    "ctx.session.tool_calls",
    "ctx.wire_name",
    "ctx.side_effect_class",
    "ctx.session.input.tier",
    "dispatch.outcome",
    "phrony.dispatch.trigger",
];

fn pick<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.usize(..all.len())]
}

fn number(rng: &mut Rng) -> Json {
    json(pick(
        rng,
        &["0", "1", "1.0", "2", "2.5", "-3", "9007199254740993"],
    ))
}

fn word(rng: &mut Rng) -> Json {
    json(pick(
        rng,
        &[r#""""#, r#""a""#, r#""A""#, r#""ab""#, r#""1""#, r#""eu""#],
    ))
}

fn value(rng: &mut Rng, depth: u32) -> Json {
    match rng.u8(..8) {
        0 => Json::Null,
        1 => Json::Bool(rng.bool()),
        2 | 3 => number(rng),
        4 if depth > 0 => Json::from((0..rng.u8(..3)).map(|_| value(rng, 0)).collect::<Vec<_>>()),
        5 if depth > 0 => {
            let key = pick(rng, &["price", "deep", "x"]);
            Json::from_members([(key, value(rng, 0))])
        }
        _ => word(rng),
    }
}

fn args(rng: &mut Rng) -> Json {
    let mut members = Vec::new();
    for key in ["amount", "country", "note", "items"] {
        match rng.u8(..4) {
            0 => {}
            1 => members.push((key, value(rng, 1))),
            _ if key == "items" => {
                let items = (0..rng.u8(..4)).map(|_| match rng.u8(..4) {
                    0 => value(rng, 1),
                    1 => Json::object(),
                    _ => Json::from_members([("price", value(rng, 0))]),
                });
                members.push((key, Json::from(items.collect::<Vec<_>>())));
            }
            _ if key == "note" => {
                members.push((key, Json::from_members([("deep", value(rng, 0))])));
            }
            _ => members.push((key, value(rng, 0))),
        }
    }
    Json::from_members(members)
}

fn trigger_leaf(rng: &mut Rng, field: &str) -> Leaf {
    let trigger = |rng: &mut Rng| {
        let trigger = pick(rng, &Trigger::ALL);
        let long = rng.bool();
        Json::from(if long {
            trigger.as_str()
        } else {
            trigger.short()
        })
    };
    let op = pick(
        rng,
        &[Op::Eq, Op::Eq, Op::Neq, Op::In, Op::NotIn, Op::Exists],
    );
    let value = match op {
        Op::In | Op::NotIn => {
            Json::from((0..rng.u8(..3)).map(|_| trigger(rng)).collect::<Vec<_>>())
        }
        Op::Exists => Json::Null,
        _ => trigger(rng),
    };
    Leaf {
        field: field.to_owned(),
        op,
        value,
        absent: None,
        case: Case::Sensitive,
    }
}

const OPS: [Op; 17] = [
    Op::Eq,
    Op::Neq,
    Op::Gt,
    Op::Gte,
    Op::Lt,
    Op::Lte,
    Op::In,
    Op::NotIn,
    Op::Matches,
    Op::Contains,
    Op::StartsWith,
    Op::EndsWith,
    Op::Exists,
    Op::LengthGt,
    Op::LengthGte,
    Op::LengthLt,
    Op::LengthLte,
];

fn leaf(rng: &mut Rng, kind: DecisionKind) -> Leaf {
    // The last two read the trigger, which an allow-list cannot.
    let last = if kind == Allow { 2 } else { 0 };
    let field = pick(rng, &FIELDS[..FIELDS.len() - last]);
    if field.contains("dispatch") {
        return trigger_leaf(rng, field);
    }
    let (is_count, is_class) = (
        field == "ctx.turn" || field == "ctx.session.tool_calls",
        field == "ctx.side_effect_class",
    );
    let is_text = is_class || field == "ctx.wire_name";
    let op = match (is_count, is_text) {
        (true, _) => pick(rng, &[Op::Eq, Op::Neq, Op::Gt, Op::Lte, Op::In, Op::NotIn]),
        (_, true) => pick(rng, &[Op::Eq, Op::Neq, Op::In, Op::NotIn, Op::Exists]),
        _ => pick(rng, &OPS),
    };
    let any = |rng: &mut Rng| {
        if is_count {
            number(rng)
        } else if is_class {
            Json::from(pick(rng, &SideEffectClass::ALL).as_str())
        } else if is_text {
            json(pick(rng, &[r#""pay""#, r#""PAY""#, r#""look""#]))
        } else {
            value(rng, 1)
        }
    };
    let value = match op {
        Op::Eq | Op::Neq | Op::Contains => any(rng),
        Op::In | Op::NotIn => Json::from((0..rng.u8(..4)).map(|_| any(rng)).collect::<Vec<_>>()),
        Op::Gt | Op::Gte | Op::Lt | Op::Lte => number(rng),
        Op::Matches => json(pick(rng, &[r#""^a$""#, r#""^AB$""#, r#""^eu$""#])),
        Op::StartsWith | Op::EndsWith => word(rng),
        Op::Exists => json(pick(rng, &["null", "true", "false"])),
        Op::LengthGt | Op::LengthGte | Op::LengthLt | Op::LengthLte => {
            json(pick(rng, &["0", "1", "2"]))
        }
    };
    let absent = match (op, rng.u8(..6)) {
        (Op::Exists, _) => None,
        (_, 0) => Some(Absent::Skip),
        (_, 1) => Some(Absent::Match),
        _ => None,
    };
    // A pattern folds by other rules than the rest, and upper-case patterns stay as they are.
    let insensitive = op != Op::Matches && rng.u8(..4) == 0;
    Leaf {
        field: field.to_owned(),
        op,
        value,
        absent,
        case: if insensitive {
            Case::Insensitive
        } else {
            Case::Sensitive
        },
    }
}

fn tree(rng: &mut Rng, kind: DecisionKind, depth: u32) -> Condition {
    if depth == 0 {
        return Condition::Leaf(leaf(rng, kind));
    }
    match rng.u8(..6) {
        0 => Condition::All(
            (0..rng.u8(..4))
                .map(|_| tree(rng, kind, depth - 1))
                .collect(),
        ),
        1 => Condition::Any(
            (0..rng.u8(..4))
                .map(|_| tree(rng, kind, depth - 1))
                .collect(),
        ),
        2 | 3 => Condition::Not(Box::new(tree(rng, kind, depth - 1))),
        _ => Condition::Leaf(leaf(rng, kind)),
    }
}

fn policy(rng: &mut Rng, index: usize) -> Policy {
    let kind = pick(rng, &[Allow, Deny, Deny, RequireApproval, Escalate]);
    let mut policy = always(&format!("p{index}"), kind);
    let depth = rng.u32(..4);
    policy.condition = (rng.u8(..12) > 0).then(|| tree(rng, kind, depth));
    policy.scope = match rng.u8(..8) {
        0 => Some(Scope::Dispatch),
        1 => Some(Scope::Agent),
        _ => None,
    };
    let origins = [
        Origin::ToolDefault,
        Origin::Binding,
        Origin::AgentDefault,
        Origin::AuthorityBoundary,
        Origin::Overlay,
    ];
    policy.attachments = (0..rng.usize(1..4))
        .map(|_| {
            let tools: &[&str] = pick(rng, &[&["pay"][..], &["look"], &["look", "pay"], &[]]);
            attached(pick(rng, &origins), tools)
        })
        .collect();
    policy.decision.approvals_required = rng.u32(1..4);
    policy.decision.comprehension_required = rng.u8(..4) == 0;
    policy.decision.on_reject = pick(rng, &[OnReject::ReturnToAgent, OnReject::Fail]);
    policy.decision.timeout = rng.bool().then(|| Timeout {
        after_minutes: rng.u64(1..100),
        default: pick(
            rng,
            &[
                TimeoutDefault::Allow,
                TimeoutDefault::Escalate,
                TimeoutDefault::Deny,
            ],
        ),
    });
    policy
}

fn tools() -> Vec<Tool> {
    TOOLS
        .iter()
        .map(|(wire_name, schema, _)| tool(wire_name, schema))
        .collect()
}

fn random_snapshot(rng: &mut Rng) -> Snapshot {
    let count = rng.usize(1..5);
    let policies = (0..count).map(|index| policy(rng, index)).collect();
    snapshot(tools(), policies)
}

fn compiled(snapshot: &Snapshot) -> RuleSet {
    match RuleSet::compile(snapshot) {
        Ok(rules) => rules,
        Err(errors) => panic!("{errors:#?}"),
    }
}

/// What a random call needs to live.
struct Scene {
    args: Json,
    input: Json,
    tool: usize,
    trigger: Option<Trigger>,
    turn: u32,
}

fn scene(rng: &mut Rng) -> Scene {
    Scene {
        args: args(rng),
        input: match rng.u8(..3) {
            0 => Json::Null,
            1 => Json::object(),
            _ => Json::from_members([("tier", value(rng, 0))]),
        },
        tool: rng.usize(..TOOLS.len()),
        trigger: rng.bool().then(|| pick(rng, &Trigger::ALL)),
        turn: rng.u32(..4),
    }
}

fn context(scene: &Scene) -> Context<'_> {
    Context {
        session_input: &scene.input,
        calls: 3,
        tool_calls: scene.turn / 2,
        turn: scene.turn,
        depth: 0,
        now: Time::from_unix_ms(0),
    }
}

fn opinion(outcome: &Outcome) -> Opinion {
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let (denies, asks) = match outcome {
        Outcome::Pass => (Vec::new(), Vec::new()),
        Outcome::Deny(all) => (
            all.iter().map(|it| it.policy.name.clone()).collect(),
            Vec::new(),
        ),
        Outcome::Ask(ask) => (
            Vec::new(),
            ask.causes.iter().map(|it| it.policy.name.clone()).collect(),
        ),
    };
    Opinion {
        denies: sorted(denies),
        asks: sorted(asks),
    }
}

#[test]
fn the_second_opinion_agrees() {
    let mut rng = Rng::with_seed(1);
    let tools = tools();
    // How often each outcome and truth came up: a test that saw only one would prove nothing.
    let mut outcomes = [0; 3];
    let mut truths = [0; 3];
    let mut seconds = 0;
    for case in 0..CASES / CALLS {
        let snapshot = random_snapshot(&mut rng);
        let rules = compiled(&snapshot);
        for _ in 0..CALLS {
            let scene = scene(&mut rng);
            let context = context(&scene);
            let call = Call {
                wire_name: TOOLS[scene.tool].0,
                args: &scene.args,
                trigger: scene.trigger,
                context: &context,
            };
            let world = World {
                tool: &tools[scene.tool],
                known: TOOLS[scene.tool].2,
                args: &scene.args,
                trigger: scene.trigger,
                context: &context,
            };
            let verdict = rules.judge(&call);
            assert_eq!(
                opinion(&verdict.outcome),
                world.judge(&snapshot.policies),
                "case {case}: {:#?}\n{}\n{}",
                snapshot.policies,
                scene.args.to_canonical(),
                verdict.explain().to_canonical(),
            );
            assert_eq!(verdict.outcome, rules.outcome(&call));
            for trace in &verdict.trace {
                // The tree that is shown says what was decided.
                let shown = trace.tree.as_ref().map(|node| node.truth);
                assert_eq!(shown.unwrap_or(policy::Truth::True), trace.truth);
                truths[trace.truth as usize] += 1;
            }
            outcomes[match verdict.outcome {
                Outcome::Pass => 0,
                Outcome::Deny(_) => 1,
                Outcome::Ask(_) => 2,
            }] += 1;
            seconds += usize::from(scene.trigger.is_some() && !verdict.trace.is_empty());
        }
    }
    for count in outcomes.into_iter().chain(truths).chain([seconds]) {
        assert!(count > CASES / 20, "{outcomes:?} {truths:?} {seconds}");
    }
}

#[test]
fn order_never_changes_a_verdict() {
    let mut rng = Rng::with_seed(2);
    let mut changed = 0;
    for _ in 0..1_500 {
        let snapshot = random_snapshot(&mut rng);
        let rules = compiled(&snapshot);
        let mut shuffled = snapshot.clone();
        rng.shuffle(&mut shuffled.policies);
        rng.shuffle(&mut shuffled.tools);
        for policy in &mut shuffled.policies {
            rng.shuffle(&mut policy.attachments);
            for attachment in &mut policy.attachments {
                rng.shuffle(&mut attachment.tools);
            }
        }
        changed += usize::from(shuffled != snapshot);
        let other = compiled(&shuffled);
        for _ in 0..CALLS {
            let scene = scene(&mut rng);
            let context = context(&scene);
            let call = Call {
                wire_name: TOOLS[scene.tool].0,
                args: &scene.args,
                trigger: scene.trigger,
                context: &context,
            };
            let (one, two) = (rules.judge(&call), other.judge(&call));
            assert_eq!(one, two);
            assert_eq!(one.explain().to_canonical(), two.explain().to_canonical());
        }
    }
    assert!(changed > 1_000, "{changed}");
}

#[test]
fn the_order_of_children_never_changes_a_truth() {
    fn shuffle(rng: &mut Rng, node: &mut Condition) {
        match node {
            Condition::All(nodes) | Condition::Any(nodes) => {
                rng.shuffle(nodes);
                for node in nodes {
                    shuffle(rng, node);
                }
            }
            Condition::Not(child) => shuffle(rng, child),
            Condition::Leaf(_) => {}
        }
    }
    let mut rng = Rng::with_seed(3);
    for _ in 0..1_500 {
        let snapshot = random_snapshot(&mut rng);
        let mut shuffled = snapshot.clone();
        for policy in &mut shuffled.policies {
            if let Some(condition) = &mut policy.condition {
                shuffle(&mut rng, condition);
            }
        }
        let (one, two) = (compiled(&snapshot), compiled(&shuffled));
        for _ in 0..CALLS {
            let scene = scene(&mut rng);
            let context = context(&scene);
            let call = Call {
                wire_name: TOOLS[scene.tool].0,
                args: &scene.args,
                trigger: scene.trigger,
                context: &context,
            };
            assert_eq!(one.outcome(&call), two.outcome(&call));
        }
    }
}

#[test]
fn a_region_takes_the_calls_that_a_policy_applies_to() {
    let accepts = |schema: &Json, args: &Json| match validator::Validator::compile(schema) {
        Ok(validator) => validator.accepts(args),
        Err(error) => panic!("{}: {error}", schema.to_canonical()),
    };
    let mut rng = Rng::with_seed(4);
    let (mut regions, mut exact, mut applied, mut spared) = (0, 0, 0, 0);
    for _ in 0..2_000 {
        let snapshot = random_snapshot(&mut rng);
        let rules = compiled(&snapshot);
        for _ in 0..CALLS {
            let mut scene = scene(&mut rng);
            scene.trigger = None;
            let context = context(&scene);
            let call = Call {
                wire_name: TOOLS[scene.tool].0,
                args: &scene.args,
                trigger: None,
                context: &context,
            };
            let tool = snapshot.tool(call.wire_name).unwrap();
            for trace in rules.judge(&call).trace {
                let of_trace = |it: &&Policy| it.id == trace.policy;
                let policy = snapshot.policies.iter().find(of_trace).unwrap();
                let Some(region) = region(policy, tool) else {
                    continue;
                };
                let said = || {
                    let args = scene.args.to_canonical();
                    format!("{policy:#?}\n{args}\n{region:#?}")
                };
                if trace.matched {
                    assert!(accepts(&region.may, &scene.args), "{}", said());
                } else {
                    assert!(!accepts(&region.must, &scene.args), "{}", said());
                }
                regions += 1;
                exact += usize::from(region.may == region.must);
                let is_said = region.may == region.must && policy.condition.is_some();
                applied += usize::from(is_said && trace.matched);
                spared += usize::from(is_said && !trace.matched);
            }
        }
    }
    for count in [exact, applied, spared] {
        assert!(count > regions / 8, "{regions} {exact} {applied} {spared}");
    }
}
