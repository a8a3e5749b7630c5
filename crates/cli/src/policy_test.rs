//! Judges the cases of a policy test as a session would judge such calls, and says where they come
//! out differently. Knows plans and expectations; not files, nor how a report looks.

use policy::{Call, Context, Outcome, Verdict};
use publish::{Expectation, ExpectedVerdict, PolicyCase};
use session::Plan;
use spec::Json;
use spec::snapshot::{DecisionKind, Identity, Tool};

/// What came of a case.
#[derive(Debug, PartialEq)]
pub(crate) struct Actual {
    /// More than one where policies of both kinds ask a person; never empty.
    pub(crate) verdicts: Vec<ExpectedVerdict>,
    /// Those that brought it about.
    pub(crate) policies: Vec<Identity>,
    pub(crate) approvals_required: Option<u32>,
    /// Why, in the words of the policies or of the contract.
    pub(crate) reasons: Vec<String>,
    /// Every policy that was asked, with why it did or did not apply.
    pub(crate) explain: Option<Json>,
}

impl Actual {
    fn unjudged(verdict: ExpectedVerdict, reasons: Vec<String>) -> Self {
        Self {
            verdicts: vec![verdict],
            policies: Vec::new(),
            approvals_required: None,
            reasons,
            explain: None,
        }
    }
}

/// What a session would do with the call.
pub(crate) fn judge(plan: &Plan, case: &PolicyCase) -> Actual {
    let Some(tool) = tool(plan, &case.tool) else {
        let tools = plan.snapshot.tools.iter();
        let bound: Vec<_> = tools.map(|it| it.contract.logical_id()).collect();
        let only = if bound.is_empty() {
            "and no other".to_owned()
        } else {
            format!("only {}", bound.join(", "))
        };
        let why = format!("the agent binds no tool `{}`, {only}", case.tool);
        return Actual::unjudged(ExpectedVerdict::UnavailableTool, vec![why]);
    };
    let violations = if case.args.as_object().is_some() {
        plan.input_violations(&tool.wire_name, &case.args)
    } else {
        vec![format!(
            "the arguments must be a JSON object, not {}",
            case.args.kind()
        )]
    };
    if !violations.is_empty() {
        return Actual::unjudged(ExpectedVerdict::InvalidArgs, violations);
    }
    let verdict = plan.rules.judge(&Call {
        wire_name: &tool.wire_name,
        args: &case.args,
        trigger: case.context.trigger,
        context: &Context {
            session_input: &case.context.input,
            calls: case.context.calls,
            tool_calls: case.context.tool_calls,
            turn: case.context.turn,
            depth: case.context.depth,
            now: case.context.now,
        },
    });
    judged(&verdict)
}

/// What a verdict comes to.
fn judged(verdict: &Verdict) -> Actual {
    let explain = Some(verdict.explain());
    match &verdict.outcome {
        Outcome::Pass => {
            let holds = |it: &&policy::Trace| it.kind == DecisionKind::Allow && it.matched;
            let lists = verdict.trace.iter().filter(holds);
            Actual {
                policies: lists.map(|it| it.policy.clone()).collect(),
                explain,
                ..Actual::unjudged(ExpectedVerdict::Allow, Vec::new())
            }
        }
        Outcome::Deny(denials) => Actual {
            policies: denials.iter().map(|it| it.policy.clone()).collect(),
            explain,
            ..Actual::unjudged(
                ExpectedVerdict::Deny,
                denials.iter().map(|it| it.reason.clone()).collect(),
            )
        },
        Outcome::Ask(ask) => {
            let kinds = [
                (
                    DecisionKind::RequireApproval,
                    ExpectedVerdict::RequireApproval,
                ),
                (DecisionKind::Escalate, ExpectedVerdict::Escalate),
            ];
            let asks = |kind: DecisionKind| ask.causes.iter().any(|it| it.kind == kind);
            Actual {
                verdicts: kinds
                    .into_iter()
                    .filter_map(|(kind, word)| asks(kind).then_some(word))
                    .collect(),
                policies: ask.causes.iter().map(|it| it.policy.clone()).collect(),
                approvals_required: Some(ask.approvals_required),
                reasons: ask
                    .causes
                    .iter()
                    .filter_map(|it| it.reason.clone())
                    .collect(),
                explain,
            }
        }
    }
}

