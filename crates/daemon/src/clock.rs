//! The present, which never steps back while the process lives: the wall clock is read once, and
//! what has passed since comes from the monotonic clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use spec::Time;

#[derive(Clone, Copy)]
pub(crate) struct Clock {
    began: Instant,
    wall_ms: u64,
}

impl Clock {
    pub(crate) fn start() -> Self {
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            began: Instant::now(),
            wall_ms: millis(wall),
        }
    }

    pub(crate) fn now(&self) -> Time {
        Time::from_unix_ms(self.wall_ms.saturating_add(millis(self.began.elapsed())))
    }

    /// How long until `at`; nothing if it has passed.
    pub(crate) fn until(&self, at: Time) -> Duration {
        Duration::from_millis(at.ms_since(self.now()))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// RFC 3339 in UTC, to the second, as the wire has it; empty for the epoch itself.
pub(crate) fn rfc3339(time: Time) -> String {
    if time == Time::default() {
        return String::new();
    }
    let seconds = i64::try_from(time.unix_ms() / 1000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds)
        .map(|it| it.to_string())
        .unwrap_or_default()
}
