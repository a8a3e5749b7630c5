//! The writer alone, with a store that is full.

#![expect(
    clippy::expect_used,
    reason = "in a test, what does not work is a failure"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::{Counters, Kind, Order, Task, Writer};
use crate::fault::Unavailable;
use crate::link::{Link, Place, Role};
use crate::{Store, StoreSettings, schema};

type Answer = oneshot::Receiver<Result<(), Unavailable>>;

/// An order that writes a payload of so many bytes, or of none.
fn payload(kind: Kind, bytes: usize) -> (Box<dyn Order>, Answer) {
    let (answer, answered) = oneshot::channel();
    let work = move |connection: &Connection| {
        connection
            .prepare_cached("INSERT INTO payloads (session, digest, bytes) VALUES (1, ?1, ?2)")?
            .execute(rusqlite::params![bytes.to_be_bytes(), vec![7_u8; bytes]])?;
        Ok(Ok(()))
    };
    (Box::new(Task::new(kind, bytes, work, answer)), answered)
}

#[test]
fn a_full_store_says_so_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    drop(Store::open(folder.path(), StoreSettings::STANDARD).expect("the store opens"));
    let place = Place::lock(folder.path()).expect("the folder can be locked");
    let database = place.paths().expect("it is in a folder").database.clone();
    let store = Connection::open(database)
        .and_then(|it| schema::store_id(&it))
        .expect("an id");
    let link = Link::connect(&place, &store, Role::Writer).expect("the store can be connected");
    let pages: i64 = link
        .connection
        .query_one("PRAGMA page_count", [], |row| row.get(0))
        .expect("a count");
    link.connection
        .query_one(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
        .expect("the store can be bounded");
    let counters = Arc::new(Counters::default());
    let writer = Writer {
        place: Arc::new(place),
        store,
        link: Some(link),
        counters: Arc::clone(&counters),
        watch: None,
        rest: Arc::new(AtomicBool::new(false)),
    };

    let (sender, queue) = mpsc::channel(8);
    let give = |order| {
        sender
            .try_send(order)
            .map_err(|_| "a full queue")
            .expect("there is room")
    };
    let (large, full) = payload(Kind::Append, 1024 * 1024);
    let (small, beside) = payload(Kind::Append, 8);
    give(large);
    give(small);
    let running = thread::spawn(move || writer.run(queue));
    for answer in [full, beside] {
        let why = answer
            .blocking_recv()
            .expect("an answer")
            .expect_err("there is no room")
            .0;
        assert!(why.contains("full"), "{why}");
    }
    assert_eq!(counters.appends.load(Ordering::Relaxed), 0);

    // The bound was the connection's own, and a new one has been made.
    let (small, fits) = payload(Kind::Append, 8);
    give(small);
    assert_eq!(fits.blocking_recv().expect("an answer"), Ok(()));
    assert_eq!(counters.appends.load(Ordering::Relaxed), 1);
    assert_eq!(counters.commits.load(Ordering::Relaxed), 1);
    drop(sender);
    running.join().expect("the writer ends");
}
