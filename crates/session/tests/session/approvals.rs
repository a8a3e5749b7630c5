//! A person's decision: used once, for exactly what that person saw.

use session::{ApprovalStatus, Event, Input, Refusal, Status, UnknownCause, Vote};
use spec::snapshot::{OnReject, TimeoutDefault};

use crate::bench::{Bench, kinds, timeout};

const ASKS_ONE: &str = r#"{"amount":150}"#;
const ASKS_TWO: &str = r#"{"amount":700}"#;

fn outcome(bench: &Bench, ordinal: u32) -> String {
    let id = spec::ApprovalId::derive(bench.call(1, 0).as_str(), ordinal);
    match &bench.state.approvals[&id].status {
        ApprovalStatus::Pending => "pending".to_owned(),
        ApprovalStatus::Closed { outcome, by, .. } => format!("{} by {by}", outcome.as_str()),
    }
}

fn dispatched_args(events: &[Event], bench: &Bench) -> bool {
    let call = bench.state.call(&bench.call(1, 0)).unwrap();
    events
        .iter()
        .any(|it| matches!(it, Event::CallDispatched { args, .. } if *args == call.args.digest))
}

#[test]
fn a_quorum_counts_distinct_people() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ASKS_TWO)]);
    assert_eq!(
        kinds(&bench.vote("ana", Vote::Approve, None).unwrap()),
        ["approval_voted"]
    );
    let again = bench.vote("ana", Vote::Approve, None).unwrap_err();
    assert_eq!(
        again.to_string(),
        "actor \"ana\" already decided on this approval"
    );
    let events = bench.vote("bo", Vote::Approve, None).unwrap();
    assert_eq!(
        kinds(&events),
        ["approval_voted", "approval_closed", "call_dispatched"]
    );
    assert_eq!(outcome(&bench, 0), "approved by bo");
}

#[test]
fn one_person_is_one_person_in_any_spelling() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ASKS_TWO)]);
    bench.vote("ana", Vote::Approve, None).unwrap();
    assert!(matches!(
        bench.vote("ANA", Vote::Approve, None),
        Err(Refusal::AlreadyVoted { .. })
    ));
    assert!(matches!(
        bench.vote("ana", Vote::Reject, None),
        Err(Refusal::AlreadyVoted { .. })
    ));
}

#[test]
fn a_word_after_the_deadline_is_not_consent() {
    let mut bench = Bench::with_rule(|it| it.timeout = timeout(30, TimeoutDefault::Deny));
    bench.ask(&[("read_only", ASKS_ONE)]);
    // Nobody looked at the clock: the runtime was away.
    bench.now = bench.now.plus_ms(2 * 60 * 60 * 1000);
    let events = bench.vote("ana", Vote::Approve, None).unwrap();
    assert_eq!(kinds(&events), ["approval_closed", "call_failed"]);
    assert_eq!(outcome(&bench, 0), "expired by system:timeout");
}

#[test]
fn an_edit_of_a_settled_approval_is_refused() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ASKS_ONE)]);
    let id = bench.pending();
    bench.vote("ana", Vote::Approve, None).unwrap();
    for (args, same) in [(ASKS_ONE, true), (r#"{"amount":40}"#, false)] {
        let refused = bench
            .tell(Input::Decide(session::Decision {
                approval: id.clone(),
                actor: "bo".to_owned(),
                vote: Vote::Approve,
                comment: String::new(),
                comprehension_acknowledged: false,
                args: Some(args.as_bytes().to_vec()),
                slot: None,
            }))
            .unwrap_err();
        assert_eq!(refused == Refusal::SameDecision, same, "{refused:?}");
    }
}

#[test]
fn an_edit_cannot_shake_off_another_policys_people() {
    // Asked by one policy at 150; at 700 another one asks as well, with the same quorum.
    let mut bench = Bench::with(|snapshot| {
        for policy in &mut snapshot.policies {
            policy.decision.approvals_required = 1;
        }
    });
    bench.ask(&[("read_only", ASKS_ONE)]);
    let events = bench.vote("ana", Vote::Approve, Some(ASKS_TWO)).unwrap();
    assert_eq!(
        kinds(&events),
        ["arguments_edited", "approval_closed", "approval_opened"]
    );
}

