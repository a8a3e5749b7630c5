//! How long to wait before the next attempt to connect. Knows attempts and durations; not why an
//! attempt failed.

use std::time::Duration;

/// Waits double from `first` to `max`; each is cut by up to half at random, so that workers which lost
/// the same runtime do not return in step.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    /// The wait after the first failure.
    pub first: Duration,
    /// No wait is longer.
    pub max: Duration,
    /// A connection that stayed registered this long makes the next wait the first again. One that is
    /// cut sooner does not, or a runtime that accepts and drops would be hammered.
    pub settled_after: Duration,
}

impl Backoff {
    pub(crate) const USUAL: Self = Self {
        first: Duration::from_millis(100),
        max: Duration::from_secs(10),
        settled_after: Duration::from_secs(10),
    };
}

/// The waits so far.
pub(crate) struct Attempts {
    backoff: Backoff,
    failed: u32,
}

impl Attempts {
    pub(crate) fn new(backoff: Backoff) -> Self {
        Self { backoff, failed: 0 }
    }

    /// A connection ended that had been registered for `registered_for`, or that never was.
    /// `chance` is a fraction between 0 and 1.
    pub(crate) fn next_wait(&mut self, registered_for: Option<Duration>, chance: f64) -> Duration {
        if registered_for.is_some_and(|it| it >= self.backoff.settled_after) {
            self.failed = 0;
        }
        let whole = self
            .backoff
            .first
            .saturating_mul(2_u32.saturating_pow(self.failed))
            .min(self.backoff.max);
        self.failed = self.failed.saturating_add(1);
        whole.mul_f64(1.0 - chance.clamp(0.0, 1.0) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff = Backoff {
        first: Duration::from_millis(100),
        max: Duration::from_secs(1),
        settled_after: Duration::from_secs(5),
    };

    fn waits(attempts: &mut Attempts, count: usize) -> Vec<u128> {
        (0..count)
            .map(|_| attempts.next_wait(None, 0.0).as_millis())
            .collect()
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let mut attempts = Attempts::new(BACKOFF);
        assert_eq!(waits(&mut attempts, 6), [100, 200, 400, 800, 1000, 1000]);
    }

    #[test]
    fn chance_cuts_at_most_half() {
        let mut attempts = Attempts::new(BACKOFF);
        let wait = attempts.next_wait(None, 1.0);
        assert_eq!(wait, Duration::from_millis(50));
    }

    #[test]
    fn a_connection_that_lasted_starts_over() {
        let mut attempts = Attempts::new(BACKOFF);
        waits(&mut attempts, 3);
        let wait = attempts.next_wait(Some(Duration::from_secs(5)), 0.0);
        assert_eq!(wait, Duration::from_millis(100));
    }

    #[test]
    fn a_connection_cut_at_once_does_not() {
        let mut attempts = Attempts::new(BACKOFF);
        waits(&mut attempts, 3);
        let wait = attempts.next_wait(Some(Duration::from_secs(1)), 0.0);
        assert_eq!(wait, Duration::from_millis(800));
    }

    #[test]
    fn endless_failures_do_not_overflow() {
        let mut attempts = Attempts::new(BACKOFF);
        assert_eq!(waits(&mut attempts, 100).last(), Some(&1000));
    }
}
