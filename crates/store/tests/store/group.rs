//! Appends that wait together are committed together, and do not spoil each other.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};

use runtime::{AppendError, Journal as _, block_on};
use rusqlite::Connection;

use crate::world::{ask, batch, claim, entry, folder, id, open};

const APPENDS: usize = 100;

type Asked<'a> = Pin<Box<dyn Future<Output = Result<(), AppendError>> + Send + 'a>>;

/// Queues the append, without waiting for it.
fn queue(mut future: Asked<'_>) -> Asked<'_> {
    let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(polled.is_pending(), "the writer is held");
    future
}

#[test]
fn appends_that_wait_together_share_a_commit() {
    let folder = folder();
    let store = open(folder.path());
    let epoch = claim(&store);
    let ids: Vec<_> = (0..APPENDS).map(|it| id(&format!("run_{it}"))).collect();

    // While somebody else writes to the file, the writer waits, and what comes in gathers.
    let holder = Connection::open(folder.path().join("ordain.db")).expect("the file opens");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the file can be held");
    let mut asked = Vec::new();
    for id in &ids {
        let first = batch(id, entry(None, "one"));
        asked.push(queue(Box::pin(store.append(id, 0, epoch, first))));
    }
    let (spoiled, stale) = (id("run_0"), id("run_stale"));
    let conflict = store.append(&spoiled, 7, epoch, batch(&spoiled, entry(None, "no")));
    let conflict = queue(Box::pin(conflict));
    let past = runtime::Epoch(epoch.0 - 1);
    let fenced = store.append(&stale, 0, past, batch(&stale, entry(None, "no")));
    let fenced = queue(Box::pin(fenced));
    holder.execute_batch("COMMIT").expect("the file can be let go");

    for append in asked {
        assert_eq!(block_on(append), Ok(()));
    }
    let refused = AppendError::Conflict { session: spoiled.clone(), expected: 7 };
    assert_eq!(block_on(conflict), Err(refused));
    assert_eq!(block_on(fenced), Err(AppendError::Fenced));
    for id in &ids {
        assert_eq!(ask(store.load(id)), [entry(None, "one")]);
    }
    assert_eq!(ask(store.load(&stale)), []);
    assert_eq!(store.appends(), APPENDS as u64);
    // One for whatever the writer had taken when it was held, one for the others.
    assert!(store.commits() <= 2, "{} commits", store.commits());
}

#[test]
fn a_group_that_cannot_be_committed_answers_unavailable_to_all() {
    let folder = folder();
    let store = open(&folder.path().join("store"));
    let epoch = claim(&store);
    let ids = [id("run_a"), id("run_b"), id("run_c")];
    let holder = Connection::open(folder.path().join("store/ordain.db")).expect("the file opens");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the file can be held");
    let mut asked = Vec::new();
    for id in &ids {
        let first = batch(id, entry(None, "one"));
        asked.push(queue(Box::pin(store.append(id, 0, epoch, first))));
    }
    std::fs::remove_dir_all(folder.path().join("store")).expect("the folder can be deleted");
    holder.execute_batch("COMMIT").expect("the file can be let go");
    for append in asked {
        let outcome = block_on(append);
        assert!(matches!(outcome, Err(AppendError::Unavailable(_))), "{outcome:?}");
    }
    assert_eq!((store.appends(), store.commits()), (0, 0));
}