/// By wire name, or by logical id.
fn tool<'a>(plan: &'a Plan, name: &str) -> Option<&'a Tool> {
    let tools = &plan.snapshot.tools;
    let by_id = || tools.iter().find(|it| it.contract.logical_id() == name);
    plan.snapshot.tool(name).or_else(by_id)
}

/// What came out differently, a sentence each; empty when the case passes.
pub(crate) fn misses(expect: &Expectation, actual: &Actual) -> Vec<String> {
    let mut misses = Vec::new();
    if !actual.verdicts.contains(&expect.verdict) {
        let got: Vec<_> = actual.verdicts.iter().map(|it| it.as_str()).collect();
        misses.push(format!(
            "expected {}, got {}",
            expect.verdict.as_str(),
            got.join(" and ")
        ));
    }
    if let Some(expected) = &expect.policies {
        let missing = expected
            .iter()
            .filter(|it| !actual.policies.iter().any(|id| names(it, id)));
        misses.extend(
            missing.map(|it| format!("expected policy {it} to bring it about, and it does not")),
        );
        let stray = actual
            .policies
            .iter()
            .filter(|id| !expected.iter().any(|it| names(it, id)));
        misses.extend(
            stray.map(|it| format!("policy {it} brings it about too, and is not expected to")),
        );
    }
    if let Some(expected) = expect.approvals_required
        && let Some(got) = actual.approvals_required
        && got != expected
    {
        misses.push(format!(
            "expected {expected} approvals to be required, got {got}"
        ));
    }
    misses
}

