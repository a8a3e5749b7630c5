//! `on_failure`: what follows when a handler says that it failed.

use session::{
    Answer, ApprovalOutcome, CallResult, Event, Input, NoSlot, Refusal, Status, UnknownCause, Vote,
    next_wake, outstanding,
};
use spec::snapshot::OnFailure;
use spec::{SideEffectClass, WorkerId};

use crate::bench::{Bench, kinds};

const ONE: &str = r#"{"amount":1}"#;

fn bench(on_failure: OnFailure) -> Bench {
    Bench::with(|it| {
        for tool in &mut it.tools {
            tool.on_failure = on_failure;
        }
    })
}

/// What the model is told about the first call.
fn told(bench: &Bench) -> (String, Option<String>, String) {
    match &bench.state.call(&bench.call(1, 0)).unwrap().answer {
        Some(Answer::Error {
            code,
            handler_code,
            message,
        }) => (code.clone(), handler_code.clone(), message.clone()),
        other => panic!("no error: {other:?}"),
    }
}

fn handler_error() -> (String, Option<String>, String) {
    (
        "handler_error".to_owned(),
        Some("E42".to_owned()),
        "the printer is on fire".to_owned(),
    )
}

fn unknown(bench: &mut Bench, attempt: u32) -> Vec<String> {
    let call = bench.call(1, 0);
    let cause = UnknownCause::LeaseExpired;
    let input = Input::Unknown {
        call,
        attempt,
        cause,
    };
    kinds(&bench.tell(input).unwrap())
}

#[test]
fn what_a_failure_does_follows_the_tool_and_its_class() {
    let (told, waits, asks) = (
        &["call_failed"][..],
        &["call_erred"][..],
        &["call_erred", "approval_opened"][..],
    );
    for class in SideEffectClass::ALL {
        let retried = if class.may_rerun() { waits } else { told };
        let expected = [
            (OnFailure::ReturnToAgent, told, Status::Running),
            (
                OnFailure::Retry,
                retried,
                if class.may_rerun() {
                    Status::AwaitingTool
                } else {
                    Status::Running
                },
            ),
            (OnFailure::Escalate, asks, Status::AwaitingApproval),
            (
                OnFailure::Fail,
                &["call_failed", "ended"][..],
                Status::Failed,
            ),
        ];
        for (on_failure, events, status) in expected {
            let mut bench = bench(on_failure);
            bench.ask(&[(class.as_str(), ONE)]);
            let call = bench.call(1, 0);
            let followed = kinds(&bench.fails(&call, "w-1").unwrap());
            assert_eq!(followed, events, "{class} {on_failure:?}");
            assert_eq!(bench.state.status(), status, "{class} {on_failure:?}");
        }
    }
}

#[test]
fn three_dispatches_in_all_with_one_id_and_growing_waits() {
    let mut bench = bench(OnFailure::Retry);
    bench.ask(&[("read_only", ONE)]);
    let call = bench.call(1, 0);
    for (attempt, wait) in [(1, 1_000), (2, 4_000)] {
        let events = bench.fails(&call, "w-1").unwrap();
        let due = bench.now.plus_ms(wait);
        assert!(
            matches!(&events[..], [Event::CallErred { attempt: which, retry_at: Some(at), .. }]
                if *which == attempt && *at == due),
            "{events:?}"
        );
        assert_eq!(bench.status(1, 0), "queued");
        assert!(outstanding(&bench.state, bench.now).is_empty());
        assert_eq!(next_wake(&bench.plan, &bench.state, bench.now), Some(due));
        assert!(bench.pass_ms(wait - 1).is_empty(), "not before it is due");
        // What waits is on record, not in memory.
        bench.restart();
        assert_eq!(next_wake(&bench.plan, &bench.state, bench.now), Some(due));
        assert_eq!(kinds(&bench.pass_ms(1)), ["call_queued"]);
        let events = bench.slot(&call, "w-1");
        assert!(
            matches!(&events[..], [Event::CallDispatched { call: which, attempt: again, .. }]
                if *which == call && *again == attempt + 1),
            "{events:?}"
        );
    }
    assert_eq!(kinds(&bench.fails(&call, "w-1").unwrap()), ["call_failed"]);
    assert_eq!(told(&bench), handler_error());
    assert_eq!(bench.state.status(), Status::Running);
}

