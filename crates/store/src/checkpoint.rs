//! Copies the write-ahead log back into the database, off the thread that commits.
//!
//! The log is only begun again from its start when every frame of it has been copied, and under
//! load a copy made beside the writer is always a few frames behind. So the bulk is copied here, in
//! passes each of which is shorter than the one before, and the writer is then asked to copy the
//! rest between two groups, which is little. The log's
//! length tells how far it has come: when it is begun again it is cut to [`WAL_KEPT_BYTES`], which
//! stay allocated, since syncing into a file of fixed size is cheaper than into a growing one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

use rusqlite::Connection;

use crate::fault::Unavailable;
use crate::link::{Link, Place, Role};

/// A log longer than this is copied back.
pub(crate) const WAL_KEPT_BYTES: u64 = 16 * 1024 * 1024;
/// How much more must be written before a copy that did not finish is tried again.
pub(crate) const WAL_STEP_BYTES: u64 = 8 * 1024 * 1024;
/// A log longer than this is copied back by the writer itself, whatever it costs.
pub(crate) const WAL_BYTES_MAX: u64 = 64 * 1024 * 1024;

const PASSES_MAX: usize = 4;
/// So many frames may be left to the writer.
const REST_FRAMES_MAX: i64 = 128;

/// Frames of the log that a pass has left.
pub(crate) fn pass(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?.query_one([], |row| {
        let (frames, copied): (i64, i64) = (row.get(1)?, row.get(2)?);
        Ok(frames.saturating_sub(copied))
    })
}

/// Makes a pass for each wake, until the writer is gone.
pub(crate) fn run(place: &Place, store: &str, wakes: &Receiver<()>, rest: &Arc<AtomicBool>) {
    let mut link = None;
    while wakes.recv().is_ok() {
        match copy(place, store, &mut link) {
            Ok(0) => {}
            Ok(_) => rest.store(true, Ordering::Release),
            Err(Unavailable(why)) => {
                tracing::warn!(%why, "the write-ahead log could not be copied back");
                if let Some(lost) = link.take() {
                    Link::abandon(lost);
                }
            }
        }
    }
}

/// Frames that are left after a few passes.
fn copy(place: &Place, store: &str, link: &mut Option<Link>) -> Result<i64, Unavailable> {
    let link = match link {
        Some(link) => link,
        None => link.insert(Link::connect(place, store, Role::Checkpointer)?),
    };
    link.check()?;
    let mut left = i64::MAX;
    for _ in 0..PASSES_MAX {
        left = pass(&link.connection)?;
        if left <= REST_FRAMES_MAX {
            break;
        }
    }
    Ok(left)
}
