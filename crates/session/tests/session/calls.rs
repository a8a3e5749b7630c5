//! Calls: judged, dispatched, answered, lost.

use session::{Answer, Input, NoSlot, Refusal, Status, UnknownCause};
use spec::{SideEffectClass, WorkerId};

use crate::bench::{Bench, kinds, reply, worker_slot};

const ONE: &str = r#"{"amount":1}"#;

fn unknown(bench: &mut Bench, attempt: u32) -> Vec<String> {
    let call = bench.call(1, 0);
    let cause = UnknownCause::LeaseExpired;
    kinds(
        &bench
            .tell(Input::Unknown {
                call,
                attempt,
                cause,
            })
            .unwrap(),
    )
}

#[test]
fn what_an_unknown_outcome_does_follows_the_class() {
    for class in SideEffectClass::ALL {
        let mut bench = Bench::new();
        bench.ask(&[(class.as_str(), ONE)]);
        let then = if class.may_rerun() {
            "call_queued"
        } else {
            "approval_opened"
        };
        assert_eq!(unknown(&mut bench, 1), ["call_unknown", then], "{class}");
        let waits = if class.may_rerun() {
            "queued"
        } else {
            "indeterminate"
        };
        assert_eq!(bench.status(1, 0), waits, "{class}");
    }
}

#[test]
fn three_attempts_in_all_and_then_the_truth() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ONE)]);
    for attempt in 1..=3 {
        let events = unknown(&mut bench, attempt);
        if attempt < 3 {
            assert_eq!(events, ["call_unknown", "call_queued"]);
            let (call, slot) = (bench.call(1, 0), worker_slot("w-1"));
            let events = bench.tell(Input::SlotReady { call, slot }).unwrap();
            assert_eq!(kinds(&events), ["call_dispatched"]);
        } else {
            assert_eq!(events, ["call_unknown", "call_indeterminate"]);
        }
    }
    assert_eq!(bench.state.status(), Status::Running);
}

#[test]
fn an_outcome_of_another_attempt_is_stale() {
    let mut bench = Bench::new();
    bench.ask(&[("read_only", ONE)]);
    let input = Input::Unknown {
        call: bench.call(1, 0),
        attempt: 2,
        cause: UnknownCause::Indeterminate,
    };
    assert_eq!(bench.tell(input), Err(Refusal::Stale));
}

#[test]
fn a_late_result_settles_an_open_question() {
    let mut bench = Bench::new();
    bench.ask(&[("irreversible_action", ONE)]);
    unknown(&mut bench, 1);
    let call = bench.call(1, 0);
    assert_eq!(bench.result(&call, "w-2", "{}"), Err(Refusal::NotHolder));
    let events = bench.result(&call, "w-1", r#"{"done":true}"#).unwrap();
    assert_eq!(kinds(&events), ["approval_closed", "call_succeeded"]);
    assert_eq!(bench.state.status(), Status::Running);
    // The same again is nothing, another one evidence.
    assert_eq!(
        bench.result(&call, "w-1", r#"{"done":true}"#),
        Err(Refusal::AlreadyFinished)
    );
    let events = bench.result(&call, "w-1", r#"{"done":false}"#).unwrap();
    assert_eq!(kinds(&events), ["result_conflict"]);
    assert_eq!(bench.status(1, 0), "succeeded");
}

#[test]
fn what_the_model_was_told_stays_told() {
    let mut bench = Bench::new();
    bench.ask(&[("non_idempotent_write", ONE)]);
    unknown(&mut bench, 1);
    bench.vote("ana", session::Vote::Reject, None).unwrap();
    let call = bench.call(1, 0);
    let answer = bench.state.call(&call).unwrap().answer.clone();
    assert!(matches!(&answer, Some(Answer::Error { code, .. }) if code == "indeterminate"));
    assert_eq!(bench.state.status(), Status::Running);
    bench.result(&call, "w-1", "{}").unwrap();
    assert_eq!(bench.status(1, 0), "succeeded");
    assert_eq!(bench.state.call(&call).unwrap().answer, answer);
}

#[test]
fn calls_cut_by_the_output_limit_never_run() {
    let mut bench = Bench::new();
    let events = bench.reply(
        reply(
            &[("read_only", ONE), ("read_only", r#"{"amo"#)],
            "max_tokens",
        ),
        true,
    );
    assert_eq!(
        kinds(&events),
        [
            "assistant_message",
            "call_proposed",
            "call_refused",
            "call_proposed",
            "call_refused"
        ]
    );
    assert_eq!(bench.state.status(), Status::Running);
}

#[test]
fn nobody_to_run_it_is_told_unless_it_may_have_run() {
    let mut bench = Bench::new();
    bench.reply(reply(&[("read_only", ONE)], "tool_use"), false);
    let input = |bench: &Bench| Input::NoSlot {
        call: bench.call(1, 0),
        cause: NoSlot::NoHandler,
    };
    let events = bench.tell(input(&bench)).unwrap();
    assert_eq!(kinds(&events), ["call_failed"]);

    let mut bench = Bench::new();
    bench.ask(&[("read_only", ONE)]);
    unknown(&mut bench, 1);
    let events = bench.tell(input(&bench)).unwrap();
    assert_eq!(kinds(&events), ["call_indeterminate"]);
}

#[test]
fn nacks_share_the_counter_of_attempts() {
    let mut bench = Bench::new();
    bench.ask(&[("non_idempotent_write", ONE)]);
    for attempt in 1..=3 {
        let call = bench.call(1, 0);
        let events = bench.tell(Input::Nacked {
            call: call.clone(),
            worker: WorkerId::new("w-1"),
            code: "busy".to_owned(),
            message: String::new(),
        });
        let kinds = kinds(&events.unwrap());
        if attempt == 3 {
            assert_eq!(kinds, ["call_nacked", "call_failed"]);
        } else {
            assert_eq!(kinds, ["call_nacked"]);
            assert_eq!(bench.status(1, 0), "queued");
            bench
                .tell(Input::SlotReady {
                    call,
                    slot: worker_slot("w-1"),
                })
                .unwrap();
        }
    }
    assert_eq!(bench.status(1, 0), "failed");
}

#[test]
fn after_a_cancel_only_evidence_follows() {
    let mut bench = Bench::new();
    bench.ask(&[
        ("non_idempotent_write", ONE),
        ("read_only", ONE),
        ("read_only", r#"{"amount":150}"#),
    ]);
    let events = bench
        .tell(Input::Cancel {
            by: "ana".to_owned(),
        })
        .unwrap();
    assert_eq!(
        kinds(&events),
        ["approval_closed", "call_cancelled", "ended"]
    );
    assert!(matches!(
        bench.tell(Input::Cancel {
            by: "ana".to_owned()
        }),
        Err(Refusal::Ended { .. })
    ));
    assert!(matches!(
        bench.tell(Input::Say {
            text: "hi".to_owned()
        }),
        Err(Refusal::Ended { .. })
    ));
    // One answers, the other is given up after the grace, by its class.
    let read = bench.call(1, 1);
    bench.result(&read, "w-1", "{}").unwrap();
    assert_eq!(kinds(&bench.pass_minutes(1)), ["call_indeterminate"]);
    assert_eq!(bench.state.status(), Status::Cancelled);
}
