//! What must hold at the end of the demo. Pure: compares what the journal, the runtime and the worker
//! each say.

use proto::runtime::v1::InspectSessionResponse;
use spec::Json;

use super::person::Answer;
use super::witness::Start;
use super::worker::TOOLS;
use crate::progress::{Fate, Progress};

/// The refund that no approval allows.
const DENIED: &str = "A-1003";
/// The refund that is small enough.
const FREE: &str = "A-1001";

/// Something that must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) what: String,
    pub(super) holds: bool,
    /// What there is instead.
    pub(super) found: String,
}

/// What a person said about a refund.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub(super) approval: String,
    pub(super) order: String,
    pub(super) answer: Answer,
}

/// What the runtime said after it was killed and started again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crash {
    pub(super) approval_pends: bool,
    pub(super) approval_is_same: bool,
    pub(super) journal_is_same: bool,
    pub(super) worker_lives: bool,
}

/// Everything that was seen of the session.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) progress: Progress,
    pub(super) decisions: Vec<Decision>,
    pub(super) crash: Option<Crash>,
}

/// All checks, held or not.
pub(super) fn find(
    ending: &Ending,
    session: &InspectSessionResponse,
    starts: &[Start],
) -> Vec<Check> {
    let status = session
        .session
        .as_ref()
        .map(|it| it.status.as_str())
        .unwrap_or_default();
    let mut checks = vec![check(
        "the session completed",
        status == "completed",
        || format!("its status is {status:?}"),
    )];
    checks.extend(ran(ending, starts));
    let fate = fate(&ending.progress, DENIED);
    checks.push(check(
        format!("the journal says that {DENIED} was denied by policy"),
        fate == Some(Fate::Denied),
        || format!("it says {}", fate.map_or("nothing", Fate::word)),
    ));
    checks.extend(
        ending
            .decisions
            .iter()
            .map(|it| decided(&ending.progress, it)),
    );
    let asked = ending.decisions.len();
    checks.push(check("a person was asked twice", asked == 2, || {
        format!("it was {asked} times")
    }));
    checks.extend(survived(ending.crash));
    checks
}

fn check(what: impl Into<String>, holds: bool, found: impl FnOnce() -> String) -> Check {
    let found = if holds { String::new() } else { found() };
    Check {
        what: what.into(),
        holds,
        found,
    }
}

/// What the worker started, and nothing else.
fn ran(ending: &Ending, starts: &[Start]) -> Vec<Check> {
    let [(look_up, _), (refund, _)] = TOOLS;
    let count = |tool: &str, order: &str| {
        starts
            .iter()
            .filter(|it| it.tool == tool && it.order == order)
            .count()
    };
    let exactly = |what: String, tool: &str, order: &str, times: usize| {
        let found = count(tool, order);
        check(what, found == times, || format!("it was {found} times"))
    };
    let mut checks = vec![
        exactly(
            format!("the worker looked {FREE} up once"),
            look_up,
            FREE,
            1,
        ),
        exactly(format!("the worker refunded {FREE} once"), refund, FREE, 1),
    ];
    for Decision { order, answer, .. } in &ending.decisions {
        checks.push(match answer {
            Answer::Approve => exactly(
                format!("the worker refunded {order} once, as approved"),
                refund,
                order,
                1,
            ),
            Answer::Reject => exactly(
                format!("the worker never refunded {order}, as rejected"),
                refund,
                order,
                0,
            ),
        });
    }
    checks.push(exactly(
        format!("the worker never heard of {DENIED}"),
        refund,
        DENIED,
        0,
    ));
    let approved = ending
        .decisions
        .iter()
        .filter(|it| it.answer == Answer::Approve)
        .count();
    let expected = approved.saturating_add(2);
    checks.push(check(
        "the worker started nothing else",
        starts.len() == expected,
        || format!("it started {} handlers, not {expected}", starts.len()),
    ));
    checks
}

fn fate(progress: &Progress, order: &str) -> Option<Fate> {
    let is_about = |args: &Json| args.get("order_id").and_then(Json::as_str) == Some(order);
    progress
        .calls
        .values()
        .find(|it| is_about(&it.args))
        .map(|it| it.fate)
}

fn decided(progress: &Progress, decision: &Decision) -> Check {
    let (word, expected) = match decision.answer {
        Answer::Approve => ("approved", Fate::Succeeded),
        Answer::Reject => ("rejected", Fate::Rejected),
    };
    let outcome = progress
        .decided
        .get(&decision.approval)
        .map_or("open", String::as_str);
    let fate = fate(progress, &decision.order);
    let order = &decision.order;
    check(
        format!("the journal says that {order} was {word}, and what followed"),
        outcome == word && fate == Some(expected),
        || {
            format!(
                "it says {outcome}, then {}",
                fate.map_or("nothing", Fate::word)
            )
        },
    )
}