#[test]
fn several_expiries_are_taken_one_by_one() {
    let mut bench = Bench::with_rule(|it| {
        it.timeout = timeout(30, TimeoutDefault::Deny);
        it.on_reject = OnReject::Fail;
    });
    bench.ask(&[("read_only", ASKS_ONE), ("non_idempotent_write", ASKS_ONE)]);
    let events = bench.pass_minutes(30);
    assert_eq!(
        kinds(&events),
        [
            "approval_closed",
            "call_failed",
            "approval_closed",
            "call_cancelled",
            "ended"
        ]
    );
    assert!(bench.state.approvals.values().all(|it| !it.is_pending()));
}

#[test]
fn one_rejection_is_final() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ASKS_TWO)]);
    bench.vote("ana", Vote::Approve, None).unwrap();
    let events = bench.vote("bo", Vote::Reject, None).unwrap();
    assert_eq!(
        kinds(&events),
        ["approval_voted", "approval_closed", "call_failed"]
    );
    assert_eq!(bench.state.status(), Status::Running);
}

#[test]
fn a_rejection_may_fail_the_session() {
    let mut bench = Bench::with_rule(|it| it.on_reject = OnReject::Fail);
    bench.ask(&[("read_only", ASKS_ONE)]);
    let events = bench.vote("ana", Vote::Reject, None).unwrap();
    assert_eq!(
        kinds(&events),
        ["approval_voted", "approval_closed", "call_failed", "ended"]
    );
    assert_eq!(bench.state.status(), Status::Failed);
}

#[test]
fn comprehension_is_needed_to_approve_and_not_to_reject() {
    let mut bench = Bench::with_rule(|it| it.comprehension_required = true);
    bench.ask(&[("read_only", ASKS_ONE)]);
    assert_eq!(
        bench.vote("ana", Vote::Approve, None),
        Err(Refusal::ComprehensionRequired)
    );
    bench.vote("ana", Vote::Reject, None).unwrap();
}

#[test]
fn edits_are_validated_and_judged_again() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ASKS_ONE)]);
    for bad in [
        r#"{"amount":"90"}"#,
        r#"{"amount":90000}"#,
        "{}",
        "[]",
        r#"{"amount":1,"amount":2}"#,
    ] {
        let refused = bench.vote("ana", Vote::Approve, Some(bad)).unwrap_err();
        assert!(
            matches!(refused, Refusal::EditRefused(_)),
            "{bad}: {refused:?}"
        );
        assert_eq!(outcome(&bench, 0), "pending", "{bad}");
    }
    let events = bench
        .vote("ana", Vote::Approve, Some(r#"{ "amount": 40.0 }"#))
        .unwrap();
    assert_eq!(
        kinds(&events),
        [
            "arguments_edited",
            "approval_voted",
            "approval_closed",
            "call_dispatched"
        ]
    );
    assert!(dispatched_args(&events, &bench));
    let call = bench.state.call(&bench.call(1, 0)).unwrap();
    assert_eq!(call.args.digest, spec::Digest::of(br#"{"amount":40}"#));
}

#[test]
fn votes_for_other_arguments_do_not_count() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ASKS_TWO)]);
    bench.vote("ana", Vote::Approve, None).unwrap();
    let events = bench
        .vote("bo", Vote::Approve, Some(r#"{"amount":600}"#))
        .unwrap();
    assert_eq!(kinds(&events), ["arguments_edited", "approval_voted"]);
    // Ana agreed to something else; she may agree to this, if she says so.
    let blind = bench.vote("ana", Vote::Approve, None).unwrap_err();
    assert_eq!(
        blind,
        Refusal::ArgumentsChanged {
            by: "bo".to_owned()
        }
    );
    let events = bench
        .vote("ana", Vote::Approve, Some(r#"{"amount":600}"#))
        .unwrap();
    assert_eq!(
        kinds(&events),
        ["approval_voted", "approval_closed", "call_dispatched"]
    );
}

#[test]
fn an_edit_that_needs_more_opens_a_new_approval() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ASKS_ONE)]);
    let events = bench.vote("ana", Vote::Approve, Some(ASKS_TWO)).unwrap();
    assert_eq!(
        kinds(&events),
        [
            "arguments_edited",
            "approval_closed",
            "approval_opened",
            "approval_voted"
        ]
    );
    assert_eq!(outcome(&bench, 0), "superseded by ana");
    let events = bench.vote("bo", Vote::Approve, None).unwrap();
    assert!(dispatched_args(&events, &bench), "{events:?}");
}

