//! Many at once, and the largest that is allowed.

use crate::bed::{Bed, script, serve, text};

/// Sessions that run at once, and calls of each.
const SESSIONS: usize = 64;
const CALLS: usize = 5;

#[tokio::test(flavor = "multi_thread")]
async fn many_sessions_share_two_workers_and_every_call_runs_once() {
    let mut bed = Bed::new().await;
    let served = [serve(&bed.address, "w-1"), serve(&bed.address, "w-2")];
    let turn = [("pay", r#"{"amount":1}"#)];
    let turns = vec![turn.as_slice(); CALLS];
    let mut sessions = vec![bed.run(&script(&turns)).await];
    for _ in 1..SESSIONS {
        sessions.push(bed.start().await);
    }
    for session in &sessions {
        let events = bed.until(session, "session.completed").await;
        let failed = events
            .iter()
            .find(|it| !text(it, "error_code").starts_with("None"));
        let failed = failed.filter(|it| it.r#type == "tool.completed");
        assert!(failed.is_none(), "{failed:?}");
    }
    let paid: usize = served
        .iter()
        .map(|it| {
            it.witness
                .lock()
                .unwrap()
                .values()
                .map(Vec::len)
                .sum::<usize>()
        })
        .sum();
    assert_eq!(paid, SESSIONS * CALLS);
    // Both took part, and nothing waits any more.
    assert!(
        served
            .iter()
            .all(|it| !it.witness.lock().unwrap().is_empty())
    );
    bed.restart().await;
    let listed = bed
        .client
        .list_sessions(proto::runtime::v1::ListSessionsRequest {
            status: "completed".to_owned(),
            ..Default::default()
        });
    assert_eq!(listed.await.unwrap().into_inner().sessions.len(), SESSIONS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_a_hundred_calls_has_a_hundred_results() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let calls = vec![("read", r#"{"id":"é 日本 😀"}"#); 100];
    let session = bed.run(&script(&[&calls])).await;
    let events = bed.until(&session, "session.completed").await;
    let done = events
        .iter()
        .filter(|it| it.r#type == "tool.completed")
        .count();
    assert_eq!(done, 100);
    let read = served.witness.lock().unwrap()["test.read"].clone();
    assert_eq!(read.len(), 100);
    assert!(read.iter().all(|it| it == r#"{"id":"é 日本 😀"}"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_up_to_the_limit_arrive_and_larger_ones_are_refused() {
    let mut bed = Bed::new().await;
    let served = serve(&bed.address, "w-1");
    let max = session::Settings::STANDARD.args_bytes_max;
    let args = |len: usize| format!(r#"{{"id":"{}"}}"#, "x".repeat(len - r#"{"id":""}"#.len()));
    let largest = args(max);
    let session = bed.run(&script(&[&[("read", &largest)]])).await;
    bed.until(&session, "session.completed").await;
    assert!(served.witness.lock().unwrap()["test.read"] == [largest]);

    let mut bed = Bed::new().await;
    let session = bed.run(&script(&[&[("read", &args(max + 1))]])).await;
    let events = bed.until(&session, "session.completed").await;
    let refused = events
        .iter()
        .find(|it| it.r#type == "tool.refused")
        .unwrap();
    let message = text(refused, "message");
    assert_eq!(
        message,
        format!("arguments too large: {} > {max} bytes", max + 1)
    );
}
