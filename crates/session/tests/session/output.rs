//! `output`: what the final answer must be, and what one does that is not.

use session::{Event, Input, Message, Outcome, Status, outstanding};
use spec::Json;
use spec::snapshot::{OnInvalid, OutputFormat, SessionMode};

use crate::bench::{Bench, kinds};

const SCHEMA: &str = r#"{"type":"object","properties":{"total":{"type":"integer"}},
    "required":["total"],"additionalProperties":false}"#;

fn bench(on_invalid: OnInvalid, schema: Option<&str>) -> Bench {
    Bench::with(|it| {
        it.output.format = OutputFormat::Json;
        it.output.on_invalid = on_invalid;
        it.output.schema = schema.map(|it| Json::parse(it.as_bytes()).unwrap());
    })
}

fn reason(bench: &Bench) -> String {
    bench.state.ended.clone().unwrap().reason
}

/// What the model was told last.
fn correction(bench: &Bench) -> String {
    match bench.state.messages.last() {
        Some(Message::Correction { text, .. }) => bench.bytes(text),
        other => panic!("no correction: {other:?}"),
    }
}

#[test]
fn an_answer_that_keeps_the_contract_is_the_output() {
    for on_invalid in [OnInvalid::Retry, OnInvalid::Repair, OnInvalid::Fail] {
        let mut bench = bench(on_invalid, Some(SCHEMA));
        let events = bench.say(" {\"total\": 9007199254740993}\n");
        assert_eq!(
            kinds(&events),
            ["assistant_message", "output_accepted", "ended"]
        );
        assert_eq!(bench.state.status(), Status::Completed);
        assert_eq!(reason(&bench), "end_turn");
        let output = bench.state.output.unwrap();
        assert_eq!(bench.bytes(&output), r#"{"total":9007199254740993}"#);
        assert!(matches!(
            events[1],
            Event::OutputAccepted {
                repaired: false,
                ..
            }
        ));
    }
}

#[test]
fn without_a_schema_any_json_will_do() {
    for (text, status) in [
        ("7", Status::Completed),
        ("null", Status::Completed),
        ("[1]", Status::Completed),
        ("words", Status::Running),
        ("", Status::Running),
        ("{\"a\":1,\"a\":2}", Status::Running),
        ("{\"a\":1} {}", Status::Running),
        ("NaN", Status::Running),
    ] {
        let mut bench = bench(OnInvalid::Retry, None);
        bench.say(text);
        assert_eq!(bench.state.status(), status, "{text}");
    }
}

#[test]
fn the_model_is_told_what_is_wrong_and_answers_again() {
    let mut bench = bench(OnInvalid::Retry, Some(SCHEMA));
    let events = bench.say(r#"{"total":"12"}"#);
    assert_eq!(kinds(&events), ["assistant_message", "output_rejected"]);
    let told = correction(&bench);
    assert!(told.contains("/total"), "{told}");
    assert_eq!(outstanding(&bench.state, bench.now).len(), 1);
    bench.restart();
    assert_eq!(bench.state.status(), Status::Running);
    // It may look something up first.
    bench.ask(&[("read_only", r#"{"amount":1}"#)]);
    let call = bench.call(2, 0);
    bench.result(&call, "w-1", "{}").unwrap();
    bench.say(r#"{"total":12}"#);
    assert_eq!(bench.state.status(), Status::Completed);
}

#[test]
fn three_corrections_a_turn_and_then_it_fails() {
    for on_invalid in [OnInvalid::Retry, OnInvalid::Repair] {
        let mut bench = bench(on_invalid, Some(SCHEMA));
        for _ in 0..3 {
            let events = bench.say("no idea");
            assert_eq!(kinds(&events), ["assistant_message", "output_rejected"]);
            bench.restart();
        }
        let events = bench.say("no idea");
        assert_eq!(kinds(&events), ["assistant_message", "ended"]);
        let ended = bench.state.ended.clone().unwrap();
        assert_eq!(ended.outcome, Outcome::Failed);
        assert!(
            ended.reason.starts_with("invalid output (on_invalid=re"),
            "{}",
            ended.reason
        );
        assert_eq!(bench.state.output, None);
    }
}

#[test]
fn a_new_turn_has_its_own_corrections() {
    let mut bench = Bench::with(|it| {
        it.session = SessionMode::Conversation;
        it.output.format = OutputFormat::Json;
    });
    for _ in 0..2 {
        for _ in 0..3 {
            bench.say("no idea");
            assert_eq!(bench.state.status(), Status::Running);
        }
        assert_eq!(
            bench.state.output, None,
            "an earlier turn's is not this one's"
        );
        bench.say("{}");
        assert_eq!(bench.state.status(), Status::AwaitingInput);
        assert!(bench.state.output.is_some());
        let text = "again".to_owned();
        bench.tell(Input::Say { text }).unwrap();
    }
    assert_eq!(bench.state.status(), Status::Running);
}

#[test]
fn corrections_stay_inside_the_limits() {
    let mut bench = Bench::with(|it| {
        it.output.format = OutputFormat::Json;
        it.limits.max_loop_iterations = Some(2);
    });
    bench.say("no idea");
    let events = bench.say("no idea");
    assert_eq!(
        kinds(&events),
        ["assistant_message", "output_rejected", "ended"]
    );
    assert_eq!(
        reason(&bench),
        "run limit max_loop_iterations exceeded (on_limit=halt)"
    );
}

#[test]
fn what_can_be_mended_is_mended_and_the_record_says_so() {
    let said = "Here you are:\n```json\n{\"total\": 12,}\n```\nBye!";
    let mut bench = bench(OnInvalid::Repair, Some(SCHEMA));
    let events = bench.say(said);
    assert!(
        matches!(
            events[..],
            [_, Event::OutputAccepted { repaired: true, .. }, _]
        ),
        "{events:?}"
    );
    let output = bench.state.output.unwrap();
    assert_eq!(bench.bytes(&output), r#"{"total":12}"#);

    // Nobody mends what was not asked to be mended.
    for on_invalid in [OnInvalid::Retry, OnInvalid::Fail] {
        let mut bench = self::bench(on_invalid, Some(SCHEMA));
        bench.say(said);
        assert_ne!(bench.state.status(), Status::Completed);
    }

    // What is mended must still keep the contract.
    let mut bench = self::bench(OnInvalid::Repair, Some(SCHEMA));
    bench.say("```json\n{\"sum\": 12}\n```");
    assert!(correction(&bench).contains("total"));
}

#[test]
fn failing_fails_at_once() {
    let mut bench = bench(OnInvalid::Fail, None);
    let events = bench.say("no idea");
    assert_eq!(kinds(&events), ["assistant_message", "ended"]);
    assert_eq!(bench.state.status(), Status::Failed);
    assert!(
        reason(&bench).starts_with("invalid output (on_invalid=fail): it is not JSON"),
        "{}",
        reason(&bench)
    );
}

#[test]
fn text_and_terminal_results_are_not_checked() {
    let mut bench = Bench::new();
    bench.say("just words");
    assert_eq!(bench.state.status(), Status::Completed);
    assert_eq!(bench.state.output, None);

    let mut bench = Bench::with(|it| {
        it.output.format = OutputFormat::Json;
        it.output.on_invalid = OnInvalid::Fail;
        it.output.schema = Some(Json::parse(SCHEMA.as_bytes()).unwrap());
        it.tools[0].terminal = true;
    });
    bench.ask(&[("read_only", r#"{"amount":1}"#)]);
    let call = bench.call(1, 0);
    bench.result(&call, "w-1", r#"{"other":true}"#).unwrap();
    assert_eq!(bench.state.status(), Status::Completed);
}

#[test]
fn a_schema_that_does_not_compile_is_no_plan() {
    let mut snapshot = crate::bench::snapshot();
    snapshot.output.schema = Some(Json::from_members([("type", Json::from("nonsense"))]));
    let plan = session::Plan::compile(
        spec::VersionId::new("v"),
        snapshot,
        session::Settings::STANDARD,
    );
    let error = plan.err().unwrap().to_string();
    assert!(
        error.starts_with("the output's schema does not compile"),
        "{error}"
    );
}
