//! `*.policytest.yaml`: calls, and what the policies have to say about them. Knows the form of the
//! file; judging is up to whoever reads it.

mod moment;

use std::rc::Rc;

use policy::Trigger;
use spec::{Json, Time};

use crate::diagnostic::{At, Diagnostic, Location, Sink, Span};
use crate::diagnostics::{e0203, e0205, e0206};
use crate::yaml::{self, Cursor, Fields, Shape};

/// The most cases in one file.
const CASES_MAX: usize = 10_000;

const FILE: Shape = Shape {
    what: "a policy test",
    known: &["agent", "cases"],
    elsewhere: &[
        ("apiVersion", PLAIN),
        ("kind", PLAIN),
        ("metadata", PLAIN),
        ("tests", "the list is called `cases`"),
    ],
    unsupported: &[],
};

const PLAIN: &str = "a policy test is no document of the format; it has `agent` and `cases` only";

const CASE: Shape = Shape {
    what: "a case",
    known: &["name", "tool", "args", "context", "expect"],
    elsewhere: &[
        ("verdict", "write it in `expect`"),
        ("policies", "write it in `expect`"),
        ("approvals_required", "write it in `expect`"),
        ("session", "write it in `context`"),
        ("now", "write it in `context`"),
        ("trigger", "write it in `context`"),
    ],
    unsupported: &[],
};

const CONTEXT: Shape = Shape {
    what: "a case's context",
    known: &["session", "now", "trigger", "turn", "depth"],
    elsewhere: &[
        ("calls", "write it in `context.session`"),
        ("tool_calls", "write it in `context.session`"),
        ("input", "write it in `context.session`"),
    ],
    unsupported: &[],
};

const SESSION: Shape = Shape {
    what: "a case's session",
    known: &["calls", "tool_calls", "input"],
    elsewhere: &[],
    unsupported: &[],
};

const EXPECT: Shape = Shape {
    what: "an expectation",
    known: &["verdict", "policies", "approvals_required"],
    elsewhere: &[],
    unsupported: &[],
};

/// The cases of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyTests {
    /// The Agent's file, as a path from the folder of the test's file.
    pub agent: String,
    /// Never empty.
    pub cases: Vec<PolicyCase>,
}

/// One call, and what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyCase {
    /// What the case is about.
    pub name: String,
    /// Where the name stands.
    pub span: Option<Span>,
    /// Logical id or wire name.
    pub tool: String,
    /// As a model would send them: an object, unless the case is about a model that does not.
    pub args: Json,
    /// What conditions may ask about beside the arguments.
    pub context: CaseContext,
    /// What has to come of it.
    pub expect: Expectation,
}

/// What conditions may ask about beside the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseContext {
    /// Tool calls of the session before this one.
    pub calls: u32,
    /// Those of this tool.
    pub tool_calls: u32,
    /// What the session was started with.
    pub input: Json,
    /// The turn, from 1.
    pub turn: u32,
    /// How many agents above this one.
    pub depth: u32,
    /// The moment of the call; the Unix epoch when the case does not say.
    pub now: Time,
    /// What opened a second round; `None` in the first.
    pub trigger: Option<Trigger>,
}

impl Default for CaseContext {
    fn default() -> Self {
        Self {
            calls: 0,
            tool_calls: 0,
            input: Json::object(),
            turn: 1,
            depth: 0,
            now: Time::from_unix_ms(0),
            trigger: None,
        }
    }
}

/// What has to come of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// What becomes of the call.
    pub verdict: ExpectedVerdict,
    /// Exactly these policies bring it about, each as `namespace.name` or `namespace.name@version`.
    pub policies: Option<Vec<String>>,
    /// How many people have to approve.
    pub approvals_required: Option<u32>,
}

/// What may become of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExpectedVerdict {
    /// No policy stands in its way.
    Allow,
    /// A policy denies it.
    Deny,
    /// A policy asks a person.
    RequireApproval,
    /// A policy asks a person, as an escalation.
    Escalate,
    /// Its arguments break the tool's contract; no policy is asked.
    InvalidArgs,
    /// The agent has no such tool.
    UnavailableTool,
}

