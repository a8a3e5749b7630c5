//! A moment, as milliseconds since the Unix epoch.

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch (UTC). Always handed in; nothing in the pure crates reads a
/// clock.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Time(u64);

impl Time {
    /// The moment `ms` milliseconds after the epoch.
    #[must_use]
    pub fn from_unix_ms(ms: u64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub fn unix_ms(self) -> u64 {
        self.0
    }

    /// The same as a signed number, as the wire has it; saturates in the year 292 million.
    #[must_use]
    pub fn unix_ms_i64(self) -> i64 {
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }

    /// This moment moved `ms` later, never past the end of time.
    #[must_use]
    pub fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this moment, zero when the clock stepped back between them.
    #[must_use]
    pub fn ms_since(self, earlier: Time) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