#[test]
fn a_retry_that_succeeds_is_a_success() {
    let mut bench = bench(OnFailure::Retry);
    bench.ask(&[("idempotent_write", ONE)]);
    let call = bench.call(1, 0);
    bench.fails(&call, "w-1").unwrap();
    bench.pass_ms(1_000);
    bench.slot(&call, "w-2");
    bench.result(&call, "w-2", "{}").unwrap();
    assert_eq!(bench.status(1, 0), "succeeded");
    let answer = &bench.state.call(&call).unwrap().answer;
    assert!(matches!(answer, Some(Answer::Result(_))), "{answer:?}");
}

#[test]
fn refusals_and_unknown_outcomes_count_as_tries() {
    let mut bench = bench(OnFailure::Retry);
    bench.ask(&[("read_only", ONE)]);
    let call = bench.call(1, 0);
    assert_eq!(unknown(&mut bench, 1), ["call_unknown", "call_queued"]);
    bench.slot(&call, "w-1");
    let nack = Input::Nacked {
        call: call.clone(),
        worker: WorkerId::new("w-1"),
        code: "busy".to_owned(),
        message: String::new(),
    };
    assert_eq!(kinds(&bench.tell(nack).unwrap()), ["call_nacked"]);
    bench.slot(&call, "w-1");
    assert_eq!(kinds(&bench.fails(&call, "w-1").unwrap()), ["call_failed"]);
    assert_eq!(told(&bench), handler_error());
}

#[test]
fn a_wait_beyond_the_wall_clock_is_not_begun() {
    for (seconds, then) in [(2, "call_erred"), (1, "call_failed")] {
        let mut bench = Bench::with(|it| {
            it.limits.max_wall_clock_seconds = Some(seconds);
            for tool in &mut it.tools {
                tool.on_failure = OnFailure::Retry;
            }
        });
        bench.ask(&[("read_only", ONE)]);
        bench.pass_ms(500);
        let call = bench.call(1, 0);
        assert_eq!(kinds(&bench.fails(&call, "w-1").unwrap()), [then]);
    }
}

#[test]
fn the_wait_counts_against_the_wall_clock() {
    let mut bench = Bench::with(|it| {
        it.limits.max_wall_clock_seconds = Some(3);
        it.tools[0].on_failure = OnFailure::Retry;
    });
    bench.ask(&[("read_only", ONE)]);
    bench.pass_ms(1_500);
    let call = bench.call(1, 0);
    bench.fails(&call, "w-1").unwrap();
    // Nobody looked at the clock until the budget was used up.
    assert_eq!(kinds(&bench.pass_ms(1_500)), ["call_failed", "ended"]);
    assert_eq!(told(&bench), handler_error());
}

#[test]
fn a_failure_that_arrives_twice_counts_once() {
    let mut bench = bench(OnFailure::Retry);
    bench.ask(&[("read_only", ONE)]);
    let call = bench.call(1, 0);
    bench.fails(&call, "w-1").unwrap();
    let echo = Err(Refusal::AlreadyFinished);
    assert_eq!(bench.fails(&call, "w-1"), echo, "while it waits");
    assert_eq!(
        kinds(&bench.result(&call, "w-1", "{}").unwrap()),
        ["result_conflict"],
        "another story is evidence"
    );
    assert_eq!(bench.fails(&call, "w-2"), Err(Refusal::NotHolder));
    bench.pass_ms(1_000);
    assert_eq!(bench.fails(&call, "w-1"), echo, "while it is queued");
    assert_eq!(bench.status(1, 0), "queued");

    let mut bench = self::bench(OnFailure::Escalate);
    bench.ask(&[("irreversible_action", ONE)]);
    let call = bench.call(1, 0);
    bench.fails(&call, "w-1").unwrap();
    assert_eq!(bench.fails(&call, "w-1"), echo, "while people are asked");
    assert_eq!(bench.state.approvals.len(), 1);
}