impl ExpectedVerdict {
    /// All of them.
    pub const ALL: [ExpectedVerdict; 6] = [
        ExpectedVerdict::Allow,
        ExpectedVerdict::Deny,
        ExpectedVerdict::RequireApproval,
        ExpectedVerdict::Escalate,
        ExpectedVerdict::InvalidArgs,
        ExpectedVerdict::UnavailableTool,
    ];

    /// The word in the file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ExpectedVerdict::Allow => "allow",
            ExpectedVerdict::Deny => "deny",
            ExpectedVerdict::RequireApproval => "require_approval",
            ExpectedVerdict::Escalate => "escalate",
            ExpectedVerdict::InvalidArgs => "invalid_args",
            ExpectedVerdict::UnavailableTool => "unavailable_tool",
        }
    }

    /// Whether people are asked.
    fn asks(self) -> bool {
        match self {
            ExpectedVerdict::RequireApproval | ExpectedVerdict::Escalate => true,
            ExpectedVerdict::Allow
            | ExpectedVerdict::Deny
            | ExpectedVerdict::InvalidArgs
            | ExpectedVerdict::UnavailableTool => false,
        }
    }

    /// Whether it gets as far as the policies.
    fn is_judged(self) -> bool {
        match self {
            ExpectedVerdict::Allow
            | ExpectedVerdict::Deny
            | ExpectedVerdict::RequireApproval
            | ExpectedVerdict::Escalate => true,
            ExpectedVerdict::InvalidArgs | ExpectedVerdict::UnavailableTool => false,
        }
    }
}

/// Reads a file of policy tests. `file` is what diagnostics call it.
///
/// # Errors
/// Everything that is wrong with it.
pub fn policy_tests(file: &str, bytes: &[u8]) -> Result<PolicyTests, Vec<Diagnostic>> {
    let mut sink = Sink::default();
    let name: Rc<str> = Rc::from(file);
    let node = yaml::read(&name, bytes, &mut sink);
    let tests = node.and_then(|node| tests(&Cursor::root(&name, &node), &mut sink));
    match tests {
        Some(tests) if sink.errors() == 0 => Ok(tests),
        Some(_) | None => Err(sink.into_sorted(file)),
    }
}

fn tests(root: &Cursor<'_>, sink: &mut Sink) -> Option<PolicyTests> {
    let fields = root.fields(&FILE, sink)?;
    let agent = fields
        .required("agent", sink)
        .and_then(|it| it.filled(sink));
    let cases = fields.required("cases", sink)?;
    let items = cases.items(sink)?;
    if items.is_empty() {
        sink.push(e0203::found(
            &cases.at(),
            "at least one case",
            "an empty list",
        ));
    }
    if items.len() > CASES_MAX {
        let due = format!("at most {CASES_MAX} cases");
        sink.push(e0203::found(&cases.at(), &due, &items.len().to_string()));
        return None;
    }
    // Every case is read, so that all mistakes come in one run.
    let read: Vec<_> = items.iter().map(|it| case(it, sink)).collect();
    Some(PolicyTests {
        agent: agent?.value,
        cases: read.into_iter().collect::<Option<_>>()?,
    })
}

