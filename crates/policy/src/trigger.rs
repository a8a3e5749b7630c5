//! What opens a second round. Knows the words; not what happens after the round.

use std::fmt;
use std::str::FromStr;

/// Why a call, or a run, is judged again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// No worker serves the tool.
    NoHandler,
    /// Every worker that serves it is full.
    CapacityExhausted,
    /// The worker that had the call stopped reporting.
    LeaseExpired,
    /// Nobody can say whether the call ran.
    Indeterminate,
    /// A limit with `on_limit: escalate` was reached.
    LimitEscalate,
}

impl Trigger {
    /// All of them.
    pub const ALL: [Trigger; 5] = [
        Trigger::NoHandler,
        Trigger::CapacityExhausted,
        Trigger::LeaseExpired,
        Trigger::Indeterminate,
        Trigger::LimitEscalate,
    ];

    /// The word that conditions compare with.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Trigger::NoHandler => "dispatch:no_handler",
            Trigger::CapacityExhausted => "dispatch:capacity_exhausted",
            Trigger::LeaseExpired => "dispatch:lease_expired",
            Trigger::Indeterminate => "dispatch:indeterminate",
            Trigger::LimitEscalate => "limit:escalate",
        }
    }

    /// The word without `dispatch:`; the limit's has no short form.
    #[must_use]
    pub fn short(self) -> &'static str {
        let word = self.as_str();
        word.strip_prefix("dispatch:").unwrap_or(word)
    }

    /// The trigger that an author's `word` means, in its long or its short form.
    pub(crate) fn from_word(word: &str) -> Option<Trigger> {
        Self::ALL
            .into_iter()
            .find(|trigger| trigger.as_str() == word || trigger.short() == word)
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no trigger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown trigger `{0}` (one of dispatch:no_handler, dispatch:capacity_exhausted, dispatch:lease_expired, dispatch:indeterminate, limit:escalate)"
)]
pub struct UnknownTrigger(pub String);

impl FromStr for Trigger {
    type Err = UnknownTrigger;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|trigger| trigger.as_str() == text)
            .ok_or_else(|| UnknownTrigger(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Trigger;

    #[test]
    fn words_come_back() {
        for trigger in Trigger::ALL {
            assert_eq!(trigger.as_str().parse(), Ok(trigger));
            assert_eq!(Trigger::from_word(trigger.short()), Some(trigger));
        }
        for word in [
            "",
            "indeterminate",
            "dispatch:",
            "dispatch:lost",
            "limit:halt",
        ] {
            assert!(word.parse::<Trigger>().is_err(), "{word}");
        }
        assert_eq!(Trigger::from_word("escalate"), None);
    }
}
