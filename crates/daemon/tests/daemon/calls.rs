//! Calls from the model to the worker and back.

use proto::runtime::v1::ApprovalDecision;

use crate::bed::{Bed, kinds, script, serve, text};

#[tokio::test(flavor = "multi_thread")]
async fn two_tool_steps_of_one_turn_both_run_under_different_ids() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let script = script(&[
        &[("read", r#"{"id":"a"}"#), ("read", r#"{"id":"b"}"#)],
        &[("read", r#"{"id":"a"}"#)],
    ]);
    let session = bed.run(&script).await;
    let events = bed.until(&session, "session.completed").await;
    let mut calls: Vec<String> = events
        .iter()
        .filter(|it| it.r#type == "tool.requested")
        .map(|it| it.call_id.clone())
        .collect();
    assert_eq!(calls.len(), 3);
    assert!(
        calls[0].ends_with(":1:0") && calls[1].ends_with(":1:1"),
        "{calls:?}"
    );
    assert!(calls[2].ends_with(":2:0"), "{calls:?}");
    calls.dedup();
    assert_eq!(calls.len(), 3);
    let mut read = served.witness.lock().unwrap()["test.read"].clone();
    read.sort();
    assert_eq!(read, [r#"{"id":"a"}"#, r#"{"id":"a"}"#, r#"{"id":"b"}"#]);
    let inspected = bed.inspect(&session).await.session.unwrap();
    assert_eq!(inspected.status, "completed");
    assert_eq!(inspected.output.unwrap().message, "done");
}

/// Proposed and dispatched in one commit, the result in another: two a call, and nothing more.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_costs_two_commits() {
    let mut costs = Vec::new();
    for calls in [1_usize, 6] {
        let mut bed = Bed::new().await;
        let _served = serve(&bed.address, "w-1");
        // Connected before anything is asked, so that no call has to queue.
        bed.connected("w-1").await;
        let turns = vec![[("read", r#"{"id":"a"}"#)].as_slice(); calls];
        let session = bed.run(&script(&turns)).await;
        bed.until(&session, "session.completed").await;
        let (_, appends) = bed.daemon.as_ref().unwrap().store_counters();
        costs.push(appends);
    }
    // One append starts the session, one holds the last answer.
    assert_eq!(costs, [2 + 2, 2 + 2 * 6]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_used_once_for_what_was_seen() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let session = bed.run(&script(&[&[("pay", r#"{"amount":450}"#)]])).await;
    let events = bed.until(&session, "approval.required").await;
    let required = events.last().unwrap();
    assert_eq!(text(required, "reason"), "a large amount");
    assert_eq!(text(required, "route"), "lead");
    let approval = text(required, "approval_id");
    assert!(served.witness.lock().unwrap().is_empty());

    // Nothing else is listed, and what is listed shows exactly what would run.
    let listed = bed
        .client
        .list_approvals(proto::runtime::v1::ListApprovalsRequest::default());
    let listed = listed.await.unwrap().into_inner().approvals;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].args, br#"{"amount":450}"#);
    assert_eq!(listed[0].status, "pending");

    bed.restart().await;
    let decided = bed
        .decide(&approval, ApprovalDecision::Approve, "ana")
        .await
        .unwrap();
    assert_eq!(
        (decided.status.as_str(), decided.approvals_received),
        ("approved", 1)
    );
    bed.until(&session, "session.completed").await;
    // The same again is an echo; the opposite is refused; neither runs anything.
    let again = bed
        .decide(&approval, ApprovalDecision::Approve, "bo")
        .await
        .unwrap();
    assert_eq!(again.status, "approved");
    let opposite = bed
        .decide(&approval, ApprovalDecision::Reject, "bo")
        .await
        .unwrap_err();
    assert_eq!(opposite.code(), tonic::Code::FailedPrecondition);
    assert!(
        opposite.message().contains("already decided"),
        "{opposite:?}"
    );
    assert_eq!(
        served.witness.lock().unwrap()["test.pay"],
        [r#"{"amount":450}"#]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_is_told_to_the_model_and_nothing_runs() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let session = bed.run(&script(&[&[("pay", r#"{"amount":450}"#)]])).await;
    let events = bed.until(&session, "approval.required").await;
    let approval = text(events.last().unwrap(), "approval_id");
    let decided = bed
        .decide(&approval, ApprovalDecision::Reject, "ana")
        .await
        .unwrap();
    assert_eq!(decided.status, "denied");
    let events = bed.until(&session, "session.completed").await;
    let failed = events
        .iter()
        .find(|it| it.r#type == "tool.completed")
        .unwrap();
    assert_eq!(text(failed, "error_code"), "approval_rejected");
    assert!(
        served.witness.lock().unwrap().is_empty(),
        "{:?}",
        kinds(&events)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_worker_the_agent_is_told() {
    let mut bed = Bed::with(&[("RUNTIME_DISPATCH_QUEUE_WAIT", "1ms")]).await;
    let session = bed.run(&script(&[&[("read", "{}")]])).await;
    let events = bed.until(&session, "session.completed").await;
    let failed = events
        .iter()
        .find(|it| it.r#type == "tool.completed")
        .unwrap();
    assert_eq!(text(failed, "error_code"), "no_handler");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queued_call_survives_a_restart_and_runs_when_a_worker_comes() {
    let mut bed = Bed::with(&[("RUNTIME_DISPATCH_QUEUE_WAIT", "10m")]).await;
    let session = bed.run(&script(&[&[("read", "{}")]])).await;
    bed.until(&session, "tool.queued").await;
    bed.restart().await;
    let _served = serve(&bed.address, "w-1");
    bed.until(&session, "session.completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_ends_a_session_and_stays() {
    let mut bed = Bed::new().await;
    let session = bed.run(&script(&[&[("pay", r#"{"amount":450}"#)]])).await;
    let events = bed.until(&session, "approval.required").await;
    let approval = text(events.last().unwrap(), "approval_id");
    let cancel = proto::runtime::v1::CancelSessionRequest {
        session_id: session.clone(),
    };
    bed.client.cancel_session(cancel.clone()).await.unwrap();
    let inspected = bed.inspect(&session).await.session.unwrap();
    assert_eq!(inspected.status, "cancelled");
    let again = bed.client.cancel_session(cancel).await.unwrap_err();
    assert_eq!(again.code(), tonic::Code::NotFound);
    let late = bed
        .decide(&approval, ApprovalDecision::Approve, "ana")
        .await
        .unwrap_err();
    assert_eq!(late.code(), tonic::Code::FailedPrecondition);
}