fn survived(crash: Option<Crash>) -> Vec<Check> {
    let Some(crash) = crash else {
        let none = || "there was no second approval to crash at".to_owned();
        return vec![check("the runtime was killed and came back", false, none)];
    };
    let not = || "it did not".to_owned();
    vec![
        check(
            "the approval outlived the crash, and still waited",
            crash.approval_pends,
            not,
        ),
        check(
            "it asked the same question afterwards",
            crash.approval_is_same,
            not,
        ),
        check(
            "the journal outlived the crash, hash for hash",
            crash.journal_is_same,
            not,
        ),
        check(
            "the worker outlived the crash and came back by itself",
            crash.worker_lives,
            not,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use proto::runtime::v1::{InspectSessionResponse, SessionInspect};
    use spec::Json;

    use super::{Crash, Decision, Ending, find};
    use crate::demo::person::Answer;
    use crate::demo::witness::Start;
    use crate::progress::{Call, Fate, Progress};

    fn start(tool: &str, order: &str) -> Start {
        Start {
            tool: tool.to_owned(),
            order: order.to_owned(),
            call: String::new(),
        }
    }

    fn starts(refunds: &[&str]) -> Vec<Start> {
        let look_up = start("orders.look-up-order", "A-1001");
        let refunds = refunds.iter().map(|it| start("payments.issue-refund", it));
        std::iter::once(look_up).chain(refunds).collect()
    }

    fn ending(first: Answer) -> Ending {
        let mut progress = Progress::default();
        let mut call = |order: &str, fate: Fate| {
            let args = Json::from_members([("order_id", Json::from(order))]);
            let message = String::new();
            let call = Call {
                tool: "payments.issue-refund".to_owned(),
                args,
                fate,
                message,
            };
            progress.calls.insert(order.to_owned(), call);
        };
        let (fate, word) = match first {
            Answer::Approve => (Fate::Succeeded, "approved"),
            Answer::Reject => (Fate::Rejected, "rejected"),
        };
        call("A-1001", Fate::Succeeded);
        call("A-1002", fate);
        call("A-1003", Fate::Denied);
        call("A-1004", Fate::Succeeded);
        progress.decided.insert("p2".to_owned(), word.to_owned());
        progress
            .decided
            .insert("p4".to_owned(), "approved".to_owned());
        let decision = |approval: &str, order: &str, answer| Decision {
            approval: approval.to_owned(),
            order: order.to_owned(),
            answer,
        };
        Ending {
            progress,
            decisions: vec![
                decision("p2", "A-1002", first),
                decision("p4", "A-1004", Answer::Approve),
            ],
            crash: Some(Crash {
                approval_pends: true,
                approval_is_same: true,
                journal_is_same: true,
                worker_lives: true,
            }),
        }
    }

    fn broken(ending: &Ending, starts: &[Start]) -> Vec<String> {
        let session = SessionInspect {
            status: "completed".into(),
            ..SessionInspect::default()
        };
        let session = InspectSessionResponse {
            session: Some(session),
            timeline: Vec::new(),
        };
        let found = find(ending, &session, starts);
        found
            .into_iter()
            .filter(|it| !it.holds)
            .map(|it| it.what + ": " + &it.found)
            .collect()
    }

    #[test]
    fn all_hold_when_all_went_well() {
        let none: Vec<String> = Vec::new();
        let paid = starts(&["A-1001", "A-1002", "A-1004"]);
        assert_eq!(broken(&ending(Answer::Approve), &paid), none);
        let without = starts(&["A-1001", "A-1004"]);
        assert_eq!(broken(&ending(Answer::Reject), &without), none);
    }

    #[test]
    fn money_that_moved_wrongly_is_noticed() {
        let it = ending(Answer::Approve);
        for wrong in [
            &["A-1001", "A-1002", "A-1004", "A-1004"][..],
            &["A-1001", "A-1002", "A-1003", "A-1004"],
            &["A-1001", "A-1002"],
            &["A-1001", "A-1002", "A-1004", "A-1005"],
        ] {
            assert!(!broken(&it, &starts(wrong)).is_empty(), "{wrong:?}");
        }
        let paid = starts(&["A-1001", "A-1002", "A-1004"]);
        assert!(!broken(&ending(Answer::Reject), &paid).is_empty());
    }

    #[test]
    fn a_journal_that_says_otherwise_is_noticed() {
        let paid = starts(&["A-1001", "A-1002", "A-1004"]);
        let mut it = ending(Answer::Approve);
        it.progress.decided.remove("p4");
        assert_eq!(
            broken(&it, &paid),
            [
                "the journal says that A-1004 was approved, and what followed: it says open, then succeeded"
            ]
        );
        it = ending(Answer::Approve);
        it.crash = None;
        assert_eq!(broken(&it, &paid).len(), 1);
    }
}