fn case(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<PolicyCase> {
    let fields = cursor.fields(&CASE, sink)?;
    let name = fields.required("name", sink).and_then(|it| it.filled(sink));
    let tool = fields.required("tool", sink).and_then(|it| it.filled(sink));
    let args = fields.get("args").map(|it| it.json(sink));
    let context = fields.get("context").map(|it| context(&it, sink));
    let expect = fields.required("expect", sink);
    let expect = expect.and_then(|it| expectation(&it, sink));
    let name = name?;
    Some(PolicyCase {
        span: name.at.span,
        name: name.value,
        tool: tool?.value,
        args: args.unwrap_or_else(|| Some(Json::object()))?,
        context: context.unwrap_or_else(|| Some(CaseContext::default()))?,
        expect: expect?,
    })
}

fn context(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<CaseContext> {
    let fields = cursor.fields(&CONTEXT, sink)?;
    let plain = CaseContext::default();
    let session = fields
        .get("session")
        .and_then(|it| it.fields(&SESSION, sink));
    let of_session =
        |key: &str, sink: &mut Sink| session.as_ref().and_then(|it| number(it, key, sink));
    let calls = of_session("calls", sink);
    let tool_calls = of_session("tool_calls", sink);
    let input = session.as_ref().and_then(|it| it.get("input"));
    let input = input.and_then(|it| {
        it.entries(sink)?;
        it.json(sink)
    });
    let turn = fields
        .get("turn")
        .and_then(|it| it.count(u64::from(u32::MAX), sink));
    let now = fields.get("now").and_then(|it| now(&it, sink));
    Some(CaseContext {
        calls: calls.unwrap_or(plain.calls),
        tool_calls: tool_calls.unwrap_or(plain.tool_calls),
        input: input.unwrap_or(plain.input),
        turn: turn
            .and_then(|it| u32::try_from(it).ok())
            .unwrap_or(plain.turn),
        depth: number(&fields, "depth", sink).unwrap_or(plain.depth),
        now: now.unwrap_or(plain.now),
        trigger: fields.get("trigger").and_then(|it| trigger(&it, sink)),
    })
}

/// A whole number from 0 on.
fn number(fields: &Fields<'_>, key: &str, sink: &mut Sink) -> Option<u32> {
    let cursor = fields.get(key)?;
    let number = cursor.number(sink)?;
    let small = number.to_u64().and_then(|it| u32::try_from(it).ok());
    if small.is_none() {
        let found = number.to_string();
        sink.push(e0203::found(
            &cursor.at(),
            "a whole number from 0 on",
            &found,
        ));
    }
    small
}

fn now(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Time> {
    let text = cursor.filled(sink)?;
    let time = moment::parse(&text.value);
    if time.is_none() {
        let rule = "write it as in 2026-03-01T18:00:00Z or 2026-03-01T18:00:00+02:00";
        sink.push(e0205::malformed(&text.at, "a moment", &text.value, rule));
    }
    time
}

/// Empty text is the first round, which nothing opened.
fn trigger(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Trigger> {
    if cursor
        .text(&mut Sink::default())
        .is_some_and(|it| it.value.is_empty())
    {
        return None;
    }
    let mut words = Vec::new();
    for trigger in Trigger::ALL {
        match trigger {
            Trigger::NoHandler
            | Trigger::CapacityExhausted
            | Trigger::LeaseExpired
            | Trigger::Indeterminate => {
                words.push((trigger.as_str(), trigger));
                words.push((trigger.short(), trigger));
            }
            // It is about a run and not about a call.
            Trigger::LimitEscalate => {}
        }
    }
    Some(cursor.word(&words, sink)?.value)
}

fn expectation(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Expectation> {
    let fields = cursor.fields(&EXPECT, sink)?;
    let words = ExpectedVerdict::ALL.map(|it| (it.as_str(), it));
    let verdict = fields
        .required("verdict", sink)
        .and_then(|it| it.word(&words, sink));
    let policies = fields.get("policies").map(|it| policies(&it, sink));
    let approvals = fields
        .get("approvals_required")
        .and_then(|it| it.count(u64::from(u32::MAX), sink));
    let verdict = verdict?.value;
    let stray = |key: &str, place: &str, sink: &mut Sink| {
        if let Some(field) = fields.get(key) {
            let what = format!("the expectation `{}`", verdict.as_str());
            sink.push(e0206::belongs_elsewhere(&field.key_at(), key, &what, place));
        }
    };
    if !verdict.is_judged() {
        stray(
            "policies",
            "such a call does not get as far as the policies",
            sink,
        );
    }
    if !verdict.asks() {
        stray(
            "approvals_required",
            "only `require_approval` and `escalate` have it",
            sink,
        );
    }
    Some(Expectation {
        verdict,
        policies: match policies {
            Some(policies) => Some(policies?),
            None => None,
        },
        approvals_required: approvals.and_then(|it| u32::try_from(it).ok()),
    })
}

/// Logical ids, with an exact version or without one.
fn policies(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Vec<String>> {
    let items = cursor.items(sink)?;
    let read: Vec<_> = items.iter().map(|it| policy(it, sink)).collect();
    read.into_iter().collect()
}

fn policy(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<String> {
    let text: At<String> = cursor.filled(sink)?;
    let at: Location = text.at.clone();
    let (id, version) = match text.value.split_once('@') {
        Some((id, version)) => (id, Some(version)),
        None => (text.value.as_str(), None),
    };
    let exact = version.is_none_or(|it| semver::Version::parse(it).is_ok());
    if crate::reference::logical_id(id).is_none() || !exact {
        let rule = "write namespace.name, or namespace.name@1.2.3 for one version";
        sink.push(e0205::malformed(&at, "a policy", &text.value, rule));
        return None;
    }
    Some(text.value)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use policy::Trigger;
    use spec::{Json, Time};

    use super::{CaseContext, ExpectedVerdict, policy_tests};
    use crate::render;

    const FILE: &str = "tests/refund.policytest.yaml";

    const SOUND: &str = "\
agent: ../agent.yaml
cases:
  - name: big refund asks a person
    tool: payments.issue-refund
    args: {order_id: A-1, amount: 900}
    context: {session: {calls: 0, tool_calls: 2, input: {a: 1}}, now: 2026-03-01T18:00:00Z, trigger: '', turn: 3, depth: 1}
    expect: {verdict: require_approval, policies: [payments.limit, payments.other@1.0.0], approvals_required: 2}
  - name: nobody to run it
    tool: issue_refund
    context: {trigger: no_handler}
    expect: {verdict: allow}
";

    fn check(text: &str, expected: Expect) {
        let found = policy_tests(FILE, text.as_bytes()).unwrap_err();
        expected.assert_eq(&render(&found, &|_| Some(text.to_owned()), false));
    }

    #[test]
    fn cases_are_read_as_written() {
        let tests = policy_tests(FILE, SOUND.as_bytes()).unwrap();
        assert_eq!(tests.agent, "../agent.yaml");
        let [first, second] = tests.cases.as_slice() else {
            panic!("{tests:?}");
        };
        assert_eq!(first.span.unwrap().line, 3);
        assert_eq!(first.args.get("amount"), Some(&Json::from(900_u64)));
        let context = CaseContext {
            calls: 0,
            tool_calls: 2,
            input: Json::from_members([("a", Json::from(1_u64))]),
            turn: 3,
            depth: 1,
            now: Time::from_unix_ms(1_772_388_000_000),
            trigger: None,
        };
        assert_eq!(first.context, context);
        assert_eq!(first.expect.verdict, ExpectedVerdict::RequireApproval);
        let policies = [
            "payments.limit".to_owned(),
            "payments.other@1.0.0".to_owned(),
        ];
        assert_eq!(first.expect.policies.as_deref(), Some(&policies[..]));
        assert_eq!(first.expect.approvals_required, Some(2));
        assert_eq!(second.args, Json::object());
        assert_eq!(second.context.trigger, Some(Trigger::NoHandler));
        assert_eq!(
            (&second.expect.policies, second.expect.approvals_required),
            (&None, None)
        );
    }

    #[test]
    fn every_mistake_comes_in_one_run() {
        let text = SOUND
            .replace("verdict: require_approval", "verdit: require_approval")
            .replace("now: 2026-03-01T18:00:00Z", "now: tomorrow")
            .replace("calls: 0", "calls: -1")
            .replace("trigger: no_handler", "trigger: no_handlr")
            .replace(
                "{verdict: allow}",
                "{verdict: invalid_args, policies: [], approvals_required: 1}",
            );
        check(
            &text,
            expect![[r#"
                error[E0203]: expected a whole number from 0 on, found -1
                 --> tests/refund.policytest.yaml:6:32
                  |
                6 |     context: {session: {calls: -1, tool_calls: 2, input: {a: 1}}, now: tomorrow, trigger: '', turn: 3, depth: 1}
                  |                                ^^ cases[0].context.session.calls
                  |
                  = help: write a whole number from 0 on

                error[E0205]: `tomorrow` is not a moment
                 --> tests/refund.policytest.yaml:6:72
                  |
                6 |     context: {session: {calls: -1, tool_calls: 2, input: {a: 1}}, now: tomorrow, trigger: '', turn: 3, depth: 1}
                  |                                                                        ^^^^^^^^ cases[0].context.now
                  |
                  = help: write it as in 2026-03-01T18:00:00Z or 2026-03-01T18:00:00+02:00

                error[E0202]: an expectation lacks the field `verdict`
                 --> tests/refund.policytest.yaml:7:5
                  |
                7 |     expect: {verdit: require_approval, policies: [payments.limit, payments.other@1.0.0], approvals_required: 2}
                  |     ^^^^^^ cases[0].expect
                  |
                  = help: add `verdict` here

                error[E0201]: unknown field `verdit` in an expectation
                 --> tests/refund.policytest.yaml:7:14
                  |
                7 |     expect: {verdit: require_approval, policies: [payments.limit, payments.other@1.0.0], approvals_required: 2}
                  |              ^^^^^^ cases[0].expect.verdit
                  |
                  = help: did you mean `verdict`?

                error[E0204]: unknown value `no_handlr`
                  --> tests/refund.policytest.yaml:10:24
                   |
                10 |     context: {trigger: no_handlr}
                   |                        ^^^^^^^^^ cases[1].context.trigger
                   |
                   = help: did you mean `no_handler`? (one of dispatch:no_handler, no_handler, dispatch:capacity_exhausted, capacity_exhausted, dispatch:lease_expired, lease_expired, dispatch:indeterminate, indeterminate)

                error[E0206]: `policies` does not belong in the expectation `invalid_args`
                  --> tests/refund.policytest.yaml:11:37
                   |
                11 |     expect: {verdict: invalid_args, policies: [], approvals_required: 1}
                   |                                     ^^^^^^^^ cases[1].expect.policies
                   |
                   = help: such a call does not get as far as the policies

                error[E0206]: `approvals_required` does not belong in the expectation `invalid_args`
                  --> tests/refund.policytest.yaml:11:51
                   |
                11 |     expect: {verdict: invalid_args, policies: [], approvals_required: 1}
                   |                                                   ^^^^^^^^^^^^^^^^^^ cases[1].expect.approvals_required
                   |
                   = help: only `require_approval` and `escalate` have it

            "#]],
        );
    }

    #[test]
    fn a_file_that_tests_nothing_is_refused() {
        check(
            "agent: a\ncases: []\n",
            expect![[r#"
                error[E0203]: expected at least one case, found an empty list
                 --> tests/refund.policytest.yaml:2:1
                  |
                2 | cases: []
                  | ^^^^^ cases
                  |
                  = help: write at least one case

            "#]],
        );
        check(
            "kind: Policy\n",
            expect![[r#"
                error[E0202]: a policy test lacks the field `agent`
                 --> tests/refund.policytest.yaml:1:1
                  |
                1 | kind: Policy
                  | ^^^^
                  |
                  = help: add `agent` here

                error[E0202]: a policy test lacks the field `cases`
                 --> tests/refund.policytest.yaml:1:1
                  |
                1 | kind: Policy
                  | ^^^^
                  |
                  = help: add `cases` here

                error[E0206]: `kind` does not belong in a policy test
                 --> tests/refund.policytest.yaml:1:1
                  |
                1 | kind: Policy
                  | ^^^^ kind
                  |
                  = help: a policy test is no document of the format; it has `agent` and `cases` only

            "#]],
        );
    }
}