/// Whether `written`, with a version or without, means the policy.
fn names(written: &str, id: &Identity) -> bool {
    match written.split_once('@') {
        Some(_) => written == id.to_string(),
        None => written == id.logical_id(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use publish::MemoryFiles;
    use session::{Plan, Settings};
    use spec::VersionId;

    use super::{judge, misses};

    fn plan() -> Plan {
        let policy = |name: &str, conditions: &str, decision: &str| {
            let text = format!(
                "apiVersion: phrony.com/v1\nkind: Policy\nmetadata: {{name: {name}, namespace: pay, version: 1.0.0}}\nspec:\n  conditions: {{{conditions}}}\n  decision: {{{decision}}}\n"
            );
            (format!("policies/{name}.yaml"), text)
        };
        let agent = "\
apiVersion: phrony.com/v1
kind: Agent
metadata: {name: clerk, namespace: shop, version: 1.0.0}
spec:
  purpose: Settle refunds.
  instructions: {text: Be fair.}
  model: {provider: stub, name: scripted}
  tools:
    - {ref: pay.refund@^1, as: refund, policies: [pay.known, pay.limit, pay.ask, pay.page, pay.busy]}
";
        let tool = "\
apiVersion: phrony.com/v1
kind: Tool
metadata: {name: refund, namespace: pay, version: 1.2.0}
spec:
  description: Pay money back.
  side_effect_class: non_idempotent_write
  input_schema:
    inline:
      type: object
      properties: {amount: {type: number}, currency: {enum: [EUR, CHF, USD]}}
      required: [amount, currency]
      additionalProperties: false
";
        let files: MemoryFiles = [
            ("agent.yaml".to_owned(), agent.to_owned()),
            ("tools/refund.yaml".to_owned(), tool.to_owned()),
            policy(
                "known",
                "field: currency, op: in, value: [EUR, CHF]",
                "type: allow",
            ),
            policy(
                "limit",
                "field: amount, op: gt, value: 1000",
                "type: deny, reason: Too much.",
            ),
            policy(
                "ask",
                "field: amount, op: gt, value: 100",
                "type: require_approval, approvals_required: 2, reason: Much.",
            ),
            policy(
                "page",
                "field: amount, op: gt, value: 500",
                "type: escalate",
            ),
            policy(
                "busy",
                "field: dispatch.outcome, value: no_handler",
                "type: deny, reason: Nobody is there.",
            ),
        ]
        .into_iter()
        .collect();
        let compiled = publish::compile(&files, "agent.yaml");
        let snapshot = compiled
            .snapshot
            .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        Plan::compile(VersionId::new("test"), snapshot, Settings::STANDARD).unwrap()
    }

    /// The report of cases, each given by `tool`, `args`, `context` and `expect` in YAML.
    fn check(cases: &[&str], expected: Expect) {
        let plan = plan();
        let mut text = "agent: agent.yaml\ncases:\n".to_owned();
        for (index, case) in cases.iter().enumerate() {
            text.push_str(&format!("  - {{name: c{index}, {case}}}\n"));
        }
        let tests = publish::policy_tests("t.policytest.yaml", text.as_bytes())
            .unwrap_or_else(|found| panic!("{found:?}"));
        let mut report = String::new();
        for case in &tests.cases {
            let actual = judge(&plan, case);
            let misses = misses(&case.expect, &actual);
            report.push_str(&format!("{}: {misses:?} {:?}\n", case.name, actual.reasons));
        }
        expected.assert_eq(&report);
    }

    #[test]
    fn each_verdict_is_told_from_the_others() {
        check(
            &[
                "tool: refund, args: {amount: 1, currency: EUR}, expect: {verdict: allow, policies: [pay.known]}",
                "tool: pay.refund, args: {amount: 1, currency: USD}, expect: {verdict: deny, policies: [pay.known@1.0.0]}",
                "tool: refund, args: {amount: 2000, currency: EUR}, expect: {verdict: deny, policies: [pay.limit]}",
                "tool: refund, args: {amount: 200, currency: EUR}, expect: {verdict: require_approval, policies: [pay.ask], approvals_required: 2}",
                "tool: refund, args: {amount: 700, currency: EUR}, expect: {verdict: escalate, policies: [pay.page, pay.ask], approvals_required: 2}",
                "tool: refund, args: {amount: 700, currency: EUR}, expect: {verdict: require_approval}",
                "tool: refund, args: {amount: \"1\", currency: EUR}, expect: {verdict: invalid_args}",
                "tool: refund, args: [1], expect: {verdict: invalid_args}",
                "tool: pay.refnd, expect: {verdict: unavailable_tool}",
                "tool: refund, args: {amount: 200, currency: EUR}, context: {trigger: no_handler}, expect: {verdict: deny, policies: [pay.busy]}",
                "tool: refund, args: {amount: 200, currency: EUR}, context: {trigger: 'dispatch:lease_expired'}, expect: {verdict: allow, policies: []}",
            ],
            expect![[r#"
                c0: [] []
                c1: [] ["the call is not on the allow-list of policy pay.known@1.0.0"]
                c2: [] ["Too much."]
                c3: [] ["Much."]
                c4: [] ["Much."]
                c5: [] ["Much."]
                c6: [] ["/amount: \"1\" is not of type number (type)"]
                c7: [] ["the arguments must be a JSON object, not array"]
                c8: [] ["the agent binds no tool `pay.refnd`, only pay.refund"]
                c9: [] ["Nobody is there."]
                c10: [] []
            "#]],
        );
    }

    #[test]
    fn what_comes_out_differently_is_said() {
        check(
            &[
                "tool: refund, args: {amount: 1, currency: EUR}, expect: {verdict: deny}",
                "tool: refund, args: {amount: 700, currency: EUR}, expect: {verdict: deny, policies: [pay.limit]}",
                "tool: refund, args: {amount: 700, currency: EUR}, expect: {verdict: escalate, policies: [pay.page], approvals_required: 1}",
                "tool: refund, args: {amount: 200, currency: EUR}, expect: {verdict: require_approval, policies: [pay.ask@2.0.0]}",
                "tool: refund, args: {}, expect: {verdict: allow}",
                "tool: refunds, args: {amount: 1, currency: EUR}, expect: {verdict: allow}",
            ],
            expect![[r#"
                c0: ["expected deny, got allow"] []
                c1: ["expected deny, got require_approval and escalate", "expected policy pay.limit to bring it about, and it does not", "policy pay.ask@1.0.0 brings it about too, and is not expected to", "policy pay.page@1.0.0 brings it about too, and is not expected to"] ["Much."]
                c2: ["policy pay.ask@1.0.0 brings it about too, and is not expected to", "expected 1 approvals to be required, got 2"] ["Much."]
                c3: ["expected policy pay.ask@2.0.0 to bring it about, and it does not", "policy pay.ask@1.0.0 brings it about too, and is not expected to"] ["Much."]
                c4: ["expected allow, got invalid_args"] ["/: has no \"amount\", which is required (required)", "/: has no \"currency\", which is required (required)"]
                c5: ["expected allow, got unavailable_tool"] ["the agent binds no tool `refunds`, only pay.refund"]
            "#]],
        );
    }
}
