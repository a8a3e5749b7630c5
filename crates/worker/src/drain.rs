//! How long an ending worker waits, and for what. Knows the two phases of a drain; not the calls.

use std::time::Duration;

use tokio::time::Instant;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Grace {
    /// For running handlers to finish.
    pub(crate) handlers: Duration,
    /// For the runtime to acknowledge results.
    pub(crate) acks: Duration,
}

/// What a worker left behind. Both are empty when all went well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Drained {
    /// Calls whose handlers did not finish in time. What they did is unknown, so nothing was reported.
    pub abandoned: Vec<String>,
    /// Calls whose results the runtime did not acknowledge in time. It may have them.
    pub unacknowledged: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Phase {
    Serving,
    /// Handlers may go on until then.
    Handlers(Instant),
    /// No handler runs; results may be acknowledged until then.
    Acks(Instant),
}

impl Phase {
    pub(crate) fn is_draining(self) -> bool {
        !matches!(self, Self::Serving)
    }

    /// Ends when the phase may last no longer; while serving, never.
    pub(crate) async fn over(self) {
        match self {
            Self::Serving => std::future::pending().await,
            Self::Handlers(until) | Self::Acks(until) => tokio::time::sleep_until(until).await,
        }
    }
}
