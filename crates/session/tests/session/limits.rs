//! Budgets of a run.

use session::{Input, Status};

use crate::bench::{Bench, kinds, reply};

fn reason(bench: &Bench) -> String {
    bench
        .state
        .ended
        .as_ref()
        .map(|it| it.reason.clone())
        .unwrap_or_default()
}

#[test]
fn iterations_end_the_run_when_the_next_would_be_one_too_many() {
    let mut bench = Bench::with(|it| it.limits.max_loop_iterations = Some(2));
    for completion in 1..=2 {
        bench.ask(&[("read_only", r#"{"amount":1}"#)]);
        assert_eq!(bench.state.status(), Status::AwaitingTool);
        let call = bench.call(completion, 0);
        bench.result(&call, "w-1", "{}").unwrap();
    }
    assert_eq!(bench.state.status(), Status::Failed);
    assert_eq!(
        reason(&bench),
        "run limit max_loop_iterations exceeded (on_limit=halt)"
    );
}

#[test]
fn tokens_are_counted_over_the_whole_run() {
    let mut bench = Bench::with(|it| it.limits.max_tokens_per_run = Some(150));
    bench.ask(&[("read_only", r#"{"amount":1}"#)]);
    let call = bench.call(1, 0);
    bench.result(&call, "w-1", "{}").unwrap();
    assert_eq!(bench.state.status(), Status::Running);
    bench.ask(&[("read_only", r#"{"amount":1}"#)]);
    let call = bench.call(2, 0);
    bench.result(&call, "w-1", "{}").unwrap();
    assert_eq!(
        reason(&bench),
        "run limit max_tokens_per_run exceeded (on_limit=halt)"
    );
}

#[test]
fn one_turn_cannot_escape_the_limit_of_calls() {
    let mut bench = Bench::with(|it| it.limits.max_tool_calls = Some(2));
    let calls = [("read_only", r#"{"amount":1}"#); 5];
    let events = bench.ask(&calls);
    let count = |kind: &str| kinds(&events).iter().filter(|it| *it == kind).count();
    assert_eq!((count("call_dispatched"), count("call_refused")), (2, 3));
    for index in 0..2 {
        let call = bench.call(1, index);
        bench.result(&call, "w-1", "{}").unwrap();
    }
    assert_eq!(
        reason(&bench),
        "run limit max_tool_calls exceeded (on_limit=halt)"
    );
}

#[test]
fn the_wall_clock_stands_still_while_people_decide() {
    let mut bench = Bench::with(|it| it.limits.max_wall_clock_seconds = Some(600));
    bench.ask(&[("read_only", r#"{"amount":150}"#)]);
    assert!(bench.pass_minutes(20).is_empty());
    bench.vote("ana", session::Vote::Approve, None).unwrap();
    // Now the tool runs, and that counts.
    assert!(bench.pass_minutes(9).is_empty());
    let events = bench.pass_minutes(2);
    assert_eq!(kinds(&events), ["ended"]);
    assert_eq!(
        reason(&bench),
        "run limit max_wall_clock_seconds exceeded (on_limit=halt)"
    );
    // The call that is with a worker may still say how it ended.
    let call = bench.call(1, 0);
    assert_eq!(
        kinds(&bench.result(&call, "w-1", "{}").unwrap()),
        ["call_succeeded"]
    );
    assert_eq!(bench.state.status(), Status::Failed);
}

#[test]
fn waiting_for_people_has_a_budget_of_its_own() {
    let mut bench = Bench::with(|it| it.limits.max_hitl_wait_minutes = Some(10));
    bench.ask(&[("read_only", r#"{"amount":150}"#)]);
    assert!(bench.pass_minutes(9).is_empty());
    let events = bench.pass_minutes(1);
    assert_eq!(
        kinds(&events),
        ["approval_closed", "call_cancelled", "ended"]
    );
    assert_eq!(
        reason(&bench),
        "run limit max_hitl_wait_minutes exceeded (on_limit=halt)"
    );
}

#[test]
fn a_clock_that_steps_back_takes_nothing_from_the_budget() {
    let mut bench = Bench::with(|it| it.limits.max_wall_clock_seconds = Some(600));
    bench.pass_minutes(5);
    bench.now = spec::Time::from_unix_ms(0);
    bench.reply(reply(&[("read_only", r#"{"amount":1}"#)], "tool_use"), true);
    assert_eq!(bench.state.status(), Status::AwaitingTool);
    assert!(bench.tell(Input::Tick).unwrap().is_empty());
}
