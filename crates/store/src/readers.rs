//! Threads that read, each on a connection of its own, so that neither the writer nor an executor
//! waits for a query.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::fault::Unavailable;
use crate::link::{Link, Place, Role};

/// A query, and where its rows go.
pub(crate) trait Query: Send {
    /// Asks; answers whether the connection is still good.
    fn ask(self: Box<Self>, connection: &Connection) -> bool;
    /// Answers that there is nobody to ask.
    fn refuse(self: Box<Self>, why: Unavailable);
}

pub(crate) struct Task<T, F> {
    pub(crate) work: F,
    pub(crate) answer: oneshot::Sender<Result<T, Unavailable>>,
}

impl<T, F> Query for Task<T, F>
where
    T: Send,
    F: Fn(&Connection) -> rusqlite::Result<T> + Send,
{
    fn ask(self: Box<Self>, connection: &Connection) -> bool {
        let rows = (self.work)(connection);
        let good = rows.is_ok();
        // Whoever asked may have stopped waiting.
        self.answer.send(rows.map_err(Unavailable::from)).ok();
        good
    }

    fn refuse(self: Box<Self>, why: Unavailable) {
        self.answer.send(Err(why)).ok();
    }
}

/// What the readers share: whoever is free takes the next query.
pub(crate) type Queue = Arc<Mutex<mpsc::Receiver<Box<dyn Query>>>>;

/// Answers queries until every handle of the store is gone.
pub(crate) fn run(place: &Place, store: &str, queue: &Queue) {
    let mut link = None;
    while let Some(query) = next(queue) {
        match ready(place, store, &mut link) {
            Ok(connected) => {
                if !query.ask(&connected.connection) {
                    lose(&mut link);
                }
            }
            Err(why) => query.refuse(why),
        }
    }
}

fn next(queue: &Queue) -> Option<Box<dyn Query>> {
    queue
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .blocking_recv()
}

fn ready<'a>(
    place: &Place,
    store: &str,
    link: &'a mut Option<Link>,
) -> Result<&'a Link, Unavailable> {
    if link.as_ref().is_some_and(|link| link.check().is_err()) {
        lose(link);
    }
    Ok(match link {
        Some(link) => link,
        lost @ None => lost.insert(Link::connect(place, store, Role::Reader)?),
    })
}

fn lose(link: &mut Option<Link>) {
    if let Some(link) = link.take() {
        link.abandon();
    }
}