#[test]
fn a_settled_approval_answers_the_same_and_refuses_the_opposite() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ASKS_ONE)]);
    let id = bench.pending();
    bench.vote("ana", Vote::Approve, None).unwrap();
    let decision = |vote| {
        Input::Decide(session::Decision {
            approval: id.clone(),
            actor: "bo".to_owned(),
            vote,
            comment: String::new(),
            comprehension_acknowledged: false,
            args: None,
            slot: None,
        })
    };
    assert_eq!(
        bench.tell(decision(Vote::Approve)),
        Err(Refusal::SameDecision)
    );
    let refused = bench.tell(decision(Vote::Reject)).unwrap_err();
    assert_eq!(refused.to_string(), "already decided: approved by ana");
}

#[test]
fn timeouts_do_what_the_policy_says() {
    let cases = [
        (
            TimeoutDefault::Deny,
            vec!["approval_closed", "call_failed"],
            "expired by system:timeout",
        ),
        (
            TimeoutDefault::Allow,
            vec!["approval_closed", "call_queued"],
            "approved by system:timeout",
        ),
        (
            TimeoutDefault::Escalate,
            vec!["approval_closed", "approval_opened"],
            "escalated by system:timeout",
        ),
    ];
    for (default, expected, closed) in cases {
        let mut bench = Bench::with_rule(|it| it.timeout = timeout(30, default));
        bench.ask(&[("read_only", ASKS_ONE)]);
        assert!(bench.pass_minutes(29).is_empty());
        assert_eq!(kinds(&bench.pass_minutes(1)), expected, "{default:?}");
        assert_eq!(outcome(&bench, 0), closed);
    }
}

#[test]
fn escalation_ends_somewhere() {
    let mut bench = Bench::with_rule(|it| it.timeout = timeout(30, TimeoutDefault::Escalate));
    bench.ask(&[("read_only", ASKS_ONE)]);
    let mut opened = 1;
    while bench.state.status() == Status::AwaitingApproval {
        opened +=
            usize::from(kinds(&bench.pass_minutes(30)).contains(&"approval_opened".to_owned()));
        assert!(opened < 10);
    }
    assert_eq!(opened, 2, "the second route has the last word");
    assert_eq!(outcome(&bench, 1), "expired by system:timeout");
}

#[test]
fn several_approvals_of_one_turn_are_independent() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ASKS_ONE), ("non_idempotent_write", ASKS_ONE)]);
    assert_eq!(
        bench
            .state
            .approvals
            .values()
            .filter(|it| it.is_pending())
            .count(),
        2
    );
    let second = spec::ApprovalId::derive(bench.call(1, 1).as_str(), 0);
    bench
        .tell(Input::Decide(session::Decision {
            approval: second,
            actor: "ana".to_owned(),
            vote: Vote::Approve,
            comment: String::new(),
            comprehension_acknowledged: false,
            args: None,
            slot: Some(crate::bench::worker_slot("w-1")),
        }))
        .unwrap();
    assert_eq!(bench.status(1, 0), "awaiting_approval");
    assert_eq!(bench.status(1, 1), "dispatched");
    assert_eq!(bench.state.status(), Status::AwaitingApproval);
}

#[test]
fn a_call_that_may_have_run_comes_back_only_with_its_arguments() {
    let mut bench = Bench::new();
    bench.ask(&[("non_idempotent_write", r#"{"amount":1}"#)]);
    let call = bench.call(1, 0);
    let cause = UnknownCause::Indeterminate;
    bench
        .tell(Input::Unknown {
            call,
            attempt: 1,
            cause,
        })
        .unwrap();
    let refused = bench
        .vote("ana", Vote::Approve, Some(r#"{"amount":2}"#))
        .unwrap_err();
    assert!(matches!(refused, Refusal::EditRefused(_)));
    let events = bench.vote("ana", Vote::Approve, None).unwrap();
    assert!(
        matches!(
            events.last(),
            Some(Event::CallDispatched { attempt: 2, .. })
        ),
        "{events:?}"
    );
}
