//! `available_when`: decided when the session starts, and never again.

use session::{Answer, Status, offered};
use spec::snapshot::{Predicate, Subject};
use spec::{Json, Snapshot};

use crate::bench::{Bench, kinds};

const ONE: &str = r#"{"amount":1}"#;

fn predicate(subject: Subject, any_of: &str) -> Predicate {
    let any_of = Json::parse(any_of.as_bytes()).unwrap();
    Predicate {
        subject,
        any_of: any_of.as_array().unwrap().to_vec(),
    }
}

fn input(path: &str, any_of: &str) -> Predicate {
    predicate(Subject::SessionInput(path.to_owned()), any_of)
}

fn env(key: &str, any_of: &str) -> Predicate {
    predicate(Subject::RuntimeEnv(key.to_owned()), any_of)
}

fn with(predicates: Vec<Predicate>) -> impl FnOnce(&mut Snapshot) {
    move |snapshot| snapshot.tools[0].available_when = predicates
}

fn is_offered(bench: &Bench) -> bool {
    offered(&bench.plan, &bench.state)
        .iter()
        .any(|it| it.wire_name == "read_only")
}

#[test]
fn the_sessions_input_decides() {
    let given = r#"{"tier":"gold","n":1,"big":9007199254740993,"no":null,"on":true,
        "customer":{"country":"NO","tags":["a"]},"a.b":"dotted","list":[{"x":1}]}"#;
    let cases = [
        ("tier", r#"["gold"]"#, true),
        ("tier", r#"["silver","gold"]"#, true),
        ("tier", r#"["silver"]"#, false),
        ("tier", r#"["Gold"]"#, false),
        ("customer.country", r#"["NO"]"#, true),
        ("customer.tags", r#"[["a"]]"#, true),
        ("customer.tags", r#"["a"]"#, false),
        ("n", "[1.0]", true),
        ("n", r#"["1"]"#, false),
        ("big", "[9007199254740993]", true),
        ("big", "[9007199254740992]", false),
        ("no", "[null]", true),
        ("on", "[true]", true),
        ("on", r#"["true"]"#, false),
        // What cannot be found or walked is false, whatever is asked for.
        ("missing", "[null]", false),
        ("customer.missing.deeper", "[null]", false),
        ("tier.length", "[4]", false),
        ("list.0.x", "[1]", false),
        ("a.b", r#"["dotted"]"#, false),
        ("", r#"["gold"]"#, false),
        ("tier", "[]", false),
    ];
    for (path, any_of, holds) in cases {
        let bench = Bench::started(with(vec![input(path, any_of)]), given, &[]);
        assert_eq!(is_offered(&bench), holds, "{path} {any_of}");
    }
}

#[test]
fn only_what_the_operator_lists_can_be_looked_at() {
    for (env, holds) in [
        (&[("REGION", "eu")][..], true),
        (&[("REGION", "us")][..], false),
        (&[][..], false),
    ] {
        let predicates = vec![self::env("REGION", r#"["eu"]"#)];
        let bench = Bench::started(with(predicates), "{}", env);
        assert_eq!(is_offered(&bench), holds, "{env:?}");
    }
    // A variable is text.
    let bench = Bench::started(with(vec![env("N", "[1]")]), "{}", &[("N", "1")]);
    assert!(!is_offered(&bench));
}

#[test]
fn every_predicate_must_hold() {
    let both = || {
        vec![
            // Publish has decided this one.
            predicate(Subject::AgentCapability, r#"["billing"]"#),
            input("tier", r#"["gold"]"#),
            env("REGION", r#"["eu"]"#),
        ]
    };
    for (tier, region, holds) in [
        ("gold", "eu", true),
        ("gold", "us", false),
        ("base", "eu", false),
    ] {
        let given = format!(r#"{{"tier":"{tier}"}}"#);
        let bench = Bench::started(with(both()), &given, &[("REGION", region)]);
        assert_eq!(is_offered(&bench), holds, "{tier} {region}");
    }
}

#[test]
fn a_call_of_what_is_not_there_is_refused_in_its_place() {
    let missing = || with(vec![input("tier", r#"["gold"]"#)]);
    let cases = [
        // Arguments that do not parse are that, first.
        ("{", "invalid_args"),
        ("[]", "invalid_args"),
        // The contract comes later, and so do the policies (5000 is denied).
        (r#"{"amount":"x"}"#, "unavailable_tool"),
        (r#"{"amount":5000}"#, "unavailable_tool"),
        (ONE, "unavailable_tool"),
    ];
    for (args, expected) in cases {
        let mut bench = Bench::started(missing(), "{}", &[]);
        bench.ask(&[("read_only", args), ("idempotent_write", ONE)]);
        assert_eq!(bench.status(1, 0), "refused");
        assert_eq!(bench.status(1, 1), "dispatched", "its siblings go");
        let call = bench.state.call(&bench.call(1, 0)).unwrap();
        let Some(Answer::Error { code, message, .. }) = &call.answer else {
            panic!("no error");
        };
        assert_eq!(code, expected, "{args}");
        if expected == "unavailable_tool" {
            assert_eq!(
                message,
                "the tool \"read_only\" is not available in this session: session.input.tier is not \
                 \"gold\""
            );
        }
    }
}

#[test]
fn what_was_decided_stays_decided() {
    let predicates = vec![env("REGION", r#"["eu","no"]"#)];
    let mut bench = Bench::started(with(predicates), "{}", &[("REGION", "us")]);
    let why = "runtime.env.REGION is none of \"eu\", \"no\"";
    assert_eq!(bench.state.unavailable["read_only"], why);
    // A new process has nothing but the journal to go by.
    bench.restart();
    assert!(!is_offered(&bench));
    bench.ask(&[("read_only", ONE)]);
    assert_eq!(bench.status(1, 0), "refused");
    assert_eq!(bench.state.status(), Status::Running);
}

#[test]
fn deciding_costs_no_commit() {
    let predicates = vec![env("REGION", r#"["eu"]"#)];
    let bench = Bench::started(with(predicates), r#"{"message":"go"}"#, &[]);
    let events: Vec<_> = bench.journal.iter().map(|it| it.event.clone()).collect();
    assert_eq!(
        kinds(&events),
        ["started", "evidence_recorded", "user_message"]
    );
}