#[test]
fn no_worker_for_the_second_try_does_not_hide_the_first() {
    let mut bench = bench(OnFailure::Retry);
    bench.ask(&[("read_only", ONE)]);
    let call = bench.call(1, 0);
    bench.fails(&call, "w-1").unwrap();
    bench.pass_ms(1_000);
    let cause = NoSlot::NoHandler;
    bench.tell(Input::NoSlot { call, cause }).unwrap();
    let (code, _, message) = told(&bench);
    assert_eq!(code, "no_handler");
    assert_eq!(
        message,
        "no worker is connected for sim.read-only@1.0.0; when it ran last it failed: E42: the \
         printer is on fire"
    );
}

#[test]
fn a_person_lets_it_run_again_with_the_same_id_and_arguments() {
    for class in SideEffectClass::ALL {
        let mut bench = bench(OnFailure::Escalate);
        bench.ask(&[(class.as_str(), ONE)]);
        let call = bench.call(1, 0);
        let sent = bench.state.call(&call).unwrap().args.digest;
        bench.fails(&call, "w-1").unwrap();
        let asked = bench.state.approvals[&bench.pending()].clone();
        assert_eq!(
            asked.reason,
            format!(
                "the handler of {class} says that it failed: E42: the printer is on fire; approve to \
                 run it again"
            )
        );
        assert_eq!((asked.expires_at, asked.route.as_str()), (None, ""));
        let other = Some(r#"{"amount":2}"#);
        assert!(
            matches!(
                bench.vote("ana", Vote::Approve, other),
                Err(Refusal::EditRefused(_))
            ),
            "what has run does not come back as something else"
        );
        let events = bench.vote("ana", Vote::Approve, None).unwrap();
        assert!(
            matches!(&events[..], [_, _, Event::CallDispatched { call: which, attempt: 2, args, .. }]
                if *which == call && *args == sent),
            "{class}: {events:?}"
        );
        bench.result(&call, "w-1", "{}").unwrap();
        assert_eq!(bench.status(1, 0), "succeeded");
    }
}

#[test]
fn a_second_failure_asks_again_and_a_rejection_tells_the_handlers_code() {
    let mut bench = bench(OnFailure::Escalate);
    bench.ask(&[("irreversible_action", ONE)]);
    let call = bench.call(1, 0);
    bench.fails(&call, "w-1").unwrap();
    bench.restart();
    let first = bench.pending();
    bench.vote("ana", Vote::Approve, None).unwrap();
    assert_eq!(
        kinds(&bench.fails(&call, "w-1").unwrap()),
        ["call_erred", "approval_opened"]
    );
    assert_ne!(bench.pending(), first);
    let events = bench.vote("ana", Vote::Reject, None).unwrap();
    assert_eq!(
        kinds(&events),
        ["approval_voted", "approval_closed", "call_failed"]
    );
    let (code, handler_code, message) = told(&bench);
    assert_eq!((code, handler_code), (handler_error().0, handler_error().1));
    assert_eq!(
        message,
        "the printer is on fire (a person decided that it does not run again)"
    );
    assert_eq!(bench.state.status(), Status::Running);
}

#[test]
fn other_ends_of_a_call_are_no_failure_of_its_handler() {
    for on_failure in [OnFailure::Retry, OnFailure::Escalate, OnFailure::Fail] {
        let ask = || {
            let mut bench = bench(on_failure);
            bench.ask(&[("read_only", ONE)]);
            bench
        };
        let mut bench = ask();
        let call = bench.call(1, 0);
        assert_eq!(
            kinds(&bench.result(&call, "w-1", "no json").unwrap()),
            ["call_failed"]
        );
        assert_eq!(told(&bench).0, "invalid_result");

        let mut bench = ask();
        let nack = Input::Nacked {
            call: bench.call(1, 0),
            worker: WorkerId::new("w-1"),
            code: "invalid_args".to_owned(),
            message: String::new(),
        };
        assert_eq!(kinds(&bench.tell(nack).unwrap()), ["call_failed"]);
        assert_eq!(bench.state.status(), Status::Running);

        let mut bench = ask();
        assert_eq!(unknown(&mut bench, 1), ["call_unknown", "call_queued"]);
    }
}

#[test]
fn a_cancelled_call_only_ends() {
    for on_failure in [OnFailure::Retry, OnFailure::Escalate, OnFailure::Fail] {
        // The session was cancelled; the worker gives up and says so.
        let mut bench = bench(on_failure);
        bench.ask(&[("read_only", ONE)]);
        let by = "ana".to_owned();
        bench.tell(Input::Cancel { by }).unwrap();
        let call = bench.call(1, 0);
        assert_eq!(kinds(&bench.fails(&call, "w-1").unwrap()), ["call_failed"]);
        assert_eq!(bench.state.status(), Status::Cancelled);

        // The call's own deadline has passed, and the worker was told.
        let mut bench = self::bench(on_failure);
        bench.ask(&[("read_only", ONE)]);
        let call = bench.call(1, 0);
        bench.now = bench.now.plus_ms(bench.plan.settings.call_ms_max);
        assert_eq!(kinds(&bench.fails(&call, "w-1").unwrap()), ["call_failed"]);
        assert_eq!(bench.state.status(), Status::Running);
    }
}

#[test]
fn what_comes_after_the_model_was_told_is_evidence() {
    for on_failure in [OnFailure::Retry, OnFailure::Escalate, OnFailure::Fail] {
        let mut bench = bench(on_failure);
        bench.ask(&[("read_only", ONE)]);
        let call = bench.call(1, 0);
        for attempt in 1..=2 {
            unknown(&mut bench, attempt);
            bench.slot(&call, "w-1");
        }
        assert_eq!(
            unknown(&mut bench, 3),
            ["call_unknown", "call_indeterminate"]
        );
        assert_eq!(kinds(&bench.fails(&call, "w-1").unwrap()), ["call_failed"]);
        assert_eq!(told(&bench).0, "indeterminate", "what was told stays told");
        assert_eq!(bench.state.status(), Status::Running);
    }
}

#[test]
fn a_late_failure_settles_an_open_question_and_follows_the_tool() {
    let mut bench = bench(OnFailure::Escalate);
    bench.ask(&[("irreversible_action", ONE)]);
    unknown(&mut bench, 1);
    let doubt = bench.pending();
    let call = bench.call(1, 0);
    assert_eq!(
        kinds(&bench.fails(&call, "w-1").unwrap()),
        ["approval_closed", "call_erred", "approval_opened"]
    );
    assert_ne!(bench.pending(), doubt);
    assert_eq!(
        bench.status(1, 0),
        "awaiting_approval",
        "nothing is in doubt"
    );
}

#[test]
fn failing_ends_the_session_and_settles_what_is_open() {
    let mut bench = Bench::with(|it| it.tools[0].on_failure = OnFailure::Fail);
    bench.ask(&[
        ("read_only", ONE),
        ("non_idempotent_write", r#"{"amount":150}"#),
        ("irreversible_action", ONE),
    ]);
    let call = bench.call(1, 0);
    let events = bench.fails(&call, "w-1").unwrap();
    assert_eq!(
        kinds(&events),
        ["call_failed", "approval_closed", "call_cancelled", "ended"]
    );
    let ended = bench.state.ended.clone().unwrap();
    assert_eq!(
        ended.reason,
        "read_only failed (on_failure=fail): E42: the printer is on fire"
    );
    let closed = events.iter().any(|it| {
        matches!(it, Event::ApprovalClosed { outcome, .. } if *outcome == ApprovalOutcome::Cancelled)
    });
    assert!(closed, "{events:?}");
    // The one that is with a worker is told, and waited for.
    assert_eq!(bench.status(1, 2), "dispatched");
    assert_eq!(outstanding(&bench.state, bench.now).len(), 2);
}

#[test]
fn the_end_of_a_session_tells_what_a_waiting_call_came_to() {
    let mut bench = bench(OnFailure::Retry);
    bench.ask(&[("read_only", ONE)]);
    let call = bench.call(1, 0);
    bench.fails(&call, "w-1").unwrap();
    let by = "ana".to_owned();
    let events = bench.tell(Input::Cancel { by }).unwrap();
    assert_eq!(kinds(&events), ["call_failed", "ended"]);
    assert!(outstanding(&bench.state, bench.now).is_empty());
    assert_eq!(next_wake(&bench.plan, &bench.state, bench.now), None);
    let late = Input::Result {
        call,
        worker: WorkerId::new("w-1"),
        result: CallResult::Failed {
            code: "E42".to_owned(),
            message: String::new(),
        },
    };
    assert_eq!(bench.tell(late), Err(Refusal::AlreadyFinished));
}
