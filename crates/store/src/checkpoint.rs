//! Copies the write-ahead log back into the database, off the thread that commits.
//!
//! The log is only begun again from its start when every frame of it has been copied, and under
//! load a copy made beside the writer is always a few frames behind. So the bulk is copied here, in
//! passes each of which is shorter than the one before, and the writer is then asked to copy the
//! rest between two groups, which is little.
//!
//! The file keeps the length that it has come to, up to [`LOG_BYTES_MAX`]: syncing what was written
//! before is cheaper than syncing a file that grows, and cutting it costs tens of milliseconds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};

use rusqlite::Connection;

use crate::fault::Unavailable;
use crate::link::{Link, Place, Role};

/// A frame holds a page, and there are 4 KiB to a page.
const LOG_FRAMES_MAX: i64 = 16 * 1024;
/// A log with more frames is copied back.
const COPY_AT_FRAMES: i64 = 4 * 1024;
/// How much more must be written before a copy that did not finish is tried again.
const STEP_FRAMES: i64 = 2 * 1024;
/// So many frames may be left to the writer.
const REST_FRAMES_MAX: i64 = 128;
const PASSES_MAX: usize = 4;

/// A file that has become longer, because a reader kept the log from being begun again, is cut.
pub(crate) const LOG_BYTES_MAX: i64 = LOG_FRAMES_MAX * 4 * 1024;

/// The writer's side: watches the log, wakes the copier, copies what that has left.
pub(crate) struct Watch {
    wake: SyncSender<()>,
    wake_at_frames: i64,
}

impl Watch {
    pub(crate) fn new(wake: SyncSender<()>) -> Self {
        Self {
            wake,
            wake_at_frames: COPY_AT_FRAMES,
        }
    }

    /// Looks after the log, between two groups.
    pub(crate) fn tend(&mut self, connection: &Connection, rest: &AtomicBool) {
        if let Err(error) = self.look(connection, rest) {
            tracing::warn!(%error, "the write-ahead log could not be looked after");
        }
    }

    fn look(&mut self, connection: &Connection, rest: &AtomicBool) -> rusqlite::Result<()> {
        let mut finish = rest.swap(false, Ordering::Acquire);
        let frames = checkpoint(connection, "PRAGMA wal_checkpoint(NOOP)")?.frames;
        if frames <= COPY_AT_FRAMES {
            self.wake_at_frames = COPY_AT_FRAMES;
        } else if frames > self.wake_at_frames {
            self.wake_at_frames = frames.saturating_add(STEP_FRAMES);
            // Beyond the bound the writer copies itself, whatever that costs.
            finish |= frames > LOG_FRAMES_MAX;
            // A full channel means that the copier is awake already.
            self.wake.try_send(()).ok();
        }
        if finish {
            pass(connection)?;
        }
        Ok(())
    }
}

struct Log {
    frames: i64,
    copied: i64,
}

fn checkpoint(connection: &Connection, sql: &str) -> rusqlite::Result<Log> {
    connection.prepare_cached(sql)?.query_one([], |row| {
        Ok(Log {
            frames: row.get(1)?,
            copied: row.get(2)?,
        })
    })
}

/// Copies what can be copied without waiting for anybody; answers how many frames are left.
fn pass(connection: &Connection) -> rusqlite::Result<i64> {
    let log = checkpoint(connection, "PRAGMA wal_checkpoint(PASSIVE)")?;
    Ok(log.frames.saturating_sub(log.copied))
}

/// Copies at each wake, until the writer is gone.
pub(crate) fn run(place: &Place, store: &str, wakes: &Receiver<()>, rest: &AtomicBool) {
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
