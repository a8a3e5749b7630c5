//! `terminal`: a success ends the loop with its result. And tools that nobody here dials.

use session::{Answer, Event, Input, Outcome, Status, UnknownCause, Vote, outstanding};
use spec::Snapshot;
use spec::snapshot::{Backend, Delegation, DelegationResult, SessionMode};

use crate::bench::{Bench, kinds};

const ONE: &str = r#"{"amount":1}"#;

fn terminal(mode: SessionMode) -> impl FnOnce(&mut Snapshot) {
    move |it| {
        it.session = mode;
        it.tools[0].terminal = true;
        it.tools[2].terminal = true;
    }
}

fn single() -> Bench {
    Bench::with(terminal(SessionMode::SingleTurn))
}

#[test]
fn a_success_completes_a_single_turn_in_the_same_commit() {
    let mut bench = single();
    bench.ask(&[("read_only", ONE)]);
    let call = bench.call(1, 0);
    let events = bench.result(&call, "w-1", r#"{"ticket":7}"#).unwrap();
    assert_eq!(kinds(&events), ["call_succeeded", "ended"]);
    let ended = bench.state.ended.clone().unwrap();
    assert_eq!(ended.outcome, Outcome::Completed);
    assert_eq!(ended.reason, "terminal_tool");
    assert_eq!(bench.state.terminal_call().unwrap().id, call);
}

#[test]
fn a_conversation_parks_and_goes_on_when_somebody_says_so() {
    let mut bench = Bench::with(terminal(SessionMode::Conversation));
    bench.ask(&[("read_only", ONE)]);
    let call = bench.call(1, 0);
    let events = bench.result(&call, "w-1", "{}").unwrap();
    assert_eq!(kinds(&events), ["call_succeeded"]);
    assert_eq!(bench.state.status(), Status::AwaitingInput);
    assert!(outstanding(&bench.state, bench.now).is_empty());
    bench.restart();
    assert_eq!(bench.state.status(), Status::AwaitingInput);
    let text = "once more".to_owned();
    bench.tell(Input::Say { text }).unwrap();
    assert_eq!(bench.state.status(), Status::Running);
    assert_eq!(outstanding(&bench.state, bench.now).len(), 1);
    bench.say("done");
    assert_eq!(bench.state.terminal_call(), None, "of an earlier turn");
}

#[test]
fn every_call_of_the_turn_has_its_outcome_first() {
    let mut bench = single();
    bench.ask(&[
        ("non_idempotent_write", ONE),
        ("idempotent_write", ONE),
        ("read_only", ONE),
    ]);
    let calls: Vec<_> = (0..3).map(|it| bench.call(1, it)).collect();
    // The last in the model's order comes first: the order of arrival does not matter.
    bench.result(&calls[2], "w-1", r#"{"from":2}"#).unwrap();
    assert_eq!(bench.state.status(), Status::AwaitingTool);
    bench.result(&calls[0], "w-1", r#"{"from":0}"#).unwrap();
    assert_eq!(bench.state.status(), Status::AwaitingTool);
    let events = bench.fails(&calls[1], "w-1").unwrap();
    assert_eq!(kinds(&events), ["call_failed", "ended"]);
    assert_eq!(bench.state.terminal_call().unwrap().id, calls[0]);
}

#[test]
fn a_person_may_have_the_last_word_of_the_turn() {
    let mut bench = single();
    bench.ask(&[
        ("read_only", ONE),
        ("irreversible_action", r#"{"amount":150}"#),
    ]);
    let call = bench.call(1, 0);
    bench.result(&call, "w-1", "{}").unwrap();
    assert_eq!(bench.state.status(), Status::AwaitingApproval);
    let events = bench.vote("ana", Vote::Reject, None).unwrap();
    assert_eq!(
        kinds(&events),
        ["approval_voted", "approval_closed", "call_failed", "ended"]
    );
    assert_eq!(bench.state.status(), Status::Completed);
}

#[test]
fn without_a_success_the_loop_goes_on() {
    let ends: [fn(&mut Bench); 3] = [
        |bench| {
            let call = bench.call(1, 0);
            bench.fails(&call, "w-1").unwrap();
        },
        |bench| {
            let call = bench.call(1, 0);
            bench.result(&call, "w-1", "not json").unwrap();
        },
        |bench| {
            for attempt in 1..=3 {
                let call = bench.call(1, 0);
                let cause = UnknownCause::LeaseExpired;
                let unknown = Input::Unknown {
                    call: call.clone(),
                    attempt,
                    cause,
                };
                bench.tell(unknown).unwrap();
                if attempt < 3 {
                    bench.slot(&call, "w-1");
                }
            }
        },
    ];
    for end in ends {
        let mut bench = single();
        bench.ask(&[("read_only", ONE)]);
        end(&mut bench);
        assert_eq!(bench.state.status(), Status::Running);
        // What arrives after the model was told otherwise does not end it either.
        let call = bench.call(1, 0);
        bench.result(&call, "w-1", "{}").ok();
        assert_eq!(bench.state.status(), Status::Running);
    }
    // Nor does another tool's.
    let mut bench = single();
    bench.ask(&[("idempotent_write", ONE)]);
    let call = bench.call(1, 0);
    bench.result(&call, "w-1", "{}").unwrap();
    assert_eq!(bench.state.status(), Status::Running);
}

#[test]
fn the_end_is_no_breach_of_a_limit() {
    for (mode, status) in [
        (SessionMode::SingleTurn, Status::Completed),
        (SessionMode::Conversation, Status::AwaitingInput),
    ] {
        let mut bench = Bench::with(|it| {
            it.session = mode;
            it.tools[0].terminal = true;
            it.limits.max_loop_iterations = Some(1);
        });
        bench.ask(&[("read_only", ONE)]);
        let call = bench.call(1, 0);
        bench.result(&call, "w-1", "{}").unwrap();
        assert_eq!(bench.state.status(), status);
    }
}

#[test]
fn completing_a_parked_conversation_keeps_the_reason() {
    let mut bench = Bench::with(terminal(SessionMode::Conversation));
    bench.ask(&[("read_only", ONE)]);
    let call = bench.call(1, 0);
    bench.result(&call, "w-1", "{}").unwrap();
    let by = "ana".to_owned();
    bench.tell(Input::Complete { by }).unwrap();
    assert_eq!(bench.state.ended.clone().unwrap().reason, "terminal_tool");
}

#[test]
fn what_nobody_here_dials_is_answered_at_once() {
    let mcp = Backend::Mcp {
        server: "crm".to_owned(),
        tool: "lookup".to_owned(),
    };
    let agent = Backend::Agent(Delegation {
        agent: "acme.helper".to_owned(),
        version: None,
        result: DelegationResult::Summary,
    });
    let says = [
        (mcp, "does not dial MCP servers (\"crm\")"),
        (agent, "does not run delegations (\"acme.helper\")"),
    ];
    for (backend, says) in says {
        // 150 would ask a person, who would be asked in vain.
        for amount in [1, 150] {
            let mut bench = Bench::with(|it| it.tools[0].backend = backend.clone());
            let args = format!(r#"{{"amount":{amount}}}"#);
            let events = bench.ask(&[("read_only", &args)]);
            assert_eq!(
                kinds(&events),
                ["assistant_message", "call_proposed", "call_refused"]
            );
            let call = bench.state.call(&bench.call(1, 0)).unwrap();
            assert!(
                matches!(&call.answer, Some(Answer::Error { code, message, .. })
                    if code == "no_handler" && message.contains(says)),
                "{:?}",
                call.answer
            );
            assert_eq!(bench.state.status(), Status::Running);
        }
        // Checks that come before keep their word.
        let mut bench = Bench::with(|it| it.tools[0].backend = backend.clone());
        let events = bench.ask(&[("read_only", r#"{"amount":5000}"#)]);
        assert!(
            events
                .iter()
                .any(|it| matches!(it, Event::CallRefused { code, .. } if code == "policy_denied")),
            "{events:?}"
        );
    }
}
