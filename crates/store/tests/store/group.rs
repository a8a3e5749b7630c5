//! Appends that wait together are committed together, and do not spoil each other.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};

use runtime::{AppendError, Journal as _, block_on};
use rusqlite::Connection;
use store::{PublishError, Published};

use crate::catalog::version;
use crate::world::{ask, batch, claim, entry, folder, id, open};

const APPENDS: usize = 100;

type Asked<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Queues what is asked, without waiting for it.
fn queue<T>(mut future: Asked<'_, T>) -> Asked<'_, T> {
    let polled = future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
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
    holder
        .execute_batch("BEGIN IMMEDIATE")
        .expect("the file can be held");
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
    holder
        .execute_batch("COMMIT")
        .expect("the file can be let go");

    for append in asked {
        assert_eq!(block_on(append), Ok(()));
    }
    let refused = AppendError::Conflict {
        session: spoiled.clone(),
        expected: 7,
    };
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
    holder
        .execute_batch("BEGIN IMMEDIATE")
        .expect("the file can be held");
    let mut asked = Vec::new();
    for id in &ids {
        let first = batch(id, entry(None, "one"));
        asked.push(queue(Box::pin(store.append(id, 0, epoch, first))));
    }
    std::fs::remove_dir_all(folder.path().join("store")).expect("the folder can be deleted");
    holder
        .execute_batch("COMMIT")
        .expect("the file can be let go");
    for append in asked {
        let outcome = block_on(append);
        assert!(
            matches!(outcome, Err(AppendError::Unavailable(_))),
            "{outcome:?}"
        );
    }
    assert_eq!((store.appends(), store.commits()), (0, 0));
}

// Two versions with one id: nothing that a caller does, but a failure that only SQLite finds.
#[test]
fn an_order_that_fails_halfway_does_not_spoil_its_neighbours() {
    let folder = folder();
    let store = open(folder.path());
    let epoch = claim(&store);
    ask(store.publish(version("1.0.0", "one")));
    let holder = Connection::open(folder.path().join("ordain.db")).expect("the file opens");
    holder
        .execute_batch("BEGIN IMMEDIATE")
        .expect("the file can be held");
    let (a, b) = (id("run_a"), id("run_b"));
    let first = queue(Box::pin(store.append(
        &a,
        0,
        epoch,
        batch(&a, entry(None, "one")),
    )));
    let mut clash = version("2.0.0", "two");
    clash.name = "other".to_owned();
    clash.version_id = spec::VersionId::new("id-1.0.0");
    let clash: Asked<'_, Result<Published, PublishError>> = Box::pin(store.publish(clash));
    let clash = queue(clash);
    let second = queue(Box::pin(store.append(
        &b,
        0,
        epoch,
        batch(&b, entry(None, "one")),
    )));
    holder
        .execute_batch("COMMIT")
        .expect("the file can be let go");

    assert_eq!(block_on(first), Ok(()));
    let failed = block_on(clash);
    assert!(
        matches!(failed, Err(PublishError::Unavailable(_))),
        "{failed:?}"
    );
    assert_eq!(block_on(second), Ok(()));
    for id in [&a, &b] {
        assert_eq!(ask(store.load(id)), [entry(None, "one")]);
    }
    let agents = ask(store.agents(None));
    assert_eq!(
        agents.len(),
        1,
        "the agent of the failed version is not there"
    );
}
