//! The side-effect class: what recovery may do with a call whose outcome is unknown.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How dangerous it is to run a call twice, from most to least permission to run again.
///
/// The order of the variants is the order of narrowing: a binding may move to a later class and
/// never to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SideEffectClass {
    /// Reads only; running it again is always safe.
    ReadOnly,
    /// Writes, but running it twice with the same key has the effect of running it once.
    IdempotentWrite,
    /// Writes, and a second run would be a second effect.
    NonIdempotentWrite,
    /// Cannot be undone.
    IrreversibleAction,
}

impl SideEffectClass {
    /// All classes, in narrowing order.
    pub const ALL: [SideEffectClass; 4] = [
        SideEffectClass::ReadOnly,
        SideEffectClass::IdempotentWrite,
        SideEffectClass::NonIdempotentWrite,
        SideEffectClass::IrreversibleAction,
    ];

    /// The name used in documents and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SideEffectClass::ReadOnly => "read_only",
            SideEffectClass::IdempotentWrite => "idempotent_write",
            SideEffectClass::NonIdempotentWrite => "non_idempotent_write",
            SideEffectClass::IrreversibleAction => "irreversible_action",
        }
    }

    /// Whether the runtime may run a call of this class again, by itself, after an unknown outcome.
    #[must_use]
    pub fn may_rerun(self) -> bool {
        match self {
            SideEffectClass::ReadOnly | SideEffectClass::IdempotentWrite => true,
            SideEffectClass::NonIdempotentWrite | SideEffectClass::IrreversibleAction => false,
        }
    }
}

impl fmt::Display for SideEffectClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no side-effect class.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown side_effect_class `{0}` (one of read_only, idempotent_write, non_idempotent_write, irreversible_action)"
)]
pub struct UnknownClass(pub String);

impl FromStr for SideEffectClass {
    type Err = UnknownClass;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|class| class.as_str() == text)
            .ok_or_else(|| UnknownClass(text.to_owned()))
    }
}
