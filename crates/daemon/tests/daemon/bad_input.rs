//! Bad input gets a clear error, and harms nothing.

use daemon::Daemon;
use proto::runtime::v1 as wire;
use tonic::Code;
use tonic_types::StatusExt;

use crate::bed::{Bed, agent, bundle, config, script, serve, text};

#[tokio::test(flavor = "multi_thread")]
async fn manifests_that_do_not_hold_are_refused_with_code_and_line() {
    let bed = Bed::new().await;
    let script = script(&[]);
    let good = bundle(&script);
    let agent = good[0].1;
    let cases = [
        (agent.replace("kind: Agent", "kind: [Agent"), "agent.yaml:"),
        (agent.replace("purpose:", "porpuse:"), "porpuse"),
        (
            agent.replace("version: 1.0.0", "version: 1.0"),
            "unquoted `1.0`",
        ),
        (
            agent.replace("test.read@1.0.0", "test.reed@1.0.0"),
            "test.reed",
        ),
        (String::new(), "agent.yaml"),
    ];
    for (text, names) in cases {
        let mut files = good.clone();
        files[0].1 = &text;
        let status = bed.publish(&files).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
        let message = status.message();
        assert!(
            message.contains(names) && message.contains("E0"),
            "{message}"
        );
        let details = status.get_details_bad_request().unwrap();
        let violation = &details.field_violations[0];
        assert!(violation.field.starts_with("agent.yaml"), "{violation:?}");
        assert!(violation.description.starts_with("E0"), "{violation:?}");
    }
    // Nothing of it was kept, and a good one still goes through, once.
    bed.publish(&good).await.unwrap();
    let again = bed.publish(&good).await.unwrap_err();
    assert_eq!(again.code(), Code::AlreadyExists);
    assert!(again.message().contains("identical"), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_break_the_contract_never_run() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let bad = [
        r#""{not json""#,
        r#""{\"amount\":1,\"amount\":9999}""#,
        r#""{}{\"amount\":1}""#,
        r#""[1]""#,
        r#""null""#,
        r#"{"amount":"1"}"#,
        r#"{"ammount":1}"#,
        "{}",
    ];
    let calls: Vec<(&str, &str)> = bad.iter().map(|args| ("pay", *args)).collect();
    let session = bed
        .run(&script(&[
            &calls,
            &[("no_such_tool", "{}")],
            &[("read", r#""""#)],
        ]))
        .await;
    let events = bed.until(&session, "session.completed").await;
    let refused: Vec<String> = events
        .iter()
        .filter(|it| it.r#type == "tool.refused")
        .map(|it| text(it, "code"))
        .collect();
    assert_eq!(refused.len(), bad.len() + 1);
    assert!(
        refused[..bad.len()].iter().all(|it| it == "invalid_args"),
        "{refused:?}"
    );
    assert_eq!(refused[bad.len()], "unavailable_tool");
    // Only the read, whose empty arguments mean an empty object.
    let witness = served.witness.lock().unwrap().clone();
    assert_eq!(witness.keys().collect::<Vec<_>>(), ["test.read"]);
    assert_eq!(witness["test.read"], ["{}"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_reach_the_worker_digit_for_digit() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let calls = [
        ("pay", r#"{"amount":-9007199254740993}"#),
        ("pay", r#"{ "amount": 30.0 }"#),
    ];
    let session = bed.run(&script(&[&calls])).await;
    bed.until(&session, "session.completed").await;
    let mut paid = served.witness.lock().unwrap()["test.pay"].clone();
    paid.sort();
    assert_eq!(
        paid,
        [r#"{"amount":-9007199254740993}"#, r#"{"amount":30}"#]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_and_missing_things_have_their_codes() {
    let mut bed = Bed::new().await;
    let run = |agent_ref, input: &[u8]| wire::RunSessionRequest {
        agent_ref,
        input: input.to_vec(),
        ..Default::default()
    };
    let code = |result: Result<_, tonic::Status>| {
        let status: tonic::Status = result.map(|_: tonic::Response<_>| ()).unwrap_err();
        assert!(!status.message().is_empty());
        status.code()
    };
    let client = &mut bed.client;
    assert_eq!(
        code(client.run_session(run(None, b"")).await),
        Code::InvalidArgument
    );
    assert_eq!(
        code(client.run_session(run(Some(agent("")), b"")).await),
        Code::NotFound
    );
    assert_eq!(
        code(client.run_session(run(Some(agent("")), b"[1]")).await),
        Code::InvalidArgument
    );
    assert_eq!(
        code(client.run_session(run(Some(agent("")), b"{")).await),
        Code::InvalidArgument
    );
    let deploy = wire::DeployRequest {
        agent_ref: Some(agent("9.9.9")),
        actor: String::new(),
    };
    assert_eq!(
        code(
            client
                .deploy(deploy)
                .await
                .map(|_| tonic::Response::new(unused()))
        ),
        Code::NotFound
    );
    for id in ["", "run_none", "not an id"] {
        let inspect = wire::InspectSessionRequest {
            session_id: id.to_owned(),
        };
        let result = client
            .inspect_session(inspect)
            .await
            .map(|_| tonic::Response::new(unused()));
        assert_eq!(code(result), Code::NotFound);
        let cancel = wire::CancelSessionRequest {
            session_id: id.to_owned(),
        };
        let result = client
            .cancel_session(cancel)
            .await
            .map(|_| tonic::Response::new(unused()));
        assert_eq!(code(result), Code::NotFound);
    }
    let bad = client
        .run_session(run(Some(agent("")), b"[1]"))
        .await
        .unwrap_err();
    let field = &bad.get_details_bad_request().unwrap().field_violations[0];
    assert_eq!(field.field, "input");
    let unset = bed
        .decide("some-approval", wire::ApprovalDecision::Unspecified, "")
        .await;
    assert_eq!(unset.unwrap_err().code(), Code::InvalidArgument);
    let unknown = bed
        .decide("some-approval", wire::ApprovalDecision::Approve, "")
        .await;
    assert_eq!(unknown.unwrap_err().code(), Code::NotFound);
}

fn unused() -> wire::RunSessionResponse {
    wire::RunSessionResponse::default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_port_and_a_busy_folder_are_said_clearly() {
    let bed = Bed::new().await;
    let dir = tempfile::tempdir().unwrap();
    let mut busy_port = config(dir.path(), &[]);
    busy_port.listen = bed.address.parse().unwrap();
    let error = Daemon::start(busy_port).await.err().unwrap().to_string();
    assert!(
        error.contains("in use") && error.contains(&bed.address),
        "{error}"
    );
    let error = Daemon::start(config(bed.dir.path(), &[]))
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("in use by another runtime"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_database_folder_is_an_error_and_never_a_false_success() {
    let mut bed = Bed::new().await;
    bed.publish(&bundle(&script(&[]))).await.unwrap();
    let deploy = wire::DeployRequest {
        agent_ref: Some(agent("1.0.0")),
        actor: String::new(),
    };
    bed.client.deploy(deploy).await.unwrap();
    bed.start().await;
    std::fs::remove_dir_all(bed.dir.path()).unwrap();
    let request = wire::RunSessionRequest {
        agent_ref: Some(agent("")),
        ..Default::default()
    };
    let status = bed.client.run_session(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
}
